import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Entry } from './entry.ts';
import { FairOrder, partitionOfGroup, UNGROUPED_PARTITION } from './fair-order.ts';

const NO_ROW = { retentionFrom: 0, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 };

function entryOf(seq: number, groupId?: string): Entry {
  const partition = groupId === undefined ? UNGROUPED_PARTITION : partitionOfGroup(groupId);
  return new Entry({ ...NO_ROW, seq, partition, groupId });
}

function orderOf(...entries: [seq: number, groupId?: string][]): FairOrder {
  const order = new FairOrder();
  for (const [seq, groupId] of entries) order.add(entryOf(seq, groupId), groupId);
  return order;
}

/** Takes up to `max` entries, as a receive does. */
function take(order: FairOrder, max: number): Entry[] {
  const taken: Entry[] = [];
  order.take(0, (entry) => {
    if (taken.length === max) return 'stop';
    entry.state = 'in-flight';
    entry.receiveCount++;
    taken.push(entry);
    return 'take';
  });
  return taken;
}

function release(order: FairOrder, entry: Entry): void {
  entry.state = 'ready';
  order.release(entry);
}

const seqsOf = (entries: readonly Entry[]) => entries.map(({ seq }) => seq);

describe('the order of a standard queue', () => {
  it('is that of the log without groups', () => {
    expect(seqsOf(take(orderOf([2], [1], [3]), 2))).toEqual([1, 2]);
  });

  it('lets groups take turns', () => {
    const order = orderOf([1, 'a'], [2, 'a'], [3, 'a'], [4, 'b'], [5, 'b'], [6, 'c']);
    expect(seqsOf(take(order, 10))).toEqual([1, 4, 6, 2, 5, 3]);
  });

  it('gives a returned message its old place', () => {
    const order = orderOf([1], [2], [3]);
    const [first] = take(order, 1);
    release(order, first as Entry);
    expect(seqsOf(take(order, 2))).toEqual([1, 2]);
  });

  it('puts a message that was received three times behind the others', () => {
    const order = orderOf([1], [2], [3]);
    for (let receive = 1; receive <= 3; receive++) {
      const [first] = take(order, 1);
      expect(first?.seq).toBe(1);
      release(order, first as Entry);
    }
    expect(seqsOf(take(order, 3))).toEqual([2, 3, 1]);
  });

  it('does not count receives in earlier queues for that', () => {
    const order = new FairOrder();
    const moved = new Entry({ ...NO_ROW, seq: 1, partition: UNGROUPED_PARTITION, receivesBefore: 5 });
    order.add(moved, undefined);
    order.add(entryOf(2), undefined);
    take(order, 1);
    release(order, moved);
    expect(take(order, 1)).toEqual([moved]);
  });

  it('ends when the visitor says so, and keeps what it was offered', () => {
    const order = orderOf([1], [2]);
    expect(take(order, 0)).toEqual([]);
    expect(order.readyCount).toBe(2);
  });

  it('forgets what the visitor drops', () => {
    const order = orderOf([1], [2]);
    order.take(0, (entry) => (entry.seq === 1 ? 'drop' : 'stop'));
    expect(order.readyCount).toBe(1);
    expect(seqsOf(take(order, 10))).toEqual([2]);
  });
});

describe('a noisy group', () => {
  /** `noisy` holds 40 messages of all that are in flight and has more; `quiet` comes with its first. */
  function noisyOrder(inFlightOfOthers: number): FairOrder {
    const order = new FairOrder();
    let seq = 1;
    for (let count = 0; count < inFlightOfOthers; count++) order.add(entryOf(seq++), undefined);
    take(order, inFlightOfOthers);
    for (let count = 0; count < 60; count++) order.add(entryOf(seq++, 'noisy'), 'noisy');
    take(order, 40);
    order.add(entryOf(1000, 'quiet'), 'quiet');
    order.add(entryOf(1001, 'quiet'), 'quiet');
    return order;
  }

  it('is passed over while others have messages, and served when they have none', () => {
    const taken = seqsOf(take(noisyOrder(0), 4));
    expect(taken.slice(0, 2)).toEqual([1000, 1001]);
    expect(taken).toHaveLength(4);
  });

  it('is one only above a tenth of all that is in flight', () => {
    // 40 of 400: not more than a tenth.
    const taken = seqsOf(take(noisyOrder(360), 2));
    expect(taken).not.toEqual([1000, 1001]);
    expect(taken).toContain(1000);
  });

  it('is never what has no group', () => {
    const order = new FairOrder();
    for (let seq = 1; seq <= 60; seq++) order.add(entryOf(seq), undefined);
    take(order, 40);
    order.add(entryOf(1000, 'quiet'), 'quiet');
    order.add(entryOf(1001, 'quiet'), 'quiet');
    expect(seqsOf(take(order, 3))).toEqual([41, 1000, 42]);
  });

  it('that has fewest in flight comes first when all are noisy', () => {
    const order = new FairOrder();
    let seq = 1;
    const fill = (groupId: string, count: number) => {
      for (let index = 0; index < count; index++) order.add(entryOf(seq++, groupId), groupId);
    };
    fill('a', 50);
    take(order, 50);
    fill('b', 40);
    take(order, 40);
    fill('a', 1);
    fill('b', 1);
    const [next] = take(order, 1);
    expect(order.groupIdOf(next as Entry)).toBe('b');
  });
});

describe('the counts of ready messages', () => {
  it('follow every step', () => {
    const step = fc.record({ do: fc.constantFrom('add', 'take', 'release', 'hold', 'remove'), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const order = new FairOrder();
        let entries: Entry[] = [];
        let seq = 0;
        for (const { do: action, pick } of steps) {
          const groupId = [undefined, 'a', 'b'][pick % 3];
          const ready = entries.filter(({ state }) => state === 'ready');
          const held = entries.filter(({ state }) => state !== 'ready');
          if (action === 'add') {
            const entry = entryOf(++seq, groupId);
            entries.push(entry);
            order.add(entry, groupId);
          } else if (action === 'take') {
            expect(take(order, 2)).toHaveLength(Math.min(2, ready.length));
          } else if (action === 'release' && held.length > 0) {
            release(order, held[pick % held.length] as Entry);
          } else if (action === 'hold' && ready.length > 0) {
            const entry = ready[pick % ready.length] as Entry;
            entry.state = 'moving';
            order.hold(entry);
          } else if (action === 'remove' && entries.length > 0) {
            const entry = entries[pick % entries.length] as Entry;
            entries = entries.filter((other) => other !== entry);
            order.remove(entry);
          }
          const readyNow = entries.filter(({ state }) => state === 'ready');
          expect(order.readyCount).toBe(readyNow.length);
          for (const group of [undefined, 'a', 'b']) {
            const { partition } = entryOf(0, group);
            expect(order.readyCountOf(partition)).toBe(
              readyNow.filter((entry) => entry.partition === partition).length,
            );
          }
        }
        const left = entries.filter(({ state }) => state === 'ready').length;
        expect(take(order, 1000)).toHaveLength(left);
      }),
    );
  });

  it('are zero after clear', () => {
    const order = orderOf([1], [2, 'a']);
    order.clear();
    expect(order.readyCount).toBe(0);
    expect(take(order, 10)).toEqual([]);
  });
});

describe('the partition of a group', () => {
  it('is stable: it is in the keys of stored messages', () => {
    expect(partitionOfGroup('tenant-1')).toBe(0x4332af8b);
    expect(partitionOfGroup('')).toBe(0x811c9dc5);
  });

  it('is never that of messages without a group', () => {
    fc.assert(
      fc.property(fc.string(), (groupId) => {
        const partition = partitionOfGroup(groupId);
        expect(partition).not.toBe(UNGROUPED_PARTITION);
        expect(Number.isInteger(partition) && partition < 2 ** 32).toBe(true);
      }),
    );
  });
});
