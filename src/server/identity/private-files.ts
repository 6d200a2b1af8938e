import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { renameDurably, syncDirectory } from '../../storage/durable-files.ts';

/**
 * Files with secrets: only their owner may read them, and they are there whole or not at all, also after a power loss. All of
 * these reject with the error of the operating system.
 */

const OWNER_ONLY = 0o600;

/** A new file that is not yet in its place. Rejects with EEXIST when there is one of that name. */
export function openNew(path: string): Promise<FileHandle> {
  return open(path, 'wx', OWNER_ONLY);
}

/** Fills a new file and puts it in the place of another one, or of none. */
export async function replaceFile(file: FileHandle, filePath: string, path: string, text: string): Promise<void> {
  await fill(file, text);
  await renameDurably(filePath, path);
}

/** Changes nothing when there is a file already. */
export async function createFile(path: string, text: string, uniqueSuffix: string): Promise<void> {
  const temporaryPath = `${path}.${uniqueSuffix}`;
  await fill(await openNew(temporaryPath), text);
  try {
    // Unlike renaming, linking never replaces anything.
    await link(temporaryPath, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporaryPath);
  }
}

async function fill(file: FileHandle, text: string): Promise<void> {
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
