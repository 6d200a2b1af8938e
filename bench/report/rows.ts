import type { Percentiles } from '../load/latencies.ts';
import type { BenchOptions } from '../options.ts';
import type { Case } from '../scenarios/rounds.ts';
import type { Result } from '../scenarios/session.ts';
import { maxOfKnown, median, medianOfKnown, medianPercentiles, ratio } from './statistics.ts';
import type { Cell, Column } from './table.ts';

export const LABEL_COLUMNS: Column[] = [
  { key: 'protocol', heading: 'protocol', format: 'text' },
  { key: 'body', heading: 'body', format: 'text' },
  { key: 'connections', heading: 'connections', format: 'text' },
];

export function titleOf(options: BenchOptions): string {
  const { scenario, connections, bodyBytes, protocols, groups, rounds, seconds, warmupSeconds, isDelayed } = options;
  const isFifo = groups.length > 0 && scenario !== 'fifo';
  return [
    `${scenario}: ${isFifo ? `FIFO queue of ${groups[0]?.toLocaleString('en')} groups` : 'standard queue'}`,
    ...(isDelayed ? ['delayed messages'] : []),
    ...(bodyBytes.length === 1 ? [`bodies of ${bodyBytes[0]} bytes`] : []),
    ...(connections.length === 1 ? [`${connections[0]} connections`] : []),
    ...(protocols.length === 1 && protocols[0] !== 'json' ? [`protocol ${protocols[0]}`] : []),
    `medians of ${rounds} x ${seconds} s after ${warmupSeconds} s`,
  ].join(', ');
}

/** What is not the same in all cases. */
export function labelsOf({ protocol, bodyBytes, connections }: Case, options: BenchOptions): Record<string, string> {
  return {
    ...(options.protocols.length > 1 && { protocol }),
    ...(options.bodyBytes.length > 1 && { body: `${bodyBytes.toLocaleString('en')} B` }),
    ...(options.connections.length > 1 && { connections: String(connections) }),
  };
}

/** In words, for where there is no heading. */
export function caseName({ connections, ...labels }: Record<string, string>): string[] {
  if (connections === undefined) return Object.values(labels);
  return [...Object.values(labels), `${connections} ${connections === '1' ? 'connection' : 'connections'}`];
}

export function numbersOf(results: readonly Result[]): Record<string, number | undefined> {
  const rates = results.map((result) => rateOf(result) as number);
  return {
    messagesPerSecond: median(rates),
    ...(rates.length > 1 && { lowest: Math.min(...rates), highest: Math.max(...rates) }),
    cpuMicroseconds: medianOfKnown(results.map((each) => ratio(each.cores && each.cores * 1e6, rateOf(each)))),
    cores: medianOfKnown(results.map(({ cores }) => cores)),
    loadCores: median(results.map(({ loadCores }) => loadCores)),
    peakMegabytes: maxOfKnown(results.map(({ peakMegabytes }) => peakMegabytes)),
    diskMegabytes: maxOfKnown(results.map(({ diskMegabytes }) => diskMegabytes)),
  };
}

/** One for each action, of which the first has all the other numbers. */
export function linesOf(
  row: Record<string, Cell>,
  { requests }: Result,
  results: readonly Result[],
): Record<string, Cell>[] {
  return Object.keys(requests).map((request, index) => {
    const labels = Object.fromEntries(Object.entries(row).filter(([, value]) => typeof value === 'string'));
    const latency = medianPercentiles(results.map((each) => each.requests[request]?.latency));
    return { ...(index === 0 ? row : labels), request, ...shown(latency) };
  });
}

export function rateOf(result: Result | undefined): number | undefined {
  return result && result.messages / result.seconds;
}

export function shown({ p50, p99, p999 }: Percentiles): Record<string, number> {
  return { p50, p99, p999 };
}
