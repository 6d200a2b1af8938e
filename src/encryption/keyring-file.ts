import { constants } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyringContent } from './keyring.ts';

/** The file of a keyring cannot be used. The message tells its operator why, and what to do. */
export class KeyringFileError extends Error {
  override name = 'KeyringFileError';
}

const FORMAT = 1;
const OTHERS_MASK = 0o077;

/** Undefined when there is no file. @throws KeyringFileError when others may read it, or it is no keyring. */
export async function readKeyring(path: string): Promise<KeyringContent | undefined> {
  let text: string;
  try {
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      // Windows has no such bits: there the rights of the directory decide.
      if (process.platform !== 'win32' && (mode & OTHERS_MASK) !== 0) {
        throw new KeyringFileError(`the keyring ${path} can be used by others (chmod 600 ${path})`);
      }
      text = await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof KeyringFileError) throw error;
    throw new KeyringFileError(`cannot read the keyring ${path}: ${(error as Error).message}`, { cause: error });
  }
  return parse(text, path);
}

/** Makes the file, and never in the place of another. @throws KeyringFileError when it cannot be written. */
export function createKeyring(path: string, content: KeyringContent): Promise<void> {
  // A rename would replace the keyring that another process has just made there; a link refuses to.
  return write(path, content, async (temporary) => {
    await link(temporary, path);
    await unlink(temporary);
  });
}

/** Replaces the file as a whole. @throws KeyringFileError when it cannot be written; the old one is in its place then. */
export function replaceKeyring(path: string, content: KeyringContent): Promise<void> {
  return write(path, content, (temporary) => rename(temporary, path));
}

/** Durable before it returns: what is encrypted next is lost without it. */
async function write(
  path: string,
  content: KeyringContent,
  putInPlace: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ format: FORMAT, ...content }, undefined, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await putInPlace(temporary);
    const directory = await open(dirname(path), 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw new KeyringFileError(`cannot write the keyring ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function parse(text: string, path: string): KeyringContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new KeyringFileError(`the keyring ${path} is damaged: it is not JSON`, { cause });
  }
  if (!isKeyring(value)) throw new KeyringFileError(`the keyring ${path} is damaged, or of another version`);
  const { id, keys } = value;
  return { id, keys };
}

function isKeyring(value: unknown): value is KeyringContent {
  const { format, id, keys } = (value ?? {}) as Partial<KeyringContent> & { format?: unknown };
  return format === FORMAT && isHex(id, 32) && Array.isArray(keys) && keys.every(isKey);
}

function isKey(value: unknown): boolean {
  const { name, versions } = (value ?? {}) as Partial<KeyringContent['keys'][number]>;
  return typeof name === 'string' && Array.isArray(versions) && versions.length > 0 && versions.every(isVersion);
}

function isVersion(value: unknown): boolean {
  const { id, createdAt, key } = (value ?? {}) as Partial<KeyringContent['keys'][number]['versions'][number]>;
  return (
    isHex(id, 16) &&
    typeof createdAt === 'number' &&
    typeof key === 'string' &&
    Buffer.from(key, 'base64').length === 32
  );
}

function isHex(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length === length && /^[0-9a-f]+$/.test(value);
}
