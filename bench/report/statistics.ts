import type { Percentiles } from '../load/latencies.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

/** Of those that are known; undefined: none is. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}

export function maxOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Each percentile by itself. */
export function medianPercentiles(all: readonly (Percentiles | undefined)[]): Percentiles {
  const of = (key: keyof Percentiles) => medianOfKnown(all.map((each) => each?.[key])) ?? 0;
  return { p50: of('p50'), p99: of('p99'), p999: of('p999'), max: of('max') };
}

export function ratio(value: number | undefined, to: number | undefined): number | undefined {
  return value === undefined || to === undefined || to === 0 ? undefined : value / to;
}
