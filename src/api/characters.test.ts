import { describe, expect, it } from 'vitest';
import { hasOnlyMessageCharacters, isId } from './characters.ts';

describe('characters of a message', () => {
  it.each(['\t\n\r', ' ', '\u007F\u0080', 'é€', '\uD7FF\uE000\uFFFD', '😀', '\u{10000}\u{10FFFF}', ''])(
    'allows %j',
    (text) => {
      expect(hasOnlyMessageCharacters(text)).toBe(true);
    },
  );

  it.each([
    '\0',
    '\b',
    '\v',
    '\f',
    '\u0013',
    '\u001F',
    '\uFFFE',
    '\uFFFF',
    '\uD800',
    '\uDC00x',
    'x\uD83D',
    '\uDE00\uD83D',
  ])('refuses %j', (text) => {
    expect(hasOnlyMessageCharacters(text)).toBe(false);
    expect(hasOnlyMessageCharacters(`before 😀 ${text}`)).toBe(false);
  });
});

describe('group, deduplication and attempt ids', () => {
  it('may have every ASCII punctuation character', () => {
    expect(isId('aZ09!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')).toBe(true);
    expect(isId('x'.repeat(128))).toBe(true);
  });

  it.each(['', 'x'.repeat(129), 'group 123', 'é', 'a\n', '\u007F'])('may not be %j', (text) => {
    expect(isId(text)).toBe(false);
  });
});
