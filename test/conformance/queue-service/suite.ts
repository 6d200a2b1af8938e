import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  QueueGoneError,
  type QueueService,
  RevisionConflictError,
  StoreUnavailableError,
} from '../../../src/engine/queue-service.ts';
import { openShard } from '../../../src/engine/shard.ts';
import { type ManualClock, manualClock } from '../../../src/platform/manual.ts';
import type { NewMessage } from '../../../src/queue/message.ts';
import { type QueueRecord, queueArn } from '../../../src/queue/record.ts';
import { openMemoryStore } from '../../../src/storage/memory/memory-store.ts';
import { CommitError, type CommitOutcome, type Store } from '../../../src/storage/store.ts';

/** A shard on a store that fails when it is told to. */
export interface ShardUnderTest {
  queues: QueueService;
  clock: ManualClock;
  failNextCommit(outcome: CommitOutcome): void;
  close(): Promise<void>;
}

export async function openShardUnderTest(): Promise<ShardUnderTest> {
  const clock = manualClock({ startAt: 1_700_000_000_000 });
  const memory = await openMemoryStore();
  let failure: CommitOutcome | undefined;
  const commit: Store['commit'] = async (operations) => {
    const outcome = failure;
    failure = undefined;
    if (outcome !== undefined) throw new CommitError(outcome, 'the store was told to fail');
    await memory.commit(operations);
  };
  const store = new Proxy(memory, {
    get: (target, key) => (key === 'commit' ? commit : Reflect.get(target, key).bind(target)),
  });
  const shard = await openShard({ store, platform: clock, logger: { error: () => {} } });
  return {
    queues: shard,
    clock,
    failNextCommit: (outcome) => {
      failure = outcome;
    },
    close: () => shard.close(),
  };
}

const SCOPE = { account: '000000000000', region: 'us-east-1' };
const NEVER = new AbortController().signal;
const ATTRIBUTES = {
  DelaySeconds: '0',
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
};

/** What every implementation of `QueueService` does. `open` makes one, and what it is an implementation on. */
export function queueServiceSuite(name: string, open: () => Promise<ShardUnderTest>): void {
  describe(`QueueService: ${name}`, () => {
    let shard: ShardUnderTest;
    let queues: QueueService;
    beforeEach(async () => {
      shard = await open();
      ({ queues } = shard);
    });
    afterEach(() => shard.close());

    async function create(queueName = 'orders', attributes: Record<string, string> = {}): Promise<QueueRecord> {
      const fifo = queueName.endsWith('.fifo');
      const created = await queues.createQueue(
        {
          scope: SCOPE,
          name: queueName,
          attributes: { ...ATTRIBUTES, ...(fifo ? { FifoQueue: 'true' } : {}), ...attributes },
          tags: { team: 'billing' },
          createdAt: 1,
          modifiedAt: 2,
          deduplicationScopeInForce: fifo ? 'queue' : undefined,
        },
        60_000,
      );
      if (created === 'deleted-recently') throw new Error('the name is free');
      return created.queue;
    }

    function message(body: string, more: Partial<NewMessage> = {}): NewMessage {
      const bodyMd5 = '0123456789abcdef0123456789abcdef';
      return { messageId: randomUUID(), body, bodyMd5, attributes: [], senderId: SCOPE.account, ...more };
    }

    const receive = async (queueId: number, more = {}) => {
      const received = await queues.receive(queueId, { maxMessages: 10, waitMs: 0, ...more }, NEVER);
      if (received === 'over-limit') throw new Error('nothing is in flight');
      return received;
    };

    it('finds what was created, with all it has', async () => {
      const queue = await create();
      expect(queue).toMatchObject({ name: 'orders', scope: SCOPE, attributes: ATTRIBUTES, revision: 1 });
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(queue);
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(queue);
      expect(await queues.findQueue({ ...SCOPE, region: 'eu-west-1' }, 'orders')).toBeUndefined();
      expect(await queues.findQueue(SCOPE, 'other')).toBeUndefined();
    });

    it('does not create twice', async () => {
      const queue = await create();
      const { id: _, revision: __, ...again } = queue;
      expect(await queues.createQueue(again, 60_000)).toEqual({ created: false, queue });
    });

    it('sees a change at once, a deletion, and a queue of the same name', async () => {
      const queue = await create();
      await queues.findQueue(SCOPE, 'orders');
      const updated = await queues.updateQueue({ ...queue, tags: { team: 'sales' } });
      expect(updated).toEqual({ ...queue, tags: { team: 'sales' }, revision: 2 });
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(updated);
      expect(await queues.deleteQueue(queue.id)).toBeUndefined();
      expect(await queues.findQueue(SCOPE, 'orders')).toBeUndefined();
      const { id: _, revision: __, ...again } = queue;
      expect(await queues.createQueue(again, 60_000)).toBe('deleted-recently');
      await shard.clock.advance(60_000);
      const other = await create();
      expect(other.id).not.toBe(queue.id);
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(other);
    });

    it('lists queues by name, in pages', async () => {
      for (const queueName of ['b', 'a', 'ab']) await create(queueName);
      const names = async (query: Parameters<QueueService['listQueues']>[1]) =>
        (await queues.listQueues(SCOPE, query)).map((queue) => queue.name);
      expect(await names({ prefix: '', limit: 2 })).toEqual(['a', 'ab']);
      expect(await names({ prefix: '', after: 'ab', limit: 2 })).toEqual(['b']);
      expect(await names({ prefix: 'a', limit: 10 })).toEqual(['a', 'ab']);
    });

    it('finds the sources of a dead-letter queue', async () => {
      const dead = await create('dead');
      const deadLetterTargetArn = queueArn(dead);
      await create('source', { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 }) });
      const sources = await queues.deadLetterSources(SCOPE, deadLetterTargetArn, { limit: 10 });
      expect(sources.map((queue) => queue.name)).toEqual(['source']);
    });

    it('carries a message through unchanged', async () => {
      const { id } = await create();
      const sent = message('héllo \u{1F600} \n', {
        attributes: [
          { name: 'text', dataType: 'String.label', value: 'ä' },
          { name: 'empty', dataType: 'Binary', value: new Uint8Array() },
          { name: 'bytes', dataType: 'Binary', value: Uint8Array.of(0, 255, 128) },
        ],
        traceHeader: 'Root=1',
        groupId: 'tenant',
      });
      expect(await queues.send(id, [sent])).toEqual([{ messageId: sent.messageId }]);
      const [received] = await receive(id);
      const { attributes, ...rest } = sent;
      expect(received).toMatchObject({ ...rest, sentAt: shard.clock.now(), receiveCount: 1 });
      expect(received?.firstReceivedAt).toBe(shard.clock.now());
      expect(received?.attributes.map(({ value }) => (typeof value === 'string' ? value : [...value]))).toEqual([
        'ä',
        [],
        [0, 255, 128],
      ]);
      expect(received?.sequenceNumber).toBeUndefined();
    });

    it('carries large bodies, and ten of them', async () => {
      const { id } = await create();
      const bodies = Array.from({ length: 10 }, (_, index) => String(index).repeat(1024 * 1024));
      await queues.send(
        id,
        bodies.map((body) => message(body)),
      );
      const received = await receive(id);
      expect(received.map(({ body }) => body).toSorted()).toEqual(bodies);
    });

    it('keeps a delay', async () => {
      const { id } = await create();
      await queues.send(id, [message('late', { delayMs: 5000 }), message('now', { delayMs: 0 })]);
      expect(await queues.counts(id)).toEqual({ visible: 1, inFlight: 0, delayed: 1 });
      await shard.clock.advance(5000);
      expect(await receive(id)).toHaveLength(2);
    });

    it('numbers the messages of a FIFO queue, recognises duplicates and replays an attempt', async () => {
      const { id } = await create('strict.fifo');
      const first = message('one', { groupId: 'g', deduplicationId: 'd' });
      const [sent] = await queues.send(id, [first]);
      expect(sent?.sequenceNumber).toMatch(/^\d{20}$/);
      expect(await queues.send(id, [message('two', { groupId: 'g', deduplicationId: 'd' })])).toEqual([sent]);
      const attempt = await receive(id, { attemptId: 'attempt' });
      expect(attempt).toMatchObject([{ body: 'one', sequenceNumber: sent?.sequenceNumber, deduplicationId: 'd' }]);
      expect((await receive(id, { attemptId: 'attempt' })).map(({ body }) => body)).toEqual(['one']);
    });

    it('deletes, and says what it could not', async () => {
      const { id } = await create();
      const other = await create('other');
      await queues.send(id, [message('a')]);
      const [received] = await receive(id);
      const handle = received?.receiptHandle as string;
      expect(await queues.deleteMessages(id, ['garbage', handle])).toEqual(['invalid', 'deleted']);
      expect(await queues.deleteMessages(other.id, [handle])).toEqual(['foreign']);
    });

    it('changes visibility, and takes a timeout with a receive', async () => {
      const { id } = await create();
      await queues.send(id, [message('a')]);
      const [received] = await receive(id, { visibilityTimeoutMs: 60_000 });
      const receiptHandle = received?.receiptHandle as string;
      await shard.clock.advance(31_000);
      expect(await receive(id)).toEqual([]);
      const entries = [
        { receiptHandle, timeoutMs: 0 },
        { receiptHandle: 'garbage', timeoutMs: 0 },
      ];
      expect(await queues.changeVisibility(id, entries)).toEqual(['changed', 'invalid']);
      expect(await receive(id, { visibilityTimeoutMs: 0 })).toMatchObject([{ body: 'a', receiveCount: 2 }]);
      expect(await receive(id)).toMatchObject([{ receiveCount: 3 }]);
    });

    it('purges', async () => {
      const { id } = await create();
      await queues.send(id, [message('a')]);
      expect(await queues.purge(id, 60_000)).toBe('purged');
      expect(await queues.purge(id, 60_000)).toBe('in-progress');
      expect(await receive(id)).toEqual([]);
    });

    it('starts, lists and cancels move tasks', async () => {
      const [dead, target] = [await create('dead'), await create('target')];
      await queues.send(dead.id, [message('a'), message('b')]);
      const request = { sourceQueueId: dead.id, sourceArn: queueArn(dead), destinationArn: queueArn(target) };
      const started = await queues.startMoveTask({ ...request, maxMessagesPerSecond: 1 });
      if (started === 'already-running') throw new Error('nothing runs');
      expect(started).toMatchObject({ status: 'RUNNING', toMoveCount: 2, maxMessagesPerSecond: 1 });
      expect(await queues.startMoveTask(request)).toBe('already-running');
      expect(await queues.listMoveTasks(dead.id, 10)).toMatchObject([{ id: started.id }]);
      expect(await queues.cancelMoveTask(dead.id, 'unknown')).toBe('no-such-task');
      expect(await queues.cancelMoveTask(dead.id, started.id)).toMatchObject({
        status: expect.stringMatching(/^CANCELL(?:ING|ED)$/),
      });
    });

    it('lets a receive wait for a message', async () => {
      const { id } = await create();
      const waiting = receive(id, { waitMs: 20_000 });
      await queues.send(id, [message('a')]);
      expect(await waiting).toMatchObject([{ body: 'a' }]);
    });

    it('ends the wait of a receive that is aborted, before or meanwhile', async () => {
      const { id } = await create();
      const request = { maxMessages: 1, waitMs: 20_000 };
      const controller = new AbortController();
      const waiting = queues.receive(id, request, controller.signal);
      // Behind it on its way.
      await queues.counts(id);
      controller.abort();
      expect(await waiting).toEqual([]);
      expect(await queues.receive(id, request, controller.signal)).toEqual([]);
      // Nobody is left who would take it.
      await queues.send(id, [message('a')]);
      expect(await queues.counts(id)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    });

    it('says that a queue is gone', async () => {
      const { id } = await create();
      const waiting = queues.receive(id, { maxMessages: 1, waitMs: 20_000 }, NEVER);
      const gone = expect(waiting).rejects.toThrow(QueueGoneError);
      await queues.counts(id);
      await queues.deleteQueue(id);
      await gone;
      const calls = [
        () => queues.send(id, [message('a')]),
        () => receive(id),
        () => queues.deleteMessages(id, ['x']),
        () => queues.changeVisibility(id, []),
        () => queues.counts(id),
        () => queues.purge(id, 0),
        () => queues.deleteQueue(id),
        () => queues.listMoveTasks(id, 1),
      ];
      for (const call of calls) await expect(call()).rejects.toThrow(QueueGoneError);
    });

    it('says that somebody else was faster', async () => {
      const queue = await create();
      await queues.updateQueue(queue);
      await expect(queues.updateQueue(queue)).rejects.toThrow(RevisionConflictError);
    });

    it.each(['not-applied', 'unknown'] as const)('says that a write failed, and how: %s', async (outcome) => {
      const { id } = await create();
      shard.failNextCommit(outcome);
      const error = await queues.send(id, [message('a')]).catch((reason) => reason);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.outcome).toBe(outcome);
      expect(error.message).toBe('The message store cannot take writes at the moment.');
      expect(await queues.send(id, [message('b')])).toHaveLength(1);
    });

    it('forgets the record of a change that failed', async () => {
      const queue = await create();
      await queues.findQueue(SCOPE, 'orders');
      shard.failNextCommit('not-applied');
      const lost = queues.updateQueue({ ...queue, tags: { lost: 'yes' } });
      // In between everybody may see the record that will not last.
      const seen = queues.findQueue(SCOPE, 'orders');
      await expect(lost).rejects.toThrow(StoreUnavailableError);
      await seen;
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(queue);
      // The same revision for the second time, with another content.
      const updated = await queues.updateQueue({ ...queue, tags: { kept: 'yes' } });
      expect(await queues.findQueue(SCOPE, 'orders')).toEqual(updated);
    });
  });
}
