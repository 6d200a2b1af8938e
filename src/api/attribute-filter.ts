import type { MessageAttribute } from '../queue/message.ts';

/** Which message attributes a receive returns, or undefined for none. */
export type AttributeFilter = (attribute: MessageAttribute) => boolean;

const EVERYTHING = new Set(['All', '*', '.*']);
const PREFIX_SUFFIX = '.*';

/**
 * Reads MessageAttributeNames: names, `prefix.*`, or one of three ways to say all. Names that no message can have are
 * no error, they just match nothing (SQS: section 4.3).
 */
export function compileAttributeFilter(names: readonly string[] | undefined): AttributeFilter | undefined {
  if (names === undefined || names.length === 0) return undefined;
  if (names.some((name) => EVERYTHING.has(name))) return () => true;
  const exact = new Set(names);
  const prefixes = names
    .filter((name) => name.endsWith(PREFIX_SUFFIX))
    .map((name) => name.slice(0, -PREFIX_SUFFIX.length));
  return ({ name }) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
