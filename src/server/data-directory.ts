import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { StartError } from './start-error.ts';

/**
 * Makes the directory when it is missing.
 *
 * @throws StartError when it cannot be made, is no directory, or cannot be written to.
 */
export async function prepareDataDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = reasonOf(error as NodeJS.ErrnoException);
    throw new StartError(`cannot use the data directory ${path}: ${reason}`, { cause: error });
  }
}

/** Why a file or directory cannot be used, in words. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'EEXIST' || error.code === 'ENOTDIR') return 'there is a file in its place';
  if (error.code === 'EACCES' || error.code === 'EPERM') return 'permission denied';
  if (error.code === 'EROFS') return 'the file system is read-only';
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return 'there is no room on the disk';
  return error.message;
}
