import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { realPlatform } from '../../../src/platform/real.ts';
import { openJournaledStore } from '../../../src/storage/journaled/journaled-store.ts';
import { openLmdbStore } from '../../../src/storage/lmdb/lmdb-store.ts';
import { openMemoryStore } from '../../../src/storage/memory/memory-store.ts';
import { storeConformance } from './suite.ts';

const directories: string[] = [];

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stanchion-journaled-'));
  directories.push(directory);
  return directory;
}

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

storeConformance('a journal before memory', async () =>
  openJournaledStore(await openMemoryStore(), {
    directory: await newDirectory(),
    isFlushed: false,
    platform: realPlatform(),
  }),
);

storeConformance('a journal before lmdb', async () => {
  const directory = await newDirectory();
  const base = await openLmdbStore({ path: directory, durability: 'fsync' });
  return openJournaledStore(base, { directory, isFlushed: true, platform: realPlatform() });
});
