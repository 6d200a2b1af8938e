import type { Change } from '../queue/change.ts';
import { Family, type Keys } from '../storage/keys.ts';
import {
  encodeAttempt,
  encodeDedup,
  encodeDelay,
  encodeDelivery,
  encodeMessage,
  hasSeparateBody,
  rewriteMessage,
  type Seal,
} from '../storage/records.ts';
import type { Operation, Store } from '../storage/store.ts';

export type MoveChange = Extract<Change, { kind: 'message.move' }>;

/**
 * Turns changes into operations of the store. Those a move needs are read from the store: see `moveOperations`.
 * `sealOf`: what encrypts the messages of a queue; undefined for those that are kept in the clear.
 */
export function appendOperations(
  change: Exclude<Change, MoveChange>,
  keys: Keys,
  operations: Operation[],
  sealOf?: (queueId: number) => Seal | undefined,
): void {
  switch (change.kind) {
    case 'message.put': {
      const { queueId, partition, seq } = change.at;
      const { dueAt, retentionFrom } = change.timing;
      const { message, body } = encodeMessage(change.timing, change.content, sealOf?.(queueId));
      change.row.isInline = body === undefined;
      operations.push({ key: keys.message(queueId, partition, seq), value: message, isNew: true });
      if (body !== undefined) operations.push({ key: keys.body(queueId, partition, seq), value: body, isNew: true });
      if (dueAt > 0) {
        operations.push({ key: keys.delay(queueId, dueAt, seq, partition), value: encodeDelay(retentionFrom) });
      }
      return;
    }
    case 'message.delete': {
      const { queueId, partition, seq } = change.at;
      operations.push({ key: keys.message(queueId, partition, seq) });
      // Most have none, and deleting nothing takes 3 us all the same.
      if (change.mayHaveBody) operations.push({ key: keys.body(queueId, partition, seq) });
      if (change.hasDelivery) operations.push({ key: keys.delivery(queueId, partition, seq) });
      return;
    }
    case 'delivery.put': {
      const { queueId, partition, seq } = change.at;
      const value = encodeDelivery(change.delivery);
      operations.push({ key: keys.delivery(queueId, partition, seq), value, isNew: change.isFirst });
      return;
    }
    case 'delay.delete': {
      const { queueId, partition, seq } = change.at;
      operations.push({ key: keys.delay(queueId, change.dueAt, seq, partition) });
      return;
    }
    case 'dedup.put': {
      const { queueId, record } = change;
      operations.push({ key: keys.dedup(queueId, record.seq), value: encodeDedup(record) });
      return;
    }
    case 'attempt.put':
      operations.push({ key: keys.attempt(change.queueId, change.id), value: encodeAttempt(change.record) });
      return;
    case 'attempt.delete':
      operations.push({ key: keys.attempt(change.queueId, change.id) });
      return;
    case 'dedup.expire':
    case 'purge':
      // Ranges: the reclaimer deletes them in the background.
      return;
  }
}

/**
 * The operations of a move. The content is read here and not carried by the command, so that the state machine decides
 * on a move without a look at the store. Undefined when the message is not there (any more).
 */
export async function moveOperations(change: MoveChange, keys: Keys, store: Store): Promise<Operation[] | undefined> {
  const { from, at, edit } = change;
  const stored = await store.get(keys.message(from.queueId, from.partition, from.seq));
  if (stored === undefined) return undefined;
  const message = rewriteMessage(stored, (timing, envelope) => ({
    timing: { ...change.timing, sentAt: edit.keepsSentAt ? timing.sentAt : change.timing.sentAt },
    envelope: {
      ...envelope,
      messageId: edit.messageId ?? envelope.messageId,
      deduplicationId: edit.deduplicationId === 'message-id' ? envelope.messageId : envelope.deduplicationId,
      deadLetterSourceArn: edit.deadLetterSourceArn,
    },
  }));
  // Byte by byte: a body that the disk has damaged is for whoever receives it to hear of. Here it would fail the commit.
  const bodyKey = keys.body(from.queueId, from.partition, from.seq);
  const mayHaveBody = hasSeparateBody(stored);
  const body = mayHaveBody ? await store.get(bodyKey) : undefined;
  const operations: Operation[] = [
    { key: keys.message(at.queueId, at.partition, at.seq), value: message, isNew: true },
  ];
  if (body !== undefined)
    operations.push({ key: keys.body(at.queueId, at.partition, at.seq), value: body, isNew: true });
  const hasDelivery = change.fromHasDelivery;
  appendOperations({ kind: 'message.delete', at: from, mayHaveBody, hasDelivery }, keys, operations);
  return operations;
}

/** The queues whose counters a change alters. */
export function queuesOf(change: Change): number[] {
  if (change.kind === 'message.move') return [change.from.queueId, change.at.queueId];
  return 'at' in change ? [change.at.queueId] : [change.queueId];
}

/** The families that hold a message's rows: what a purge reclaims. */
export const LOG_FAMILIES: readonly Family[] = [Family.message, Family.body, Family.delivery];
