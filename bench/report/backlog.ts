import type { Drained } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import type { Watched } from '../processes/usage.ts';
import type { Case, Round } from '../scenarios/rounds.ts';
import type { Result } from '../scenarios/session.ts';
import { caseName, LABEL_COLUMNS, labelsOf, numbersOf, rateOf, titleOf } from './rows.ts';
import type { Headline, Section } from './section.ts';
import { maxOfKnown, medianOfKnown, medianPercentiles, ratio } from './statistics.ts';
import type { Cell, Column, Table } from './table.ts';

/** What one queue of one depth has been through. */
export interface BacklogRun {
  each: Case;
  depth: number;
  echo: Result;
  logs: Round['logs'];
  fill: Watched;
  idle: Watched;
  actions: Result[];
  /** Undefined: the messages are delayed, and none can be taken out. */
  drain: (Watched & Drained) | undefined;
  /** Before anything was taken out. */
  diskMegabytes: number | undefined;
}

const DEPTH_COLUMN: Column = { key: 'depth', heading: 'depth', format: 'text' };

const COST_COLUMNS: Column[] = [
  ...LABEL_COLUMNS,
  { key: 'name', heading: '', format: 'text' },
  DEPTH_COLUMN,
  { key: 'messagesPerSecond', heading: 'messages/s', format: 'count' },
  { key: 'toEcho', heading: '/ echo', format: 3 },
  { key: 'toLog', heading: '/ log', format: 3 },
  { key: 'cpuMicroseconds', heading: 'CPU us', format: 1 },
  { key: 'cpuTimes', heading: 'x CPU', format: 2 },
  { key: 'request', heading: 'request', format: 'text' },
  { key: 'p50', heading: 'p50 ms', format: 2 },
  { key: 'p50Times', heading: 'x p50', format: 2 },
  { key: 'p99', heading: 'p99 ms', format: 2 },
  { key: 'p999', heading: 'p99.9 ms', format: 2 },
];

const MEMORY_COLUMNS: Column[] = [
  ...LABEL_COLUMNS,
  DEPTH_COLUMN,
  { key: 'filledPerSecond', heading: 'filled/s', format: 'count' },
  { key: 'fillMegabytes', heading: 'peak MB filling', format: 0 },
  { key: 'idleMegabytes', heading: 'MB idle', format: 0 },
  { key: 'idleCores', heading: 'cores idle', format: 3 },
  { key: 'busyMegabytes', heading: 'peak MB measured', format: 0 },
  { key: 'drainedPerSecond', heading: 'drained/s', format: 'count' },
  { key: 'drainMegabytes', heading: 'peak MB draining', format: 0 },
  { key: 'diskMegabytes', heading: 'disk MB', format: 0 },
  { key: 'diskBytes', heading: 'disk bytes/message', format: 'count' },
];

/** What each action costs and how much memory is used at each depth, beside the smallest one. */
export function backlogSection(options: BenchOptions, runs: readonly BacklogRun[]): Section {
  const cost: Table = { title: titleOf(options), columns: COST_COLUMNS, rows: [], notes: [] };
  const memory: Table = { title: 'backlog: memory and disk', columns: MEMORY_COLUMNS, rows: [], notes: [] };
  const headlines: Headline[] = [];
  const kind = options.groups.length > 0 ? 'FIFO backlog' : options.isDelayed ? 'delayed backlog' : 'backlog';
  for (const same of groupsBy(runs, ({ each }) => JSON.stringify(each))) {
    const [first] = same as [BacklogRun];
    const labels = labelsOf(first.each, options);
    const depths = groupsBy(same, ({ depth }) => String(depth));
    memory.rows.push(...depths.map((atDepth) => memoryRow(labels, atDepth)));
    first.actions.forEach((_, action) => {
      const rows = depths.map((atDepth) => costRows(labels, atDepth, depths[0] as BacklogRun[], action));
      cost.rows.push(...rows.flat());
      const deepest = rows.at(-1)?.[0] as Record<string, Cell>;
      headlines.push({
        name: [`${kind} of ${deepest.depth}`, ...caseName(labels), nameOf(first, action)].join(', '),
        value: deepest.cpuMicroseconds as number,
        unit: 'CPU us',
        ratio: deepest.cpuTimes as number | undefined,
        to: `that of ${shownDepth(options.depths[0] as number)}`,
      });
    });
    for (const { actions, depth } of same) {
      for (const { name, ranDry } of actions) {
        if (ranDry) cost.notes.push(`${name} at ${shownDepth(depth)}: a receive found nothing.`);
      }
    }
    headlines.push(...memoryHeadlines(kind, memory.rows.slice(-depths.length), options));
  }
  return { scenario: 'backlog', tables: [cost, memory], headlines, raw: runs };
}

function costRows(
  labels: Record<string, Cell>,
  runs: readonly BacklogRun[],
  smallest: readonly BacklogRun[],
  action: number,
): Record<string, Cell>[] {
  const results = runs.map(({ actions }) => actions[action] as Result);
  const smallestResults = smallest.map(({ actions }) => actions[action] as Result);
  const { cpuMicroseconds, messagesPerSecond } = numbersOf(results);
  const [first] = runs as [BacklogRun];
  const head = { ...labels, name: nameOf(first, action), depth: shownDepth(first.depth) };
  const isRateOfMessages = results[0]?.requests.GetQueueAttributes === undefined;
  const batch = results[0]?.requests.DeleteMessageBatch === undefined ? 'one' : 'ten';
  const numbers = {
    messagesPerSecond,
    toEcho: medianOfKnown(runs.map(({ echo }, run) => ratio(rateOf(results[run]), rateOf(echo)))),
    toLog: isRateOfMessages
      ? medianOfKnown(runs.map(({ logs }, run) => ratio(rateOf(results[run]), logs[batch]?.recordsPerSecond)))
      : undefined,
    cpuMicroseconds,
    cpuTimes: ratio(cpuMicroseconds, numbersOf(smallestResults).cpuMicroseconds),
  };
  const requests = Object.keys(results[0]?.requests ?? {}).sort();
  return requests.map((request, index) => {
    const latencyOf = (all: readonly Result[]) => medianPercentiles(all.map((each) => each.requests[request]?.latency));
    const { p50, p99, p999 } = latencyOf(results);
    const p50Times = ratio(p50, latencyOf(smallestResults).p50);
    return { ...head, ...(index === 0 && numbers), request, p50, p50Times, p99, p999 };
  });
}

function memoryRow(labels: Record<string, Cell>, runs: readonly BacklogRun[]): Record<string, Cell> {
  const depth = (runs[0] as BacklogRun).depth;
  const diskMegabytes = maxOfKnown(runs.map((run) => run.diskMegabytes));
  return {
    ...labels,
    depth: shownDepth(depth),
    filledPerSecond: medianOfKnown(runs.map(({ fill }) => depth / fill.seconds)),
    fillMegabytes: maxOfKnown(runs.map(({ fill }) => fill.peakMegabytes)),
    idleMegabytes: maxOfKnown(runs.map(({ idle }) => idle.megabytes)),
    idleCores: medianOfKnown(runs.map(({ idle }) => idle.cores)),
    busyMegabytes: maxOfKnown(runs.flatMap(({ actions }) => actions.map(({ peakMegabytes }) => peakMegabytes))),
    drainedPerSecond: medianOfKnown(runs.map(({ drain }) => drain && drain.messages / drain.seconds)),
    drainMegabytes: maxOfKnown(runs.map(({ drain }) => drain?.peakMegabytes)),
    diskMegabytes,
    diskBytes: diskMegabytes && (diskMegabytes * 2 ** 20) / depth,
  };
}

function memoryHeadlines(kind: string, rows: readonly Record<string, Cell>[], options: BenchOptions): Headline[] {
  const [smallest, deepest] = [rows[0], rows.at(-1)];
  return ['fillMegabytes', 'idleMegabytes', 'drainMegabytes'].flatMap((key) => {
    const value = deepest?.[key] as number | undefined;
    if (value === undefined) return [];
    const name = `${kind} of ${deepest?.depth}: ${MEMORY_COLUMNS.find((column) => column.key === key)?.heading}`;
    const to = `that of ${shownDepth(options.depths[0] as number)}`;
    return [{ name, value, unit: 'MB', ratio: ratio(value, smallest?.[key] as number | undefined), to }];
  });
}

function nameOf({ actions }: BacklogRun, action: number): string {
  const name = actions[action]?.name as string;
  return name === 'the same in tens' ? `${actions[action - 1]?.name} in tens` : name;
}

export function shownDepth(depth: number): string {
  return depth.toLocaleString('en');
}

/** In the order in which they first come. */
function groupsBy<T>(values: readonly T[], keyOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return [...groups.values()];
}
