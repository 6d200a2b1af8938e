import { join, resolve } from 'node:path';
import { EnvelopeEncryption } from '../encryption/envelope-encryption.ts';
import type { KeyProvider } from '../encryption/key-provider.ts';
import { Keyring, type KeyringContent, newKeyring } from '../encryption/keyring.ts';
import { createKeyring, KeyringFileError, readKeyring } from '../encryption/keyring-file.ts';
import type { ContentEncryption } from '../engine/content-encryption.ts';
import type { Platform } from '../platform/platform.ts';
import { Keys } from '../storage/keys.ts';
import { decodeJson, encodeJson } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import type { Settings } from './config/settings.ts';
import { StartError } from './start-error.ts';

export function keyringPath({ data, keyring }: Pick<Settings, 'data' | 'keyring'>): string {
  return keyring === undefined ? join(resolve(data), 'keyring.json') : resolve(keyring);
}

/** The record by which a store knows its keyring: without that one what it holds cannot be read. */
const KEYRING_ID = new Keys(0).meta('keyring');

/** @throws StartError when the keyring cannot be used, or is not the one that the messages in the store need. */
export async function openEncryption(
  settings: Settings,
  store: Store,
  platform: Platform,
): Promise<ContentEncryption | undefined> {
  const content = await keyringOf(settings, store, platform);
  if (content === undefined) return undefined;
  return new EnvelopeEncryption({
    now: () => platform.now(),
    isOn: settings.encryption === 'on',
    keyring: new Keyring(content, platform),
    awsKms: settings.kms === 'aws' ? await awsKms() : undefined,
  });
}

/** Undefined: nothing is to be encrypted, and nothing has been. */
async function keyringOf(settings: Settings, store: Store, platform: Platform): Promise<KeyringContent | undefined> {
  const isOn = settings.encryption === 'on';
  if (settings.store === 'memory' && settings.keyring === undefined) {
    // What is never on a disk needs no key, and a test no key for each name that a template has for `KmsMasterKeyId`.
    return isOn && settings.kms === 'aws' ? newKeyring(platform) : undefined;
  }
  const path = keyringPath(settings);
  const record = await store.get(KEYRING_ID);
  const idInUse = record && (decodeJson(record, 'keyring') as string);
  if (!isOn && idInUse === undefined) return undefined;
  let content = await onStart(readKeyring(path));
  if (content === undefined) {
    if (idInUse !== undefined) {
      throw new StartError(`the keyring ${path} is missing, and the messages in the store cannot be read without it`);
    }
    content = newKeyring(platform);
    await onStart(createKeyring(path, content));
  }
  if (idInUse !== undefined && idInUse !== content.id) {
    throw new StartError(`the keyring ${path} is not the one that the messages in the store are encrypted with`);
  }
  return content;
}

/**
 * Has the store remember its keyring: before it takes the first message, and not before the rest of it has been read, as a
 * store that is refused is left as it was.
 */
export async function rememberKeyring(settings: Settings, store: Store): Promise<void> {
  if (settings.encryption === 'off' || (settings.store === 'memory' && settings.keyring === undefined)) return;
  if ((await store.get(KEYRING_ID)) !== undefined) return;
  const content = await onStart(readKeyring(keyringPath(settings)));
  if (content === undefined) throw new StartError(`the keyring ${keyringPath(settings)} has gone away`);
  await store.commit([{ key: KEYRING_ID, value: encodeJson(content.id) }]);
}

/** Loaded on demand: the package is the operator's to install. */
async function awsKms(): Promise<KeyProvider> {
  const { openAwsKms } = await import('../encryption/aws-kms.ts');
  try {
    return await openAwsKms();
  } catch (cause) {
    throw new StartError(`cannot use AWS KMS: ${(cause as Error).message} (npm install @aws-sdk/client-kms)`, {
      cause,
    });
  }
}

async function onStart<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof KeyringFileError ? new StartError(error.message, { cause: error }) : error;
  }
}
