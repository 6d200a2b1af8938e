import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/** Of a master key, in bytes. */
export const MASTER_KEY_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
/** What sealed texts begin with; another layout gets another number. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

/**
 * Encrypts and authenticates small texts with AES-256-GCM. Each purpose has a key of its own, derived from the master key,
 * so that what was sealed for one is never opened for another. Layout, in base64: version (1 byte), nonce (12), the
 * text (UTF-8), tag (16). Nonces are random: safe for 2^32 texts under one master key.
 */
export class Sealer {
  readonly #key: Uint8Array;
  readonly #randomBytes: (length: number) => Uint8Array;

  /** @throws RangeError when the master key has not 32 bytes. */
  constructor(
    masterKey: Uint8Array,
    purpose: 'secret-access-key' | 'session-token',
    randomBytes: (length: number) => Uint8Array,
  ) {
    if (masterKey.length !== MASTER_KEY_BYTES) throw new RangeError(`a master key has ${MASTER_KEY_BYTES} bytes`);
    this.#key = new Uint8Array(hkdfSync('sha256', masterKey, '', `stanchion ${purpose}`, MASTER_KEY_BYTES));
    this.#randomBytes = randomBytes;
  }

  /** `context` is not in the result, but it opens with the same one only. */
  seal(text: string, context = ''): string {
    const nonce = this.#randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([Uint8Array.of(VERSION), nonce, ...encrypted, cipher.getAuthTag()]).toString('base64');
  }

  /** Undefined for what was sealed with another key, for another purpose or context, or was changed since. */
  open(sealed: string, context = ''): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined;
    // Base64 has many forms of the same bytes: one text, one token.
    if (bytes.toString('base64') !== sealed) return undefined;
    const nonce = bytes.subarray(1, HEADER_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const start = decipher.update(bytes.subarray(HEADER_BYTES, -TAG_BYTES));
      return Buffer.concat([start, decipher.final()]).toString();
    } catch {
      return undefined;
    }
  }
}
