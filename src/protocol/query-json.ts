import { encodeBase64 } from './base64.ts';
import type { Shape, StructureShape } from './model/shape.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';

/**
 * The reply side of AWS Query in JSON, for clients that send `Accept: application/json`, such as an API gateway
 * (SQS: section 1.4). It is another format than that of AWS JSON: envelopes, maps as lists of pairs, members in
 * alphabetical order, null for what is absent or empty.
 */

/** Members with another name than in AWS JSON. */
const RENAMED_MEMBERS: Readonly<Record<string, string>> = { Messages: 'messages', QueueUrls: 'queueUrls' };

export function jsonReply(action: ActionName, output: unknown, requestId: string): string {
  const metadata = { RequestId: requestId };
  const encode = RESULT_ENCODERS[action];
  const result = encode === undefined ? {} : { [`${action}Result`]: encode(output) };
  return JSON.stringify({ [`${action}Response`]: { ...result, ResponseMetadata: metadata } });
}

export function jsonError(error: { type: string; code: string; message: string }, requestId: string): string {
  const { type, code, message } = error;
  return JSON.stringify({ Error: { Code: code, Message: message, Type: type }, RequestId: requestId });
}

type Encode<Value = never> = (value: Value) => unknown;

const RESULT_ENCODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { output }]) => [action, output && structureEncoder(output)]),
) as Record<ActionName, Encode<unknown> | undefined>;

function encoderFor(shape: Shape): Encode {
  switch (shape.type) {
    case 'blob':
      return encodeBase64;
    case 'list': {
      const encode = encoderFor(shape.member);
      return (list: never[]) => (list.length === 0 ? null : list.map((item) => encode(item)));
    }
    case 'map': {
      const { queryKey } = shape;
      const encode = encoderFor(shape.value);
      return (map: Record<string, never>) => {
        const entries = Object.entries(map).map(([key, value]) => ({ [queryKey]: key, Value: encode(value) }));
        return entries.length === 0 ? null : entries;
      };
    }
    case 'structure':
      return structureEncoder(shape);
    default:
      return (value) => value;
  }
}

function structureEncoder(shape: StructureShape): Encode<Record<string, never>> {
  const members = Object.entries(shape.members)
    .map(([name, member]) => ({ name, key: RENAMED_MEMBERS[name] ?? name, encode: encoderFor(member.shape) }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
  return (structure) => {
    const encoded: Record<string, unknown> = {};
    for (const { name, key, encode } of members) {
      const value = structure[name];
      encoded[key] = value === undefined ? null : encode(value);
    }
    return encoded;
  };
}
