import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreValues } from './json-values.ts';

function isMoreThan(max: number, json: string): boolean {
  return hasMoreValues(Buffer.from(json), max);
}

/** By a look at the value itself. An empty list or object counts as if it had an item. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const items = Object.values(value);
  return 1 + (items.length === 0 ? 1 : items.reduce((sum: number, item) => sum + countValues(item), 0));
}

describe('hasMoreValues', () => {
  it('counts the items of lists and the members of objects, with themselves', () => {
    expect(isMoreThan(4, '[1,2,3]')).toBe(false);
    expect(isMoreThan(3, '[1,2,3]')).toBe(true);
    expect(isMoreThan(3, '{"a":1,"b":2}')).toBe(false);
    expect(isMoreThan(2, '{"a":1,"b":2}')).toBe(true);
    expect(isMoreThan(1, '"one"')).toBe(false);
  });

  it('does not look into strings', () => {
    for (const text of ['[[[[,,,{{{', '\\', '"', '\\"[,', '"[",[', 'x'.repeat(100)]) {
      expect(isMoreThan(3, JSON.stringify({ [text]: text, b: text }))).toBe(false);
    }
  });

  it('finds as many as a look at the value does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const json = JSON.stringify(value);
        const count = countValues(value);
        expect(isMoreThan(count, json)).toBe(false);
        expect(isMoreThan(count - 1, json)).toBe(count > 1);
      }),
    );
  });

  it('answers for anything at all', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof hasMoreValues(bytes, 10)).toBe('boolean');
      }),
    );
  });
});
