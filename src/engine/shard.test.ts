import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { realPlatform } from '../platform/real.ts';
import type { NewMessage } from '../queue/message.ts';
import type { QueueRecord } from '../queue/record.ts';
import { Family, Keys } from '../storage/keys.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/store.ts';
import type { ReceivedMessage } from './queue-service.ts';
import { openShard, type Shard } from './shard.ts';

// What a shard does is tested through the API and in the simulation; here is what neither of them sees.

const FIFO: Omit<QueueRecord, 'id' | 'revision'> = {
  scope: { account: '000000000000', region: 'us-east-1' },
  name: 'q.fifo',
  attributes: { FifoQueue: 'true', DelaySeconds: '0', MessageRetentionPeriod: '345600', VisibilityTimeout: '30' },
  tags: {},
  createdAt: 0,
  modifiedAt: 0,
  deduplicationScopeInForce: 'queue',
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('does not read from the store any more once it has closed it', async () => {
  const memory = await openMemoryStore();
  const readsTooLate: string[] = [];
  const errors: string[] = [];
  const open = (): Promise<Shard> => {
    let isClosed = false;
    const onRead = (name: string) => {
      if (isClosed) readsTooLate.push(name);
    };
    const onClose = () => {
      isClosed = true;
    };
    const store = survivor(memory, onRead, onClose);
    return openShard({ store, platform: realPlatform(), logger: { error: (_, text) => errors.push(text) } });
  };

  const first = await open();
  const { queue } = (await first.createQueue(FIFO, 0)) as { queue: QueueRecord };
  const message: NewMessage = {
    messageId: '00000000-0000-4000-8000-000000000001',
    body: 'x',
    bodyMd5: '0'.repeat(32),
    attributes: [],
    senderId: 's',
    groupId: 'g',
    deduplicationId: 'd',
  };
  await first.send(queue.id, [message]);
  await first.close();

  for (let turns = 0; turns < 8; turns++) {
    const shard = await open();
    // At any moment: while the catalog, the counters, the queue or its pages are being read.
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    await shard.close();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
  expect({ readsTooLate, errors }).toEqual({ readsTooLate: [], errors: [] });
});

describe('a deleted message', () => {
  const attributes = { DelaySeconds: '0', MessageRetentionPeriod: '345600', VisibilityTimeout: '0' };
  const logger = { error: (_: unknown, text: string) => expect.unreachable(text) };
  const open = (store: Store): Promise<Shard> => openShard({ store, platform: realPlatform(), logger });
  const create = async (shard: Shard, name: string, more: Record<string, string> = {}): Promise<QueueRecord> => {
    const record = { ...FIFO, name, attributes: { ...attributes, ...more }, deduplicationScopeInForce: undefined };
    return ((await shard.createQueue(record, 0)) as { queue: QueueRecord }).queue;
  };
  const messageOf = (bytes: number): NewMessage => ({
    messageId: randomUUID(),
    body: 'x'.repeat(bytes),
    bodyMd5: '0'.repeat(32),
    attributes: [],
    senderId: 's',
  });
  const receiveAll = async (shard: Shard, queue: QueueRecord): Promise<ReceivedMessage[]> => {
    const { signal } = new AbortController();
    return (await shard.receive(queue.id, { maxMessages: 10, waitMs: 0 }, signal)) as ReceivedMessage[];
  };
  const rowsOf = async (store: Store): Promise<number> => {
    const families = [Family.message, Family.body, Family.delivery, Family.delay];
    const ranges = families.map((family) => store.range({ ...new Keys(0).family(family), limit: 100 }));
    return (await Promise.all(ranges)).flat().length;
  };

  it('leaves nothing in the store, whether it was small or large, sent or read or moved', async () => {
    const store = survivor(await openMemoryStore());
    let shard = await open(store);
    const deadLetters = await create(shard, 'dead');
    const target = `arn:aws:sqs:us-east-1:000000000000:${deadLetters.name}`;
    const redrive = JSON.stringify({ deadLetterTargetArn: target, maxReceiveCount: 2 });
    const queue = await create(shard, 'q', { RedrivePolicy: redrive });
    const send = () => shard.send(queue.id, [messageOf(1), messageOf(100_000)]);
    const deleteAll = async (from: QueueRecord) => {
      const handles = (await receiveAll(shard, from)).map(({ receiptHandle }) => receiptHandle);
      expect(handles).toHaveLength(2);
      await shard.deleteMessages(from.id, handles);
      expect(await rowsOf(store)).toBe(0);
    };

    await send();
    await deleteAll(queue);

    await send();
    await shard.close();
    shard = await open(store);
    await deleteAll(queue);

    await send();
    await receiveAll(shard, queue);
    await receiveAll(shard, queue);
    expect(await receiveAll(shard, queue)).toEqual([]);
    await deleteAll(deadLetters);
    await shard.close();
  });
});

/** A store that is still there when it has been closed, for the next shard. */
function survivor(store: Store, onRead = (_: string) => {}, onClose = () => {}): Store {
  return {
    get: (key) => {
      onRead('get');
      return store.get(key);
    },
    getMany: (keys) => {
      onRead('getMany');
      return store.getMany(keys);
    },
    range: (query) => {
      onRead('range');
      return store.range(query);
    },
    commit: (operations) => store.commit(operations),
    stats: () => store.stats(),
    close: async () => onClose(),
  };
}
