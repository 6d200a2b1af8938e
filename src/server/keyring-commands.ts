import { type KeyringContent, newKeyring, rotated, withKey } from '../encryption/keyring.ts';
import { KeyringFileError, readKeyring, replaceKeyring } from '../encryption/keyring-file.ts';
import { realPlatform } from '../platform/real.ts';
import { StartError } from './start-error.ts';

/** @throws StartError when there is no keyring that can be used. */
export async function loadKeyring(path: string): Promise<KeyringContent> {
  const content = await reading(readKeyring(path));
  if (content === undefined) throw new StartError(`there is no keyring ${path}`);
  return content;
}

/** New versions of one key, or of all. A server uses them from its next start on. */
export async function rotateKeyring(path: string, name: string | undefined): Promise<KeyringContent> {
  const content = rotated(await loadKeyring(path), name, realPlatform());
  if (content === undefined) throw new StartError(`the keyring ${path} has no key ${name}`);
  await reading(replaceKeyring(path, content));
  return content;
}

/** Makes the keyring, too, when it is missing. */
export async function addToKeyring(path: string, name: string): Promise<KeyringContent> {
  const platform = realPlatform();
  const content = withKey((await reading(readKeyring(path))) ?? newKeyring(platform), name, platform);
  if (content === undefined) throw new StartError(`the keyring ${path} has a key ${name} already`);
  await reading(replaceKeyring(path, content));
  return content;
}

async function reading<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof KeyringFileError ? new StartError(error.message, { cause: error }) : error;
  }
}
