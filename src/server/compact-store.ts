import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from './data-directory.ts';
import { StartError } from './start-error.ts';

/** @throws StartError when it cannot be done; the store is as it was then. */
export async function compactStore(data: string): Promise<{ path: string; beforeBytes: number; afterBytes: number }> {
  const path = resolve(data);
  if (!existsSync(path)) throw new StartError(`cannot compact the store in ${path}: there is no such directory`);
  const { compactLmdbStore } = await import('../storage/lmdb/compact.ts');
  try {
    return { path, ...(await compactLmdbStore(path)) };
  } catch (error) {
    const reason = reasonOf(error as NodeJS.ErrnoException);
    throw new StartError(`cannot compact the store in ${path}: ${reason}`, { cause: error });
  }
}
