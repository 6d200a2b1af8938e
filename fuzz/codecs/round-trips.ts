import fc from 'fast-check';
import { codecFor, type WireRequest } from '../../src/protocol/codec.ts';
import { ACTIONS, type ActionName } from '../../src/protocol/model/shapes.ts';
import { expectSame, type Tolerance } from './canonical.ts';
import { ExactXmlReader } from './exact-xml.ts';
import { jsonModel, queryModel } from './query-model.ts';
import { SdkV2 } from './sdk-v2.ts';
import { SdkV3 } from './sdk-v3.ts';
import { structuresOf } from './values.ts';

/**
 * What a client writes the server reads as it was meant, and what the server writes a client reads as it was meant: for
 * any input and output of every action, in both protocols, the client being the code of the AWS SDKs.
 */

const ACTION_NAMES = Object.keys(ACTIONS) as ActionName[];
const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

const v3 = new SdkV3();
const v2Json = new SdkV2('json', jsonModel());
const v2Query = new SdkV2('query', queryModel());
const xmlModel = queryModel();
const xmlReader = new ExactXmlReader(xmlModel.shapes);

export interface Exchange {
  action: ActionName;
  input: Record<string, unknown>;
  /** Absent where the action has none. */
  output?: Record<string, unknown>;
}

export function exchanges(action: ActionName, alphabet: 'anything' | 'unicode'): fc.Arbitrary<Exchange> {
  const shape = ACTIONS[action];
  const input = structuresOf(shape.input, alphabet);
  const output = shape.output === undefined ? fc.constant(undefined) : structuresOf(shape.output, alphabet);
  return fc.record({ action: fc.constant(action), input, output });
}

/** Lone surrogates included: JSON can write them, as escapes, and it is for the action to refuse them. */
export const jsonExchanges = fc.constantFrom(...ACTION_NAMES).chain((action) => exchanges(action, 'anything'));
/** A form is UTF-8, so clients cannot send lone surrogates at all. */
export const queryExchanges = fc.constantFrom(...ACTION_NAMES).chain((action) => exchanges(action, 'unicode'));

export async function checkJson({ action, input, output }: Exchange): Promise<void> {
  const serve = (request: WireRequest) => {
    const codec = codecFor(request);
    expectSame('AWS JSON, request of SDK v3', codec.decode(request), { action, input });
    return codec.encodeReply(action, output, REQUEST_ID);
  };
  const absent: Tolerance = { emptyIsAbsent: true };
  expectSame('AWS JSON, reply for SDK v3', await v3.call(action, input, serve), output ?? {}, absent);

  const reply = serve(v2Json.request(action, input));
  expectSame('AWS JSON, reply for SDK v2', v2Json.output(action, reply), output ?? {}, absent);
}

export function checkQuery({ action, input: anyInput, output }: Exchange): void {
  const input = { ...anyInput };
  // One parameter carries both lists, and a client writes the second over the first.
  if (action === 'ReceiveMessage') input.MessageSystemAttributeNames = input.AttributeNames;
  const asForm: Tolerance = { emptyIsAbsent: true, emptyItemsAreAbsent: true };
  const request = v2Query.request(action, input);
  expectSame('AWS Query, request of SDK v2', codecFor(request).decode(request), { action, input }, asForm);

  // The same in the URL of a GET, as Node hands over a request line: byte by byte.
  const get: WireRequest = { ...request, method: 'GET', query: request.body.toString('latin1'), body: Buffer.alloc(0) };
  get.headers = {};
  expectSame('AWS Query, request in a URL', codecFor(get).decode(get), { action, input }, asForm);

  const reply = codecFor(request).encodeReply(action, output, REQUEST_ID);
  const exact: Tolerance = { emptyIsAbsent: true, text: asXmlCarries };
  const read = xmlReader.output(action, xmlModel.operations[action]?.output, reply.body);
  expectSame('AWS Query, reply for an XML parser', read, output ?? {}, exact);
  const lossy: Tolerance = { emptyIsAbsent: true, noBytesIsAbsent: true, text: asSdkV2Reads };
  expectSame('AWS Query, reply for SDK v2', v2Query.output(action, reply), output ?? {}, lossy);
}

/** XML 1.0 has no way to write most control characters and two more: they become U+FFFD, as a character each. */
function asXmlCarries(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    const allowed =
      [9, 10, 13].includes(code) ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    return allowed ? character : '\ufffd';
  }).join('');
}

/** A defect of the client: it takes white space alone for nothing. */
function asSdkV2Reads(text: string): string {
  const carried = asXmlCarries(text);
  return /^\s*$/.test(carried) ? '' : carried;
}
