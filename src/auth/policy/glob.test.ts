import { describe, expect, it } from 'vitest';
import { ANY_ONE, ANY_RUN, type Glob, globOf, matchesGlob } from './glob.ts';

/** `*` and `?` as in policies. */
function glob(pattern: string): Glob {
  return globOf([...pattern].map((char) => (char === '*' ? ANY_RUN : char === '?' ? ANY_ONE : char)));
}

describe('matchesGlob', () => {
  it.each([
    ['', ''],
    ['*', ''],
    ['*', 'anything'],
    ['**', 'anything'],
    ['abc', 'abc'],
    ['a*c', 'ac'],
    ['a*c', 'abcbc'],
    ['*b*', 'abc'],
    ['a*b*c', 'aXbXbXc'],
    ['?', 'x'],
    ['?', '😀'],
    ['*?', '😀'],
    ['?*?', '😀b'],
    ['a?*c', 'abc'],
    ['*ab', 'aab'],
    ['*a?c', 'abaabc'],
  ])('%s fits %s', (pattern, text) => {
    expect(matchesGlob(glob(pattern), text)).toBe(true);
  });

  it.each([
    ['', 'a'],
    ['a', ''],
    ['?', ''],
    ['abc', 'abcd'],
    ['abc', 'ab'],
    ['a*c', 'abcd'],
    ['a*c', 'ba'],
    ['??', '😀'],
    ['*??', '😀'],
    ['*b*b*', 'abc'],
    ['*aab', 'aaba'],
  ])('%s does not fit %s', (pattern, text) => {
    expect(matchesGlob(glob(pattern), text)).toBe(false);
  });

  // A matcher that tries all ways to share the text among the runs needs more steps than there are atoms.
  it.each([
    ['many runs that nearly fit', `${'*a'.repeat(30)}*b`, 'a'.repeat(500)],
    ['runs and single characters', `${'*?'.repeat(40)}b`, 'a'.repeat(500)],
    ['runs side by side', `${'*'.repeat(1000)}b`, 'a'.repeat(500)],
    ['a long end that nearly fits', `*${'a'.repeat(100)}b`, 'a'.repeat(500)],
    ['as much as a policy can hold', `${'*a'.repeat(2000)}b`, 'a'.repeat(4000)],
  ])('takes steps for the product of the lengths at most: %s', (_what, pattern, text) => {
    const counted = countReads(glob(pattern));
    expect(matchesGlob(counted.glob, text)).toBe(false);
    expect(counted.reads()).toBeGreaterThan(0);
    expect(counted.reads()).toBeLessThanOrEqual(4 * (glob(pattern).length + 1) * (text.length + 1));
  });
});

/** A glob that counts how often it is looked at: each step of the matcher does so once. */
function countReads(inner: Glob): { glob: Glob; reads(): number } {
  let reads = 0;
  const counting = new Proxy(inner, {
    get(target, key) {
      reads++;
      return Reflect.get(target, key);
    },
  });
  return { glob: counting, reads: () => reads };
}
