import { isUtf8 } from 'node:buffer';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { hasMoreValues } from './json-values.ts';
import { SqsError } from './model/errors.ts';
import type { ListShape, MapShape, Shape, StructureShape } from './model/shape.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';
import type { Call, Codec, WireReply, WireRequest } from './wire.ts';

/**
 * AWS JSON 1.0 (SQS: sections 1.3 and 1.8): the action in the X-Amz-Target header, the input as a JSON object.
 *
 * This is the protocol of every current SDK, hence the hot path. JSON.parse and JSON.stringify do the bulk of the work
 * natively; per shape one closure, compiled when this module loads, checks types on the way in and leaves out what is
 * empty on the way out. It visits the members that a request has, not those that the model knows, and an object that is
 * right as it came is passed on: building another one, member by member, takes longer than parsing it.
 */

const CONTENT_TYPE = 'application/x-amz-json-1.0';
const TARGET_PREFIX = 'AmazonSQS.';
/** Of one list or map. Far more than any action takes, and far less than a body of the largest size could hold. */
const ITEMS_MAX = 10_000;
/**
 * Of a whole request. Beyond that it is refused before anything is built of it: a body of 1.25 MiB can hold so many tiny
 * values that JSON.parse keeps everybody else waiting for half a second. A full batch has some 600.
 */
const VALUES_MAX = 20_000;
/** In a smaller body the values are not counted: two bytes each, it cannot hold enough of them. */
const UNCOUNTED_BYTES_MAX = 2 * VALUES_MAX;

export const awsJson: Codec = { protocol: 'awsJson1_0', decode, encodeReply, encodeError };

function decode(request: WireRequest): Call {
  const action = actionOf(request.headers['x-amz-target']);
  return { action, input: INPUT_DECODERS[action](parseBody(request.body)) };
}

function actionOf(target: string | string[] | undefined): ActionName {
  if (typeof target !== 'string') {
    throw new SqsError('UnknownOperationException', 'The request must name its action in the header X-Amz-Target.');
  }
  const name = target.slice(TARGET_PREFIX.length);
  if (!target.startsWith(TARGET_PREFIX) || !Object.hasOwn(ACTIONS, name)) {
    throw new SqsError('UnknownOperationException', `The action ${target} is not valid for this endpoint.`);
  }
  return name as ActionName;
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  // toString() would replace what is no UTF-8 and so change a message without a word.
  if (!isUtf8(body)) throw serializationError('The request body is not valid UTF-8.');
  if (body.length > UNCOUNTED_BYTES_MAX && hasMoreValues(body, VALUES_MAX)) {
    throw serializationError(`The request has more than ${VALUES_MAX} values.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (cause) {
    throw serializationError('The request body is not valid JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null) throw serializationError('The request body is not a JSON object.');
  return value;
}

function encodeReply(action: ActionName, output: unknown, requestId: string): WireReply {
  const encode = OUTPUT_ENCODERS[action];
  return {
    status: 200,
    headers: { 'Content-Type': CONTENT_TYPE, 'x-amzn-RequestId': requestId },
    body: encode === undefined ? '' : JSON.stringify(encode(output)),
  };
}

function encodeError(error: SqsError, requestId: string): WireReply {
  return {
    status: error.httpStatus,
    headers: {
      'Content-Type': CONTENT_TYPE,
      'x-amzn-RequestId': requestId,
      'x-amzn-query-error': `${error.queryCode};${error.fault}`,
    },
    body: JSON.stringify({ __type: error.smithyId, [error.jsonMessageKey]: error.message }),
  };
}

// Decoding. A decoder gets any value of JSON.parse but null, which is the same as absent everywhere.

type Decode = (value: unknown) => unknown;

/** Members that SQS decodes more tolerantly than their shape says: name -> from the strict decoder to the lenient one. */
const LENIENT_MEMBERS: Readonly<Record<string, (strict: Decode) => Decode>> = {
  // {"MessageBody": 5} is taken for {"MessageBody": "5"}.
  MessageBody: () => decodeScalarAsString,
  // A list of names is taken for a map from their positions, so that the answer is `Unknown Attribute 0.` (SQS: 2.1).
  Attributes: (decodeMap) => (value) => decodeMap(isListOfStrings(value) ? { ...value } : value),
};

const INPUT_DECODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { input }]) => [action, structureDecoder(input)]),
) as Record<ActionName, Decode>;

function decoderFor(shape: Shape): Decode {
  switch (shape.type) {
    case 'string':
      return decodeString;
    case 'integer':
      return decodeInteger;
    case 'blob':
      return decodeBlob;
    case 'list':
      return listDecoder(shape);
    case 'map':
      return mapDecoder(shape);
    case 'structure':
      return structureDecoder(shape);
    default:
      throw new Error(`no input of SQS has a ${shape.type}`);
  }
}

function structureDecoder(shape: StructureShape): Decode {
  const decoders = new Map<string, Decode>();
  for (const [member, { shape: memberShape }] of Object.entries(shape.members)) {
    const strict = decoderFor(memberShape);
    decoders.set(member, LENIENT_MEMBERS[member]?.(strict) ?? strict);
  }
  return (value) => {
    if (!isObject(value)) throw misplaced(value, 'Expected null');
    let isAsItShouldBe = true;
    for (const member in value) {
      const decodeMember = decoders.get(member);
      const item = value[member];
      if (decodeMember === undefined || item === null) {
        isAsItShouldBe = false;
        continue;
      }
      const decoded = decodeMember(item);
      if (decoded !== item) value[member] = decoded;
    }
    return isAsItShouldBe ? value : membersOf(value, decoders);
  };
}

/** Without what the shape does not know, and without null, which is the same as absent. */
function membersOf(value: Record<string, unknown>, known: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const structure: Record<string, unknown> = {};
  for (const member in value) {
    if (known.has(member) && value[member] !== null) structure[member] = value[member];
  }
  return structure;
}

function listDecoder(shape: ListShape): Decode {
  const decodeItem = shape.member.type === 'string' ? decodeStringItem : decoderFor(shape.member);
  return (value) => {
    if (!Array.isArray(value)) throw noCollection(value, 'Expected list or null');
    if (value.length > ITEMS_MAX) throw tooManyItems();
    const list: unknown[] = [];
    for (const item of value) {
      if (item !== null) list.push(decodeItem(item));
    }
    return list;
  };
}

function mapDecoder(shape: MapShape): Decode {
  const decodeItem = shape.value.type === 'string' ? decodeScalarItem : decoderFor(shape.value);
  return (value) => {
    if (!isObject(value)) throw noCollection(value, 'Expected map or null');
    // No prototype: the caller chooses the keys, and one of them may be __proto__.
    const map: Record<string, unknown> = Object.create(null);
    let count = 0;
    for (const key in value) {
      if (++count > ITEMS_MAX) throw tooManyItems();
      const item = value[key];
      if (item !== null) map[key] = decodeItem(item);
    }
    return map;
  };
}

function decodeString(value: unknown): string {
  if (typeof value !== 'string') throw inconvertible(value, 'a String');
  return value;
}

function decodeScalarAsString(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  // Beyond 53 bits JSON.parse has rounded the number already: better refused than delivered with other digits.
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
  return decodeString(value);
}

function decodeStringItem(value: unknown): string {
  if (Array.isArray(value)) throw serializationError(UNRECOGNIZED_COLLECTION);
  return decodeString(value);
}

/** `{"DelaySeconds": 5}` among queue attributes is taken for `{"DelaySeconds": "5"}`. */
function decodeScalarItem(value: unknown): string {
  if (Array.isArray(value)) throw serializationError(UNRECOGNIZED_COLLECTION);
  return decodeScalarAsString(value);
}

function decodeInteger(value: unknown): number {
  const number = typeof value === 'string' && /^[+-]?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || (number | 0) !== number) throw inconvertible(value, 'an Integer');
  return number;
}

function decodeBlob(value: unknown): Uint8Array {
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined;
  if (bytes === undefined) throw inconvertible(value, 'a Blob');
  return bytes;
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= ITEMS_MAX && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The texts of SQS (section 1.8), their uneven punctuation included.

const UNRECOGNIZED_COLLECTION = 'Unrecognized collection type class java.lang.String';

function inconvertible(value: unknown, target: 'a String' | 'an Integer' | 'a Blob'): SqsError {
  const token = typeof value === 'boolean' ? String(value) : typeof value;
  return misplaced(value, `${token.toUpperCase()}_VALUE can not be converted to ${target}`);
}

function noCollection(value: unknown, expectation: string): SqsError {
  return misplaced(value, typeof value === 'string' ? UNRECOGNIZED_COLLECTION : expectation);
}

/** `expectation` is what to say of a scalar. */
function misplaced(value: unknown, expectation: string): SqsError {
  if (Array.isArray(value)) return serializationError('Start of list found where not expected');
  if (isObject(value)) return serializationError('Start of structure or map found where not expected.');
  return serializationError(expectation);
}

function tooManyItems(): SqsError {
  return serializationError(`A list or map in the request has more than ${ITEMS_MAX} items.`);
}

function serializationError(message: string, options?: ErrorOptions): SqsError {
  return new SqsError('SerializationException', message, options);
}

// Encoding. An encoder returns what JSON.stringify is to write, or undefined for what is to be left out: absent scalars
// and, as SQS does, empty lists and maps.

type Encode<Value = never> = (value: Value) => unknown;

/** Undefined for an action without a reply. */
const OUTPUT_ENCODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { output }]) => [action, output && structureEncoder(output)]),
) as Record<ActionName, Encode<unknown> | undefined>;

/** The encoder of a shape, or undefined when JSON.stringify needs no help with it. */
function encoderFor(shape: Shape): Encode | undefined {
  switch (shape.type) {
    case 'blob':
      return encodeBase64;
    case 'list':
      return listEncoder(shape);
    case 'map':
      return mapEncoder(shape);
    case 'structure':
      return structureEncoder(shape);
    default:
      return undefined;
  }
}

/** JSON.stringify leaves out what is undefined; what is no member of the shape is for us to keep back. */
function structureEncoder(shape: StructureShape): Encode<Record<string, never>> {
  const known = new Map(Object.entries(shape.members).map(([name, member]) => [name, encoderFor(member.shape)]));
  const members = [...known].flatMap(([name, encode]) => (encode === undefined ? [] : [{ name, encode }]));
  return (structure) => {
    const own = hasOthers(structure, known) ? membersOf(structure, known) : structure;
    if (members.length === 0) return own;
    const encoded: Record<string, unknown> = { ...own };
    for (const { name, encode } of members) {
      const value = structure[name];
      if (value !== undefined) encoded[name] = encode(value);
    }
    return encoded;
  };
}

function hasOthers(structure: Record<string, unknown>, known: ReadonlyMap<string, unknown>): boolean {
  for (const member in structure) if (!known.has(member)) return true;
  return false;
}

function listEncoder(shape: ListShape): Encode<never[]> {
  const encode = encoderFor(shape.member);
  return (list) => {
    if (list.length === 0) return undefined;
    return encode === undefined ? list : list.map((item) => encode(item));
  };
}

function mapEncoder(shape: MapShape): Encode<Record<string, never>> {
  const encode = encoderFor(shape.value);
  return (map) => {
    const keys = Object.keys(map);
    if (keys.length === 0) return undefined;
    if (encode === undefined) return map;
    const encoded: Record<string, unknown> = Object.create(null);
    for (const key of keys) encoded[key] = encode(map[key]!);
    return encoded;
  };
}
