import { expect, it } from 'vitest';
import { type BenchOptions, parseOptions } from '../options.ts';
import type { ComparedResult, Round } from '../scenarios/rounds.ts';
import { throughputSection } from './throughput.ts';

const LATENCY = { p50: 1, p99: 2, p999: 3, max: 4 };
const CASE = { protocol: 'json', bodyBytes: 300, connections: 64 } as const;

function result(name: string, perSecond: number, rest: Partial<ComparedResult> = {}): ComparedResult {
  const requests = { SendMessage: { count: 2 * perSecond, latency: LATENCY } };
  const messages = 2 * perSecond;
  return { name, seconds: 2, messages, requests, loadCores: 0.5, ranDry: false, batch: 'one', ...rest };
}

function round(echo: number, log: number, ...results: ComparedResult[]): Round {
  const logs = { one: { recordsPerSecond: log, latency: LATENCY }, ten: undefined };
  return { echo: result('echo', echo), logs, results };
}

function sectionOf(rounds: Round[], ...args: string[]) {
  const options = parseOptions(['receive', ...args]) as BenchOptions;
  return throughputSection(options, [{ each: CASE, rounds }]);
}

it('gives medians, and ratios within each round', () => {
  // The whole machine was slower in the second round.
  const rounds = [
    round(1000, 4000, result('measured', 100, { cores: 0.5 })),
    round(500, 2000, result('measured', 50, { cores: 0.25 })),
    round(1000, 4000, result('measured', 200, { cores: 1, peakMegabytes: 70 })),
  ];
  const { tables, headlines } = sectionOf(rounds);
  expect(tables[0]!.rows).toMatchObject([
    { name: 'echo', messagesPerSecond: 1000, lowest: 500, highest: 1000 },
    { name: 'log', messagesPerSecond: 4000, lowest: 2000, highest: 4000, request: 'flush' },
    {
      name: 'measured',
      messagesPerSecond: 100,
      lowest: 50,
      highest: 200,
      toEcho: 0.1,
      toLog: 0.025,
      toOther: undefined,
      cpuMicroseconds: 5000,
      peakMegabytes: 70,
      p50: 1,
    },
  ]);
  expect(headlines).toMatchObject([
    { name: 'receive, measured', value: 100, ratio: 0.1, to: 'echo' },
    { ratio: 0.025, to: 'log' },
  ]);
});

it('compares with another result of the same round', () => {
  const rounds = [round(1, 1, result('standard', 100), result('few groups', 25, { comparedTo: 'standard' }))];
  expect(sectionOf(rounds).tables[0]!.rows.at(-1)).toMatchObject({ toOther: 0.25 });
});

it('has a line for each action, and says the numbers once', () => {
  const requests = {
    ReceiveMessage: { count: 1, latency: LATENCY },
    DeleteMessage: { count: 1, latency: { ...LATENCY, p50: 7 } },
  };
  const [first, second] = sectionOf([round(1, 1, result('both', 1, { requests }))]).tables[0]!.rows.slice(2);
  expect(first).toMatchObject({ name: 'both', messagesPerSecond: 1, request: 'ReceiveMessage', p50: 1 });
  expect(second).toEqual({ name: 'both', request: 'DeleteMessage', p50: 7, p99: 2, p999: 3 });
});

it('names of a case what is not the same in all', () => {
  const [row] = sectionOf([round(1, 1)], '--connections', '1,64').tables[0]!.rows;
  expect(row).toMatchObject({ connections: '64' });
  expect(row).not.toHaveProperty('body');
});

it('warns of what makes a number worthless', () => {
  const rounds = [round(1, 1, result('dry', 1, { ranDry: true }), result('busy', 1, { loadCores: 0.99 }))];
  expect(sectionOf(rounds).tables[0]!.notes).toEqual([
    expect.stringMatching(/^dry: receives found nothing/),
    expect.stringMatching(/^busy: the load was busy/),
  ]);
});
