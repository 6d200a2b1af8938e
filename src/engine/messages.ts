import type { MessageTiming } from '../queue/change.ts';
import type { MessageContent } from '../queue/message.ts';
import type { Keys } from '../storage/keys.ts';
import { decodeEnvelope, decodeMessage, hasSeparateBody, sealedContentOf } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import type { ContentEncryption } from './content-encryption.ts';
import type { ContentRoom } from './queue-service.ts';

/** Of one message as it is stored: 1 MiB of body and attributes, and what their names and types take. */
const CONTENT_BYTES_MAX = 1024 * 1024 + 4096;

export interface StoredMessage {
  timing: MessageTiming;
  content: MessageContent;
}

/** The contents of messages, in order; undefined where one is not in the store any more. */
export async function readMessages(
  queueId: number,
  positions: readonly { partition: number; seq: number }[],
  store: Store,
  keys: Keys,
  encryption: ContentEncryption,
  room?: ContentRoom,
): Promise<(StoredMessage | undefined)[]> {
  const records = await store.getMany(positions.map(({ partition, seq }) => keys.message(queueId, partition, seq)));
  const largeCount = records.filter((record) => record !== undefined && hasSeparateBody(record)).length;
  // What is not large is in the records already.
  if (room !== undefined && largeCount > 0) await room.reserve(largeCount * CONTENT_BYTES_MAX);
  let largeBytes = 0;
  const messages: (StoredMessage | undefined)[] = [];
  for (const [index, record] of records.entries()) {
    if (record === undefined) {
      messages.push(undefined);
      continue;
    }
    const { partition, seq } = positions[index] as { partition: number; seq: number };
    const hasBody = hasSeparateBody(record);
    const body = hasBody ? await store.get(keys.body(queueId, partition, seq)) : undefined;
    largeBytes += body?.length ?? 0;
    if (hasBody && body === undefined) {
      messages.push(undefined);
      continue;
    }
    const secret = sealedContentOf(record, body);
    const opened = secret && encryption.open(secret.sealed, secret.boundTo);
    messages.push(decodeMessage(record, body, opened instanceof Promise ? await opened : opened));
  }
  if (largeCount > 0) room?.settle(largeBytes);
  return messages;
}

/** Where messages came from, in order, as their redrive knows it; undefined where one is not in the store any more. No key is needed. */
export async function readDeadLetterSources(
  queueId: number,
  positions: readonly { partition: number; seq: number }[],
  store: Store,
  keys: Keys,
): Promise<({ deadLetterSourceArn?: string } | undefined)[]> {
  const records = await store.getMany(positions.map(({ partition, seq }) => keys.message(queueId, partition, seq)));
  return records.map((record) => record && decodeEnvelope(record));
}
