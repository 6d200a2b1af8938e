import { DEDUPLICATION_INTERVAL_MS } from '../../src/queue/deduplication.ts';
import { type Call, isCall } from '../calls.ts';
import type { Commit } from '../disk.ts';
import { type DurableMessage, type DurableQueue, deduplicationKey, tokenOf } from './durable-image.ts';
import { actorsOf, describe, type Records } from './evidence.ts';

/** A message may appear because a producer is sending it at this very moment, in the form in which he sends it. */
export function checkSend(message: DurableMessage, purgedBelow: number, evidence: Records): void {
  const { queue, content, timing, put } = message;
  const actors = actorsOf(evidence, queue.name, put);
  const entry = actors.map((call) => entryOf(call, tokenOf(content.body))).find((each) => each !== undefined);
  const complain = (rule: string, text: string) => evidence.violation(rule, `${describe(message)} ${text}`);
  if (entry === undefined) {
    complain('invented', 'appeared, and nobody is sending it');
    return;
  }
  const { call, input } = entry;
  if (input.MessageBody !== content.body) complain('content', 'has another body than was sent');
  if (input.MessageGroupId !== content.groupId) complain('content', `has the group ${content.groupId}`);
  const sentNames = Object.keys(input.MessageAttributes ?? {}).sort();
  if (
    sentNames.join() !==
    content.attributes
      .map(({ name }) => name)
      .sort()
      .join()
  ) {
    complain('content', 'has other attributes than were sent');
  }
  if (timing.sentAt < (call.arrivedAt as number) || timing.sentAt > put.issuedAt) {
    complain('timing', `was sent at ${timing.sentAt}, its call arrived at ${call.arrivedAt}`);
  }
  if (timing.retentionFrom !== timing.sentAt || timing.receivesBefore !== 0) complain('timing', 'is not new');
  checkDelay(message, input.DelaySeconds, evidence);
  if (queue.fifo) checkDeduplication(message, purgedBelow, evidence);
}

function checkDelay(
  { queue, timing, ...message }: DurableMessage,
  delaySeconds: number | undefined,
  evidence: Records,
) {
  if (queue.fifo) {
    if (timing.dueAt !== 0) evidence.violation('delays', `a FIFO message of ${queue.name} has a delay of its own`);
    return;
  }
  const delayMs = timing.dueAt === 0 ? 0 : timing.dueAt - timing.sentAt;
  const allowed =
    delaySeconds !== undefined
      ? [delaySeconds]
      : latest(queue).map(({ attributes }) => Number(attributes.DelaySeconds));
  if (!allowed.some((seconds) => seconds * 1000 === delayMs)) {
    const text = `is delayed by ${delayMs} ms instead of ${allowed} s`;
    evidence.violation('delays', `${describe({ queue, timing, ...message })} ${text}`);
  }
}

function checkDeduplication(message: DurableMessage, purgedBelow: number, evidence: Records): void {
  const { queue, content, timing } = message;
  const key = deduplicationKey(queue, content);
  const earlier = queue.deduplicated.get(key);
  queue.deduplicated.set(key, message);
  if (earlier === undefined || earlier.seq < purgedBelow) return;
  const apart = timing.sentAt - earlier.timing.sentAt;
  if (apart >= DEDUPLICATION_INTERVAL_MS) return;
  const text = `has the deduplication id of ${describe(earlier)}, sent ${apart} ms before`;
  evidence.violation('deduplication', `${describe(message)} ${text}`);
}

/** A message may change its place for a redrive policy, at its limit, or for a move task. */
export function checkMove(source: DurableMessage, message: DurableMessage, evidence: Records): void {
  const { put, timing, content, queue: target } = message;
  const complain = (rule: string, text: string) => {
    evidence.violation(rule, `${describe(source)} was moved to ${target.name} ${text}`);
  };
  const receives = source.delivery?.receiveCount ?? source.timing.receivesBefore;
  if (source.delivery !== undefined && source.delivery.visibleAt > put.issuedAt) complain('moves', 'while in flight');
  if (source.content.body !== content.body) complain('content', 'with another body');
  if (source.content.groupId !== content.groupId) complain('content', 'into another group');
  if (source.content.messageId === content.messageId) {
    if (evidence.image.deadLetterTargetOf(source.queue) !== target) complain('redrive', 'which no policy names');
    const limit = source.queue.settings.redrive?.maxReceiveCount ?? Number.POSITIVE_INFINITY;
    const here = receives - source.timing.receivesBefore;
    if (here < limit) complain('redrive', `after ${here} receives of ${limit}`);
    if (timing.receivesBefore !== receives) complain('redrive', `with a receive count of ${timing.receivesBefore}`);
    if (timing.sentAt !== source.timing.sentAt) complain('redrive', 'with another time of sending');
    const retentionFrom = target.fifo ? put.issuedAt : source.timing.retentionFrom;
    if (timing.retentionFrom > retentionFrom) complain('retention', 'with a clock that is late');
    if (!target.fifo && timing.retentionFrom < retentionFrom) complain('retention', 'with a clock that is early');
    if (content.deadLetterSourceArn !== source.queue.arn) complain('redrive', 'without saying where it came from');
    if (target.fifo && content.deduplicationId !== content.messageId) complain('redrive', 'with its deduplication id');
    return;
  }
  const task = [...source.queue.tasks.values()].find(({ isActive }) => isActive);
  if (task === undefined) complain('tasks', 'and no task is running');
  if (timing.receivesBefore !== 0) complain('tasks', 'with its receive count');
}

/** A message may go because its consumer deletes it, its time is over, or its queue is purged. */
export function checkRemoval(message: DurableMessage, purgedBelow: number, commit: Commit, evidence: Records): void {
  const { queue, timing, seq } = message;
  if (seq < purgedBelow) return;
  const retention = Math.min(
    ...latest(queue).map(({ attributes }) => Number(attributes.MessageRetentionPeriod) * 1000),
  );
  if (timing.retentionFrom + retention <= commit.issuedAt) return;
  const calls = actorsOf(evidence, queue.name, commit);
  if (calls.some((call) => handlesToDelete(call).some((handle) => mayDelete(message, handle, call, evidence)))) return;
  evidence.violation('lost', `${describe(message)} went away, and nobody was entitled to that`);
}

function mayDelete(message: DurableMessage, handle: string, call: Call, { handles }: Records): boolean {
  const receipt = handles.get(handle);
  if (receipt?.message !== message) return false;
  if (!message.queue.fifo) return true;
  const { delivery } = message;
  return delivery?.receiveCount === receipt.delivery.count && delivery.visibleAt > (call.arrivedAt as number);
}

export function handlesToDelete(call: Call): string[] {
  if (isCall(call, 'DeleteMessage')) return [call.input.ReceiptHandle as string];
  if (isCall(call, 'DeleteMessageBatch'))
    return call.input.Entries?.map((entry) => entry.ReceiptHandle as string) ?? [];
  return [];
}

/** The records a queue has now, and had a moment ago: an action may have begun under either. */
export function latest(queue: DurableQueue) {
  return queue.records.slice(-2).map(({ record }) => record);
}

export function entryOf(call: Call, token: string) {
  const inputs = isCall(call, 'SendMessage')
    ? [call.input]
    : isCall(call, 'SendMessageBatch')
      ? (call.input.Entries ?? [])
      : [];
  const input = inputs.find(({ MessageBody }) => MessageBody !== undefined && tokenOf(MessageBody) === token);
  return input && { call, input };
}
