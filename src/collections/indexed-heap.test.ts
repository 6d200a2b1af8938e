import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexedHeap } from './indexed-heap.ts';

interface Item {
  key: number;
  slot: number;
  other: number;
}

const item = (key: number): Item => ({ key, slot: -1, other: -1 });
const newHeap = () => new IndexedHeap<'slot', Item>('slot', (a, b) => a.key < b.key);

describe('IndexedHeap', () => {
  it('is empty at first', () => {
    const heap = newHeap();
    expect(heap.size).toBe(0);
    expect(heap.peek()).toBeUndefined();
    expect(heap.pop()).toBeUndefined();
  });

  it('gives its items in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (keys) => {
        const heap = newHeap();
        for (const key of keys) heap.push(item(key));
        const popped: number[] = [];
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) popped.push(next.key);
        expect(popped).toEqual(keys.toSorted((a, b) => a - b));
      }),
    );
  });

  it('keeps its order through removals and changes anywhere', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('push' as const), key: fc.nat(20), pick: fc.constant(0) }),
      fc.record({ do: fc.constantFrom('remove', 'update', 'pop'), key: fc.nat(20), pick: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = newHeap();
        let items: Item[] = [];
        for (const { do: action, key, pick } of steps) {
          const chosen = items[pick % items.length];
          if (action === 'push') {
            const pushed = item(key);
            items.push(pushed);
            heap.push(pushed);
          } else if (action === 'pop') {
            const least = heap.pop();
            expect(least?.key).toBe(items.length === 0 ? undefined : Math.min(...items.map((each) => each.key)));
            items = items.filter((each) => each !== least);
          } else if (chosen !== undefined && action === 'remove') {
            heap.remove(chosen);
            items = items.filter((each) => each !== chosen);
            expect(chosen.slot).toBe(-1);
            expect(heap.has(chosen)).toBe(false);
          } else if (chosen !== undefined) {
            chosen.key = key;
            heap.update(chosen);
          }
          expect(heap.size).toBe(items.length);
          expect(heap.peek()?.key).toBe(items.length === 0 ? undefined : Math.min(...items.map((each) => each.key)));
          expect([...heap.values()].toSorted(byKey)).toEqual(items.toSorted(byKey));
          expect(items.every((each) => heap.has(each))).toBe(true);
        }
      }),
    );
  });

  it('shares items with a heap that uses another slot', () => {
    const heap = newHeap();
    const reversed = new IndexedHeap<'other', Item>('other', (a, b) => a.key > b.key);
    const items = [3, 1, 2].map(item);
    for (const each of items) {
      heap.push(each);
      reversed.push(each);
    }
    heap.remove(items[0] as Item);
    expect(heap.peek()?.key).toBe(1);
    expect(reversed.peek()?.key).toBe(3);
  });

  it('frees its items when it is cleared', () => {
    const heap = newHeap();
    const only = item(1);
    heap.push(only);
    heap.clear();
    expect(heap.size).toBe(0);
    expect(only.slot).toBe(-1);
    heap.push(only);
    expect(heap.peek()).toBe(only);
  });
});

function byKey(a: Item, b: Item): number {
  return a.key - b.key || a.slot - b.slot;
}
