import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DamagedFileError } from '../damaged-file-error.ts';
import type { Operation } from '../store.ts';
import { checkDataFile } from './data-file.ts';
import { openLmdbStore } from './lmdb-store.ts';

const PAGE_BYTES = 8192;

let directory: string;
let file: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stanchion-data-file-'));
  file = join(directory, 'stanchion.mdb');
});
afterAll(() => rm(directory, { recursive: true }));

function key(number: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.writeDoubleBE(number);
  return bytes;
}

const put = (number: number, size: number): Operation => ({ key: key(number), value: Buffer.alloc(size, number) });

async function readAll(): Promise<string[]> {
  const store = await openLmdbStore({ path: directory, durability: 'none' });
  const rows = await store.range({ start: Buffer.from([0]), end: Buffer.alloc(21, 0xff), limit: 100_000 });
  await store.close();
  return rows.map(({ key: bytes, value }) => Buffer.concat([bytes, value]).toString('latin1'));
}

/** Commits one after the other, and calls `check` after each of them. */
async function write(commits: Iterable<Operation[]>, check: () => void = () => {}): Promise<void> {
  const store = await openLmdbStore({ path: directory, durability: 'none' });
  for (const operations of commits) {
    await store.commit(operations);
    check();
  }
  await store.close();
}

const isWhole = () => {
  checkDataFile(file, 'start');
  checkDataFile(file, 'whole');
};

it('is whole after every commit, whatever it was', async () => {
  const random = (below: number) => Math.floor(Math.random() * below);
  await write(
    Array.from({ length: 150 }, (_, commit) =>
      Array.from({ length: random(60) }, () => {
        const isPut = Math.random() < (commit % 50 < 25 ? 0.7 : 0.2);
        const number = random(2000);
        if (!isPut) return { key: key(number) };
        return put(number, Math.random() < 0.1 ? random(100_000) : random(1500));
      }),
    ),
    isWhole,
  );
});

describe('a file that ends before its last page', () => {
  it('is whole when the pages behind its end are free', async () => {
    let shortest = 0;
    await write(
      Array.from({ length: 60 }, (_, round) => [
        put(5000, 20_000 * (round + 1)),
        put(5001 + round, 100),
        { key: key(5000) },
      ]),
      () => {
        const meta = readFileSync(file);
        const lastPage = Math.max(...[144, PAGE_BYTES + 144].map((at) => Number(meta.readBigUInt64LE(at))));
        shortest = Math.max(shortest, (lastPage + 1) * PAGE_BYTES - meta.length);
        isWhole();
      },
    );
    // Else this test tests nothing.
    expect(shortest).toBeGreaterThan(PAGE_BYTES);
  });

  it('is damaged when one of them was in use', async () => {
    // More than fits into what is free, so that it goes to the end.
    await write([Array.from({ length: 4000 }, (_, index) => put(10_000 + index, 1000))]);
    const content = readFileSync(file);
    truncateSync(file, statSync(file).size - 40 * PAGE_BYTES);
    expect(() => checkDataFile(file, 'start')).toThrow(DamagedFileError);
    writeFileSync(file, content);
  });
});

it('notices every page that was overwritten, unless nobody needs it', async () => {
  await rm(file);
  await rm(join(directory, 'stanchion.created'));
  await write(
    Array.from({ length: 40 }, (_, commit) =>
      Array.from({ length: 40 }, (_, index) => {
        // No value has a second page: that would look like any bytes.
        return index % 5 === 0
          ? { key: key(commit * 40 - 100) }
          : put(commit * 40 + index, index % 7 === 0 ? 8000 : 500);
      }),
    ),
  );
  const rows = await readAll();
  const content = readFileSync(file);
  let noticed = 0;
  for (let page = 0; page * PAGE_BYTES < content.length; page++) {
    const damaged = Buffer.from(content);
    damaged.fill('scribble', page * PAGE_BYTES, page * PAGE_BYTES + 512);
    writeFileSync(file, damaged);
    try {
      checkDataFile(file, 'whole');
    } catch (error) {
      expect(error).toBeInstanceOf(DamagedFileError);
      noticed++;
      continue;
    }
    expect(await readAll()).toEqual(rows);
  }
  // 1280 rows of 500 bytes fill some 90 pages, and those of 8000 one each.
  expect(noticed).toBeGreaterThan(200);
});
