import type { Timing } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import type { Watched } from '../processes/usage.ts';
import type { Headline, Section } from './section.ts';
import { maxOfKnown, median, medianOfKnown, medianPercentiles } from './statistics.ts';
import type { Cell, Column } from './table.ts';

/** What a server uses in a state in which nobody wants anything new from it. */
export interface IdleState {
  name: string;
  usage: Watched;
  diskMegabytes: number | undefined;
  /** What was done to get there, or once there. */
  requests: Record<string, Timing>;
}

const COLUMNS: Column[] = [
  { key: 'name', heading: 'state', format: 'text' },
  { key: 'cpuPercent', heading: 'CPU % of a core', format: 2 },
  { key: 'megabytes', heading: 'MB', format: 0 },
  { key: 'peakMegabytes', heading: 'peak MB', format: 0 },
  { key: 'diskMegabytes', heading: 'disk MB', format: 0 },
  { key: 'request', heading: 'request', format: 'text' },
  { key: 'count', heading: 'requests', format: 'count' },
  { key: 'p50', heading: 'p50 ms', format: 2 },
  { key: 'p99', heading: 'p99 ms', format: 2 },
  { key: 'max', heading: 'max ms', format: 2 },
];

export function idleSection({ seconds }: BenchOptions, rounds: readonly IdleState[][]): Section {
  const [first] = rounds as [IdleState[]];
  const headlines: Headline[] = [];
  const rows = first.flatMap(({ name, requests }, index): Record<string, Cell>[] => {
    const states = rounds.map((round) => round[index] as IdleState);
    const cores = medianOfKnown(states.map(({ usage }) => usage.cores));
    const row = {
      name,
      cpuPercent: cores === undefined ? undefined : cores * 100,
      megabytes: medianOfKnown(states.map(({ usage }) => usage.megabytes)),
      peakMegabytes: maxOfKnown(states.map(({ usage }) => usage.peakMegabytes)),
      diskMegabytes: maxOfKnown(states.map(({ diskMegabytes }) => diskMegabytes)),
    };
    if (row.cpuPercent !== undefined) headlines.push({ name: `idle, ${name}: CPU`, value: row.cpuPercent, unit: '%' });
    if (row.megabytes !== undefined) headlines.push({ name: `idle, ${name}`, value: row.megabytes, unit: 'MB' });
    const lines = Object.keys(requests).map((request, line) => {
      const timings = states.flatMap((state) => state.requests[request] ?? []);
      const { p50, p99, max } = medianPercentiles(timings.map(({ latency }) => latency));
      headlines.push({ name: `idle, ${request}, median`, value: p50, unit: 'ms' });
      return {
        ...(line === 0 ? row : { name }),
        request,
        count: median(timings.map((each) => each.count)),
        p50,
        p99,
        max,
      };
    });
    return lines.length > 0 ? lines : [row];
  });
  const title = `idle: ${seconds} s in each state`;
  return { scenario: 'idle', tables: [{ title, columns: COLUMNS, rows, notes: [] }], headlines, raw: rounds };
}
