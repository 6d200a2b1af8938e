import { encodeBase64 } from './base64.ts';
import type { MapShape, MemberShape, Shape, StructureShape } from './model/shape.ts';
import { ACTIONS, type ActionName } from './model/shapes.ts';
import { escapeXml } from './xml.ts';

/** The reply side of AWS Query in XML (SQS: section 1.4). Lists and maps are flattened: one element per item. */

const DECLARATION = '<?xml version="1.0"?>';
const NAMESPACE = 'xmlns="http://queue.amazonaws.com/doc/2012-11-05/"';

export function xmlReply(action: ActionName, output: unknown, requestId: string): string {
  const result = RESULT_ENCODERS[action]?.(output) ?? '';
  const metadata = `<ResponseMetadata>${element('RequestId', requestId)}</ResponseMetadata>`;
  return `${DECLARATION}<${action}Response ${NAMESPACE}>${result}${metadata}</${action}Response>`;
}

export function xmlError(error: { type: string; code: string; message: string }, requestId: string): string {
  const details = element('Type', error.type) + element('Code', error.code) + element('Message', error.message);
  const body = `<Error>${details}<Detail/></Error>${element('RequestId', requestId)}`;
  return `${DECLARATION}<ErrorResponse ${NAMESPACE}>${body}</ErrorResponse>`;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

type Encode<Value = never> = (value: Value) => string;

const RESULT_ENCODERS = Object.fromEntries(
  Object.entries(ACTIONS).map(([action, { output }]) => [action, output && resultEncoder(`${action}Result`, output)]),
) as Record<ActionName, Encode<unknown> | undefined>;

function resultEncoder(name: string, shape: StructureShape): Encode {
  const encode = contentEncoder(shape);
  return (output) => {
    const content = encode(output);
    return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`;
  };
}

/** Encodes what stands between the tags of an element. */
function contentEncoder(shape: Shape): Encode {
  switch (shape.type) {
    case 'blob':
      return encodeBase64;
    case 'structure':
      return structureEncoder(shape);
    case 'list':
    case 'map':
      throw new Error(`a ${shape.type} has no element of its own`);
    default:
      return (value: string | number | boolean) => escapeXml(String(value));
  }
}

function structureEncoder(shape: StructureShape): Encode<Record<string, never>> {
  const members = Object.entries(shape.members).map(([name, member]) => ({ name, encode: memberEncoder(member) }));
  return (structure) => {
    let content = '';
    for (const { name, encode } of members) {
      const value = structure[name];
      if (value !== undefined) content += encode(value);
    }
    return content;
  };
}

/** Encodes a member of a structure, tags included. */
function memberEncoder({ shape, queryName }: MemberShape): Encode {
  const open = `<${queryName}>`;
  const close = `</${queryName}>`;
  if (shape.type === 'list') {
    const encode = contentEncoder(shape.member);
    return (list: never[]) => list.map((item) => open + encode(item) + close).join('');
  }
  if (shape.type === 'map') {
    const encode = entryEncoder(shape);
    return (map: Record<string, never>) =>
      Object.entries(map)
        .map((entry) => open + encode(entry) + close)
        .join('');
  }
  const encode = contentEncoder(shape);
  return (value) => open + encode(value) + close;
}

function entryEncoder({ queryKey, value }: MapShape): Encode<[string, never]> {
  const encode = contentEncoder(value);
  return ([key, item]) => `${element(queryKey, key)}<Value>${encode(item)}</Value>`;
}
