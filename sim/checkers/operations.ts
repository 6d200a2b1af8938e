import type { Counters, DedupRecord, Delivery } from '../../src/queue/change.ts';
import type { QueueRecord } from '../../src/queue/record.ts';
import { dedupSeqOfKey, delayOfKey, Family, positionOfKey, queueIdOfKey } from '../../src/storage/keys.ts';
import {
  decodeCounters,
  decodeDedup,
  decodeDelivery,
  decodeJson,
  decodeMessage,
  hasSeparateBody,
} from '../../src/storage/records.ts';
import type { Operation } from '../../src/storage/store.ts';
import type { Commit } from '../disk.ts';

type StoredMessage = ReturnType<typeof decodeMessage>;

export interface StoredTask {
  id: string;
  sourceQueueId: number;
  destinationArn?: string;
  status: string;
  movedCount: number;
}

/** One operation of a commit, as what it means. */
export type Step =
  | { kind: 'queue'; queueId: number; record: QueueRecord | undefined }
  | { kind: 'message'; queueId: number; partition: number; seq: number; message: StoredMessage | undefined }
  | { kind: 'delivery'; queueId: number; seq: number; delivery: Delivery | undefined }
  | { kind: 'delay'; queueId: number; seq: number; dueAt: number; isPut: boolean }
  | { kind: 'dedup'; queueId: number; seq: number; record: DedupRecord | undefined }
  | { kind: 'counters'; queueId: number; counters: Counters | undefined }
  | { kind: 'task'; queueId: number; task: StoredTask | undefined }
  | { kind: 'meta'; name: string; value: Uint8Array | undefined };

/** Reads a commit back, in the order in which it was written. */
export function stepsOf(commit: Commit): Step[] {
  const bodies = new Map<string, Uint8Array>();
  for (const { key, value } of commit.operations) {
    if (key[2] === Family.body && value !== undefined) bodies.set(placeOf(key), value);
  }
  return commit.operations.flatMap((operation) => stepOf(operation, bodies) ?? []);
}

function stepOf({ key, value }: Operation, bodies: ReadonlyMap<string, Uint8Array>): Step | undefined {
  switch (key[2]) {
    case Family.meta:
      return { kind: 'meta', name: Buffer.from(key.subarray(3)).toString(), value };
    case Family.queue: {
      const record = value && (decodeJson(value, 'queue') as QueueRecord);
      return { kind: 'queue', queueId: queueIdOfKey(key), record };
    }
    case Family.message: {
      const hasBody = value !== undefined && hasSeparateBody(value);
      const message = value && decodeMessage(value, hasBody ? bodies.get(placeOf(key)) : undefined);
      return { kind: 'message', queueId: queueIdOfKey(key), ...positionOfKey(key), message };
    }
    case Family.delivery: {
      const delivery = value && decodeDelivery(value);
      return { kind: 'delivery', queueId: queueIdOfKey(key), seq: positionOfKey(key).seq, delivery };
    }
    case Family.delay: {
      const { seq, dueAt } = delayOfKey(key);
      return { kind: 'delay', queueId: queueIdOfKey(key), seq, dueAt, isPut: value !== undefined };
    }
    case Family.dedup: {
      const seq = dedupSeqOfKey(key);
      return { kind: 'dedup', queueId: queueIdOfKey(key), seq, record: value && { seq, ...decodeDedup(value) } };
    }
    case Family.counters:
      return { kind: 'counters', queueId: queueIdOfKey(key), counters: value && decodeCounters(value) };
    case Family.task:
      return { kind: 'task', queueId: queueIdOfKey(key), task: value && (decodeJson(value, 'task') as StoredTask) };
    default:
      return undefined;
  }
}

/** Queue, partition and sequence of a key, without its family. */
function placeOf(key: Uint8Array): string {
  return Buffer.from(key.subarray(3)).toString('latin1');
}
