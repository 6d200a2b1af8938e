import type { MessageCounts } from '../engine/queue-service.ts';
import { type QueueRecord, queueArn } from '../queue/record.ts';
import { KMS_REUSE_SECONDS_DEFAULT, SETTABLE_ATTRIBUTES } from './queue-attributes.ts';
import { unknownAttribute } from './values.ts';

/** The attributes of a queue as GetQueueAttributes shows them (SQS: section 2.5, section 3.4). */

const ALL = 'All';
const COUNTS: ReadonlyMap<string, keyof MessageCounts> = new Map([
  ['ApproximateNumberOfMessages', 'visible'],
  ['ApproximateNumberOfMessagesNotVisible', 'inFlight'],
  ['ApproximateNumberOfMessagesDelayed', 'delayed'],
]);
const READ_ONLY = ['QueueArn', 'CreatedTimestamp', 'LastModifiedTimestamp', ...COUNTS.keys()];

/** Every name of a queue attribute, `All` included. */
export const QUEUE_ATTRIBUTE_NAMES: ReadonlySet<string> = new Set([ALL, ...READ_ONLY, ...SETTABLE_ATTRIBUTES]);

/** @throws SqsError InvalidAttributeName: one unknown name fails the whole request. */
export function checkAttributeNames(names: readonly string[]): void {
  for (const name of names) {
    if (!QUEUE_ATTRIBUTE_NAMES.has(name)) throw unknownAttribute(name);
  }
}

/** Whether any of the names asks for a number of messages, which has to be fetched. */
export function asksForCounts(names: readonly string[]): boolean {
  return names.some((name) => name === ALL || COUNTS.has(name));
}

/** The attributes of the given names that the queue has. `counts` may be absent when no name asks for it. */
export function viewAttributes(
  queue: QueueRecord,
  names: readonly string[],
  counts: MessageCounts | undefined,
): Record<string, string> {
  const wanted = names.includes(ALL) ? [...READ_ONLY, ...SETTABLE_ATTRIBUTES] : names;
  const view: Record<string, string> = {};
  for (const name of wanted) {
    const value = attributeValue(queue, name, counts);
    if (value !== undefined) view[name] = value;
  }
  return view;
}

function attributeValue(queue: QueueRecord, name: string, counts: MessageCounts | undefined): string | undefined {
  switch (name) {
    case 'QueueArn':
      return queueArn(queue);
    case 'CreatedTimestamp':
      return seconds(queue.createdAt);
    case 'LastModifiedTimestamp':
      return seconds(queue.modifiedAt);
    case 'KmsDataKeyReusePeriodSeconds':
      if (queue.attributes.KmsMasterKeyId === undefined) return undefined;
      return queue.attributes.KmsDataKeyReusePeriodSeconds ?? KMS_REUSE_SECONDS_DEFAULT;
    default: {
      const count = COUNTS.get(name);
      return count === undefined ? queue.attributes[name] : counts && String(counts[count]);
    }
  }
}

function seconds(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1000));
}
