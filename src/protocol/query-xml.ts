import { encodeBase64 } from './base64.ts';
import type { MapShape, MemberShape, Shape, StructureShape } from './model/shape.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';
import { XmlWriter } from './xml.ts';

/** The reply side of AWS Query in XML (SQS: section 1.4). Lists and maps are flattened: one element per item. */

const DECLARATION = '<?xml version="1.0"?>';
const NAMESPACE = 'xmlns="http://queue.amazonaws.com/doc/2012-11-05/"';

export function xmlReply(action: ActionName, output: unknown, requestId: string): string | Buffer {
  const xml = new XmlWriter();
  xml.raw(`${DECLARATION}<${action}Response ${NAMESPACE}>`);
  RESULT_ENCODERS[action]?.(output, xml);
  xml.raw('<ResponseMetadata>');
  xml.element('RequestId', requestId);
  xml.raw(`</ResponseMetadata></${action}Response>`);
  return xml.end();
}

export function xmlError(error: { type: string; code: string; message: string }, requestId: string): string | Buffer {
  const xml = new XmlWriter();
  xml.raw(`${DECLARATION}<ErrorResponse ${NAMESPACE}><Error>`);
  xml.element('Type', error.type);
  xml.element('Code', error.code);
  xml.element('Message', error.message);
  xml.raw('<Detail/></Error>');
  xml.element('RequestId', requestId);
  xml.raw('</ErrorResponse>');
  return xml.end();
}

type Encode<Value = never> = (value: Value, xml: XmlWriter) => void;

const RESULT_ENCODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { output }]) => [action, output && resultEncoder(`${action}Result`, output)]),
) as Record<ActionName, Encode<unknown> | undefined>;

function resultEncoder(name: string, shape: StructureShape): Encode<Record<string, never>> {
  const encode = structureEncoder(shape);
  return (output, xml) => {
    if (isEmpty(output)) {
      xml.raw(`<${name}/>`);
      return;
    }
    xml.raw(`<${name}>`);
    encode(output, xml);
    xml.raw(`</${name}>`);
  };
}

/** Whether nothing would stand between the tags. */
function isEmpty(output: Record<string, unknown>): boolean {
  return Object.values(output).every((value) => {
    if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      return Object.keys(value).length === 0;
    }
    return value === undefined;
  });
}

/** Encodes what stands between the tags of an element. */
function contentEncoder(shape: Shape): Encode {
  switch (shape.type) {
    case 'blob':
      return (bytes: Uint8Array, xml) => xml.raw(encodeBase64(bytes));
    case 'structure':
      return structureEncoder(shape);
    case 'list':
    case 'map':
      throw new Error(`a ${shape.type} has no element of its own`);
    default:
      return (value: string | number | boolean, xml) => xml.text(String(value));
  }
}

function structureEncoder(shape: StructureShape): Encode<Record<string, never>> {
  const members = Object.entries(shape.members).map(([name, member]) => ({ name, encode: memberEncoder(member) }));
  return (structure, xml) => {
    for (const { name, encode } of members) {
      const value = structure[name];
      if (value !== undefined) encode(value, xml);
    }
  };
}

/** Encodes a member of a structure, tags included. */
function memberEncoder({ shape, queryName }: MemberShape): Encode {
  if (shape.type === 'list') {
    const encode = tagged(queryName, contentEncoder(shape.member));
    return (list: never[], xml) => {
      for (const item of list) encode(item, xml);
    };
  }
  if (shape.type === 'map') {
    const encode = tagged(queryName, entryEncoder(shape));
    return (map: Record<string, never>, xml) => {
      for (const entry of Object.entries(map)) encode(entry, xml);
    };
  }
  return tagged(queryName, contentEncoder(shape));
}

function tagged<Value>(name: string, encode: Encode<Value>): Encode<Value> {
  const open = `<${name}>`;
  const close = `</${name}>`;
  return (value, xml) => {
    xml.raw(open);
    encode(value, xml);
    xml.raw(close);
  };
}

function entryEncoder({ queryKey, value }: MapShape): Encode<[string, never]> {
  const encode = tagged('Value', contentEncoder(value));
  return ([key, item], xml) => {
    xml.element(queryKey, key);
    encode(item, xml);
  };
}
