/** The server as a client reaches it, and what it speaks to it. */
export interface Surface {
  url: string;
  protocol: Protocol;
}

export type Protocol = 'AWS JSON 1.0' | 'AWS Query';

/**
 * What every client does, and must see. A client is a program that does these one after the other, and prints for each
 * one line of JSON with what it saw in the shape below. Text, bytes and names are the same in every program, so that what
 * is expected is the same whatever the language. A library on top of an SDK does those that it has a call for.
 */
export const SCENARIOS = {
  /** A queue with an attribute, by its URL, by its name, in a list, and its attributes. */
  'create-queue': ({ url }: Surface): unknown => {
    const queueUrl = `${url}/000000000000/created`;
    return {
      url: queueUrl,
      found: queueUrl,
      listed: [queueUrl],
      attributes: { VisibilityTimeout: '60', QueueArn: 'arn:aws:sqs:us-east-1:000000000000:created' },
    };
  },
  /** The life of a message whose text has a bit of everything; `left` is visible and in flight after the delete. */
  'send-receive-delete': (): unknown => ({ body: BODY, sameId: true, receiveCount: '1', left: 0 }),
  /** Attributes of each type, and the digest of the sent ones again on those received. */
  'message-attributes': (): unknown => ({
    Text: ['String', 'Gr\u00fc\u00dfe'],
    Count: ['Number.int', '7'],
    Raw: ['Binary', RAW_BASE64],
    sameDigest: true,
  }),
  /** Three sent, of which the second has a character that is not allowed; two deleted, and one that never was. */
  batch: (): unknown => ({
    sent: ['a', 'c'],
    notSent: [['b', 'InvalidMessageContents', true]],
    received: ['first', 'third'],
    deleted: ['0', '1'],
    notDeleted: [['x', 'ReceiptHandleIsInvalid', true]],
  }),
  /** A poll of a second that ends empty, and one of 20 that a message ends early. */
  'long-poll': (): unknown => ({ empty: 0, waited: true, body: 'now', early: true }),
  /** Received and hidden for 100 s, given back, given back in a batch. */
  visibility: (): unknown => ({ hidden: 0, receiveCounts: ['1', '2', '3'] }),
  /** Three messages of a group and a duplicate of the first, in one receive; nothing more while they are in flight. */
  fifo: (): unknown => ({
    bodies: ['one', 'two', 'three'],
    group: 'g',
    duplicateIsFirst: true,
    sequenceNumbersRise: true,
    blocked: 0,
  }),
  /** A message that may be received once goes to the dead-letter queue, and a message move task brings it back. */
  'dead-letter': ({ url }: Surface): unknown => ({
    source: 0,
    dead: 'poison',
    from: 'arn:aws:sqs:us-east-1:000000000000:source',
    sources: [`${url}/000000000000/source`],
    back: 'poison',
    task: 'COMPLETED',
    moved: 1,
  }),
  /** What is left of a message in flight and two that wait. */
  purge: (): unknown => ({ left: 0 }),
  /** Tags from the start, added, replaced and removed. */
  tags: (): unknown => ({ tags: { team: 'billing', stage: 'live' } }),
  /** Code, HTTP status and text of three errors, and what the client makes of the first: see `errorType`. */
  errors: ({ protocol }: Surface): unknown => ({
    missingQueue: [
      'AWS.SimpleQueueService.NonExistentQueue',
      400,
      `The specified queue does not exist${protocol === 'AWS Query' ? ' for this wsdl version' : ''}.`,
    ],
    receiptHandle: ['ReceiptHandleIsInvalid', 404, 'The input receipt handle "garbage" is not a valid receipt handle.'],
    purgedTwice: [
      'AWS.SimpleQueueService.PurgeQueueInProgress',
      403,
      'Only one PurgeQueue operation on errors is allowed every 60 seconds.',
    ],
  }),
  'delete-queue': (): unknown => ({ gone: 'AWS.SimpleQueueService.NonExistentQueue', listed: [] }),
};

export type Scenario = keyof typeof SCENARIOS;

/** Those parts of an expectation that a library lets its users see. */
export function only(expectation: unknown, ...parts: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(expectation as object).filter(([part]) => parts.includes(part)));
}

const BODY = 'Gr\u00fc\u00dfe \u{1F426} <&> "\'\t\r\n';
/** The four bytes 00 01 fe ff. */
export const RAW_BASE64 = 'AAH+/w==';
