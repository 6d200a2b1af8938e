import { expect, it } from 'vitest';
import { realPlatform } from '../platform/real.ts';
import type { NewMessage } from '../queue/message.ts';
import type { QueueRecord } from '../queue/record.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/store.ts';
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
    const store: Store = {
      ...readsOf(memory, (name) => {
        if (isClosed) readsTooLate.push(name);
      }),
      commit: (operations) => memory.commit(operations),
      stats: () => memory.stats(),
      close: async () => {
        isClosed = true;
      },
    };
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

function readsOf(store: Store, onRead: (name: string) => void): Pick<Store, 'get' | 'getMany' | 'range'> {
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
  };
}
