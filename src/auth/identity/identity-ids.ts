import { hash } from 'node:crypto';

/**
 * Ids in the form of AWS: four letters that tell the kind, then capital letters and digits. They name who it was, where
 * names and ARNs may be given to somebody else later.
 */
const PREFIXES = { user: 'AIDA', group: 'AGPA', role: 'AROA', accessKey: 'AKIA', sessionKey: 'ASIA' } as const;

export type IdKind = keyof typeof PREFIXES;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Characters after the prefix: access keys have 20 in all, the others 21. */
const lengthOf = (kind: IdKind): number => (kind === 'accessKey' || kind === 'sessionKey' ? 16 : 17);

const SECRET_BYTES = 30;

type RandomBytes = (length: number) => Uint8Array;

export function newId(kind: IdKind, randomBytes: RandomBytes): string {
  return PREFIXES[kind] + base32(randomBytes(lengthOf(kind)));
}

/** The id of somebody who was declared without one: the same for the same account and name. */
export function derivedId(kind: IdKind, account: string, name: string): string {
  const bytes = hash('sha256', `${kind}/${account}/${name}`, 'buffer');
  return PREFIXES[kind] + base32(bytes.subarray(0, lengthOf(kind)));
}

/** A secret access key: 40 characters. */
export function newSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(SECRET_BYTES)).toString('base64');
}

/** Five bits of each byte: no bias, as 32 divides 256. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BASE32[byte & 31];
  return text;
}
