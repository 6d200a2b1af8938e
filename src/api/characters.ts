import { toUSVString } from 'node:util';

/** Which characters a message may carry (SQS: section 4.4). */

// All of the Basic Multilingual Plane that is not allowed, but for surrogates: a regular expression that pairs those up
// is three times as slow on text outside Latin-1, and this runs on every send.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/;

/** Letters, digits and all ASCII punctuation, but no space. */
const ID = /^[!-~]{1,128}$/;

export const INVALID_CHARACTERS =
  'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | ' +
  '#x10000 to #x10FFFF';

export function hasOnlyMessageCharacters(text: string): boolean {
  // toUSVString() replaces lone surrogates, and returns text without any as it is.
  return !FORBIDDEN.test(text) && toUSVString(text) === text;
}

/** Whether a text may be a message group id, a deduplication id or a receive attempt id. */
export function isId(text: string): boolean {
  return ID.test(text);
}
