import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realPlatform } from '../../../src/platform/real.ts';
import { DamagedFileError } from '../../../src/storage/damaged-file-error.ts';
import {
  JOURNAL_LIMITS,
  type JournalLimits,
  openJournaledStore,
} from '../../../src/storage/journaled/journaled-store.ts';
import { CommitError, type Operation, type RangeQuery, type Store } from '../../../src/storage/store.ts';
import { afterOperations, BaseStore, hex, type Rows } from '../../support/base-store.ts';
import { type FileWrite, interceptWrites } from '../../support/file-writes.ts';
import { gate } from '../../support/gate.ts';
import { bytes, put, textOf } from './suite.ts';

const root = mkdtempSync(join(tmpdir(), 'stanchion-journal-faults-'));
let directories = 0;
let directory: string;
let base: BaseStore;

afterAll(() => rmSync(root, { recursive: true }));
beforeEach(async () => {
  directory = newDirectory();
  base = await BaseStore.with();
});

function newDirectory(): string {
  const path = join(root, String(directories++));
  mkdirSync(path);
  return path;
}

const open = (limits: Partial<JournalLimits> = {}, from = directory, below = base) =>
  openJournaledStore(below, {
    platform: realPlatform(),
    directory: from,
    isFlushed: false,
    limits: { ...JOURNAL_LIMITS, growthBytes: 4096, ...limits },
  });

/** Opens what is there now, as after a crash, and gives the store as it was found. */
async function afterCrash(look: (store: Store) => Promise<void>): Promise<void> {
  const copy = newDirectory();
  cpSync(directory, copy, { recursive: true });
  const below = await BaseStore.with(base.rows);
  const store = await open({}, copy, below);
  await look(store);
  await store.close();
}

const remove = (key: string): Operation => ({ key: bytes(key) });
const ALL: RangeQuery = { start: Buffer.of(0), end: Buffer.alloc(4, 0xff), limit: 1000 };

async function rowsOf(store: Store, query: Partial<RangeQuery> = {}): Promise<string[]> {
  const rows = await store.range({ ...ALL, ...query });
  return rows.map(({ key, value }) => `${textOf(key)}=${textOf(value)}`);
}

async function refusedAs(commit: Promise<void>): Promise<string> {
  const error = await commit.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CommitError);
  return (error as CommitError).outcome;
}

const full = async () => {
  throw new CommitError('not-applied', 'There is no room on the disk.');
};

/** Names of the journal's files in the order they were made. */
const journalFiles = () =>
  readdirSync(directory).toSorted((a, b) => Number(a.split('.').at(-1)) - Number(b.split('.').at(-1)));

function flip(name: string, at: number): void {
  const path = join(directory, name);
  const content = readFileSync(path);
  content.writeUInt8((content[at] as number) ^ 1, at);
  writeFileSync(path, content);
}

/** Everything that is there, to see that it stays as it is. */
const contents = () => journalFiles().map((name) => [name, readFileSync(join(directory, name)).toString('hex')]);

/** Leaves a store as a crash does. Nothing of it is done any more when the base takes nothing. */
async function abandon(store: Store): Promise<void> {
  base.onCommit = full;
  await store.close();
  base.onCommit = async () => {};
}

describe('a damaged journal', () => {
  const value = 'x'.repeat(100);
  const FRAME_BYTES = 144;
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];

  /** Six frames in one file. */
  async function write(): Promise<void> {
    const store = await open();
    for (const key of keys) await store.commit([put(key, value)]);
    await abandon(store);
  }

  async function refused(what: string): Promise<void> {
    const before = contents();
    const rows = base.rows;
    const opening = open();
    await expect(opening).rejects.toThrow(DamagedFileError);
    await expect(opening).rejects.toThrow(what);
    expect(contents()).toEqual(before);
    expect(base.rows).toBe(rows);
  }

  it('is refused when an acknowledged frame lies behind a changed byte, wherever that is', async () => {
    await write();
    const original = contents();
    for (let at = 0; at < 5 * FRAME_BYTES; at += 7) {
      // The last bytes of a frame are no part of it.
      if (at % FRAME_BYTES >= 139) continue;
      flip(journalFiles()[0] as string, at);
      await refused('cannot be read');
      flip(journalFiles()[0] as string, at);
      expect(contents()).toEqual(original);
    }
    await afterCrash(async (store) => expect(await rowsOf(store)).toHaveLength(6));
  });

  it('is that of a torn write when the change is in its last frame', async () => {
    await write();
    flip(journalFiles()[0] as string, 5 * FRAME_BYTES + 60);
    await afterCrash(async (store) => expect((await rowsOf(store)).map((row) => row[0])).toEqual(keys.slice(0, 5)));
  });

  /** A frame each in files of their own: lives that end before their checkpoint does. */
  async function livesInFiles(): Promise<void> {
    const first = await open();
    await first.commit([put('a', value)]);
    base.onCommit = full;
    await first.close();
    for (const key of keys.slice(1)) {
      const store = await open();
      await store.commit([put(key, value)]);
      await store.close();
    }
    base.onCommit = async () => {};
    expect(journalFiles()).toHaveLength(6);
  }

  it.each([0, 1, 4])('is refused when its file %i of 6 is missing', async (index) => {
    await livesInFiles();
    rmSync(join(directory, journalFiles()[index] as string));
    await refused('is missing');
  });

  it('is refused when the last frame of a file is damaged that others follow', async () => {
    await livesInFiles();
    flip(journalFiles()[2] as string, 60);
    await refused('what was written before its frame 4 is missing');
  });

  it('is refused when all of its files are missing after it was not closed', async () => {
    await write();
    for (const name of journalFiles()) rmSync(join(directory, name));
    await refused('are missing, and they had messages');
  });

  it('may be missing after an orderly end', async () => {
    const store = await open();
    await store.commit([put('a', '1')]);
    await store.close();
    for (const name of journalFiles()) rmSync(join(directory, name));
    await afterCrash(async (again) => expect(await rowsOf(again)).toEqual(['a=1']));
  });

  it('of another store is not read, and its files are used', async () => {
    await write();
    base = await BaseStore.with();
    const [name] = journalFiles();
    const store = await open();
    expect(await rowsOf(store)).toEqual([]);
    await store.commit([put('mine', '1')]);
    expect(journalFiles()).toEqual([name]);
    await afterCrash(async (again) => expect(await rowsOf(again)).toEqual(['mine=1']));
    await store.close();
    expect(await rowsOf(base, { end: Buffer.of(0xff) })).toEqual(['mine=1']);
  });
});

describe('what is left of an earlier use of a file', () => {
  // A message can have any bytes.
  it('takes no long time to look through, whatever messages had in it', async () => {
    const lure = Buffer.alloc(8);
    lure.write('SSJ1');
    lure.writeUInt32LE(7 * 1024 * 1024, 4);
    writeFileSync(join(directory, 'stanchion.journal.0'), Buffer.alloc(8 * 1024 * 1024, lure));
    const begin = performance.now();
    await (await open()).close();
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

describe('a disk that fails', () => {
  type Fault = 'before' | 'after' | 'in between';
  let fault: Fault | undefined;
  let unwatch: () => void;

  beforeEach(async () => {
    fault = undefined;
    unwatch = await interceptWrites(
      () => directory,
      async (write) => {
        if (fault === 'after') await write.proceed();
        if (fault === 'in between') await half(write);
        if (fault !== undefined) throw new Error('EIO: i/o error, write');
        await write.proceed();
      },
    );
  });
  afterEach(() => unwatch());

  async function half({ name, bytes: written, position }: FileWrite): Promise<void> {
    const path = join(directory, name);
    const content = readFileSync(path);
    written.copy(content, position, 0, written.length / 2);
    writeFileSync(path, content);
  }

  async function failing<Result>(how: Fault, action: () => Promise<Result>): Promise<Result> {
    fault = how;
    const result = await action();
    fault = undefined;
    return result;
  }

  const faults: Fault[] = ['before', 'after', 'in between'];
  const cases = faults.flatMap((how) => [1, 40, 1500].flatMap((a) => [1, 40, 1500].map((b) => [how, a, b] as const)));

  it.each(cases)(
    '%s the end of a write of %i bytes: one of %i bytes then takes its place',
    async (how, first, next) => {
      const store = await open();
      await store.commit([put('a', 'x'.repeat(20))]);
      const lost = [put('lost', 'x'.repeat(first)), put('a', 'lost')];
      expect(await failing(how, () => refusedAs(store.commit(lost)))).toBe('unknown');
      expect(await store.get(bytes('lost'))).toBeUndefined();
      expect(await rowsOf(store)).toEqual([`a=${'x'.repeat(20)}`]);
      const expected = [`a=${'x'.repeat(20)}`, `next=${'y'.repeat(next)}`];
      await store.commit([put('next', 'y'.repeat(next))]);
      expect(await rowsOf(store)).toEqual(expected);
      await afterCrash(async (again) => expect(await rowsOf(again)).toEqual(expected));
      await store.commit([put('z', '1')]);
      await afterCrash(async (again) => expect(await rowsOf(again)).toEqual([...expected, 'z=1']));
      await store.close();
      await afterCrash(async (again) => expect(await rowsOf(again)).toEqual([...expected, 'z=1']));
    },
  );

  it.each(faults)('%s the end of the last write into a file: the next file has the last word', async (how) => {
    const checkpoint = gate();
    const store = await open({ checkpointBytes: 300 });
    await store.commit([put('a', '1')]);
    base.onCommit = () => checkpoint.passed;
    await store.commit([put('b', 'x'.repeat(300))]);
    // The next file is complete, too, and has to wait. At its end there is a frame that nobody was told of.
    await store.commit([put('c', 'x'.repeat(300))]);
    await failing(how, () => refusedAs(store.commit([put('lost', '1')])));
    const second = gate();
    base.onCommit = () => second.passed;
    checkpoint.open();
    while (base.rows.size < 3 || base.underWay.length === 0) await setImmediate();
    await store.commit([put('d', '1')]);
    const keys = async (again: Store) => (await rowsOf(again)).map((row) => row.split('=')[0]);
    expect(await keys(store)).toEqual(['a', 'b', 'c', 'd']);
    await afterCrash(async (again) => expect(await keys(again)).toEqual(['a', 'b', 'c', 'd']));
    second.open();
    await store.close();
    await afterCrash(async (again) => expect(await keys(again)).toEqual(['a', 'b', 'c', 'd']));
  });

  it.each(faults)('%s the end of the last write before an orderly end: the next life is a whole one', async (how) => {
    const store = await open();
    await store.commit([put('a', '1')]);
    await failing(how, () => refusedAs(store.commit([put('lost', '1')])));
    await store.close();
    // The checkpoint of what was found comes to an end while the first commit is on its way. The next one does not, and
    // the file of the first one is used again.
    const second = gate();
    let count = 0;
    base.onCommit = async () => {
      if (count++ > 1) return second.passed;
      await setTimeout(30);
    };
    const again = await open({ checkpointBytes: 1 });
    await again.commit([put('b', '1')]);
    while (base.underWay.length === 0) await setImmediate();
    await again.commit([put('c', '1')]);
    const rows = await rowsOf(again);
    expect(rows.filter((row) => !row.startsWith('lost'))).toEqual(['a=1', 'b=1', 'c=1']);
    await afterCrash(async (third) => expect(await rowsOf(third)).toEqual(rows));
    second.open();
    await again.close();
    await afterCrash(async (third) => expect(await rowsOf(third)).toEqual(rows));
  });

  it('has no room for a longer file: surely nothing is applied, and there is room again later', async () => {
    const store = await open();
    await store.commit([put('a', '1')]);
    expect(await failing('before', () => refusedAs(store.commit([put('b', 'x'.repeat(5000))])))).toBe('not-applied');
    await store.commit([put('c', '1')]);
    await store.commit([put('d', 'x'.repeat(5000))]);
    await afterCrash(async (again) => expect(await rowsOf(again)).toEqual(['a=1', 'c=1', `d=${'x'.repeat(5000)}`]));
    await store.close();
  });

  it('takes no file at all: a commit error, and none when it does', async () => {
    const store = await open();
    rmSync(directory, { recursive: true });
    expect(await refusedAs(store.commit([put('a', '1')]))).toBe('not-applied');
    mkdirSync(directory);
    await store.commit([put('b', '1')]);
    await afterCrash(async (again) => expect(await rowsOf(again)).toEqual(['b=1']));
    await store.close();
  });
});

describe('a disk that is nearly full', () => {
  it('and does not take the room of a file back has its checkpoints all the same', async () => {
    const handle = await openFile(import.meta.filename);
    const prototype = Object.getPrototypeOf(handle) as { truncate(length: number): Promise<void> };
    await handle.close();
    const { truncate } = prototype;
    prototype.truncate = async () => {
      throw new Error('EIO: i/o error, ftruncate');
    };
    try {
      base.freeBytes = 0;
      const store = await open();
      const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
      for (const key of keys) await store.commit([put(key, '1')]);
      await store.close();
      expect(await rowsOf(base, { end: Buffer.of(0xff) })).toHaveLength(keys.length);
    } finally {
      prototype.truncate = truncate;
    }
  });
});

describe('a store below that refuses', () => {
  const limits = { checkpointBytes: 500, fileBytesMax: 2000, retryBytes: 400, frameBytesMax: 200 };

  /** Commits until it is refused. Returns the keys. */
  async function fill(store: Store): Promise<string[]> {
    const keys: string[] = [];
    for (let index = 0; index < 100; index++) {
      const key = `key-${String(index).padStart(3, '0')}`;
      const error = await store.commit([put(key, 'x'.repeat(100))]).catch((reason: unknown) => reason);
      if (error !== undefined) {
        expect(error).toBeInstanceOf(CommitError);
        expect((error as CommitError).outcome).toBe('not-applied');
        return keys;
      }
      keys.push(key);
    }
    throw new Error('It is never full.');
  }

  const keysIn = async (store: Store) =>
    (await rowsOf(store, { end: Buffer.of(0xff) })).map((row) => row.split('=')[0]);

  it('stops commits when the journal is full, and only until it takes some again', async () => {
    const store = await open(limits);
    await store.commit([put('key-', '')]);
    base.onCommit = full;
    const keys = ['key-', ...(await fill(store))];
    // The file that is to be brought below, and the one behind it.
    expect(keys.length).toBeGreaterThan(14);
    expect(journalFiles()).toHaveLength(2);
    expect(await Promise.all([1, 2, 3].map(() => refusedAs(store.commit([put('no', '1')]))))).toEqual(
      Array(3).fill('not-applied'),
    );
    expect(await keysIn(store)).toEqual(keys);
    await afterCrash(async (again) => expect(await keysIn(again)).toEqual(keys));
    base.onCommit = async () => {};
    for (let index = 0; index < 50; index++) await store.commit([put(`later-${index}`, 'x'.repeat(100))]);
    expect(await keysIn(store)).toHaveLength(keys.length + 50);
    await store.close();
    expect(await keysIn(base)).toHaveLength(keys.length + 50);
  });

  it('leaves all in the journal when it is closed, for the next one', async () => {
    const store = await open(limits);
    await store.commit([put('key-', '')]);
    base.onCommit = full;
    const keys = ['key-', ...(await fill(store))];
    const waiting = Promise.all([refusedAs(store.commit([put('no', '1')])), store.close()]);
    expect(await waiting).toEqual(['not-applied', undefined]);
    for (let life = 0; life < 3; life++) {
      const again = await open(limits);
      expect(await keysIn(again)).toEqual(keys);
      keys.push(`life-${life}`);
      keys.sort();
      await again.commit([put(`life-${life}`, '1')]);
      await again.close();
    }
    base.onCommit = async () => {};
    await (await open(limits)).close();
    expect(await keysIn(base)).toEqual(keys);
  });

  it('and has no room even for the first commit refuses that one only', async () => {
    const store = await open(limits);
    base.onCommit = full;
    expect(await refusedAs(store.commit([put('a', '1')]))).toBe('not-applied');
    base.onCommit = async () => {};
    await store.commit([put('b', '1')]);
    await afterCrash(async (again) => expect(await keysIn(again)).toEqual(['b']));
    await store.close();
  });
});

describe('reading during a checkpoint', () => {
  const key = fc.integer({ min: 0, max: 12 }).map((number) => `key-${String(number).padStart(2, '0')}`);
  const operations = fc.array(
    fc.record({ key, value: fc.option(fc.stringMatching(/^[a-z]{0,3}$/), { nil: undefined }) }),
    { maxLength: 6 },
  );
  const bound = fc.oneof(key, fc.constantFrom('a', 'key', 'key-05\0', 'z'));
  const query = fc.record({ start: bound, end: bound, limit: fc.integer({ min: 0, max: 15 }), keysOnly: fc.boolean() });

  it('gives what a sorted array has, at every step of it', async () => {
    const script = fc.record({
      first: fc.array(operations, { minLength: 1, maxLength: 3 }),
      second: fc.array(operations, { minLength: 1, maxLength: 4 }),
      during: fc.array(operations, { maxLength: 4 }),
      queries: fc.array(query, { minLength: 3, maxLength: 6 }),
      rangeChangesMax: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(script, async ({ first, second, during, queries, rangeChangesMax }) => {
        directory = newDirectory();
        base = await BaseStore.with();
        const limits = { checkpointBytes: 1, stepOperations: 2, rangeChangesMax };
        const before = await open();
        let model: Rows = new Map();
        const commit = async (store: Store, changes: (typeof first)[number]) => {
          const given = changes.map((each) =>
            each.value === undefined ? remove(each.key) : put(each.key, each.value),
          );
          await store.commit(given);
          model = afterOperations(model, given);
        };
        for (const changes of first) await commit(before, changes);
        await before.close();
        const store = await open(limits);
        for (const changes of second) await commit(store, changes);
        // From here on the store below goes a step when it is told to.
        const steps: (() => void)[] = [];
        base.onCommit = () => new Promise((resolve) => steps.push(resolve));
        const rest = during.slice();
        for (let quiet = 0; quiet < 4; ) {
          await expectSame(store, model, queries);
          const changes = rest.shift();
          if (changes !== undefined) await commit(store, changes);
          await expectSame(store, model, queries);
          const step = steps.shift();
          step?.();
          for (let turns = 0; turns < 4; turns++) await setImmediate();
          quiet = step === undefined && changes === undefined ? quiet + 1 : 0;
        }
        base.onCommit = async () => {};
        await store.close();
        expect(await rowsOf(base, { end: Buffer.of(0xff) })).toEqual(await rowsOf(await BaseStore.with(model)));
        rmSync(directory, { recursive: true });
      }),
      { numRuns: 100 },
    );
  });

  async function expectSame(
    store: Store,
    model: Rows,
    queries: readonly { start: string; end: string; limit: number; keysOnly: boolean }[],
  ) {
    const sorted = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const { start, end, limit, keysOnly } of queries) {
      const rows = await store.range({ start: bytes(start), end: bytes(end), limit, keysOnly });
      expect(rows.map(({ key: found, value }) => [hex(found), hex(value)])).toEqual(
        sorted
          .filter(([each]) => each >= hex(bytes(start)) && each < hex(bytes(end)))
          .slice(0, limit)
          .map(([found, value]) => [found, keysOnly ? '' : value]),
      );
    }
    const keys = Array.from({ length: 13 }, (_, number) => bytes(`key-${String(number).padStart(2, '0')}`));
    const expected = keys.map((each) => model.get(hex(each)));
    const found = (value: Uint8Array | undefined) => value && hex(value);
    expect((await store.getMany(keys)).map(found)).toEqual(expected);
    expect((await Promise.all(keys.map((each) => store.get(each)))).map(found)).toEqual(expected);
  }

  it('shows a commit whole or not at all in a range that takes several turns', async () => {
    const store = await open({ rangeChangesMax: 2 });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await store.commit(keys.map((each) => put(each, '1')));
    // What is deleted counts, too.
    await store.commit(['b', 'c', 'd'].map(remove));
    const turns = [gate(), gate()];
    let asked = 0;
    base.onRange = () => turns[asked++]?.passed;
    const range = rowsOf(store);
    turns[0]?.open();
    while (asked < 2) await setImmediate();
    await store.commit(keys.map((each) => put(each, '2')));
    turns[1]?.open();
    expect(new Set((await range).map((row) => row.slice(2))).size).toBe(1);
    await store.close();
  });
});
