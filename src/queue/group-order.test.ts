import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Entry } from './entry.ts';
import { GroupOrder } from './group-order.ts';

const NOW = 1_000_000;

function entryOf(seq: number, sentAt = 0): Entry {
  return new Entry({ seq, partition: 0, retentionFrom: sentAt, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 });
}

/** `g1`, `g2`: the groups of messages 1, 2, ... in the order of the log. */
function orderOf(...groupIds: string[]): { order: GroupOrder; entries: Entry[] } {
  const order = new GroupOrder(0);
  const entries = groupIds.map((groupId, index) => {
    const entry = entryOf(index + 1);
    order.add(entry, groupId, NOW);
    return entry;
  });
  return { order, entries };
}

function take(order: GroupOrder, max: number, now = NOW): Entry[] {
  const taken: Entry[] = [];
  order.take(now, (entry) => {
    if (taken.length === max) return 'stop';
    entry.state = 'in-flight';
    taken.push(entry);
    return 'take';
  });
  return taken;
}

function release(order: GroupOrder, ...entries: (Entry | undefined)[]): void {
  for (const entry of entries) {
    (entry as Entry).state = 'ready';
    order.release(entry as Entry, NOW);
  }
}

function remove(order: GroupOrder, ...entries: (Entry | undefined)[]): void {
  for (const entry of entries) order.remove(entry as Entry, NOW);
}

const seqsOf = (entries: readonly Entry[]) => entries.map(({ seq }) => seq);

describe('a receive from groups', () => {
  it('takes from one group as far as possible, then from the next', () => {
    const { order } = orderOf('g1', 'g2', 'g1', 'g1');
    expect(seqsOf(take(order, 10))).toEqual([1, 3, 4, 2]);
  });

  it('gets nothing of a group with a message in flight', () => {
    const { order } = orderOf('g1', 'g1', 'g1', 'g2');
    take(order, 2);
    expect(seqsOf(take(order, 10))).toEqual([4]);
  });

  it('gets nothing of it either when only the later of two was deleted, or only the earlier', () => {
    for (const deleted of [0, 1]) {
      const { order } = orderOf('g1', 'g1', 'g1');
      const taken = take(order, 2);
      remove(order, taken[deleted]);
      expect(take(order, 10)).toEqual([]);
    }
  });

  it('gets the rest of a group when all of it in flight were deleted', () => {
    const { order } = orderOf('g1', 'g1', 'g1');
    remove(order, ...take(order, 2));
    expect(seqsOf(take(order, 10))).toEqual([3]);
  });

  it.each([
    { extended: 0, deliverable: [] },
    { extended: 1, deliverable: [1] },
    { extended: 2, deliverable: [1, 2] },
  ])('gets what lies before a message in flight: extended $extended', ({ extended, deliverable }) => {
    const { order } = orderOf('g1', 'g1', 'g1');
    const taken = take(order, 3);
    release(order, ...taken.filter((_, index) => index !== extended));
    expect(seqsOf(take(order, 10))).toEqual(deliverable);
  });

  it('is not helped by a new message of a blocked group', () => {
    const { order } = orderOf('g1');
    take(order, 1);
    order.add(entryOf(2), 'g1', NOW);
    expect(take(order, 10)).toEqual([]);
  });

  it('sends a group that was served to the back', () => {
    const { order } = orderOf('g1', 'g1', 'g2', 'g2', 'g3');
    const taken = take(order, 3);
    expect(seqsOf(taken)).toEqual([1, 2, 3]);
    release(order, ...taken);
    expect(seqsOf(take(order, 10))).toEqual([5, 1, 2, 3, 4]);
  });

  it('goes on behind what the visitor drops', () => {
    const { order } = orderOf('g1', 'g1', 'g2');
    const offered: number[] = [];
    order.take(NOW, (entry) => {
      offered.push(entry.seq);
      if (entry.seq < 3) return 'drop';
      entry.state = 'in-flight';
      return 'take';
    });
    expect(offered).toEqual([1, 2, 3]);
    expect(order.readyCount).toBe(0);
  });

  it('finds the place of a message that comes late', () => {
    const order = new GroupOrder(0);
    for (const seq of [5, 9, 7, 1, 3]) order.add(entryOf(seq), 'g1', NOW);
    expect(seqsOf(take(order, 10))).toEqual([1, 3, 5, 7, 9]);
  });

  it('is blocked by a message that comes late and is in flight', () => {
    const { order } = orderOf('g1');
    const late = entryOf(0);
    late.state = 'in-flight';
    order.add(late, 'g1', NOW);
    expect(take(order, 10)).toEqual([]);
  });
});

describe('the delay of the queue', () => {
  it('holds a group back until its first message is due', () => {
    const order = new GroupOrder(1000);
    order.add(entryOf(1, NOW), 'g1', NOW);
    order.add(entryOf(2, NOW + 500), 'g1', NOW + 500);
    expect(take(order, 10, NOW + 999)).toEqual([]);
    expect(order.nextDueAt()).toBe(NOW + 1000);
    order.advance(NOW + 1000);
    expect(seqsOf(take(order, 10, NOW + 1000))).toEqual([1]);
  });

  it('stops a receive inside a group', () => {
    const order = new GroupOrder(1000);
    order.add(entryOf(1, NOW), 'g1', NOW);
    order.add(entryOf(2, NOW + 500), 'g1', NOW + 500);
    order.advance(NOW + 1200);
    const [first] = take(order, 10, NOW + 1200);
    expect(first?.seq).toBe(1);
    order.remove(first as Entry, NOW + 1200);
    expect(order.nextDueAt()).toBe(NOW + 1500);
  });

  it('wakes the groups in the order of their first messages, also when those change', () => {
    const order = new GroupOrder(1000);
    const first = entryOf(1, NOW);
    order.add(first, 'g1', NOW);
    order.add(entryOf(2, NOW + 900), 'g1', NOW);
    order.add(entryOf(3, NOW + 100), 'g2', NOW);
    order.remove(first, NOW);
    expect(order.nextDueAt()).toBe(NOW + 1100);
    order.advance(NOW + 1100);
    expect(seqsOf(take(order, 10, NOW + 1100))).toEqual([3]);
    expect(order.nextDueAt()).toBe(NOW + 1900);
  });

  it('applies to messages that are there when it changes', () => {
    const order = new GroupOrder(0);
    order.add(entryOf(1, NOW), 'g1', NOW);
    order.setDelay(1000, NOW);
    expect(take(order, 10)).toEqual([]);
    order.setDelay(0, NOW);
    expect(seqsOf(take(order, 10))).toEqual([1]);
  });
});

describe('what is deliverable', () => {
  it('is what a scan from the front finds, after every step', () => {
    const step = fc.record({ do: fc.constantFrom('add', 'take', 'release', 'remove'), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const order = new GroupOrder(0);
        let entries: { entry: Entry; groupId: string }[] = [];
        let seq = 0;
        const deliverable = () => {
          const blocked = new Set<string>();
          return entries.filter(({ entry, groupId }) => {
            if (entry.state !== 'ready') blocked.add(groupId);
            return !blocked.has(groupId);
          });
        };
        for (const { do: action, pick } of steps) {
          const chosen = entries[pick % entries.length];
          if (action === 'add') {
            const entry = entryOf(++seq);
            const groupId = `g${pick % 3}`;
            entries.push({ entry, groupId });
            order.add(entry, groupId, NOW);
          } else if (action === 'take') {
            const max = (pick % 4) + 1;
            const count = deliverable().length;
            expect(take(order, max)).toHaveLength(Math.min(max, count));
          } else if (chosen !== undefined && action === 'release' && chosen.entry.state !== 'ready') {
            release(order, chosen.entry);
          } else if (chosen !== undefined && action === 'remove') {
            remove(order, chosen.entry);
            entries = entries.filter((other) => other !== chosen);
          }
          expect(order.readyCount).toBe(entries.filter(({ entry }) => entry.state === 'ready').length);
        }
        const expected = new Set(deliverable().map(({ entry }) => entry.seq));
        expect(new Set(seqsOf(take(order, 1000)))).toEqual(expected);
      }),
    );
  });

  it('is nothing after clear', () => {
    const { order } = orderOf('g1', 'g2');
    order.clear();
    expect(order.readyCount).toBe(0);
    expect(take(order, 10)).toEqual([]);
    expect(order.nextDueAt()).toBe(Number.POSITIVE_INFINITY);
  });
});
