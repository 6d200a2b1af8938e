import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Linked, LinkedList } from './linked-list.ts';

class Item implements Linked<Item> {
  previous: Item | undefined;
  next: Item | undefined;
}

function forwards(list: LinkedList<Item>): Item[] {
  const items: Item[] = [];
  for (let item = list.first; item !== undefined; item = item.next) items.push(item);
  return items;
}

function backwards(list: LinkedList<Item>): Item[] {
  const items: Item[] = [];
  for (let item = list.last; item !== undefined; item = item.previous) items.push(item);
  return items;
}

describe('LinkedList', () => {
  it('does what an array does', () => {
    const step = fc.record({ do: fc.constantFrom('push', 'insert', 'insertFirst', 'remove'), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const list = new LinkedList<Item>();
        const array: Item[] = [];
        for (const { do: action, pick } of steps) {
          const index = array.length === 0 ? -1 : pick % array.length;
          const chosen = array[index];
          if (action === 'push') {
            const item = new Item();
            list.push(item);
            array.push(item);
          } else if (action === 'insertFirst') {
            const item = new Item();
            list.insertAfter(undefined, item);
            array.unshift(item);
          } else if (chosen !== undefined && action === 'insert') {
            const item = new Item();
            list.insertAfter(chosen, item);
            array.splice(index + 1, 0, item);
          } else if (chosen !== undefined) {
            list.remove(chosen);
            array.splice(index, 1);
            expect(chosen).toEqual(new Item());
          }
          expect(list.size).toBe(array.length);
          expect(forwards(list)).toEqual(array);
          expect(backwards(list)).toEqual(array.toReversed());
        }
      }),
    );
  });

  it('takes a removed item back', () => {
    const list = new LinkedList<Item>();
    const [a, b] = [new Item(), new Item()];
    list.push(a);
    list.push(b);
    list.remove(a);
    list.push(a);
    expect(forwards(list)).toEqual([b, a]);
  });
});
