/**
 * The layout of encrypted content: AES-256-GCM under a data key, with that key, wrapped, in front.
 *
 *   1  format
 *   1  provider of the key that wrapped the data key
 *   2  length of the wrapped data key
 *   n  wrapped data key
 *  12  nonce
 *   m  ciphertext
 *  16  tag
 *
 * Authenticated with it: everything before the nonce, and the 16 bytes that the content is bound to.
 *
 * Nonces never repeat under one key: they count the messages of a data key. That is safe since a data key encrypts only in
 * the process that had it made, from then until it is replaced; one that was unwrapped only decrypts. NIST SP 800-38D
 * bounds a counted nonce by its 96 bits and the blocks of one key by 2^48 or so; 2^26 messages of 1 MiB (2^16 blocks) stay
 * below 2^42. Two copies of one running process (a snapshot of a virtual machine, resumed twice) would repeat them.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ReadError } from '../engine/queue-service.ts';
import type { DataKey } from './key-provider.ts';

const FORMAT = 1;
const FIXED_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BOUND_TO_BYTES = 16;
const CIPHER = 'aes-256-gcm';

export const MESSAGES_PER_DATA_KEY_MAX = 2 ** 26;

/** A number in each envelope: never to be given another meaning. */
export const Provider = { keyring: 1, awsKms: 2 } as const;
export type ProviderId = (typeof Provider)[keyof typeof Provider];

/** A data key in use: the only thing that encrypts. */
export class Sealer {
  readonly #key: Buffer;
  readonly #header: Buffer;
  /** The header, and room for what the content is bound to. */
  readonly #authenticated: Buffer;
  #sealedCount = 0;

  constructor(provider: ProviderId, { key, wrapped }: DataKey) {
    this.#key = key;
    const fixed = Buffer.from([FORMAT, provider, 0, 0]);
    fixed.writeUInt16BE(wrapped.length, 2);
    this.#header = Buffer.concat([fixed, wrapped]);
    this.#authenticated = Buffer.concat([this.#header, Buffer.alloc(BOUND_TO_BYTES)]);
  }

  get isWornOut(): boolean {
    return this.#sealedCount >= MESSAGES_PER_DATA_KEY_MAX;
  }

  seal(content: Buffer, boundTo: Buffer): Buffer {
    const header = this.#header;
    const contentAt = header.length + NONCE_BYTES;
    const tagAt = contentAt + content.length;
    const sealed = Buffer.allocUnsafe(tagAt + TAG_BYTES);
    sealed.set(header);
    sealed.fill(0, header.length, contentAt - 6);
    sealed.writeUIntBE(this.#sealedCount++, contentAt - 6, 6);
    const cipher = createCipheriv(CIPHER, this.#key, sealed.subarray(header.length, contentAt));
    this.#authenticated.set(boundTo, header.length);
    cipher.setAAD(this.#authenticated);
    sealed.set(cipher.update(content), contentAt);
    cipher.final();
    sealed.set(cipher.getAuthTag(), tagAt);
    return sealed;
  }
}

export interface Envelope {
  provider: number;
  wrapped: Buffer;
  /** All before the nonce. */
  header: Buffer;
  nonce: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

/** @throws ReadError when these bytes are no envelope. */
export function parseEnvelope(sealed: Buffer): Envelope {
  if (sealed[0] !== FORMAT) throw new ReadError(`Stored content is encrypted in format ${sealed[0]}.`);
  const headerEnd = sealed.length < FIXED_BYTES ? Number.POSITIVE_INFINITY : FIXED_BYTES + sealed.readUInt16BE(2);
  const tagAt = sealed.length - TAG_BYTES;
  if (headerEnd + NONCE_BYTES > tagAt) throw new ReadError('Stored content that is encrypted is cut off.');
  return {
    provider: sealed[1] as number,
    wrapped: sealed.subarray(FIXED_BYTES, headerEnd),
    header: sealed.subarray(0, headerEnd),
    nonce: sealed.subarray(headerEnd, headerEnd + NONCE_BYTES),
    ciphertext: sealed.subarray(headerEnd + NONCE_BYTES, tagAt),
    tag: sealed.subarray(tagAt),
  };
}

/** @throws ReadError when the content was changed, was bound to something else, or the key is another one. */
export function openEnvelope({ header, nonce, ciphertext, tag }: Envelope, key: Buffer, boundTo: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([header, boundTo]));
  decipher.setAuthTag(tag);
  const content = decipher.update(ciphertext);
  try {
    decipher.final();
  } catch (cause) {
    throw new ReadError('Stored content cannot be decrypted: it was changed, or belongs to another message.', {
      cause,
    });
  }
  return content;
}
