import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a small file that is there whole or not at all, also after a power loss. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text);
  await renameDurably(draft, path);
}

/** Puts a file in the place of another. After a power loss there is the one or the other, and it is whole. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await sync(from);
  await rename(from, to);
  await syncDirectory(dirname(to));
}

/** A new name of a file is on the disk only when the directory is. */
export async function syncDirectory(path: string): Promise<void> {
  // There a directory cannot be opened, and its journal sees to it.
  if (process.platform === 'win32') return;
  await sync(path);
}

async function sync(path: string): Promise<void> {
  const file = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  await file.sync().finally(() => file.close());
}
