import { describe, expect, it } from 'vitest';
import { addTags, removeTags } from './tags.ts';
import { errorOf } from './testing/context.ts';

const tags = (...entries: [string, string][]) => Object.fromEntries(entries);
const numbered = (count: number) => tags(...Array.from({ length: count }, (_, i): [string, string] => [`k${i}`, 'v']));

describe('tags', () => {
  it('are added and replaced', () => {
    expect(addTags('q', { a: '1', b: '2' }, { b: '', c: '3' })).toEqual({ a: '1', b: '', c: '3' });
    expect(addTags('q', {}, numbered(50))).toEqual(numbered(50));
    expect(addTags('q', numbered(50), { k0: 'other' })).toEqual({ ...numbered(50), k0: 'other' });
  });

  it('may have keys that objects know', () => {
    const odd = tags(['__proto__', 'x'], ['constructor', 'y'], ['toString', 'z']);
    expect(Object.entries(addTags('q', {}, odd))).toEqual(Object.entries(odd));
    expect(Object.entries(removeTags(odd, ['__proto__', 'hasOwnProperty']))).toEqual([
      ['constructor', 'y'],
      ['toString', 'z'],
    ]);
  });

  it('are removed, unknown keys being no error', () => {
    const current = { a: '1', b: '2' };
    expect(removeTags(current, ['a', 'x'])).toEqual({ b: '2' });
    expect(removeTags(current, ['x', 'toString'])).toBe(current);
  });

  it.each(['é', '中文', 'constructor', '_ .:/=+-@', 'x'.repeat(128), '𝔘'.repeat(128)])('may have the key %s', (key) => {
    expect(Object.keys(addTags('q', {}, tags([key, 'v'])))).toEqual([key]);
  });

  const length = 'Tag keys must be between 1 and 128 characters in length.';
  const characters = 'may only contain unicode letters, digits, whitespace, or one of these symbols: _ . : / = + - @';
  it.each<[Record<string, string>, string]>([
    [tags(['', 'v']), length],
    [tags(['x'.repeat(129), 'v']), length],
    [tags(['x'.repeat(1_000_000), 'v']), length],
    [tags(['a!', 'v']), `Tag keys ${characters}`],
    [tags(['a', 'b!']), `Tag values ${characters}`],
    [tags(['a', 'x'.repeat(257)]), 'Tag values must be between 0 and 256 characters in length.'],
    [tags(['AWS:x', 'v']), "Tag keys starting with 'aws:' are reserved for internal use."],
    [numbered(51), 'Too many tags added for queue q.'],
  ])('may not be %j', async (added, message) => {
    expect(await errorOf(() => addTags('q', { a: '1' }, added))).toBe(`InvalidParameterValueException: ${message}`);
  });
});
