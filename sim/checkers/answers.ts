import type { Message, SendMessageResult } from '../../src/protocol/model/shapes.ts';
import { DEDUPLICATION_INTERVAL_MS } from '../../src/queue/deduplication.ts';
import type { QueueRecord } from '../../src/queue/record.ts';
import { type Call, isCall } from '../calls.ts';
import { changesOf } from './delivery-rules.ts';
import { type DurableMessage, deduplicationKey, tokenOf } from './durable-image.ts';
import { describe, type Evidence } from './evidence.ts';
import { entryOf, handlesToDelete } from './message-rules.ts';

/** Holds every answer of the server against what is on the disk at that moment: nothing may be said that is not there. */
export class Answers {
  readonly #evidence: Evidence;
  /** Purge watermarks when a call arrived, by call. */
  readonly #purgedBelow = new Map<number, number>();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  onArrival(call: Call): void {
    const queue = this.#evidence.image.byName.get(call.queue);
    this.#purgedBelow.set(call.id, queue?.counters?.purgedBelow ?? 0);
  }

  onAnswer(call: Call): void {
    if (call.error === undefined) this.#checkReply(call);
    else this.#checkError(call);
    this.#purgedBelow.delete(call.id);
  }

  #checkReply(call: Call): void {
    if (isCall(call, 'SendMessage')) {
      this.#checkSent(call as Call, tokenOf(call.input.MessageBody as string), call.reply as SendMessageResult);
    } else if (isCall(call, 'SendMessageBatch')) {
      for (const result of call.reply?.Successful ?? []) {
        const entry = call.input.Entries?.find(({ Id }) => Id === result.Id);
        this.#checkSent(call as Call, tokenOf(entry?.MessageBody as string), result);
      }
    } else if (isCall(call, 'ReceiveMessage')) {
      this.#checkReceived(call, call.reply?.Messages ?? []);
    } else if (isCall(call, 'DeleteMessage')) {
      this.#checkDeleted(call as Call, handlesToDelete(call as Call));
    } else if (isCall(call, 'DeleteMessageBatch')) {
      const isDone = new Set(call.reply?.Successful?.map(({ Id }) => Id));
      const entries = call.input.Entries?.filter(({ Id }) => isDone.has(Id as string)) ?? [];
      this.#checkDeleted(
        call as Call,
        entries.map(({ ReceiptHandle }) => ReceiptHandle as string),
      );
      const refused = call.input.Entries?.filter(({ Id }) => !isDone.has(Id as string)) ?? [];
      for (const { ReceiptHandle } of refused) this.#checkRefusal(call as Call, ReceiptHandle as string);
    } else if (isCall(call, 'ChangeMessageVisibility')) {
      this.#checkChanged(call as Call);
    } else if (isCall(call, 'SetQueueAttributes')) {
      const wanted = Object.entries(call.input.Attributes ?? {});
      this.#checkRecord(call as Call, ({ attributes }) =>
        wanted.every(([name, value]) => (attributes[name] ?? '') === value),
      );
    } else if (isCall(call, 'TagQueue')) {
      const wanted = Object.entries(call.input.Tags ?? {});
      this.#checkRecord(call as Call, ({ tags }) => wanted.every(([key, value]) => tags[key] === value));
    } else if (isCall(call, 'UntagQueue')) {
      this.#checkRecord(call as Call, ({ tags }) => !call.input.TagKeys?.some((key) => tags[key] !== undefined));
    }
  }

  #checkError(call: Call): void {
    for (const handle of handlesToDelete(call)) this.#checkRefusal(call, handle);
    if (call.name === 'ChangeMessageVisibility') {
      for (const { handle, seconds } of changesOf(call)) {
        const delivered = this.#evidence.handles.get(handle)?.message.delivery;
        const isTooLong =
          delivered !== undefined &&
          (call.answeredAt as number) + seconds * 1000 > delivered.receivedAt + 12 * 3600_000;
        if (!isTooLong) this.#checkRefusal(call, handle);
      }
    }
  }

  /** What is acknowledged is durable; a duplicate is answered with the first message's id, and nothing else is. */
  #checkSent(call: Call, token: string, result: SendMessageResult): void {
    const { image } = this.#evidence;
    const complain = (rule: string, text: string) => {
      this.#evidence.violation(rule, `${token} of call ${call.id} was acknowledged ${text}`);
    };
    const original = image.originals.get(result.MessageId as string);
    if (original === undefined) {
      complain('durable-first', `as ${result.MessageId} before it was durable`);
      return;
    }
    const sequence = original.queue.fifo ? `1${String(original.seq).padStart(19, '0')}` : undefined;
    if (result.SequenceNumber !== sequence) {
      complain('sequence', `with the sequence number ${result.SequenceNumber} of ${original.seq}`);
    }
    const sent = entryOf(call, token)?.input;
    if (tokenOf(original.content.body) === token && original.put.issuedStep >= (call.arrivedStep as number)) return;
    if (!original.queue.fifo) {
      complain('deduplication', `as ${describe(original)}, which it is not`);
      return;
    }
    const id = sent?.MessageDeduplicationId ?? original.content.deduplicationId;
    const key = deduplicationKey(original.queue, { groupId: sent?.MessageGroupId, deduplicationId: id });
    if (key !== deduplicationKey(original.queue, original.content)) {
      complain('deduplication', `as ${describe(original)}, which has another deduplication id`);
    }
    if (original.timing.sentAt <= (call.arrivedAt as number) - DEDUPLICATION_INTERVAL_MS) {
      complain('deduplication', `as ${describe(original)}, which was sent more than five minutes before`);
    }
    if (original.seq < (this.#purgedBelow.get(call.id) ?? 0)) {
      complain('purge', `as ${describe(original)}, which had been purged`);
    }
  }

  #checkReceived(call: Call, messages: readonly Message[]): void {
    const here = new Set<DurableMessage>();
    for (const received of messages) {
      const places = this.#evidence.image.places.get(received.MessageId as string) ?? [];
      const message = places.findLast(({ queue }) => queue.name === call.queue) ?? places.at(-1);
      const complain = (rule: string, text: string) => {
        const what = message === undefined ? received.MessageId : describe(message);
        this.#evidence.violation(rule, `call ${call.id} on ${call.queue} received ${what} ${text}`);
      };
      const count = Number(received.Attributes?.ApproximateReceiveCount);
      const delivery = message?.deliveries.find((each) => each.count === count);
      if (message === undefined || delivery === undefined) {
        complain('durable-first', `with the count ${count}, which is not durable`);
        continue;
      }
      if (message.queue.name !== call.queue) complain('foreign', `which is in ${message.queue.name}`);
      if (delivery.answeredBy !== undefined && !this.#isReplay(call)) {
        complain('two-receipts', `as call ${delivery.answeredBy} did, count ${count}`);
      }
      delivery.answeredBy = call.id;
      const { content, timing } = message;
      if (received.Body !== content.body) complain('content', 'with another body');
      if (received.Attributes?.SentTimestamp !== String(timing.sentAt)) complain('content', 'sent at another time');
      const firstReceivedAt = received.Attributes?.ApproximateFirstReceiveTimestamp;
      if (firstReceivedAt !== String(message.delivery?.firstReceivedAt)) complain('content', 'first at another time');
      if (received.Attributes?.MessageGroupId !== content.groupId) complain('content', 'with another group');
      const names = Object.keys(received.MessageAttributes ?? {}).sort();
      if (
        names.join() !==
        content.attributes
          .map(({ name }) => name)
          .sort()
          .join()
      ) {
        complain('content', 'with other attributes');
      }
      for (const companion of delivery.companions) {
        const isHere = here.has(companion) || companion.gone !== undefined;
        if (!isHere) complain('order', `without ${describe(companion)}`);
      }
      here.add(message);
      this.#evidence.handles.set(received.ReceiptHandle as string, { message, delivery });
    }
  }

  /** What is set is in the record on the disk now, or was there since the call arrived. */
  #checkRecord(call: Call, isAsWanted: (record: QueueRecord) => boolean): void {
    const queue = this.#evidence.image.byName.get(call.queue);
    if (queue === undefined) return;
    const since = queue.records.filter(({ step }) => step >= (call.arrivedStep as number));
    if (isAsWanted(queue.record) || since.some(({ record }) => isAsWanted(record))) return;
    this.#evidence.violation(
      'attributes',
      `${call.name} ${call.id} on ${call.queue} was acknowledged and is not durable`,
    );
  }

  #checkDeleted(call: Call, handles: readonly string[]): void {
    for (const handle of handles) {
      const receipt = this.#evidence.handles.get(handle);
      if (receipt === undefined) continue;
      const { message } = receipt;
      const text = `call ${call.id} on ${call.queue} deleted ${describe(message)}`;
      if (message.queue.name !== call.queue) this.#evidence.violation('foreign', text);
      else if (message.gone === undefined) this.#evidence.violation('deleted', `${text}, which is still there`);
    }
  }

  /** A handle is good as long as its delivery is in flight, whatever happened to the server in between. */
  #checkRefusal(call: Call, handle: string): void {
    const receipt = this.#evidence.handles.get(handle);
    if (call.error?.shape === 'ServiceUnavailable' || call.error?.shape === 'QueueDoesNotExist') return;
    if (receipt === undefined) return;
    const { message, delivery } = receipt;
    if (message.queue.name !== call.queue || message.gone !== undefined || message.delivery === undefined) return;
    const isCurrent = message.queue.fifo
      ? message.delivery.receiveCount === delivery.count && message.delivery.visibleAt > (call.answeredAt as number)
      : true;
    const isOld = (message.lastChange.acknowledgedStep ?? Number.POSITIVE_INFINITY) < (call.arrivedStep as number);
    if (!isCurrent || !isOld || this.#evidence.lastFaultStep >= (call.arrivedStep as number)) return;
    if ([...message.queue.tasks.values()].some(({ endedStep }) => endedStep >= (call.arrivedStep as number))) return;
    const text = `the handle of ${describe(message)} was refused: ${call.error?.message ?? 'failed in a batch'}`;
    this.#evidence.violation('handles', text);
  }

  #checkChanged(call: Call): void {
    for (const { handle, seconds } of changesOf(call)) {
      const receipt = this.#evidence.handles.get(handle);
      if (receipt === undefined) continue;
      const { message } = receipt;
      const text = `call ${call.id} on ${call.queue} changed the visibility of ${describe(message)} to ${seconds} s`;
      if (message.queue.name !== call.queue) {
        this.#evidence.violation('foreign', text);
        continue;
      }
      if ((message.lastChange.durableStep as number) >= (call.arrivedStep as number)) continue;
      if (message.gone !== undefined) continue;
      this.#evidence.violation('visibility', `${text}, and that is not durable`);
    }
  }

  #isReplay(call: Call): boolean {
    return isCall(call, 'ReceiveMessage') && call.input.ReceiveRequestAttemptId !== undefined;
  }
}
