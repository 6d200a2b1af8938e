import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedMap } from './sorted-map.ts';

type Entry = [key: string, value: number];

/** The same, as simply as can be. */
class SortedArray {
  entries: Entry[] = [];

  set(key: string, value: number): number | undefined {
    const previous = this.delete(key);
    const index = this.entries.findIndex(([each]) => each > key);
    this.entries.splice(index < 0 ? this.entries.length : index, 0, [key, value]);
    return previous;
  }

  delete(key: string): number | undefined {
    const index = this.entries.findIndex(([each]) => each === key);
    return index < 0 ? undefined : this.entries.splice(index, 1)[0]?.[1];
  }

  get(key: string): number | undefined {
    return this.entries.find(([each]) => each === key)?.[1];
  }

  between(first: string, stop: string | undefined): Entry[] {
    return this.entries.filter(([key]) => key >= first && (stop === undefined || key < stop));
  }
}

const keyOf = (number: number) => String(number).padStart(5, '0');

describe('SortedMap', () => {
  it('does what a sorted array does', () => {
    const key = fc.string({ unit: fc.constantFrom('\0', 'a', 'b', '\xff'), maxLength: 3 });
    const step = fc.record({ key, value: fc.option(fc.nat(), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), key, fc.option(key, { nil: undefined }), (steps, first, stop) => {
        const map = new SortedMap<number>();
        const array = new SortedArray();
        for (const { key: changed, value } of steps) {
          if (value === undefined) expect(map.delete(changed)).toBe(array.delete(changed));
          else expect(map.set(changed, value)).toBe(array.set(changed, value));
          expect(map.size).toBe(array.entries.length);
          expect(map.get(changed)).toBe(value);
        }
        expect(map.get(first)).toBe(array.get(first));
        expect([...map.entries()]).toEqual(array.entries);
        expect([...map.entries(first, stop)]).toEqual(array.between(first, stop));
      }),
    );
  });

  // Chunks have 512 entries: thousands are needed to split them, and to empty some of them.
  it.each([
    ['ascending', (index: number) => index],
    ['descending', (index: number) => 2999 - index],
    ['scattered', (index: number) => (index * 1871) % 3000],
  ])('does so with many chunks: %s keys', (_, numberOf) => {
    const map = new SortedMap<number>();
    const array = new SortedArray();
    const same = () => {
      expect(map.size).toBe(array.entries.length);
      expect([...map.entries()]).toEqual(array.entries);
      for (const [first, stop] of [
        ['', keyOf(511)],
        [keyOf(512), keyOf(513)],
        [keyOf(700), keyOf(2100)],
        [`${keyOf(1023)}\0`, undefined],
        [keyOf(2999), undefined],
        [keyOf(3000), undefined],
        [keyOf(9), keyOf(9)],
        [keyOf(9), keyOf(8)],
      ] as const) {
        expect([...map.entries(first, stop)]).toEqual(array.between(first, stop));
      }
    };
    for (let index = 0; index < 3000; index++) {
      expect(map.set(keyOf(numberOf(index)), index)).toBe(array.set(keyOf(numberOf(index)), index));
    }
    same();
    // Whole chunks in the middle, then the first ones, then all but one.
    for (const [from, to] of [
      [600, 2200],
      [0, 550],
      [551, 3000],
    ] as const) {
      for (let number = from; number < to; number++)
        expect(map.delete(keyOf(number))).toBe(array.delete(keyOf(number)));
      same();
    }
    expect(map.delete(keyOf(550))).toBeDefined();
    expect([...map.entries()]).toEqual([]);
    map.set('b', 1);
    map.set('a', 2);
    expect([...map.entries()]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});
