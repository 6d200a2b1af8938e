import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../sim/simulation.ts';

/** Enough for about half a minute; `npm run sim -- --minutes 30` goes on for longer, and elsewhere. */
const FIRST_SEED = 1;
const SEEDS = 60;

const regressions = readFileSync(new URL('../../sim/seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('#')[0]!.trim())
  .filter((line) => line !== '')
  .map(Number);

const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);

describe('a simulated world', () => {
  it.each([...new Set([...regressions, ...seeds])])('keeps all promises with seed %i', async (seed) => {
    const { violations, calls } = await simulate(seed);
    expect(violations).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });

  it('is the same to the last event when it is run again', async () => {
    const first = await simulate(FIRST_SEED);
    const second = await simulate(FIRST_SEED);
    expect(second.digest).toBe(first.digest);
    expect(second.calls).toBe(first.calls);
  });

  it('is another one with another seed', async () => {
    expect((await simulate(FIRST_SEED)).digest).not.toBe((await simulate(FIRST_SEED + 1)).digest);
  });
});
