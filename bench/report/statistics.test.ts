import { expect, it } from 'vitest';
import { maxOfKnown, median, medianOfKnown, medianPercentiles, ratio } from './statistics.ts';

it('takes the middle, or between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([10, 4, 1, 2])).toBe(3);
});

it('leaves out what is not known', () => {
  expect(medianOfKnown([undefined, 4, 2])).toBe(3);
  expect(medianOfKnown([undefined])).toBeUndefined();
  expect(maxOfKnown([1, undefined, 3])).toBe(3);
  expect(maxOfKnown([])).toBeUndefined();
});

it('takes the median of each percentile', () => {
  const low = { p50: 1, p99: 9, p999: 10, max: 10 };
  const high = { p50: 3, p99: 5, p999: 6, max: 7 };
  expect(medianPercentiles([low, high, undefined])).toEqual({ p50: 2, p99: 7, p999: 8, max: 8.5 });
  expect(medianPercentiles([])).toEqual({ p50: 0, p99: 0, p999: 0, max: 0 });
});

it('knows no ratio to nothing', () => {
  expect(ratio(1, 4)).toBe(0.25);
  expect(ratio(1, 0)).toBeUndefined();
  expect(ratio(undefined, 1)).toBeUndefined();
});
