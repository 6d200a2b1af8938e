import type { RawReply } from '../../test/support/raw-connection.ts';
import { child, childText, parseXml } from '../../test/support/xml.ts';
import type { Wrapped } from './wrapping.ts';

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** What the listener says to what is no HTTP, without a body. */
const BARE_STATUSES = new Set([400, 408, 413, 417, 431]);

/** What is wrong with a reply, or undefined. `request` is absent when it is not clear what was answered. */
export function faultOf(reply: RawReply, request: Wrapped | undefined): string | undefined {
  try {
    check(reply, request);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function check(reply: RawReply, request: Wrapped | undefined): void {
  const { status, headers, body } = reply;
  const isDecent = (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 503;
  if (!isDecent) throw new Error(`status ${status}`);
  const type = headers['content-type'];
  if (type === undefined && body === '') {
    if (request?.isWellFormed) throw new Error(`a bare ${status} for a request that is good HTTP`);
    if (!BARE_STATUSES.has(status)) throw new Error(`a bare ${status}`);
    return;
  }
  if (!REQUEST_ID.test(headers['x-amzn-requestid'] ?? '')) throw new Error('no x-amzn-requestid');
  if (Number(headers['content-length']) !== Buffer.byteLength(body))
    throw new Error('a wrong Content-Length, or no UTF-8');
  if (request !== undefined) expectType(reply, request);
  if (type === 'application/x-amz-json-1.0') checkJson(reply);
  else if (type === 'text/xml') checkXml(reply);
  else if (type === 'application/json') checkJsonOfQuery(reply);
  else throw new Error(`content type ${type}`);
}

function expectType({ headers, body }: RawReply, { protocol, asksForJson }: Wrapped): void {
  const type = headers['content-type'];
  if (protocol === 'AWS JSON' && type === 'application/x-amz-json-1.0') return;
  if (protocol === 'AWS Query' && type === 'text/xml' && (!asksForJson || body === '<UnknownOperationException/>'))
    return;
  if (protocol === 'AWS Query' && type === 'application/json' && asksForJson) return;
  throw new Error(`${type} answers ${protocol}${asksForJson ? ' that accepts JSON' : ''}`);
}

function checkJson({ status, headers, body }: RawReply): void {
  const value = body === '' ? {} : JSON.parse(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no JSON object');
  if (status < 300) return;
  const { __type: type, message, Message: otherMessage, ...rest } = value;
  if (!/^com\.amazon(?:aws\.sqs|\.coral\.service)#\w+$/.test(type)) throw new Error(`__type ${type}`);
  if (typeof (message ?? otherMessage) !== 'string') throw new Error('an error without a text');
  if (Object.keys(rest).length > 0) throw new Error(`an error with ${Object.keys(rest)}`);
  const [code = '', fault, ...more] = headers['x-amzn-query-error']?.split(';') ?? [];
  if (more.length > 0) throw new Error(`x-amzn-query-error: ${headers['x-amzn-query-error']}`);
  checkError(status, code, fault);
}

function checkXml({ status, body }: RawReply): void {
  const root = parseXml(body);
  if (status < 300) {
    if (!/^[A-Z]\w+Response$/.test(root.name)) throw new Error(`a reply called <${root.name}>`);
    if (childText(child(root, 'ResponseMetadata'), 'RequestId') === '') throw new Error('a reply without RequestId');
    return;
  }
  if (root.name === 'UnknownOperationException' && status === 404) return;
  const error = child(root, 'Error');
  if (root.name !== 'ErrorResponse' || childText(root, 'RequestId') === '') throw new Error(`no error: ${body}`);
  checkError(status, childText(error, 'Code'), childText(error, 'Type'));
}

function checkJsonOfQuery({ status, body }: RawReply): void {
  const value = JSON.parse(body);
  if (status < 300) {
    const [name = '', ...more] = Object.keys(value);
    if (!name.endsWith('Response') || more.length > 0) throw new Error(`members ${Object.keys(value)}`);
    return;
  }
  checkError(status, value.Error.Code, value.Error.Type);
}

/** A refusal is the fault of the sender, except that the server may be busy. */
function checkError(status: number, code: string, fault: string | undefined): void {
  if (!/^[\w.]+$/.test(code)) throw new Error(`code ${code}`);
  if (status === 503 ? code !== 'ServiceUnavailable' || fault !== 'Receiver' : fault !== 'Sender') {
    throw new Error(`status ${status}, code ${code}, fault ${fault}`);
  }
}
