import type { MessageTiming } from '../queue/change.ts';
import type { MessageContent } from '../queue/message.ts';
import type { Keys } from '../storage/keys.ts';
import { decodeMessage, hasSeparateBody } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';

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
): Promise<(StoredMessage | undefined)[]> {
  const records = await store.getMany(positions.map(({ partition, seq }) => keys.message(queueId, partition, seq)));
  const messages: (StoredMessage | undefined)[] = [];
  for (const [index, record] of records.entries()) {
    if (record === undefined) {
      messages.push(undefined);
      continue;
    }
    const { partition, seq } = positions[index] as { partition: number; seq: number };
    const hasBody = hasSeparateBody(record);
    const body = hasBody ? await store.get(keys.body(queueId, partition, seq)) : undefined;
    messages.push(hasBody && body === undefined ? undefined : decodeMessage(record, body));
  }
  return messages;
}
