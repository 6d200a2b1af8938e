import type { Delivery } from '../../src/queue/change.ts';
import { type Call, isCall } from '../calls.ts';
import type { Commit } from '../disk.ts';
import type { DurableDelivery, DurableMessage } from './durable-image.ts';
import { actorsOf, describe, type Records } from './evidence.ts';
import { latest } from './message-rules.ts';

const VISIBILITY_TOTAL_MS = 12 * 3600_000;

/** A message may be received when it is durable, due, visible, not expired, next in its group, and below its limit. */
export function checkDelivery(message: DurableMessage, delivery: Delivery, commit: Commit, evidence: Records): void {
  const { queue, timing, put } = message;
  const { receivedAt } = delivery;
  const complain = (rule: string, text: string) =>
    evidence.violation(rule, `${describe(message)} was received ${text}`);
  const before = message.delivery?.receiveCount ?? timing.receivesBefore;
  if (delivery.receiveCount !== before + 1) {
    complain('receive-count', `with the count ${delivery.receiveCount} after ${before}`);
  }
  const firstReceivedAt = message.delivery?.firstReceivedAt ?? (timing.firstReceivedBefore || receivedAt);
  if (delivery.firstReceivedAt !== firstReceivedAt) complain('receive-count', 'first at another time than it was');
  if ((put.durableStep as number) > commit.issuedStep) complain('durable-first', 'before it was durable');
  if (message.delivery !== undefined && message.delivery.visibleAt > receivedAt) {
    complain('visibility', `${message.delivery.visibleAt - receivedAt} ms before its visibility timeout was over`);
  }
  const records = latest(queue);
  const delayMs = Math.min(...records.map(({ attributes }) => Number(attributes.DelaySeconds) * 1000));
  const dueAt = queue.fifo ? timing.retentionFrom + delayMs : timing.dueAt;
  if (dueAt > receivedAt) complain('delays', `${dueAt - receivedAt} ms before its delay was over`);
  const retentionMs = Math.max(...records.map(({ attributes }) => Number(attributes.MessageRetentionPeriod) * 1000));
  if (timing.retentionFrom + retentionMs <= receivedAt) complain('retention', 'after its retention');
  const limit = queue.settings.redrive?.maxReceiveCount ?? Number.POSITIVE_INFINITY;
  if (before - timing.receivesBefore >= limit && evidence.image.deadLetterTargetOf(queue) !== undefined) {
    complain('redrive', `once more than ${limit} times`);
  }
  const visibilityMs = delivery.visibleAt - receivedAt;
  const receives = actorsOf(evidence, queue.name, commit).filter((call) => isCall(call, 'ReceiveMessage'));
  if (!receives.some((call) => visibilitiesOf(call, message).includes(visibilityMs))) {
    complain('uncalled-for', `by nobody who wanted it for ${visibilityMs} ms`);
  }
  const companions = queue.fifo && commit.isDoomed !== true ? companionsOf(message, receivedAt, commit, evidence) : [];
  const { visibleAt, receiveCount: count } = delivery;
  message.deliveries.push({ count, receivedAt, visibleAt, commit, companions });
}

/** The prefix rule: whatever lies before it in its group must have been taken by the same receive. */
function companionsOf(message: DurableMessage, receivedAt: number, commit: Commit, evidence: Records) {
  const { queue, seq, content } = message;
  const earlier = (queue.groups.get(content.groupId as string) ?? []).filter((each) => each.seq < seq);
  for (const each of earlier) {
    const latestDelivery = each.deliveries.at(-1);
    const isTogether = latestDelivery?.commit === commit && latestDelivery.receivedAt === receivedAt;
    if (!isTogether) evidence.violation('order', `${describe(message)} was received before ${describe(each)}`);
  }
  return earlier;
}

function visibilitiesOf(call: Call<'ReceiveMessage'>, { queue }: DurableMessage): number[] {
  const { VisibilityTimeout: seconds } = call.input;
  if (seconds !== undefined) return [seconds * 1000];
  return latest(queue).map(({ attributes }) => Number(attributes.VisibilityTimeout) * 1000);
}

/** A deadline may change because the consumer says so, or repeats his receive. */
export function checkVisibilityChange(
  message: DurableMessage,
  delivery: Delivery,
  commit: Commit,
  evidence: Records,
): void {
  const before = message.delivery as Delivery;
  const complain = (text: string) => evidence.violation('visibility', `${describe(message)} ${text}`);
  if (before.receivedAt !== delivery.receivedAt || before.firstReceivedAt !== delivery.firstReceivedAt) {
    complain('has another time of receiving without being received');
  }
  const isTooLong = delivery.visibleAt > delivery.receivedAt + VISIBILITY_TOTAL_MS + 300_000;
  if (isTooLong && delivery.visibleAt > commit.issuedAt) complain('is hidden for too long');
  const calls = actorsOf(evidence, message.queue.name, commit);
  const isWanted = calls.some((call) => {
    const earliest = delivery.visibleAt - commit.issuedAt;
    const longest = delivery.visibleAt - (call.arrivedAt as number);
    const isFit = (ms: number) => ms >= earliest && ms <= longest;
    if (isCall(call, 'ReceiveMessage')) {
      return call.input.ReceiveRequestAttemptId !== undefined && visibilitiesOf(call, message).some(isFit);
    }
    return changesOf(call).some(({ handle, seconds }) => {
      return isFit(seconds * 1000) && mayChange(message, handle, call, evidence);
    });
  });
  if (!isWanted) complain(`is hidden until ${delivery.visibleAt}, and nobody wanted that`);
}

function mayChange(message: DurableMessage, handle: string, call: Call, { handles }: Records): boolean {
  const receipt = handles.get(handle);
  if (receipt?.message !== message) return false;
  if (!message.queue.fifo) return true;
  const { delivery } = message;
  return delivery?.receiveCount === receipt.delivery.count && delivery.visibleAt > (call.arrivedAt as number);
}

export function changesOf(call: Call): { handle: string; seconds: number }[] {
  const inputs = isCall(call, 'ChangeMessageVisibility')
    ? [call.input]
    : isCall(call, 'ChangeMessageVisibilityBatch')
      ? (call.input.Entries ?? [])
      : [];
  return inputs.map((input) => ({ handle: input.ReceiptHandle as string, seconds: input.VisibilityTimeout as number }));
}

export type { DurableDelivery };
