import type { LogResult } from '../baselines/baselines.ts';
import type { BenchOptions } from '../options.ts';
import type { Batch, Case, ComparedResult, Round } from '../scenarios/rounds.ts';
import type { Result } from '../scenarios/session.ts';
import { caseName, LABEL_COLUMNS, labelsOf, linesOf, numbersOf, rateOf, shown, titleOf } from './rows.ts';
import type { Headline, Section } from './section.ts';
import { median, medianOfKnown, medianPercentiles, ratio } from './statistics.ts';
import type { Cell, Column, Table } from './table.ts';

export interface CaseRounds {
  each: Case;
  rounds: Round[];
}

const COLUMNS: Column[] = [
  ...LABEL_COLUMNS,
  { key: 'name', heading: '', format: 'text' },
  { key: 'messagesPerSecond', heading: 'messages/s', format: 'count' },
  { key: 'lowest', heading: 'lowest', format: 'count' },
  { key: 'highest', heading: 'highest', format: 'count' },
  { key: 'toEcho', heading: '/ echo', format: 3 },
  { key: 'toLog', heading: '/ log', format: 3 },
  { key: 'toOther', heading: '/ standard', format: 3 },
  { key: 'cpuMicroseconds', heading: 'CPU us', format: 1 },
  { key: 'cores', heading: 'cores', format: 2 },
  { key: 'loadCores', heading: 'load', format: 2 },
  { key: 'peakMegabytes', heading: 'peak MB', format: 0 },
  { key: 'diskMegabytes', heading: 'disk MB', format: 0 },
  { key: 'request', heading: 'request', format: 'text' },
  { key: 'p50', heading: 'p50 ms', format: 2 },
  { key: 'p99', heading: 'p99 ms', format: 2 },
  { key: 'p999', heading: 'p99.9 ms', format: 2 },
];

export function throughputSection(options: BenchOptions, all: readonly CaseRounds[]): Section {
  const rows: Record<string, Cell>[] = [];
  const headlines: Headline[] = [];
  const notes = new Set<string>();
  for (const { each, rounds } of all) {
    const labels = labelsOf(each, options);
    const [first] = rounds as [Round];
    rows.push(
      ...linesOf(
        { ...labels, name: 'echo', ...numbersOf(rounds.map(({ echo }) => echo)) },
        first.echo,
        rounds.map(({ echo }) => echo),
      ),
    );
    for (const batch of ['one', 'ten'] as const) {
      if (first.logs[batch] !== undefined) rows.push(logRow(labels, batch, rounds, first));
    }
    first.results.forEach((result, index) => {
      const results = rounds.map(({ results }) => results[index] as ComparedResult);
      const { name, batch, comparedTo } = result;
      const numbers = {
        ...numbersOf(results),
        toEcho: medianOfKnown(rounds.map(({ echo }, round) => ratio(rateOf(results[round]), rateOf(echo)))),
        toLog: medianOfKnown(
          rounds.map(({ logs }, round) => ratio(rateOf(results[round]), logs[batch]?.recordsPerSecond)),
        ),
        toOther: medianOfKnown(
          rounds.map((round, at) =>
            ratio(rateOf(results[at]), rateOf(round.results.find((other) => other.name === comparedTo))),
          ),
        ),
      };
      rows.push(...linesOf({ ...labels, name, ...numbers }, result, results));
      headlines.push(...headlinesOf(options, [...caseName(labels), name].join(', '), results, numbers));
      if (results.some(({ ranDry }) => ranDry)) {
        notes.add(
          `${name}: receives found nothing for two seconds, and the measurement ended. Either the queue was empty (take ` +
            'a larger --prefill, or fewer --seconds), or others held every message group (take fewer --connections).',
        );
      }
      if (results.some(({ loadCores }) => loadCores > LOAD_CORES_MAX)) {
        notes.add(`${name}: the load was busy all the time, so the server may be faster than this.`);
      }
    });
  }
  const table: Table = { title: titleOf(options), columns: COLUMNS, rows, notes: [...notes] };
  return { scenario: options.scenario, tables: [table], headlines, raw: all };
}

/** Of one core. */
const LOAD_CORES_MAX = 0.95;

function logRow(labels: Record<string, Cell>, batch: Batch, rounds: readonly Round[], first: Round) {
  const logs = rounds.map(({ logs }) => logs[batch] as LogResult);
  const rates = logs.map(({ recordsPerSecond }) => recordsPerSecond);
  const isOnlyOne = Object.values(first.logs).filter((log) => log !== undefined).length === 1;
  return {
    ...labels,
    name: isOnlyOne ? 'log' : `log, ${batch} at a time`,
    messagesPerSecond: median(rates),
    ...(rates.length > 1 && { lowest: Math.min(...rates), highest: Math.max(...rates) }),
    request: 'flush',
    ...shown(medianPercentiles(logs.map(({ latency }) => latency))),
  };
}

function headlinesOf(
  { scenario }: BenchOptions,
  name: string,
  results: readonly Result[],
  { messagesPerSecond, toEcho, toLog, toOther }: Record<string, number | undefined>,
): Headline[] {
  if (scenario === 'wakeup') {
    return Object.keys(results[0]?.requests ?? {})
      .filter((request) => request.startsWith('wake-up'))
      .flatMap((request) => {
        const { p50, p99 } = medianPercentiles(results.map(({ requests }) => requests[request]?.latency));
        const what = `wakeup, ${name}: ${request}`;
        return [
          { name: `${what}, median`, value: p50, unit: 'ms' },
          { name: `${what}, p99`, value: p99, unit: 'ms' },
        ];
      });
  }
  const headline = { name: `${scenario}, ${name}`, value: messagesPerSecond as number, unit: 'messages/s' };
  return [
    { ...headline, ratio: toEcho, to: 'echo' },
    { ...headline, ratio: toLog, to: 'log' },
    ...(toOther === undefined ? [] : [{ ...headline, ratio: toOther, to: 'standard' }]),
  ];
}
