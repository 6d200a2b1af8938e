/**
 * What a data directory holds:
 *
 *   stanchion.mdb        the data file
 *   stanchion.mdb-lock   LMDB's own, worth nothing when nobody has the store open
 *   stanchion.lock.N     the N-th owner of the directory
 *   stanchion.compact    a copy that is being made, and worth nothing until it is renamed
 *   stanchion.created    says that there is a data file, so that one that got lost is not taken for one that never was
 */
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFileError } from '../damaged-file-error.ts';
import { writeDurably } from '../durable-files.ts';
import { checkDataFile } from './data-file.ts';

const MARKER_TEXT = `The messages are in stanchion.mdb beside this file. As long as this file is here, Stanchion does not start when that
one is missing or empty.
`;

export function dataFileIn(directory: string): string {
  return join(directory, 'stanchion.mdb');
}

export function copyIn(directory: string): string {
  return join(directory, 'stanchion.compact');
}

function markerIn(directory: string): string {
  return join(directory, 'stanchion.created');
}

/**
 * Whether there is no store yet.
 *
 * @throws DamagedFileError when there is, or was, one that is not whole.
 */
export function isWithoutStore(directory: string): boolean {
  const path = dataFileIn(directory);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) {
    checkDataFile(path, 'start');
    return false;
  }
  if (existsSync(markerIn(directory))) {
    throw new DamagedFileError(path, `it is ${size === undefined ? 'missing' : 'empty'}, and it had messages before`);
  }
  return true;
}

/** To be called before anything is promised: the name of the data file is on the disk then, too. */
export async function markCreated(directory: string): Promise<void> {
  if (!existsSync(markerIn(directory))) await writeDurably(markerIn(directory), MARKER_TEXT);
}

/** Takes away what a compaction that was killed has left. */
export async function removeCopy(directory: string): Promise<void> {
  for (const path of [copyIn(directory), `${copyIn(directory)}-lock`]) await rm(path, { force: true });
}

/** Takes away what a failed creation has left: without room it is half a page. */
export async function removeNewStore(directory: string): Promise<void> {
  await rm(dataFileIn(directory), { force: true });
}
