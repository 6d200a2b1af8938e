import crypto from 'node:crypto';

/** As much of a message attribute as its digest needs. */
export interface DigestedAttribute {
  name: string;
  /** With its custom label, which is part of the digest. */
  dataType: string;
  value: string | Uint8Array;
}

const TEXT = Buffer.of(1);
const BINARY = Buffer.of(2);

const md5: (data: string | Uint8Array) => string =
  // crypto.hash takes 1.3 us where a Hash object takes 1.8 us, but it only came with Node 20.12.
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('md5', data)
    : (data) => crypto.createHash('md5').update(data).digest('hex');

/** MD5OfMessageBody and MD5OfBody: lower-case hexadecimal, over the UTF-8 of the body. */
export function md5OfBody(body: string): string {
  return md5(body);
}

/** MD5OfMessageAttributes and MD5OfMessageSystemAttributes (SQS: section 4.6). */
export function md5OfMessageAttributes(attributes: readonly DigestedAttribute[]): string {
  const chunks: Uint8Array[] = [];
  const sorted = [...attributes].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const { name, dataType, value } of sorted) {
    pushSized(chunks, name);
    pushSized(chunks, dataType);
    chunks.push(typeof value === 'string' ? TEXT : BINARY);
    pushSized(chunks, value);
  }
  return md5(Buffer.concat(chunks));
}

/** Its length in bytes, 32 bits big-endian, goes before each field. */
function pushSized(chunks: Uint8Array[], field: string | Uint8Array): void {
  const bytes = typeof field === 'string' ? Buffer.from(field) : field;
  const size = Buffer.allocUnsafe(4);
  size.writeUInt32BE(bytes.byteLength);
  chunks.push(size, bytes);
}
