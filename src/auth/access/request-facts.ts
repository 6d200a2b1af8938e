import { TAG_KEY_LENGTH_MAX, TAG_VALUE_LENGTH_MAX, TAGS_MAX } from '../../api/limits.ts';
import type { ActionInputs, ActionName } from '../../protocol/model/shapes.ts';
import type { RequestFacts } from '../policy/request-context.ts';

/** How a request came in. */
export interface Origin {
  /** Over TLS. */
  isSecure: boolean;
  /** The address of the client, or of the proxy before it; without a port. */
  sourceIp?: string;
  userAgent?: string;
  referer?: string;
}

/**
 * Matching takes time by the product of the lengths of text and pattern, and a header has up to 64 KiB. What is longer counts as its
 * beginning. In characters.
 */
const HEADER_LENGTH_MAX = 512;

/** The part of the condition keys that follows from how a request came in. */
export function originFacts({ isSecure, sourceIp, userAgent, referer }: Origin) {
  return {
    secure: isSecure,
    sourceIp,
    userAgent: userAgent?.slice(0, HEADER_LENGTH_MAX),
    referer: referer?.slice(0, HEADER_LENGTH_MAX),
  } satisfies Partial<RequestFacts>;
}

type TagFacts = Pick<RequestFacts, 'requestTags' | 'tagKeys'>;

/** The part of the condition keys that follows from the tags that a request brings. */
export function tagFacts(action: ActionName, input: object): TagFacts {
  switch (action) {
    case 'CreateQueue':
      return factsOfTags((input as ActionInputs['CreateQueue']).tags);
    case 'TagQueue':
      return factsOfTags((input as ActionInputs['TagQueue']).Tags);
    case 'UntagQueue':
      return { tagKeys: bounded((input as ActionInputs['UntagQueue']).TagKeys ?? [], TAG_KEY_LENGTH_MAX) };
    default:
      return {};
  }
}

function factsOfTags(tags: Readonly<Record<string, string>> | undefined): TagFacts {
  if (tags === undefined) return {};
  const keys = bounded(Object.keys(tags), TAG_KEY_LENGTH_MAX);
  const values = bounded(Object.values(tags), TAG_VALUE_LENGTH_MAX);
  return { tagKeys: keys, requestTags: Object.fromEntries(keys.map((key, index) => [key, values[index] as string])) };
}

/** Tags are looked at before they are checked. What is cut off here is too much, and the action refuses it: a character has two units at most. */
function bounded(texts: readonly string[], lengthMax: number): string[] {
  return texts.slice(0, TAGS_MAX + 1).map((text) => text.slice(0, lengthMax * 2 + 2));
}
