import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../platform/manual.ts';
import { AuditError, AuditTrail, type TrailDisk } from './trail.ts';
import { verifyTrail } from './verify.ts';

const START = Date.parse('2026-12-01T23:59:58Z');
const DAY_1 = 'audit-2026-12-01.jsonl';
const DAY_2 = 'audit-2026-12-02.jsonl';

let directory: string;
let clock: ManualClock;
let warnings: [object, string][];
let errors: [object, string][];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stanchion-audit-'));
  clock = manualClock({ startAt: START });
  warnings = [];
  errors = [];
});
afterEach(() => rm(directory, { recursive: true }));

function open(disk?: TrailDisk): Promise<AuditTrail> {
  const logger = {
    warn: (fields: object, message: string) => void warnings.push([fields, message]),
    error: (fields: object, message: string) => void errors.push([fields, message]),
  };
  return AuditTrail.open({ directory, platform: clock, logger, disk });
}

const pathOf = (file: string) => join(directory, file);
const textOf = (file: string) => readFile(pathOf(file), 'utf8');
const linesOf = async (file: string) => (await textOf(file)).trimEnd().split('\n');

/** A trail over two days: three records, then two. */
async function twoDays(): Promise<void> {
  const trail = await open();
  for (const n of [1, 2, 3]) await trail.write({ n, text: 'ä' });
  await clock.advance(2_000);
  for (const n of [4, 5]) await trail.write({ n });
  await trail.close();
}

describe('a trail', () => {
  it('is a chain of lines over daily files', async () => {
    await twoDays();
    expect(await readdir(directory)).toEqual([DAY_1, DAY_2, 'head.json']);
    const records = [...(await linesOf(DAY_1)), ...(await linesOf(DAY_2))].map((line) => JSON.parse(line));
    expect(records.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
    expect(records.map(({ previousHash }) => previousHash)).toEqual([
      '0'.repeat(64),
      ...records.slice(0, -1).map(({ hash }) => hash),
    ]);
    expect(await verifyTrail(directory)).toEqual({
      intact: true,
      files: 2,
      records: 5,
      lastHash: records.at(-1).hash,
    });
  });

  it('changes files at midnight, UTC, to the millisecond', async () => {
    const trail = await open();
    await clock.advance(1_999);
    await trail.write({ n: 1 });
    expect(await readdir(directory)).toEqual([DAY_1, 'head.json']);
    await clock.advance(1);
    await trail.write({ n: 2 });
    expect(await readdir(directory)).toEqual([DAY_1, DAY_2, 'head.json']);
    await trail.close();
  });

  it('goes on after a restart', async () => {
    await twoDays();
    const trail = await open();
    await trail.write({ n: 6 });
    await trail.close();
    expect(await verifyTrail(directory)).toMatchObject({ intact: true, records: 6 });
    expect(warnings).toEqual([]);
  });

  it('stays in the latest file when the clock of a new process is behind', async () => {
    await twoDays();
    clock = manualClock({ startAt: START - 86_400_000 });
    const trail = await open();
    await trail.write({ n: 6 });
    await trail.close();
    expect(await linesOf(DAY_2)).toHaveLength(3);
    expect(await verifyTrail(directory)).toMatchObject({ intact: true, records: 6 });
  });

  it('writes what comes together with few flushes, in order', async () => {
    const trail = await open();
    await Promise.all(Array.from({ length: 500 }, (_, n) => trail.write({ n })));
    await trail.close();
    expect((await linesOf(DAY_1)).map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });
});

describe('tampering', () => {
  const verdictAfter = async (file: string, text: string | Buffer) => {
    const before = await readFile(pathOf(file));
    await writeFile(pathOf(file), text);
    const verdict = await verifyTrail(directory);
    await writeFile(pathOf(file), before);
    return verdict;
  };

  it('shows for every single byte that is altered, with the line', async () => {
    await twoDays();
    for (const file of [DAY_1, DAY_2, 'head.json']) {
      const bytes = await readFile(pathOf(file));
      let line = 1;
      for (const [at, byte] of bytes.entries()) {
        const altered = Buffer.from(bytes);
        altered[at] = byte ^ 1;
        const verdict = await verdictAfter(file, altered);
        expect(verdict, `${file}, byte ${at}`).toMatchObject({ intact: false });
        if (file !== 'head.json') expect(verdict, `byte ${at}`).toMatchObject({ file, line });
        if (byte === 0x0a) line++;
      }
    }
  });

  it('shows for a line that is missing, doubled or out of place', async () => {
    await twoDays();
    const [a, b, c] = (await linesOf(DAY_1)) as [string, string, string];
    const text = (...lines: string[]) => `${lines.join('\n')}\n`;
    expect(await verdictAfter(DAY_1, text(b, c))).toMatchObject({ intact: false, file: DAY_1, line: 1 });
    expect(await verdictAfter(DAY_1, text(a, c))).toMatchObject({ intact: false, file: DAY_1, line: 2 });
    expect(await verdictAfter(DAY_1, text(a, b))).toMatchObject({ intact: false, file: DAY_2, line: 1 });
    expect(await verdictAfter(DAY_1, text(a, c, b))).toMatchObject({ intact: false, file: DAY_1, line: 2 });
    expect(await verdictAfter(DAY_1, text(a, b, b, c))).toMatchObject({ intact: false, file: DAY_1, line: 3 });
    expect(await verdictAfter(DAY_1, '')).toMatchObject({ intact: false, file: DAY_2, line: 1 });
  });

  it('shows for records that are missing at the end, by the head', async () => {
    await twoDays();
    const [first] = await linesOf(DAY_2);
    expect(await verdictAfter(DAY_2, `${first}\n`)).toMatchObject({ intact: false, file: DAY_2, line: 0 });
    await rm(pathOf(DAY_2));
    expect(await verifyTrail(directory)).toMatchObject({ intact: false, file: DAY_2, line: 0 });
    await rm(pathOf('head.json'));
    expect(await verifyTrail(directory)).toMatchObject({ intact: false, file: 'head.json' });
  });

  it('shows for a file that is missing in the middle, and at the beginning unless that is told', async () => {
    await twoDays();
    const trail = await open();
    await clock.advance(86_400_000);
    await trail.write({ n: 6 });
    await trail.close();
    const bytes = await readFile(pathOf(DAY_1));
    await rm(pathOf(DAY_1));
    expect(await verifyTrail(directory)).toMatchObject({ intact: false, file: DAY_2, line: 1 });
    expect(await verifyTrail(directory, { partial: true })).toMatchObject({ intact: true, records: 3 });
    await writeFile(pathOf(DAY_1), bytes);
    await rm(pathOf(DAY_2));
    expect(await verifyTrail(directory)).toMatchObject({ intact: false, file: 'audit-2026-12-03.jsonl', line: 1 });
    expect(await verifyTrail(directory, { partial: true })).toMatchObject({ intact: false });
  });
});

describe('after a crash in the middle of a line', () => {
  it('the rest of it is kept in a record of its own, told, and the chain holds - wherever it was cut', async () => {
    await twoDays();
    const whole = await readFile(pathOf(DAY_2));
    const start = whole.indexOf(0x0a) + 1;
    for (let end = start + 1; end < whole.length - 1; end += 7) {
      warnings = [];
      await writeFile(pathOf(DAY_2), whole.subarray(0, end));
      await writeFile(
        pathOf('head.json'),
        `{"file":"${DAY_1}","hash":"${JSON.parse((await linesOf(DAY_1))[2]!).hash}"}\n`,
      );
      await (await open()).close();
      expect(await verifyTrail(directory)).toMatchObject({ intact: true, records: 5 });
      const last = JSON.parse((await linesOf(DAY_2)).at(-1)!);
      expect(last).toMatchObject({ eventName: 'AuditTrailRepaired', eventType: 'AwsServiceEvent' });
      expect(Buffer.from(last.serviceEventDetails.cutOffRecord, 'base64')).toEqual(whole.subarray(start, end));
      expect(warnings).toHaveLength(1);
    }
  });

  it('a record that lacks but its line break is whole', async () => {
    await twoDays();
    const whole = await textOf(DAY_2);
    await writeFile(pathOf(DAY_2), whole.slice(0, -1));
    await (await open()).close();
    expect(await textOf(DAY_2)).toBe(whole);
    expect(warnings).toEqual([]);
  });

  it('the first line of a file may be the one that was cut', async () => {
    const trail = await open();
    await trail.write({ n: 1 });
    await trail.close();
    await writeFile(pathOf(DAY_2), '{"n":');
    await clock.advance(2_000);
    await (await open()).close();
    expect(await verifyTrail(directory)).toMatchObject({ intact: true, files: 2, records: 2 });
  });

  it('a trail whose last line was changed is left as it is', async () => {
    await twoDays();
    await writeFile(pathOf(DAY_2), (await textOf(DAY_2)).replace('"n":5', '"n":6'));
    await expect(open()).rejects.toThrow(/audit-2026-12-02\.jsonl is not as it was written/);
  });
});

describe('a disk that is full', () => {
  /** A disk that takes so many bytes and then a part of the next write, until it has room again. */
  function smallDisk(room: number) {
    const files = new Map<string, Buffer>();
    const state = { room, files };
    const disk: TrailDisk = {
      async open(path) {
        if (!files.has(path)) files.set(path, Buffer.alloc(0));
        const bytes = () => files.get(path) as Buffer;
        return {
          size: async () => bytes().length,
          async writeAt(added, position) {
            const fitting = added.subarray(0, state.room);
            const after = bytes().subarray(position + fitting.length);
            files.set(path, Buffer.concat([bytes().subarray(0, position), fitting, after]));
            if (fitting.length < added.length) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          },
          truncate: async (size) => void files.set(path, bytes().subarray(0, size)),
          sync: async () => {},
          close: async () => {},
        };
      },
      replace: async (path, text) => void files.set(path, Buffer.from(text)),
    };
    return { disk, state };
  }

  it('fails what is written, lets nobody begin, and goes on by itself when there is room: nothing lost or twice', async () => {
    const { disk, state } = smallDisk(1_000);
    const trail = await open(disk);
    await trail.ready();
    await trail.write({ n: 1 });
    state.room = 50;
    await expect(trail.write({ n: 2 })).rejects.toThrow(AuditError);
    await expect(trail.ready()).rejects.toThrow('The audit trail cannot be written.');
    await expect(trail.ready()).rejects.toThrow(AuditError);
    expect(errors).toHaveLength(1);
    state.room = 10_000;
    await trail.ready();
    await trail.write({ n: 3 });
    await trail.close();
    for (const [path, bytes] of state.files) await writeFile(path, bytes);
    expect(await verifyTrail(directory)).toMatchObject({ intact: true, records: 3 });
    expect((await linesOf(DAY_1)).map((line) => JSON.parse(line).n)).toEqual([1, 2, 3]);
  });

  it('refuses when too much waits for a slow one', async () => {
    let letGo = () => {};
    const slow = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { disk } = smallDisk(Number.MAX_SAFE_INTEGER);
    const trail = await open({ ...disk, replace: () => slow });
    const text = 'x'.repeat(1024 * 1024);
    const writes = Array.from({ length: 17 }, (_, n) => trail.write({ n, text }));
    await expect(trail.ready()).rejects.toThrow('Too many records wait for the audit trail.');
    letGo();
    await Promise.all(writes);
    await trail.ready();
    await trail.close();
  });
});
