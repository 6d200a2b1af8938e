import { describe, expect, it } from 'vitest';
import { realPlatform } from '../platform/real.ts';
import type { QueueRecord } from '../queue/record.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Operation, Store } from '../storage/store.ts';
import { openShard } from './shard.ts';

const SCOPE = { account: '000000000000', region: 'us-east-1' };
const ATTRIBUTES = { DelaySeconds: '0', MessageRetentionPeriod: '345600', VisibilityTimeout: '30' };

/** A disk that takes some turns of the event loop for a commit, as a real one does. */
async function openSlowStore(): Promise<Store> {
  const memory = await openMemoryStore();
  const { commit } = memory;
  const slow = async (operations: readonly Operation[]) => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    return commit.call(memory, operations);
  };
  return Object.assign(memory, { commit: slow });
}

async function openQueue(attributes: Record<string, string> = {}, shard?: Awaited<ReturnType<typeof openShard>>) {
  const platform = realPlatform();
  shard ??= await openShard({ store: await openSlowStore(), platform, logger: { error() {} } });
  const name = attributes.RedrivePolicy === undefined ? 'dead' : 'source';
  const record: Omit<QueueRecord, 'id' | 'revision'> = {
    scope: SCOPE,
    name,
    attributes: { ...ATTRIBUTES, ...attributes },
    tags: {},
    createdAt: 0,
    modifiedAt: 0,
  };
  const created = await shard.createQueue(record, 0);
  if (created === 'deleted-recently') throw new Error(created);
  return { shard, platform, id: created.queue.id };
}

describe('a receive that finds nothing', () => {
  it('is answered when what it moved to the dead-letter queue can be received there', async () => {
    const dead = await openQueue();
    const policy = { deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dead', maxReceiveCount: 1 };
    const { shard, platform, id } = await openQueue({ RedrivePolicy: JSON.stringify(policy) }, dead.shard);
    const { signal } = new AbortController();
    const poll = (queueId: number) =>
      shard.receive(queueId, { maxMessages: 1, waitMs: 0, visibilityTimeoutMs: 0 }, signal);
    const bodyMd5 = '8b1a9953c4611296a827abf8c47804d7';
    await shard.send(id, [{ messageId: platform.uuid(), body: 'Hello', bodyMd5, attributes: [], senderId: 's' }]);
    expect(await poll(id)).toHaveLength(1);
    expect(await poll(id)).toEqual([]);
    expect(await poll(dead.id)).toMatchObject([{ body: 'Hello', receiveCount: 2 }]);
    await shard.close();
  });
});
