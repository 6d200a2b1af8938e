import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkDataFile } from '../../src/storage/lmdb/data-file.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { Volume } from './volume.ts';

/** Milliseconds after the copy has begun. The first ones are in the midst of it, the last ones may be after it. */
const KILLED_AFTER_MS = [0, 5, 20, 50, 100, 200];

let base: string;
/** A store of which most rows have been deleted. */
let sparse: string;
let rows: string[];
let data: string;

const probe = Volume.create(48);
if (typeof probe === 'string') console.log(`Skipped: no file system can be mounted here (${probe}).`);
else probe.remove();

function key(number: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeDoubleBE(number);
  return bytes;
}

beforeAll(async () => {
  buildServer();
  base = await mkdtemp(join(tmpdir(), 'stanchion-compact-'));
  sparse = await mkdtemp(join(base, 'sparse-'));
  const store = await openLmdbStore({ path: sparse, durability: 'none' });
  for (let round = 0; round < 60; round++) {
    const numbers = Array.from({ length: 200 }, (_, index) => round * 200 + index);
    await store.commit(
      numbers.map((number) => ({ key: key(number), value: Buffer.alloc(number % 50 === 0 ? 60_000 : 1000, number) })),
    );
  }
  for (let number = 0; number < 8000; number += 100) {
    await store.commit(Array.from({ length: 100 }, (_, index) => ({ key: key(number + index) })));
  }
  await store.close();
  rows = await rowsIn(sparse);
  expect(rows).toHaveLength(4000);
});
afterAll(() => rm(base, { recursive: true }));

beforeEach(async () => {
  data = await mkdtemp(join(base, 'data-'));
  await cp(sparse, data, { recursive: true });
});
afterEach(killServers);

async function rowsIn(directory: string): Promise<string[]> {
  const store = await openLmdbStore({ path: directory, durability: 'none' });
  const found = await store.range({ start: Buffer.from([0]), end: Buffer.alloc(21, 0xff), limit: 100_000 });
  const texts = found.map(
    ({ key: bytes, value }) => `${Buffer.from(bytes).toString('hex')} ${value.length} ${value[0]}`,
  );
  await store.close();
  return texts;
}

const sizeOf = (directory: string) => statSync(join(directory, 'stanchion.mdb')).size;

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  errors: string;
}

/** `onCopy` is called when the copy has begun. */
async function compact(directory: string, onCopy?: (kill: () => void) => void): Promise<Ended> {
  const child = spawn(process.execPath, ['dist/bin/stanchion.js', 'compact', '--data', directory]);
  const ended: Ended = { code: null, signal: null, output: '', errors: '' };
  child.stdout.on('data', (text) => {
    ended.output += text;
  });
  child.stderr.on('data', (text) => {
    ended.errors += text;
  });
  const watcher = watch(existsSync(directory) ? directory : base, (_, name) => {
    if (name === 'stanchion.compact') onCopy?.(() => child.kill('SIGKILL'));
  });
  await new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      Object.assign(ended, { code, signal });
      resolve();
    });
  });
  watcher.close();
  return ended;
}

describe('stanchion compact', () => {
  it('gives the space of deleted rows back, and says how much', async () => {
    const before = sizeOf(data);
    const { code, output, errors } = await compact(data);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^compacted \S+: \d+\.\d MiB before, \d+\.\d MiB now\n$/);
    expect(sizeOf(data)).toBeLessThan(before / 2);
    checkDataFile(join(data, 'stanchion.mdb'), 'whole');
    expect(existsSync(join(data, 'stanchion.compact'))).toBe(false);
    expect(await rowsIn(data)).toEqual(rows);
    // And again, when there is nothing to give back.
    expect((await compact(data)).code).toBe(0);
    expect(await rowsIn(data)).toEqual(rows);
  });

  it('leaves a store on which a server starts', async () => {
    await compact(data);
    const server = new ServerProcess(data);
    await server.url;
    expect((await server.stop()).code).toBe(0);
  });

  it.each(KILLED_AFTER_MS)('leaves a whole store when it is killed %i ms after it has begun', async (ms) => {
    let isKilled = false;
    await compact(data, async (kill) => {
      if (isKilled) return;
      isKilled = true;
      if (ms > 0) await delay(ms);
      kill();
    });
    expect(isKilled).toBe(true);
    checkDataFile(join(data, 'stanchion.mdb'), 'whole');
    expect(await rowsIn(data)).toEqual(rows);
    expect(readdirSync(data).filter((name) => name.includes('compact'))).toEqual([]);
  });

  it('is refused while a server runs', async () => {
    const server = new ServerProcess(data);
    await server.url;
    const { code, errors } = await compact(data);
    expect(code).toBe(1);
    expect(errors).toMatch(
      /cannot compact the store in .*: another server \(process \d+\) is using this data directory/,
    );
    expect((await server.stop()).code).toBe(0);
    expect(await rowsIn(data)).not.toEqual([]);
  });

  it('is refused where there is no store', async () => {
    const empty = await mkdtemp(join(base, 'empty-'));
    expect((await compact(empty)).errors).toContain('there is no store');
    expect((await compact(join(empty, 'missing'))).errors).toContain('there is no such directory');
  });

  it.skipIf(typeof probe === 'string')('is refused where there is no room for the copy', async () => {
    const volume = Volume.create(48) as Volume;
    try {
      await cp(sparse, volume.path, { recursive: true });
      const { code, errors } = await compact(volume.path);
      expect(code).toBe(1);
      expect(errors).toMatch(/there is no room for the copy: it needs \d+ bytes, and \d+ are free/);
      expect(await rowsIn(volume.path)).toEqual(rows);
    } finally {
      volume.remove();
    }
  });
});
