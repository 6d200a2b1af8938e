import { expect, it } from 'vitest';
import { Latencies } from './latencies.ts';

it('gives the nearest rank, in whatever order values come', () => {
  const latencies = new Latencies();
  for (let value = 1000; value >= 1; value--) latencies.add(value);
  expect(latencies.percentiles()).toEqual({ p50: 500, p99: 990, p999: 999, max: 1000 });
});

it('holds more values than it has room for at first', () => {
  const latencies = new Latencies();
  for (let value = 0; value < 200_000; value++) latencies.add(value);
  expect(latencies.count).toBe(200_000);
  expect(latencies.percentiles().max).toBe(199_999);
});

it('is all zeros without values', () => {
  expect(new Latencies().percentiles()).toEqual({ p50: 0, p99: 0, p999: 0, max: 0 });
});
