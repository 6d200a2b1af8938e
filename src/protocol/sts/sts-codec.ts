import { SqsError } from '../model/errors.ts';
import { parameterDecoder, parseParameters } from '../query-parameters.ts';
import type { WireReply, WireRequest } from '../wire.ts';
import { XmlWriter } from '../xml.ts';
import { STS_INPUT_SHAPES, type StsAction, type StsCall, type StsOutputs } from './sts-shapes.ts';

/** STS in AWS Query: form parameters in, XML of its own namespace out. */

const VERSION = Buffer.from('Version=2011-06-15');
const NAMESPACE = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';
const AMPERSAND = '&'.charCodeAt(0);

/**
 * Whether a request of AWS Query is one to STS: by its `Version`, which every client of STS sends and no client of SQS. In
 * a form nothing else reads like this parameter, since values have their `=` escaped.
 */
export function isStsRequest({ query, body }: Pick<WireRequest, 'query' | 'body'>): boolean {
  return hasVersion(body) || (query !== '' && hasVersion(Buffer.from(query, 'latin1')));
}

function hasVersion(form: Buffer): boolean {
  for (let at = form.indexOf(VERSION); at >= 0; at = form.indexOf(VERSION, at + 1)) {
    const end = at + VERSION.length;
    if ((at === 0 || form[at - 1] === AMPERSAND) && (end === form.length || form[end] === AMPERSAND)) return true;
  }
  return false;
}

const DECODERS = Object.fromEntries(
  Object.entries(STS_INPUT_SHAPES).map(([action, shape]) => [action, parameterDecoder(shape)]),
) as Record<StsAction, ReturnType<typeof parameterDecoder>>;

/** @throws SqsError when the request is no call of an action that is served, or a number in it is none. */
export function decodeStsCall({ query, body }: Pick<WireRequest, 'query' | 'body'>): StsCall {
  const parameters = parseParameters([Buffer.from(query, 'latin1'), body]);
  const action = parameters.children?.get('Action')?.text;
  if (action === undefined) {
    throw new SqsError('MissingActionException', 'The request must contain the parameter Action.');
  }
  if (!Object.hasOwn(DECODERS, action)) {
    throw new SqsError('UnknownOperationException', `Could not find operation ${action} for version 2011-06-15`);
  }
  return { action, input: DECODERS[action as StsAction](parameters) } as StsCall;
}

export function encodeStsReply<Action extends StsAction>(
  action: Action,
  output: StsOutputs[Action],
  requestId: string,
): WireReply {
  const xml = new XmlWriter();
  xml.raw(`<${action}Response ${NAMESPACE}><${action}Result>`);
  writeMembers(xml, output);
  xml.raw(`</${action}Result><ResponseMetadata>`);
  xml.element('RequestId', requestId);
  xml.raw(`</ResponseMetadata></${action}Response>`);
  return reply(200, xml, requestId);
}

/** As SQS's, but without `Detail`. */
export function encodeStsError({ fault, queryCode, message, httpStatus }: SqsError, requestId: string): WireReply {
  const xml = new XmlWriter();
  xml.raw(`<ErrorResponse ${NAMESPACE}><Error>`);
  xml.element('Type', fault);
  xml.element('Code', queryCode);
  xml.element('Message', message);
  xml.raw('</Error>');
  xml.element('RequestId', requestId);
  xml.raw('</ErrorResponse>');
  return reply(httpStatus, xml, requestId);
}

function reply(status: number, xml: XmlWriter, requestId: string): WireReply {
  return { status, headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': requestId }, body: xml.end() };
}

/** Texts, numbers and structures of them: replies of STS have nothing else. */
function writeMembers(xml: XmlWriter, structure: object): void {
  for (const [name, value] of Object.entries(structure) as [string, string | number | object | undefined][]) {
    if (value === undefined) continue;
    if (typeof value !== 'object') {
      xml.element(name, String(value));
      continue;
    }
    xml.raw(`<${name}>`);
    writeMembers(xml, value);
    xml.raw(`</${name}>`);
  }
}
