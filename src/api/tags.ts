import { invalidParameter } from '../protocol/model/errors.ts';
import { TAG_KEY_LENGTH_MAX, TAG_VALUE_LENGTH_MAX, TAGS_MAX } from './limits.ts';

/** The tags of a queue (SQS: section 2.21). */

type Tags = Readonly<Record<string, string>>;

const CHARACTERS = /^[\p{L}\p{N}\s_.:/=+\-@]*$/u;
const ALLOWED = 'may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @';
const RESERVED_PREFIX = /^aws:/i;

/**
 * The tags of a queue with others added. A key that is there already gets its new value.
 *
 * @throws SqsError InvalidParameterValue; then no tag is added.
 */
export function addTags(queueName: string, current: Tags, added: Tags): Tags {
  for (const [key, value] of Object.entries(added)) {
    checkKey(key);
    checkValue(value);
  }
  // Spreading defines properties, so that a key like `__proto__` is one like any other.
  const tags = { ...current, ...added };
  if (Object.keys(tags).length > TAGS_MAX) throw invalidParameter(`Too many tags added for queue ${queueName}.`);
  return tags;
}

/** The tags of a queue without those of the given keys. The very same object when it has none of them. */
export function removeTags(current: Tags, keys: readonly string[]): Tags {
  if (!keys.some((key) => Object.hasOwn(current, key))) return current;
  const removed = new Set(keys);
  return Object.fromEntries(Object.entries(current).filter(([key]) => !removed.has(key)));
}

/** @throws SqsError InvalidParameterValue */
export function checkKeyLength(key: string): void {
  if (key === '' || isLonger(key, TAG_KEY_LENGTH_MAX)) {
    throw invalidParameter(`Tag keys must be between 1 and ${TAG_KEY_LENGTH_MAX} characters in length.`);
  }
}

function checkKey(key: string): void {
  checkKeyLength(key);
  if (!CHARACTERS.test(key)) throw invalidParameter(`Tag keys ${ALLOWED}`);
  if (RESERVED_PREFIX.test(key)) {
    // The wording of other AWS services: that of SQS is not known (SQS: section 14).
    throw invalidParameter("Tag keys starting with 'aws:' are reserved for internal use.");
  }
}

/** The rules of AWS for values; the texts follow those for keys. */
function checkValue(value: string): void {
  if (isLonger(value, TAG_VALUE_LENGTH_MAX)) {
    throw invalidParameter(`Tag values must be between 0 and ${TAG_VALUE_LENGTH_MAX} characters in length.`);
  }
  if (!CHARACTERS.test(value)) throw invalidParameter(`Tag values ${ALLOWED}`);
}

/** In characters, of which each has one or two code units. */
function isLonger(text: string, max: number): boolean {
  return text.length > 2 * max || [...text].length > max;
}
