import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DelayedMessage, DelaySchedule } from './delay-schedule.ts';
import { QUEUE_LIMITS } from './limits.ts';

const NEVER_PENDING = () => false;
const limits = { ...QUEUE_LIMITS, delaysMax: 4, delayPageRows: 3, delaysLow: 2 };

function delayed(seq: number, dueAt: number): DelayedMessage {
  return { seq, dueAt, partition: 0, retentionFrom: 0 };
}

function popAll(schedule: DelaySchedule, now: number): number[] {
  const seqs: number[] = [];
  for (let next = schedule.popDue(now); next !== undefined; next = schedule.popDue(now)) seqs.push(next.seq);
  return seqs;
}

/** Serves a page out of `index`, which is in no particular order. */
function readPage(schedule: DelaySchedule, index: readonly DelayedMessage[]): void {
  const { after, limit } = schedule.requestPage();
  const rows = index
    .filter(({ dueAt, seq }) => dueAt > after.dueAt || (dueAt === after.dueAt && seq > after.seq))
    .toSorted((a, b) => a.dueAt - b.dueAt || a.seq - b.seq)
    .slice(0, limit);
  schedule.finishPage(rows, rows.length < limit, NEVER_PENDING);
}

describe('the schedule of a new queue', () => {
  it('hands out messages when their delay has ended, the soonest first, equals in the order of the log', () => {
    const schedule = new DelaySchedule(false, QUEUE_LIMITS);
    for (const message of [delayed(1, 300), delayed(2, 100), delayed(3, 200), delayed(4, 100)]) schedule.add(message);
    expect(schedule.nextDueAt()).toBe(100);
    expect(popAll(schedule, 99)).toEqual([]);
    expect(popAll(schedule, 200)).toEqual([2, 4, 3]);
    expect(schedule.nextDueAt()).toBe(300);
    expect(popAll(schedule, 300)).toEqual([1]);
    expect(schedule.nextDueAt()).toBe(Number.POSITIVE_INFINITY);
  });

  it('has nothing to read', () => {
    const schedule = new DelaySchedule(false, QUEUE_LIMITS);
    expect(schedule.isUnread).toBe(false);
    expect(schedule.needsPage).toBe(false);
  });

  it('leaves the later ones to the store when there are too many, and reads them in time', () => {
    const schedule = new DelaySchedule(false, limits);
    const all = Array.from({ length: 20 }, (_, index) => delayed(index + 1, 1000 - 10 * index));
    for (const message of all) schedule.add(message);
    const seen: number[] = [];
    for (let now = 0; now <= 1000; now += 10) {
      seen.push(...popAll(schedule, now));
      while (schedule.needsPage) readPage(schedule, all);
    }
    seen.push(...popAll(schedule, 1000));
    expect(seen).toEqual(all.map(({ seq }) => seq).toReversed());
  });
});

describe('the schedule of a stored queue', () => {
  it('is unread until its first page', () => {
    const schedule = new DelaySchedule(true, limits);
    expect(schedule.isUnread).toBe(true);
    expect(schedule.needsPage).toBe(true);
    const request = schedule.requestPage();
    expect(request).toEqual({ kind: 'delays', after: { dueAt: 0, seq: 0 }, limit: 3 });
    expect(schedule.needsPage).toBe(false);
    schedule.finishPage([], true, NEVER_PENDING);
    expect(schedule.isUnread).toBe(false);
    expect(schedule.needsPage).toBe(false);
  });

  it('knows whose delay has ended: those that it has read past and does not hold', () => {
    const schedule = new DelaySchedule(true, limits);
    expect(schedule.isDone(delayed(1, 100))).toBe(false);
    readPage(schedule, [delayed(2, 200), delayed(3, 300), delayed(4, 400), delayed(5, 500)]);
    expect(schedule.isDone(delayed(1, 100))).toBe(true);
    expect(schedule.isDone(delayed(2, 200))).toBe(false);
    expect(schedule.isDone(delayed(5, 500))).toBe(false);
    popAll(schedule, 200);
    expect(schedule.isDone(delayed(2, 200))).toBe(true);
  });

  it('takes in a message that arrives while a page is on its way, whether or not the page has it', () => {
    for (const isInPage of [true, false]) {
      const schedule = new DelaySchedule(true, limits);
      schedule.requestPage();
      const arrival = delayed(9, 50);
      schedule.add(arrival);
      schedule.finishPage([...(isInPage ? [arrival] : []), delayed(1, 100), delayed(2, 200)], false, NEVER_PENDING);
      expect(popAll(schedule, 200)).toEqual([9, 1, 2]);
    }
  });

  it('leaves a message alone whose commit is not told yet', () => {
    const schedule = new DelaySchedule(true, limits);
    schedule.requestPage();
    schedule.finishPage([delayed(1, 100), delayed(2, 200)], true, (seq) => seq === 1);
    expect(popAll(schedule, 100)).toEqual([]);
    schedule.add(delayed(1, 100));
    expect(popAll(schedule, 200)).toEqual([1, 2]);
  });

  it('does not shrink under a page that is on its way', () => {
    const schedule = new DelaySchedule(true, limits);
    readPage(schedule, [delayed(100, 5000), delayed(101, 5001), delayed(102, 5002)]);
    popAll(schedule, 5001);
    schedule.requestPage();
    for (let seq = 1; seq <= 20; seq++) schedule.add(delayed(seq, seq));
    schedule.finishPage([], true, NEVER_PENDING);
    expect(popAll(schedule, 6000)).toEqual([...Array.from({ length: 20 }, (_, index) => index + 1), 102]);
  });

  it('begins again after a restart', () => {
    const schedule = new DelaySchedule(true, limits);
    readPage(schedule, [delayed(1, 100)]);
    schedule.restart();
    expect(schedule.isUnread).toBe(true);
    expect(schedule.nextDueAt()).toBe(Number.POSITIVE_INFINITY);
    readPage(schedule, [delayed(2, 200)]);
    expect(popAll(schedule, 200)).toEqual([2]);
  });
});

it('hands out every message once, in whatever order they come and pages are read', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), ms: fc.nat(50) }),
    fc.record({ do: fc.constantFrom('pass', 'page'), ms: fc.nat(10) }),
  );
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 60 }), (stored, steps) => {
      const schedule = new DelaySchedule(stored, limits);
      const index: DelayedMessage[] = [];
      const seen: number[] = [];
      let now = 0;
      const settle = () => {
        do {
          if (schedule.needsPage) readPage(schedule, index);
          seen.push(...popAll(schedule, now));
        } while (schedule.needsPage);
      };
      for (const { do: action, ms } of steps) {
        if (action === 'add') {
          const message = delayed(index.length + 1, now + ms + 1);
          index.push(message);
          schedule.add(message);
        } else if (action === 'pass') {
          now += ms;
          settle();
          expect(new Set(seen)).toEqual(new Set(index.filter(({ dueAt }) => dueAt <= now).map(({ seq }) => seq)));
        }
      }
      now += 100;
      settle();
      expect(seen.toSorted((a, b) => a - b)).toEqual(index.map(({ seq }) => seq));
    }),
  );
});
