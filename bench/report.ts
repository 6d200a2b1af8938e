import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import type { Percentiles } from './load/latencies.ts';
import type { BenchOptions } from './options.ts';
import { isPinned } from './processes.ts';
import type { Result, Round } from './run.ts';

export interface Report {
  date: string;
  machine: Machine;
  options: BenchOptions;
  rows: Row[];
  /** Every round as it was measured. */
  rounds: Round[];
}

interface Machine {
  cpu: string;
  cores: number;
  memoryGigabytes: number;
  system: string;
  node: string;
  /** Of the checkout, when there is one. */
  commit?: string;
}

/** Medians over the rounds. */
export interface Row {
  name: string;
  messagesPerSecond: number;
  /** Lowest and highest of the rounds. */
  range: [number, number];
  /** Medians of the ratios within each round; undefined for the baselines themselves. */
  toEcho?: number;
  toLog?: number;
  /** By action. */
  latency: Record<string, Percentiles>;
  serverCores?: number;
  /** Of the server per message. Where others use the machine too, it says more than the rate. */
  cpuMicroseconds?: number;
  loadCores?: number;
  serverMegabytes?: number;
  ranDry: boolean;
}

export function reportOf(options: BenchOptions, rounds: Round[]): Report {
  const measured = (rounds[0] as Round).results.map((_, index) => {
    const results = rounds.map(({ results }) => results[index] as Result);
    return {
      ...rowOf(results),
      toEcho: median(rounds.map(({ echo }, round) => rateOf(results[round] as Result) / rateOf(echo))),
      toLog: median(rounds.map(({ log }, round) => rateOf(results[round] as Result) / log.recordsPerSecond)),
    };
  });
  const logRates = rounds.map(({ log }) => log.recordsPerSecond);
  const log: Row = {
    name: 'log',
    messagesPerSecond: median(logRates),
    range: [Math.min(...logRates), Math.max(...logRates)],
    latency: { flush: medians(rounds.map(({ log }) => log.latency)) },
    ranDry: false,
  };
  const rows = [rowOf(rounds.map(({ echo }) => echo)), log, ...measured];
  return { date: new Date().toISOString(), machine: thisMachine(), options, rows, rounds };
}

function rowOf(results: readonly Result[]): Row {
  const [first] = results as [Result];
  const rates = results.map(rateOf);
  const actions = Object.keys(first.requests);
  const latency = actions.map((action) => {
    return [action, medians(results.map(({ requests }) => requests[action]?.latency ?? NO_LATENCY))] as const;
  });
  return {
    name: first.name,
    messagesPerSecond: median(rates),
    range: [Math.min(...rates), Math.max(...rates)],
    latency: Object.fromEntries(latency),
    serverCores: medianOfKnown(results.map(({ serverCores }) => serverCores)),
    cpuMicroseconds: medianOfKnown(results.map((each) => each.serverCores && (each.serverCores * 1e6) / rateOf(each))),
    loadCores: median(results.map(({ loadCores }) => loadCores)),
    serverMegabytes: medianOfKnown(results.map(({ serverMegabytes }) => serverMegabytes)),
    ranDry: results.some(({ ranDry }) => ranDry),
  };
}

const HEADINGS = [
  '',
  'messages/s',
  'lowest-highest',
  '/ echo',
  '/ log',
  'CPU us',
  'cores',
  'load',
  'MB',
  'request',
  'p50 ms',
  'p99 ms',
  'p99.9 ms',
];

export function textOf({ machine, options, rows, date }: Report): string {
  const { connections, rounds, seconds, bodyBytes, groups, durability, target } = options;
  const queue = groups > 0 ? `FIFO queue of ${groups} groups` : 'standard queue';
  const server = target ?? `durability ${durability}`;
  const table = [HEADINGS];
  for (const row of rows) {
    const head = [
      row.name,
      count(row.messagesPerSecond),
      `${count(row.range[0])}-${count(row.range[1])}`,
      fixed(row.toEcho, 3),
      fixed(row.toLog, 3),
      fixed(row.cpuMicroseconds, 0),
      fixed(row.serverCores, 2),
      fixed(row.loadCores, 2),
      fixed(row.serverMegabytes, 0),
    ];
    for (const [action, { p50, p99, p999 }] of Object.entries(row.latency)) {
      table.push([...head, action, fixed(p50, 2), fixed(p99, 2), fixed(p999, 2)]);
      // Said once per row, whose further lines only have latencies.
      head.fill('');
    }
  }
  return [
    `${date}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGigabytes} GB, ${machine.system}, ${machine.node}` +
      `${machine.commit === undefined ? '' : `, commit ${machine.commit}`}`,
    `${queue}, bodies of ${bodyBytes} bytes, ${connections} connections, ${server}; ` +
      `medians of ${rounds} rounds of ${seconds} s; ${isPinned ? 'server and load on a core each' : 'no core of their own'}`,
    '',
    ...aligned(table),
    ...rows.filter(({ ranDry }) => ranDry).map(({ name }) => `${name}: the queue was empty before the time was over`),
  ].join('\n');
}

function aligned(table: readonly string[][]): string[] {
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((row) => (row[column] as string).length)),
  );
  return table.map((row) =>
    row
      .map((cell, column) => {
        const isText = HEADINGS[column] === '' || HEADINGS[column] === 'request';
        return isText ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number);
      })
      .join('  ')
      .trimEnd(),
  );
}

const NO_LATENCY: Percentiles = { p50: 0, p99: 0, p999: 0, max: 0 };

function rateOf({ messages, seconds }: Result): number {
  return messages / seconds;
}

function medians(latencies: readonly Percentiles[]): Percentiles {
  const of = (key: keyof Percentiles) => median(latencies.map((each) => each[key]));
  return { p50: of('p50'), p99: of('p99'), p999: of('p999'), max: of('max') };
}

function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function fixed(value: number | undefined, digits: number): string {
  return value === undefined ? '' : value.toFixed(digits);
}

function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: `Node ${process.version}`,
    commit: commit(),
  };
}

function commit(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
