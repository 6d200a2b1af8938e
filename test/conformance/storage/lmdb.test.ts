import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Durability, openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import type { Store } from '../../../src/storage/store.ts';
import { bytes, put, storeConformance, textOf } from './suite.ts';

const directories: string[] = [];

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stanchion-lmdb-'));
  directories.push(directory);
  return directory;
}

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

async function openNew(durability: Durability): Promise<Store> {
  return openLmdbStore({ path: await newDirectory(), durability });
}

const LEVELS: readonly Durability[] = ['fsync', 'os', 'none'];

for (const durability of LEVELS) storeConformance(`lmdb (${durability})`, () => openNew(durability));

describe('the directory of an lmdb store', () => {
  it.each(LEVELS)('keeps the data when it is opened again: %s', async (durability) => {
    const path = await newDirectory();
    for (let life = 0; life < 3; life++) {
      const store = await openLmdbStore({ path, durability });
      for (let before = 0; before < life; before++) {
        expect(textOf(await store.get(bytes(`life-${before}`)))).toBe('x'.repeat(5000));
      }
      // Not waited for: closing does.
      void store.commit([put(`life-${life}`, 'x'.repeat(5000))]);
      await store.close();
    }
  });

  it('can be opened with another durability', async () => {
    const path = await newDirectory();
    for (const durability of LEVELS) {
      const store = await openLmdbStore({ path, durability });
      await store.commit([put(durability, durability)]);
      await store.close();
    }
    const store = await openLmdbStore({ path, durability: 'fsync' });
    expect((await store.getMany(LEVELS.map(bytes))).map(textOf)).toEqual(LEVELS);
    await store.close();
  });

  it('has one owner at a time', async () => {
    const path = await newDirectory();
    const store = await openLmdbStore({ path, durability: 'fsync' });
    await expect(openLmdbStore({ path, durability: 'fsync' })).rejects.toThrow('is using this data directory');
    await store.commit([put('a', '1')]);
    await store.close();
    const next = await openLmdbStore({ path, durability: 'fsync' });
    expect(textOf(await next.get(bytes('a')))).toBe('1');
    await next.close();
  });

  it.each([
    ['text', Buffer.alloc(65_536, 'this is not a database'), 'another program has written the file'],
    ['zeros', Buffer.alloc(65_536), 'another program has written the file'],
    ['a few bytes', Buffer.from([1, 2, 3]), 'it has 3 bytes'],
  ])('is refused, and not left locked, when the data file holds %s', async (_, content, reason) => {
    const path = await newDirectory();
    await writeFile(join(path, 'stanchion.mdb'), content);
    const opening = openLmdbStore({ path, durability: 'fsync' });
    await expect(opening).rejects.toThrow(reason);
    expect(await readFile(join(path, 'stanchion.mdb'))).toEqual(content);
    await rm(join(path, 'stanchion.mdb'));
    await (await openLmdbStore({ path, durability: 'fsync' })).close();
  });

  it('may hold an empty data file when it never held messages', async () => {
    const path = await newDirectory();
    await writeFile(join(path, 'stanchion.mdb'), '');
    const store = await openLmdbStore({ path, durability: 'fsync' });
    await store.commit([put('a', '1')]);
    await store.close();
  });

  it.each(['missing', 'empty'])('is refused when its data file is %s, and was not', async (state) => {
    const path = await newDirectory();
    await (await openLmdbStore({ path, durability: 'fsync' })).close();
    await rm(join(path, 'stanchion.mdb'));
    if (state === 'empty') await writeFile(join(path, 'stanchion.mdb'), '');
    const opening = openLmdbStore({ path, durability: 'fsync' });
    await expect(opening).rejects.toThrow(`it is ${state}, and it had messages before`);
  });

  it('must exist', async () => {
    const path = join(await newDirectory(), 'missing');
    await expect(openLmdbStore({ path, durability: 'fsync' })).rejects.toThrow('ENOENT');
  });
});
