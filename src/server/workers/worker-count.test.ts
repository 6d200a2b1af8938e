import { expect, it } from 'vitest';
import { workerCount } from './worker-count.ts';

it.each([
  [1, 0],
  [2, 0],
  [3, 2],
  [4, 3],
  [5, 4],
  [64, 4],
])('auto on %d cores is %d', (cores, workers) => {
  expect(workerCount('auto', cores)).toBe(workers);
});

it('leaves a number as it is', () => {
  expect(workerCount(7, 1)).toBe(7);
});
