import { describe, expect, it } from 'vitest';
import { type QueueService, ThrottledError } from '../engine/queue-service.ts';
import { manualClock } from '../platform/manual.ts';
import type { NewMessage } from '../queue/message.ts';
import type { QueueRecord } from '../queue/record.ts';
import { Buckets } from './buckets.ts';
import { withQuotas } from './quota-queue-service.ts';
import { limitsOf, RateLimiter } from './rate-limits.ts';
import { TokenBucket } from './token-bucket.ts';

const NEVER = new AbortController().signal;

describe('a token bucket', () => {
  const take = (bucket: TokenBucket, now: number): boolean => {
    if (!bucket.hasOne(now)) return false;
    bucket.takeOne();
    return true;
  };
  const takeAll = (bucket: TokenBucket, now: number): number => {
    let taken = 0;
    while (take(bucket, now)) taken++;
    return taken;
  };

  it('gives its burst, then its rate, exactly', () => {
    const bucket = new TokenBucket({ perSecond: 300, burst: 300 }, 0);
    expect(takeAll(bucket, 0)).toBe(300);
    // A call each 3 1/3 milliseconds.
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((now) => takeAll(bucket, now))).toEqual([0, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    expect(takeAll(bucket, 1010)).toBe(300);
    expect(takeAll(bucket, 1_000_000)).toBe(300);
  });

  it('never gives more than its rate over a long time, however it is asked', () => {
    const bucket = new TokenBucket({ perSecond: 7, burst: 1 }, 0);
    let taken = 0;
    for (let now = 0; now <= 10_000; now++) if (take(bucket, now)) taken++;
    expect(taken).toBeLessThanOrEqual(71);
    expect(taken).toBeGreaterThanOrEqual(69);
  });

  it('takes a clock that goes back for one that stands still', () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 1 }, 5_000);
    expect(take(bucket, 5_000)).toBe(true);
    expect(take(bucket, 0)).toBe(false);
    expect(take(bucket, 5_999)).toBe(false);
    expect(take(bucket, 6_000)).toBe(true);
  });
});

describe('buckets by name', () => {
  const RATE = { perSecond: 10, burst: 10 };

  const use = (buckets: Buckets, name: string, now: number) => {
    buckets.get(name, RATE, now).takeOne();
    buckets.tidy(1, now);
  };

  it('drops those that are full again', () => {
    const buckets = new Buckets(1_000);
    for (let n = 0; n < 500; n++) use(buckets, `old ${n}`, 0);
    expect(buckets.size).toBe(500);
    for (let n = 0; n < 500; n++) use(buckets, `new ${n}`, 1_000);
    expect(buckets.size).toBe(500);
  });

  it('keeps within its bound, and what is in use', () => {
    const buckets = new Buckets(100);
    const kept = buckets.get('kept', RATE, 0);
    kept.takeOne();
    for (let n = 0; n < 1_000; n++) {
      use(buckets, `other ${n}`, 0);
      expect(buckets.get('kept', RATE, 0)).toBe(kept);
      expect(buckets.size).toBeLessThanOrEqual(101);
    }
    expect(buckets.size).toBeGreaterThanOrEqual(100);
  });
});

describe('the quotas of FIFO queues', () => {
  function setUp(attributes: Record<string, string>, region = 'us-east-1') {
    const clock = manualClock({ startAt: 0 });
    const record = {
      id: 7,
      scope: { account: '000000000000', region },
      name: 'q',
      attributes,
    } as unknown as QueueRecord;
    const none = async () => [];
    const inner = { findQueue: () => record, send: none, receive: none, deleteMessages: none, changeVisibility: none };
    const queues = withQuotas(inner as unknown as QueueService, clock);
    queues.findQueue(record.scope, 'q');
    const send = (...groups: string[]) =>
      queues.send(
        7,
        groups.map((groupId) => ({ groupId }) as NewMessage),
      );
    return { clock, queues, send };
  }

  /** How many of so many calls are let through. */
  async function admitted(count: number, call: () => Promise<unknown>): Promise<number> {
    let through = 0;
    for (let n = 0; n < count; n++) {
      await call().then(
        () => through++,
        (error) => expect(error).toBeInstanceOf(ThrottledError),
      );
    }
    return through;
  }

  const FIFO = { FifoQueue: 'true', FifoThroughputLimit: 'perQueue' };
  const HIGH = { FifoQueue: 'true', FifoThroughputLimit: 'perMessageGroupId' };

  it('are 300 calls a second for each action, with up to ten messages each', async () => {
    const { clock, queues, send } = setUp(FIFO);
    const batch = Array.from({ length: 10 }, () => 'g');
    expect(await admitted(310, () => send(...batch))).toBe(300);
    expect(await admitted(310, () => queues.receive(7, { maxMessages: 10, waitMs: 0 }, NEVER))).toBe(300);
    expect(await admitted(310, () => queues.deleteMessages(7, ['h']))).toBe(300);
    expect(await admitted(310, () => queues.changeVisibility(7, []))).toBe(300);
    await clock.advance(3);
    expect(await admitted(1, () => send('g'))).toBe(0);
    await clock.advance(1);
    expect(await admitted(2, () => send('g'))).toBe(1);
    await clock.advance(1_000);
    expect(await admitted(310, () => send('g'))).toBe(300);
  });

  it.each([
    ['us-east-1', 70_000],
    ['eu-central-1', 19_000],
    ['ap-south-1', 9_000],
    ['sa-east-1', 4_500],
    ['af-south-1', 2_400],
    ['local', 2_400],
  ])('are, with high throughput, for the queue what the region has: %s %d', async (region, calls) => {
    const { send } = setUp(HIGH, region);
    let n = 0;
    expect(await admitted(calls + 5, () => send(`group ${n++ % 1_000}`))).toBe(calls);
  });

  it('are, with high throughput, 300 calls a second for a message group', async () => {
    const { send } = setUp(HIGH);
    expect(await admitted(310, () => send('a', 'a', 'a'))).toBe(300);
    // A refused call counts for none of its groups.
    expect(await admitted(10, () => send('a', 'b'))).toBe(0);
    expect(await admitted(310, () => send('b'))).toBe(300);
  });

  it('are none for standard queues', async () => {
    const { send } = setUp({});
    expect(await admitted(5_000, () => send('g'))).toBe(5_000);
  });
});

describe('limits by identity', () => {
  const ALICE = { account: '111122223333', arn: 'arn:aws:iam::111122223333:user/alice' };
  const BOB = { account: '111122223333', arn: 'arn:aws:iam::111122223333:user/bob' };
  const LIMITS = {
    [ALICE.account]: { requestsPerSecond: 10, burst: 20 },
    [ALICE.arn]: { requestsPerSecond: 2, burst: 3 },
  };

  it('hold for a user and for all of its account', async () => {
    const clock = manualClock({ startAt: 0 });
    const limiter = new RateLimiter(LIMITS, clock);
    const through = (caller: typeof ALICE, count: number) =>
      Array.from({ length: count }, () => limiter.admits(limitsOf(LIMITS, caller))).filter(Boolean).length;
    expect(through(ALICE, 10)).toBe(3);
    expect(through(BOB, 30)).toBe(17);
    await clock.advance(499);
    expect(through(ALICE, 5)).toBe(0);
    await clock.advance(1);
    expect(through(ALICE, 5)).toBe(1);
    expect(through(BOB, 30)).toBe(4);
  });

  it('are none for others', () => {
    expect(limitsOf(LIMITS, { account: '444455556666', arn: 'arn:aws:iam::444455556666:root' })).toEqual([]);
    expect(limitsOf(LIMITS, { account: 'constructor', arn: 'toString' })).toEqual([]);
  });
});
