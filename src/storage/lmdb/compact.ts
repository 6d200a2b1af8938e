import { statSync } from 'node:fs';
import { open } from 'lmdb';
import { renameDurably } from '../durable-files.ts';
import { checkDataFile } from './data-file.ts';
import { lockDirectory } from './directory-lock.ts';
import { DiskRoom } from './disk-room.ts';
import { type Database, optionsFor, reusableBytesOf, rowsIn } from './lmdb-database.ts';
import { PAGE_BYTES } from './page-format.ts';
import { copyIn, dataFileIn, isWithoutStore, removeCopy } from './store-files.ts';

/** The copy may need a little more than what is used: it begins with pages of its own. */
const SPARE_BYTES = 128 * PAGE_BYTES;

export interface Compacted {
  beforeBytes: number;
  afterBytes: number;
}

/**
 * Gives the space of deleted rows back to the system: copies what is there to a new file, which takes the place of the
 * old one when it is whole and on the disk. Killed at any moment, it leaves the old file or the new one; what a killed
 * one has left besides is removed when the directory is next used.
 *
 * Rejects when another process uses the directory, when there is no store, when it is damaged, and when there is no
 * room for the copy. The old file is as it was then.
 */
export async function compactLmdbStore(path: string): Promise<Compacted> {
  const lock = await lockDirectory(path);
  try {
    if (isWithoutStore(path)) throw new Error('there is no store');
    await removeCopy(path);
    const file = dataFileIn(path);
    checkDataFile(file, 'whole');
    const beforeBytes = statSync(file).size;
    await copyRows(path);
    await renameDurably(copyIn(path), file);
    return { beforeBytes, afterBytes: statSync(file).size };
  } finally {
    await removeCopy(path);
    await lock.release();
  }
}

async function copyRows(path: string): Promise<void> {
  const [file, copy] = [dataFileIn(path), copyIn(path)];
  const source = open(optionsFor(file, 'fsync')) as Database;
  try {
    refuseWithoutRoom(path, source);
    await source.backup(copy, true);
    checkDataFile(copy, 'whole');
    const target = open(optionsFor(copy, 'fsync')) as Database;
    const [expected, found] = [rowsIn(source), rowsIn(target)];
    await target.close();
    if (found !== expected) throw new Error(`the copy has ${found} rows instead of ${expected}`);
  } finally {
    await source.close();
  }
}

function refuseWithoutRoom(path: string, source: Database): void {
  const needed = statSync(dataFileIn(path)).size - reusableBytesOf(source) + SPARE_BYTES;
  const { freeBytes } = new DiskRoom(path, () => 0);
  if (freeBytes >= needed) return;
  throw new Error(`there is no room for the copy: it needs ${needed} bytes, and ${freeBytes} are free`);
}
