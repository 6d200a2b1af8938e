import type { ReceivedMessage } from '../engine/queue-service.ts';
import { md5OfMessageAttributes } from '../protocol/checksums.ts';
import type { Message, ReceiveMessageRequest } from '../protocol/model/shapes.ts';
import type { AttributeFilter } from './attribute-filter.ts';
import { toAttributeValue } from './message-attributes.ts';
import { QUEUE_ATTRIBUTE_NAMES } from './queue-attribute-view.ts';
import { unknownAttribute } from './values.ts';

/** A message as ReceiveMessage shows it (SQS: section 2.9, section 4.2, section 4.3). */

const SYSTEM_ATTRIBUTES: ReadonlyMap<string, (message: ReceivedMessage) => string | undefined> = new Map([
  ['SenderId', (message) => message.senderId],
  ['SentTimestamp', (message) => String(message.sentAt)],
  ['ApproximateReceiveCount', (message) => String(message.receiveCount)],
  ['ApproximateFirstReceiveTimestamp', (message) => String(message.firstReceivedAt)],
  ['SequenceNumber', (message) => message.sequenceNumber],
  ['MessageDeduplicationId', (message) => message.deduplicationId],
  ['MessageGroupId', (message) => message.groupId],
  ['AWSTraceHeader', (message) => message.traceHeader],
  ['DeadLetterQueueSourceArn', (message) => message.deadLetterSourceArn],
]);
const NO_NAMES: readonly string[] = [];

/**
 * The system attributes that a receive asks for: the union of the two parameters.
 *
 * @throws SqsError InvalidAttributeName
 */
export function systemAttributesToShow(
  input: Pick<ReceiveMessageRequest, 'MessageSystemAttributeNames' | 'AttributeNames'>,
): readonly string[] {
  const { MessageSystemAttributeNames: names = NO_NAMES, AttributeNames: olderNames = NO_NAMES } = input;
  if (names.length === 0 && olderNames.length === 0) return NO_NAMES;
  for (const name of names) {
    if (!isSystemAttribute(name)) throw unknownAttribute(name);
  }
  // The API model gives the older parameter the names of queue attributes. They are valid there and select nothing.
  for (const name of olderNames) {
    if (!isSystemAttribute(name) && !QUEUE_ATTRIBUTE_NAMES.has(name)) throw unknownAttribute(name);
  }
  const asked = new Set([...names, ...olderNames]);
  const known = [...SYSTEM_ATTRIBUTES.keys()];
  return asked.has('All') ? known : known.filter((name) => asked.has(name));
}

export function viewMessage(
  message: ReceivedMessage,
  systemAttributes: readonly string[],
  attributeFilter: AttributeFilter | undefined,
): Message {
  const view: Message = {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: message.bodyMd5,
    Body: message.body,
  };
  if (systemAttributes.length > 0) view.Attributes = viewSystemAttributes(message, systemAttributes);
  const attributes = attributeFilter === undefined ? [] : message.attributes.filter(attributeFilter);
  if (attributes.length > 0) {
    // Made of entries, so that a name like `__proto__` is one like any other.
    view.MessageAttributes = Object.fromEntries(attributes.map((each) => [each.name, toAttributeValue(each)]));
    // Covers what is returned, not what was sent: it is what clients check.
    view.MD5OfMessageAttributes = md5OfMessageAttributes(attributes);
  }
  return view;
}

function viewSystemAttributes(message: ReceivedMessage, names: readonly string[]): Record<string, string> {
  const view: Record<string, string> = {};
  for (const name of names) {
    const value = SYSTEM_ATTRIBUTES.get(name)?.(message);
    if (value !== undefined) view[name] = value;
  }
  return view;
}

function isSystemAttribute(name: string): boolean {
  return name === 'All' || SYSTEM_ATTRIBUTES.has(name);
}
