import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from './base64.ts';
import { invalidParameter, missingParameter, SqsError } from './model/errors.ts';
import type { ListShape, MapShape, MemberShape, StructureShape } from './model/shape.ts';

/**
 * The request side of AWS Query (SQS: section 1.4): form parameters with dotted names to the input of an action.
 *
 * `MessageAttribute.2.Value.DataType=String` becomes a path in a tree of parameters, and the shape of the input walks
 * that tree. Names that the shape does not know are ignored, as SQS ignores them.
 */

/** A node of the tree: `text` when a parameter has exactly this name, `children` when longer names go on from it. */
export interface Parameter {
  text?: string;
  children?: Map<string, Parameter>;
}

/**
 * Bounds on what one request can make us build. The largest honest request, a batch of ten messages with ten attributes
 * each, has some 400 parameters; the deepest name, of an item in an attribute of a batch entry, has 10 parts.
 */
const PARAMETERS_MAX = 10_000;
const NAME_PARTS_MAX = 16;

const PLUS = '+'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);

/**
 * Parses form-encoded bytes, or several of them one after the other. Of two parameters with one name the later counts.
 *
 * @throws SqsError when something is not form-encoded UTF-8
 */
export function parseParameters(sources: readonly Buffer[]): Parameter {
  const root: Parameter = {};
  let count = 0;
  for (const source of sources) {
    if (!isUtf8(source)) throw malformed('The request parameters are not valid UTF-8.');
    const text = plusesToSpaces(source).toString();
    for (let start = 0; start < text.length; ) {
      const ampersand = text.indexOf('&', start);
      const end = ampersand === -1 ? text.length : ampersand;
      if (end > start) {
        if (++count > PARAMETERS_MAX) throw malformed(`The request has more than ${PARAMETERS_MAX} parameters.`);
        addParameter(root, text.slice(start, end));
      }
      start = end + 1;
    }
  }
  return root;
}

function addParameter(root: Parameter, pair: string): void {
  const equals = pair.indexOf('=');
  const name = unescapeForm(equals === -1 ? pair : pair.slice(0, equals));
  const parts = name.split('.', NAME_PARTS_MAX + 1);
  if (parts.length > NAME_PARTS_MAX) return;
  let node = root;
  for (const part of parts) {
    node.children ??= new Map();
    let child = node.children.get(part);
    if (child === undefined) {
      child = {};
      node.children.set(part, child);
    }
    node = child;
  }
  node.text = equals === -1 ? '' : unescapeForm(pair.slice(equals + 1));
}

/** On bytes, because replacing in a string takes seconds for a few million of them. The source stays as it is. */
function plusesToSpaces(source: Buffer): Buffer {
  let plus = source.indexOf(PLUS);
  if (plus === -1) return source;
  const copy = Buffer.from(source);
  for (; plus < copy.length; plus++) {
    if (copy[plus] === PLUS) copy[plus] = SPACE;
  }
  return copy;
}

function unescapeForm(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw malformed('The request parameters are not valid percent-encoded UTF-8.', { cause });
  }
}

/** Gets the node of the parameter, and undefined when there is none; answers undefined for what is to be absent. */
type Decode = (parameter: Parameter) => unknown;

/** Compiles the decoder of an input. It throws SqsError for values of the wrong type. */
export function parameterDecoder(shape: StructureShape): (parameter: Parameter) => Record<string, unknown> {
  const members = Object.entries(shape.members).map(([name, member]) => ({
    name,
    queryName: member.queryName,
    decode: memberDecoder(member),
  }));
  return ({ children }) => {
    const structure: Record<string, unknown> = {};
    if (children === undefined) return structure;
    for (const { name, queryName, decode } of members) {
      const child = children.get(queryName);
      const value = child && decode(child);
      if (value !== undefined) structure[name] = value;
    }
    return structure;
  };
}

function memberDecoder({ shape, queryName }: Pick<MemberShape, 'shape' | 'queryName'>): Decode {
  switch (shape.type) {
    case 'string':
      return ({ text }) => text;
    case 'integer':
      return ({ text }) => (text === undefined ? undefined : decodeInteger(text, queryName));
    case 'blob':
      return ({ text }) => (text === undefined ? undefined : decodeBlob(text, queryName));
    case 'list':
      return listDecoder(shape, queryName);
    case 'map':
      return mapDecoder(shape, queryName);
    case 'structure':
      return parameterDecoder(shape);
    default:
      throw new Error(`no input of SQS has a ${shape.type}`);
  }
}

/** `Prefix.1`, `Prefix.2`, ...; `Prefix=` for an empty list; `Prefix=item` for a single item, as in old documentation. */
function listDecoder(shape: ListShape, queryName: string): Decode {
  const decodeItem = memberDecoder({ shape: shape.member, queryName });
  return (parameter) => {
    const items = numbered(parameter).map(decodeItem);
    if (items.length === 0 && parameter.text !== undefined && parameter.text !== '') items.push(decodeItem(parameter));
    if (items.length === 0 && parameter.text === undefined) return undefined;
    return items.filter((item) => item !== undefined);
  };
}

/** `Prefix.1.Name`, `Prefix.1.Value`, ...; `Prefix=` for an empty map; `Prefix.Name`, `Prefix.Value` for one entry. */
function mapDecoder(shape: MapShape, queryName: string): Decode {
  const decodeValue = memberDecoder({ shape: shape.value, queryName: `${queryName}.Value` });
  // A message attribute without name or value is for the action to refuse: in a batch it concerns one entry only.
  const nameless = shape.value.type === 'structure' ? '' : undefined;
  return (parameter) => {
    const entries = numbered(parameter);
    if (parameter.children?.has(shape.queryKey)) entries.push(parameter);
    if (entries.length === 0 && parameter.text === undefined) return undefined;
    // No prototype: the caller chooses the keys, and one of them may be __proto__.
    const map: Record<string, unknown> = Object.create(null);
    for (const { children } of entries) {
      const key = children?.get(shape.queryKey)?.text ?? nameless;
      if (key === undefined) throw missingParameter(`${queryName}.${shape.queryKey}`);
      const value = decodeValue(children?.get('Value') ?? {});
      if (value === undefined) throw missingParameter(`${queryName}.Value`);
      map[key] = value;
    }
    return map;
  };
}

/**
 * The children with a number for a name in the order of these numbers, which may have gaps; clients that treat the list
 * as not flattened put them under `member`.
 */
function numbered(parameter: Parameter): Parameter[] {
  const children = parameter.children?.get('member')?.children ?? parameter.children;
  if (children === undefined) return [];
  return [...children]
    .filter(([name]) => /^\d{1,9}$/.test(name))
    .sort(([left], [right]) => Number(left) - Number(right))
    .map(([, child]) => child);
}

/** Range is for the action to check: its texts say which values are allowed. */
function decodeInteger(text: string, name: string): number {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    throw invalidParameter(`Value ${text} for parameter ${name} is invalid. Reason: ${name} must be an integer.`);
  }
  return number;
}

function decodeBlob(text: string, name: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined) {
    throw invalidParameter(`The value for parameter ${name} is invalid. Reason: ${name} must be encoded in Base64.`);
  }
  return bytes;
}

function malformed(message: string, options?: ErrorOptions): SqsError {
  return new SqsError('SerializationException', message, options);
}
