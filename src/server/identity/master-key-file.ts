import { readFile, stat } from 'node:fs/promises';
import { MASTER_KEY_BYTES } from '../../auth/identity/sealing.ts';
import { StartError } from '../start-error.ts';
import { createFile } from './private-files.ts';

/** Rights of anybody but the owner. */
const OTHERS = 0o077;

/**
 * The key under which secrets in the identity file and session tokens are sealed: 32 bytes in base64, in a file that only
 * its owner may read. Made when it is missing. Whoever loses it loses all access keys and sessions; whoever gets it can read
 * them.
 *
 * @throws StartError when it cannot be read or made, when others may read it, or when it holds something else.
 */
export async function masterKeyFrom(path: string, randomBytes: (length: number) => Uint8Array): Promise<Uint8Array> {
  try {
    return (await readKeyFile(path)) ?? (await makeKeyFile(path, randomBytes));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`cannot use the key file ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Of several processes that start at once one makes it, and all read it. */
async function makeKeyFile(path: string, randomBytes: (length: number) => Uint8Array): Promise<Uint8Array> {
  const text = `${Buffer.from(randomBytes(MASTER_KEY_BYTES)).toString('base64')}\n`;
  await createFile(path, text, Buffer.from(randomBytes(8)).toString('hex'));
  const key = await readKeyFile(path);
  if (key === undefined) throw new Error('it was removed at once');
  return key;
}

/** Undefined when there is none. */
async function readKeyFile(path: string): Promise<Uint8Array | undefined> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (status === undefined) return undefined;
  // On Windows the mode does not tell: rights are elsewhere.
  if (process.platform !== 'win32' && (status.mode & OTHERS) !== 0) {
    throw new StartError(`others may read or write the key file ${path}: take that right away (chmod 600)`);
  }
  const text = (await readFile(path, 'utf8')).trim();
  const key = Buffer.from(text, 'base64');
  if (key.length !== MASTER_KEY_BYTES || key.toString('base64') !== text) {
    throw new StartError(`the key file ${path} must hold ${MASTER_KEY_BYTES} bytes in base64`);
  }
  return key;
}
