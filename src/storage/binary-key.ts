/**
 * Binary keys as strings of one character for each byte: their order is bytewise order, and to compare and to hash them
 * takes a fraction of what it takes for the bytes.
 */
export function binaryKey(key: Uint8Array): string {
  const bytes = Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  return bytes.toString('latin1');
}

export function keyBytes(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
