import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedNames } from './sorted-names.ts';

/** Few and alike, so that prefixes and neighbours are met. Beyond ASCII the order is that of code units. */
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '-', 'é', '😀'), maxLength: 4 });

function namesOf(names: readonly string[]): SortedNames {
  const sorted = new SortedNames();
  for (const each of names) sorted.add(each);
  return sorted;
}

describe('SortedNames', () => {
  it('pages through what a filtered and sorted array holds', () => {
    fc.assert(
      fc.property(
        fc.array(name),
        fc.array(name),
        name,
        fc.option(name, { nil: undefined }),
        fc.integer({ min: 0, max: 5 }),
        (added, deleted, prefix, after, limit) => {
          const sorted = namesOf(added);
          for (const each of deleted) sorted.delete(each);
          const expected = [...new Set(added)]
            .filter((each) => !deleted.includes(each))
            .filter((each) => each.startsWith(prefix) && (after === undefined || each > after))
            .toSorted((a, b) => (a < b ? -1 : 1));
          expect(sorted.page({ prefix, after, limit })).toEqual(expected.slice(0, limit));
          expect(sorted.page({ prefix: '', limit: 1000 })).toHaveLength(sorted.size);
        },
      ),
    );
  });

  it('holds a name once', () => {
    const names = namesOf(['a', 'b', 'a']);
    expect(names.size).toBe(2);
    names.delete('a');
    names.delete('a');
    expect(names.page({ prefix: '', limit: 10 })).toEqual(['b']);
  });
});
