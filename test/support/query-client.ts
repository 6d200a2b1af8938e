import type { ActionInputs, ActionName, ActionOutputs } from '../../src/protocol/model/shapes.ts';
import { typeOfCode, WireFailure } from './errors.ts';
import { child, childText, parseXml, type XmlElement } from './xml.ts';

/** Shaped as SigV4 wants it, of nobody in particular. */
export const ANY_AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-1/sqs/aws4_request, ' +
  'SignedHeaders=host;x-amz-date, Signature=0000000000000000000000000000000000000000000000000000000000000000';

const NAMESPACE = 'http://queue.amazonaws.com/doc/2012-11-05/';

export interface QueryOptions {
  method?: 'POST' | 'GET';
  /** Of the URL: `/` or that of a queue. */
  path?: string;
  headers?: Record<string, string>;
}

export interface QueryReply {
  status: number;
  headers: Headers;
  text: string;
}

/** A client of the AWS Query protocol, as the SDKs were before 2023 (SQS: section 1.4). */
export class QueryClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** One request with exactly these parameters, in this order, and the reply as it came. */
  async request(parameters: Iterable<[string, string]>, options: QueryOptions = {}): Promise<QueryReply> {
    const { method = 'POST', path = '/', headers } = options;
    const form = new URLSearchParams([...parameters]).toString();
    const response = await fetch(`${this.#url}${path}${method === 'GET' && form !== '' ? `?${form}` : ''}`, {
      method,
      headers: {
        Authorization: ANY_AUTHORIZATION,
        'X-Amz-Date': '20231114T221320Z',
        ...(method === 'POST' && { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }),
        ...headers,
      },
      body: method === 'POST' ? form : undefined,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /**
   * Carries out an action: its output in the form that the JSON protocol has.
   *
   * @throws WireFailure for an error reply.
   */
  async call<Name extends ActionName>(
    action: Name,
    input: ActionInputs[Name],
    options?: QueryOptions,
  ): Promise<ActionOutputs[Name]> {
    const parameters: [string, string][] = [['Action', action], ['Version', '2012-11-05'], ...encode(action, input)];
    return readReply(action, await this.request(parameters, options)) as unknown as ActionOutputs[Name];
  }
}

/** The output in a reply of AWS Query, after a look at the envelope. Throws WireFailure when it is an error. */
export function readReply(action: ActionName, { status, headers, text }: QueryReply): Record<string, unknown> {
  const contentType = headers.get('Content-Type');
  if (!contentType?.startsWith('text/xml')) throw new Error(`unexpected Content-Type ${contentType}: ${text}`);
  const root = parseXml(text);
  if (root.attributes.xmlns !== NAMESPACE) throw new Error(`wrong namespace: ${text}`);
  if (status !== 200) throw failureOf(root, status);

  const requestId = childText(child(root, 'ResponseMetadata'), 'RequestId');
  if (root.name !== `${action}Response` || requestId === '') throw new Error(`unexpected reply: ${text}`);
  const result = child(root, `${action}Result`);
  // Actions that return nothing have no result element (SQS: section 1.4).
  if ((result === undefined) !== RETURN_NOTHING.has(action)) throw new Error(`unexpected reply: ${text}`);
  return result === undefined ? {} : decode(result, action);
}

function failureOf(root: XmlElement, status: number): WireFailure {
  const error = child(root, 'Error');
  const complete = root.name === 'ErrorResponse' && child(error, 'Detail') !== undefined;
  if (!complete || childText(root, 'RequestId') === '') throw new Error(`not an error: ${JSON.stringify(root)}`);
  const code = childText(error, 'Code');
  const message = childText(error, 'Message');
  return new WireFailure({ type: typeOfCode(code), code, fault: childText(error, 'Type'), status, message });
}

const RETURN_NOTHING: ReadonlySet<ActionName> = new Set([
  'AddPermission',
  'ChangeMessageVisibility',
  'DeleteMessage',
  'DeleteQueue',
  'PurgeQueue',
  'RemovePermission',
  'SetQueueAttributes',
  'TagQueue',
  'UntagQueue',
]);

/** Lists and maps by member of the input (SQS: section 1.4). */
export const LISTS: Record<string, string> = {
  AWSAccountIds: 'AWSAccountId',
  Actions: 'ActionName',
  TagKeys: 'TagKey',
  AttributeNames: 'AttributeName',
  MessageSystemAttributeNames: 'AttributeName',
  MessageAttributeNames: 'MessageAttributeName',
  StringListValues: 'StringListValue',
  BinaryListValues: 'BinaryListValue',
};
export const MAPS: Record<string, [prefix: string, key: string]> = {
  Attributes: ['Attribute', 'Name'],
  tags: ['Tag', 'Key'],
  Tags: ['Tag', 'Key'],
  MessageAttributes: ['MessageAttribute', 'Name'],
  MessageSystemAttributes: ['MessageSystemAttribute', 'Name'],
};

/** The parameters that carry an input, `Action` and `Version` aside. */
export function encode(action: ActionName, input: object): [string, string][] {
  return Object.entries(input).flatMap(([member, value]): [string, string][] => {
    if (value === undefined) return [];
    if (member === 'Entries') return encodeList(action, `${action}RequestEntry`, value);
    if (LISTS[member] !== undefined) return encodeList(action, LISTS[member], value);
    if (MAPS[member] !== undefined) return encodeMap(action, ...MAPS[member], value);
    return within(member, encodeValue(action, value));
  });
}

function encodeList(action: ActionName, prefix: string, items: unknown[]): [string, string][] {
  // That is how boto sends an empty list.
  if (items.length === 0) return [[prefix, '']];
  return items.flatMap((item, index) => within(`${prefix}.${index + 1}`, encodeValue(action, item)));
}

function encodeMap(action: ActionName, prefix: string, key: string, map: object): [string, string][] {
  return Object.entries(map).flatMap(([name, value], index) =>
    within(`${prefix}.${index + 1}`, [[key, name], ...within('Value', encodeValue(action, value))]),
  );
}

/** With names below that of the value itself, which is the empty one. */
function encodeValue(action: ActionName, value: unknown): [string, string][] {
  if (value instanceof Uint8Array) return [['', Buffer.from(value).toString('base64')]];
  if (typeof value === 'object' && value !== null) return encode(action, value);
  return [['', String(value)]];
}

function within(prefix: string, parameters: [string, string][]): [string, string][] {
  return parameters.map(([name, value]) => [name === '' ? prefix : `${prefix}.${name}`, value]);
}

const NUMBERS = new Set([
  'ApproximateNumberOfMessagesMoved',
  'ApproximateNumberOfMessagesToMove',
  'MaxNumberOfMessagesPerSecond',
  'StartedTimestamp',
]);

function decode(element: XmlElement, action: ActionName): Record<string, unknown> {
  const output: Record<string, unknown> = {};
  const addTo = (member: string, item: unknown) => {
    output[member] ??= [];
    (output[member] as unknown[]).push(item);
  };
  const put = (member: string, key: string, value: unknown) => {
    output[member] ??= {};
    (output[member] as Record<string, unknown>)[key] = value;
  };
  for (const item of element.children) {
    const { name, text, children } = item;
    if (name === 'Attribute') put('Attributes', childText(item, 'Name'), childText(item, 'Value'));
    else if (name === 'Tag') put('Tags', childText(item, 'Key'), childText(item, 'Value'));
    else if (name === 'MessageAttribute') {
      put('MessageAttributes', childText(item, 'Name'), decode(child(item, 'Value')!, action));
    } else if (name === 'Message' && children.length > 0) addTo('Messages', decode(item, action));
    else if (name === 'QueueUrl' && action === 'ListQueues') addTo('QueueUrls', text);
    else if (name === 'QueueUrl' && action === 'ListDeadLetterSourceQueues') addTo('queueUrls', text);
    else if (name === 'ListMessageMoveTasksResultEntry') addTo('Results', decode(item, action));
    else if (name === 'BatchResultErrorEntry') addTo('Failed', decode(item, action));
    else if (name.endsWith('ResultEntry')) addTo('Successful', decode(item, action));
    else if (children.length > 0 || name in output) throw new Error(`unexpected <${name}> in <${element.name}>`);
    else output[name] = decodeScalar(name, text);
  }
  return output;
}

function decodeScalar(name: string, text: string): unknown {
  if (NUMBERS.has(name)) return Number(text);
  if (name === 'SenderFault') return text === 'true';
  if (name === 'BinaryValue') return new Uint8Array(Buffer.from(text, 'base64'));
  return text;
}
