import { createHmac, hash } from 'node:crypto';

/**
 * The two primitives of a signature. Behind an interface so that a test can count them: unknown and known access keys
 * have to cost the same.
 */
export interface Digests {
  /** SHA-256 in lower-case hexadecimal. */
  sha256Hex(data: Uint8Array): string;
  /** HMAC-SHA256: 32 bytes. `text` is UTF-8. */
  hmac(key: Uint8Array | string, text: string): Buffer;
}

export const nodeDigests: Digests = {
  // In one call: two thirds of the time of createHash for texts as short as these.
  sha256Hex: (data) => hash('sha256', data, 'hex'),
  // A Buffer as key: a KeyObject takes 1 us longer.
  hmac: (key, text) => createHmac('sha256', key).update(text).digest(),
};
