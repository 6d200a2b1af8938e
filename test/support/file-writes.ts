import { fstatSync, readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A write of this process into a file that it has open. */
export interface FileWrite {
  name: string;
  bytes: Buffer;
  position: number;
  /** Does it. */
  proceed(): Promise<void>;
}

type Write = (
  this: FileHandle,
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number; buffer: Buffer }>;

/** Puts `onWrite` in the place of all writes into files of a directory. Returns how to end that. */
export async function interceptWrites(
  directory: () => string,
  onWrite: (write: FileWrite) => Promise<void>,
): Promise<() => void> {
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as { write: Write };
  await handle.close();
  const original = prototype.write;
  prototype.write = async function (buffer, offset, length, position) {
    const name = nameOf(this.fd, directory());
    if (name === undefined) return original.call(this, buffer, offset, length, position);
    const bytes = Buffer.from(buffer.subarray(offset, offset + length));
    const proceed = async () => {
      await original.call(this, bytes, 0, length, position);
    };
    await onWrite({ name, bytes, position, proceed });
    return { bytesWritten: length, buffer };
  };
  return () => {
    prototype.write = original;
  };
}

function nameOf(descriptor: number, directory: string): string | undefined {
  const { ino, dev } = fstatSync(descriptor);
  const path = readdirSync(directory)
    .map((name) => join(directory, name))
    .find((each) => {
      const stats = statSync(each, { throwIfNoEntry: false });
      return stats?.ino === ino && stats.dev === dev;
    });
  return path && basename(path);
}
