/**
 * Keys that this server keeps itself. Each has a name and versions: the last one wraps new data keys, all unwrap. A wrapped
 * data key names its version, so that no rotation touches a message.
 *
 *   8  id of the version
 *  12  nonce, random
 *  32  data key, AES-256-GCM
 *  16  tag
 *
 * One data key is wrapped for minutes of messages: random nonces of 96 bits are far from the 2^32 that one key may see.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { KeyError, ReadError } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import type { DataKey, KeyProvider } from './key-provider.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const WRAPPED_BYTES = ID_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** The key of SSE-SQS. No id of KMS has a space. */
export const SSE_SQS_KEY = 'SSE-SQS key';
/** What AWS has in every account. */
const AWS_MANAGED_KEY = 'alias/aws/sqs';

export interface KeyVersion {
  /** 16 hexadecimal digits. */
  id: string;
  /** Epoch milliseconds. */
  createdAt: number;
  /** 32 bytes in base64. */
  key: string;
}

export interface KeyringContent {
  /** Which keyring this is, however its keys change: a store remembers it. 32 hexadecimal digits. */
  id: string;
  keys: { name: string /** Oldest first, one at least. */; versions: KeyVersion[] }[];
}

type Source = Pick<Platform, 'now' | 'randomBytes'>;

export function newKeyring(source: Source): KeyringContent {
  const names = [SSE_SQS_KEY, AWS_MANAGED_KEY];
  return {
    id: hex(source.randomBytes(16)),
    keys: names.map((name) => ({ name, versions: [newVersion(source)] })),
  };
}

/** With a new current version of one key, or of all. Undefined when there is no key of that name. */
export function rotated(content: KeyringContent, name: string | undefined, source: Source): KeyringContent | undefined {
  if (name !== undefined && !content.keys.some((key) => key.name === name)) return undefined;
  const keys = content.keys.map((key) =>
    name === undefined || key.name === name ? { ...key, versions: [...key.versions, newVersion(source)] } : key,
  );
  return { ...content, keys };
}

/** With one more key. Undefined when there is one of that name. */
export function withKey(content: KeyringContent, name: string, source: Source): KeyringContent | undefined {
  if (content.keys.some((key) => key.name === name)) return undefined;
  return { ...content, keys: [...content.keys, { name, versions: [newVersion(source)] }] };
}

function newVersion(source: Source): KeyVersion {
  return {
    id: hex(source.randomBytes(ID_BYTES)),
    createdAt: source.now(),
    key: Buffer.from(source.randomBytes(KEY_BYTES)).toString('base64'),
  };
}

/** `arn:aws:kms:us-east-1:000000000000:key/1234` -> `1234`; an alias keeps its `alias/`. */
export function keyNameOf(keyId: string): string {
  const resource = keyId.startsWith('arn:') ? keyId.split(':').slice(5).join(':') : keyId;
  return resource.startsWith('key/') ? resource.slice('key/'.length) : resource;
}

export class Keyring implements KeyProvider {
  readonly #source: Pick<Platform, 'randomBytes'>;
  readonly #current = new Map<string, { id: Buffer; key: Buffer }>();
  readonly #versions = new Map<string, Buffer>();

  constructor(content: KeyringContent, source: Pick<Platform, 'randomBytes'>) {
    this.#source = source;
    for (const { name, versions } of content.keys) {
      for (const { id, key } of versions) {
        const bytes = Buffer.from(key, 'base64');
        this.#versions.set(id, bytes);
        this.#current.set(name, { id: Buffer.from(id, 'hex'), key: bytes });
      }
    }
  }

  generateDataKey(keyId: string): DataKey {
    const current = this.#current.get(keyNameOf(keyId));
    // The text of SQS is not known.
    if (current === undefined) throw new KeyError('KmsNotFound', `Key '${keyId}' does not exist`);
    const key = Buffer.from(this.#source.randomBytes(KEY_BYTES));
    const nonce = this.#source.randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, current.key, nonce);
    cipher.setAAD(current.id);
    const ciphertext = cipher.update(key);
    cipher.final();
    return { key, wrapped: Buffer.concat([current.id, nonce, ciphertext, cipher.getAuthTag()]) };
  }

  unwrap(wrapped: Buffer): Buffer {
    if (wrapped.length !== WRAPPED_BYTES) throw new ReadError('A stored data key is damaged.');
    const id = wrapped.subarray(0, ID_BYTES);
    const version = this.#versions.get(hex(id));
    if (version === undefined) {
      throw new KeyError('KmsNotFound', `The keyring has no key version ${hex(id)}, which encrypted a message`);
    }
    const nonceEnd = ID_BYTES + NONCE_BYTES;
    const decipher = createDecipheriv(CIPHER, version, wrapped.subarray(ID_BYTES, nonceEnd));
    decipher.setAAD(id);
    decipher.setAuthTag(wrapped.subarray(-TAG_BYTES));
    const key = decipher.update(wrapped.subarray(nonceEnd, -TAG_BYTES));
    try {
      decipher.final();
    } catch (cause) {
      throw new ReadError('A stored data key is damaged.', { cause });
    }
    return key;
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
