import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attemptIdOfKey,
  dedupSeqOfKey,
  delayOfKey,
  Family,
  type KeyRange,
  Keys,
  positionOfKey,
  queueIdOfKey,
} from './keys.ts';

const keys = new Keys(258);

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Queue ids stay below the last one, so that each has an end. */
const queueId = fc.integer({ min: 0, max: 2 ** 32 - 2 });
/** Near the border of the two halves, and anywhere. */
const u53 = fc.oneof(
  fc.maxSafeNat(),
  fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER),
);
const id = fc.string({ unit: 'binary', maxLength: 8 });

function sign(order: number): number {
  return Math.sign(order);
}

/** The order of lists of numbers, the first difference deciding. */
function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((each, position) => each !== b[position]);
  return index < 0 ? 0 : (a[index] as number) - (b[index] as number);
}

function isIn(key: Buffer, { start, end }: KeyRange): boolean {
  return Buffer.compare(start, key) <= 0 && Buffer.compare(key, end) < 0;
}

describe('the order of keys is the order of the numbers in them', () => {
  it.each(['message', 'body', 'delivery'] as const)('%s', (family) => {
    const numbers = fc.tuple(queueId, u32, u53);
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sign(Buffer.compare(keys[family](...a), keys[family](...b)))).toBe(sign(compare(a, b)));
      }),
    );
  });

  it('delay', () => {
    const numbers = fc.tuple(queueId, u53, u53, u32);
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(sign(Buffer.compare(keys.delay(...a), keys.delay(...b)))).toBe(sign(compare(a, b)));
      }),
    );
  });

  it('dedup and task, by sequence and by start', () => {
    fc.assert(
      fc.property(queueId, fc.tuple(u32, u53, id), fc.tuple(u32, u53, id), (queue, a, b) => {
        const dedup = Buffer.compare(keys.dedup(queue, a[1]), keys.dedup(queue, b[1]));
        expect(sign(dedup)).toBe(sign(a[1] - b[1]));
        const task = Buffer.compare(keys.task(queue, a[1], a[2]), keys.task(queue, b[1], b[2]));
        if (a[1] !== b[1]) expect(sign(task)).toBe(sign(a[1] - b[1]));
      }),
    );
  });

  it('shards and families keep apart', () => {
    expect(Buffer.compare(new Keys(1).queue(2 ** 32 - 1), new Keys(2).queue(0))).toBe(-1);
    expect(Buffer.compare(keys.queue(2 ** 32 - 1), keys.tombstone(0))).toBe(-1);
  });
});

describe('what a key says is what it was built from', () => {
  it.each(['message', 'body', 'delivery'] as const)('%s', (family) => {
    fc.assert(
      fc.property(queueId, u32, u53, (queue, partition, seq) => {
        const key = keys[family](queue, partition, seq);
        expect(queueIdOfKey(key)).toBe(queue);
        expect(positionOfKey(key)).toEqual({ partition, seq });
      }),
    );
  });

  it('delay', () => {
    fc.assert(
      fc.property(queueId, u53, u53, u32, (queue, dueAt, seq, partition) => {
        expect(delayOfKey(keys.delay(queue, dueAt, seq, partition))).toEqual({ dueAt, seq, partition });
      }),
    );
  });

  it('attempt', () => {
    fc.assert(
      fc.property(queueId, id, (queue, attemptId) => {
        expect(attemptIdOfKey(keys.attempt(queue, attemptId))).toBe(attemptId);
      }),
    );
  });

  it('also where it lies in the middle of a larger buffer', () => {
    const key = keys.message(7, 9, 11);
    const inside = Buffer.concat([Buffer.alloc(5, 0xff), key]).subarray(5);
    expect(positionOfKey(inside)).toEqual({ partition: 9, seq: 11 });
    expect(queueIdOfKey(inside)).toBe(7);
  });
});

describe('ranges', () => {
  const places = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3));

  it('of a log hold the places from one sequence up to another', () => {
    fc.assert(
      fc.property(places, places, fc.nat(3), ([queue, partition, from], place, to) => {
        const range = keys.log(Family.message, queue, partition, from, to);
        const [otherQueue, otherPartition, seq] = place;
        const isInside = otherQueue === queue && otherPartition === partition && from <= seq && seq < to;
        expect(isIn(keys.message(...place), range)).toBe(isInside);
      }),
    );
  });

  it('of a log from a partition on end with the queue', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(3), places, (queue, partition, place) => {
        const range = keys.logFromPartition(Family.message, queue, partition);
        expect(isIn(keys.message(...place), range)).toBe(place[0] === queue && place[1] >= partition);
      }),
    );
  });

  it('of delays begin behind a position', () => {
    fc.assert(
      fc.property(places, places, u32, ([queue, dueAt, seq], place, partition) => {
        const [otherQueue, otherDueAt, otherSeq] = place;
        const isBehind = otherDueAt > dueAt || (otherDueAt === dueAt && otherSeq > seq);
        const range = keys.delaysAfter(queue, dueAt, seq);
        expect(isIn(keys.delay(...place, partition), range)).toBe(otherQueue === queue && isBehind);
      }),
    );
  });

  it('of deduplication records hold one sequence number and end before another', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(5), fc.nat(5), fc.nat(3), fc.nat(6), (queue, from, to, otherQueue, seq) => {
        const isInside = otherQueue === queue && seq >= from && seq < to;
        expect(isIn(keys.dedup(otherQueue, seq), keys.dedups(queue, from, to))).toBe(isInside);
        expect(dedupSeqOfKey(keys.dedup(otherQueue, seq))).toBe(seq);
      }),
    );
  });

  it('of a family hold all its queues and nothing else', () => {
    const { start, end } = keys.family(Family.queue);
    for (const queue of [0, 1, 2 ** 32 - 1]) expect(isIn(keys.queue(queue), { start, end })).toBe(true);
    for (const other of [keys.meta('\u{10FFFF}'), keys.tombstone(0), new Keys(0).queue(0), new Keys(999).queue(0)]) {
      expect(isIn(other, { start, end })).toBe(false);
    }
  });

  it('of a queue in a family hold that queue only', () => {
    const range = keys.familyOfQueue(Family.attempt, 7);
    expect(isIn(keys.attempt(7, ''), range)).toBe(true);
    expect(isIn(keys.attempt(7, '\u{10FFFF}'), range)).toBe(true);
    expect(isIn(keys.attempt(6, '\u{10FFFF}'), range)).toBe(false);
    expect(isIn(keys.attempt(8, ''), range)).toBe(false);
  });
});

it('has the layout of format version 1', () => {
  const hexOf = (key: Buffer) => key.toString('hex');
  expect(hexOf(keys.meta('receipt-secret'))).toBe('010201726563656970742d736563726574');
  expect(hexOf(keys.queue(7))).toBe('01020200000007');
  expect(hexOf(keys.tombstone(7))).toBe('01020300000007');
  expect(hexOf(keys.counters(7))).toBe('01020400000007');
  expect(hexOf(keys.message(7, 9, 2 ** 32 + 2))).toBe('01020500000007000000090000000100000002');
  expect(hexOf(keys.body(7, 9, 1))).toBe('01020600000007000000090000000000000001');
  expect(hexOf(keys.delivery(7, 9, 1))).toBe('01020700000007000000090000000000000001');
  expect(hexOf(keys.delay(7, 1767225600456, 5, 9))).toBe('010208000000070000019b76daa9c8000000000000000500000009');
  expect(hexOf(keys.dedup(7, 2 ** 32 + 5))).toBe('010209000000070000000100000005');
  expect(hexOf(keys.attempt(7, 'a1'))).toBe('01020a000000076131');
  expect(hexOf(keys.task(7, 1767225600456, 't1'))).toBe('01020b000000070000019b76daa9c87431');
});
