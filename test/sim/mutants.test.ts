import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';

describe('the list of deliberate faults', () => {
  it.each(MUTANTS)('can still make this one: $name', ({ file, edits }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    for (const [text, replacement] of edits) {
      expect(source.split(text)).toHaveLength(2);
      expect(replacement).not.toBe(text);
    }
  });
});
