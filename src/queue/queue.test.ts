import { describe, expect, it } from 'vitest';
import type { Change } from './change.ts';
import { QUEUE_LIMITS, type QueueLimits } from './limits.ts';
import type { NewMessage } from './message.ts';
import { Queue, type Received } from './queue.ts';

// The whole behaviour is in test/model; here is what random commands meet too seldom.

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

interface Options {
  fifo?: boolean;
  delayMs?: number;
  retentionMs?: number;
  limits?: Partial<QueueLimits>;
}

function newQueue({ fifo = false, delayMs = 0, retentionMs = 4 * 24 * 60 * MINUTE, limits = {} }: Options): Queue {
  const settings = {
    fifo,
    delayMs,
    retentionMs,
    visibilityTimeoutMs: 30_000,
    deduplicationScope: 'queue' as const,
  };
  const counters = { nextSeq: 1, live: 0, delayed: 0, purgedBelow: 0, reclaimedBelow: 0 };
  const queue = { id: 1, arn: 'arn:aws:sqs:us-east-1:000000000000:q', settings };
  return new Queue(queue, counters, 'new', NOW, { ...QUEUE_LIMITS, ...limits });
}

function message(name: string, more: Partial<NewMessage> = {}): NewMessage {
  return { messageId: name, body: '', bodyMd5: '', attributes: [], senderId: '', deduplicationId: name, ...more };
}

/** Sends messages and lets them become durable. */
function send(queue: Queue, now: number, ...messages: NewMessage[]): void {
  queue.send(messages, now);
  for (const { row } of queue.takeEffects().arrivals) queue.reveal(row, now);
}

function receive(queue: Queue, maxMessages: number, visibilityTimeoutMs: number, now: number): Received[] {
  const received = queue.receive({ maxMessages, visibilityTimeoutMs }, undefined, now);
  return received === 'over-limit' ? [] : received;
}

function kindsOf(changes: readonly Change[]): string[] {
  return changes.map(({ kind }) => kind);
}

describe('a window that runs low', () => {
  it('is refilled also when its messages are hidden by changes of visibility', () => {
    const queue = newQueue({ limits: { windowReadyMax: 4, pageRowsMax: 4, pageRowsMin: 4 } });
    for (let seq = 1; seq <= 6; seq++) send(queue, NOW, message(`m${seq}`));
    // Two are always left, which is enough. After three receives the first two make way for the next two.
    const received = new Map<number, Received>();
    let now = NOW;
    for (let receives = 0; receives < 6; receives++) {
      for (const receipt of receive(queue, 2, 1000, now)) received.set(receipt.seq, receipt);
      now += 1000;
    }
    expect([...received.keys()]).toEqual([1, 2, 3, 4]);
    expect(queue.isPaging).toBe(false);
    for (const receipt of received.values()) expect(queue.changeVisibility(receipt, 60_000, now)).toBe('changed');
    expect(queue.isPaging).toBe(true);
  });
});

describe('a delayed message that is older than the retention when its delay ends', () => {
  it('is deleted once, though a page that was read before brings it in', () => {
    const queue = newQueue({ retentionMs: MINUTE, limits: { windowReadyMax: 1, pageRowsMax: 4, pageRowsMin: 4 } });
    send(queue, NOW, message('first'));
    send(queue, NOW, message('delayed', { delayMs: 2 * MINUTE }));
    receive(queue, 1, 1000, NOW);
    const [page] = queue.wants(NOW);
    const due = NOW + 2 * MINUTE;
    queue.advance(due);
    expect(kindsOf(queue.takeEffects().changes)).toContain('delay.delete');
    const row = { partition: 0, seq: 2, retentionFrom: NOW, dueAt: due, receivesBefore: 0, firstReceivedBefore: 0 };
    if (page?.kind === 'log') queue.logPageLoaded(page, [row], true, due);
    expect(queue.takeEffects().changes).toEqual([]);
    expect(queue.counters).toMatchObject({ live: 0, delayed: 0 });
  });
});

describe('message groups that are used once', () => {
  it('leave nothing behind that makes the windows of other groups smaller', () => {
    const limits = { windowReadyMax: 64, pageRowsMax: 64, pageRowsMin: 1, idleLogsMax: 8 };
    const queue = newQueue({ limits });
    for (let group = 0; group < 1000; group++) {
      send(queue, NOW, message('m', { groupId: `once-${group}` }));
      queue.delete(queue.receive({ maxMessages: 1, visibilityTimeoutMs: 30_000 }, undefined, NOW) as Received[], NOW);
      queue.takeEffects();
    }
    for (let count = 0; count < 200; count++) send(queue, NOW, message('m', { groupId: 'busy' }));
    receive(queue, 40, 30_000, NOW);
    const [page] = queue.wants(NOW);
    expect(page?.limit).toBeGreaterThanOrEqual(64 / 16);
  });
});

describe('deduplication', () => {
  it('knows an id until the end of the send that pushes it out of memory', () => {
    const queue = newQueue({ fifo: true, limits: { deduplicationIdsMax: 2 } });
    const inGroup = (name: string) => message(name, { groupId: 'g' });
    send(queue, NOW, inGroup('a'), inGroup('b'));
    const again = [inGroup('c'), inGroup('d'), inGroup('a')];
    expect(queue.dedupQuestions(again, NOW)).toEqual([]);
    const outcomes = queue.send(again, NOW);
    expect(outcomes.map(({ duplicate }) => duplicate)).toEqual([false, false, true]);
    expect(queue.dedupQuestions([inGroup('a')], NOW)).toEqual([1]);
  });

  it('sweeps once more after the last use, for the ids that the sweep before has left', () => {
    const queue = newQueue({ fifo: true });
    send(queue, NOW, message('a', { groupId: 'g' }));
    send(queue, NOW + 6 * MINUTE, message('b', { groupId: 'g' }));
    queue.advance(NOW + 10 * MINUTE);
    queue.advance(NOW + 20 * MINUTE);
    const expiries = queue.takeEffects().changes.filter(({ kind }) => kind === 'dedup.expire');
    expect(expiries.map((change) => 'below' in change && change.below)).toEqual([2, 3]);
  });
});

describe('the counts of a FIFO queue', () => {
  it('do not take a message in flight for a delayed one when the delay is raised', () => {
    const queue = newQueue({ fifo: true });
    send(queue, NOW, message('a', { groupId: 'g' }), message('b', { groupId: 'h' }));
    receive(queue, 1, 30_000, NOW + 100);
    queue.changeSettings(
      {
        fifo: true,
        delayMs: MINUTE,
        retentionMs: 60 * MINUTE,
        visibilityTimeoutMs: 30_000,
        deduplicationScope: 'queue',
      },
      NOW + 200,
    );
    expect(queue.counts(NOW + 200)).toEqual({ visible: 0, inFlight: 1, delayed: 1 });
  });
});
