import { expect, it } from 'vitest';
import type { BenchOptions } from './options.ts';
import { reportOf, textOf } from './report.ts';
import type { Result, Round } from './run.ts';

const LATENCY = { p50: 1, p99: 2, p999: 3, max: 4 };
const OPTIONS: BenchOptions = {
  scenario: 'receive',
  connections: 64,
  rounds: 3,
  seconds: 2,
  warmupSeconds: 1,
  bodyBytes: 300,
  groups: 0,
  durability: 'fsync',
  workers: '0',
  prefill: 1,
  target: undefined,
  data: './data',
  json: false,
};

function result(name: string, perSecond: number, rest: Partial<Result> = {}): Result {
  const requests = { SendMessage: { count: 2 * perSecond, latency: LATENCY } };
  return { name, seconds: 2, messages: 2 * perSecond, requests, loadCores: 0.5, ranDry: false, ...rest };
}

function round(echo: number, log: number, measured: number): Round {
  const requests = {
    ReceiveMessage: { count: 1, latency: LATENCY },
    DeleteMessage: { count: 1, latency: { ...LATENCY, p50: measured } },
  };
  return {
    echo: result('echo', echo),
    log: { recordsPerSecond: log, latency: LATENCY },
    results: [result('receive, delete', measured, { requests, serverCores: 0.5, serverMegabytes: 100 })],
  };
}

it('gives medians, and ratios within each round', () => {
  // The whole machine was slower in the second round.
  const report = reportOf(OPTIONS, [round(1000, 4000, 100), round(500, 2000, 50), round(1000, 4000, 200)]);
  const [echo, log, measured] = report.rows;
  expect(echo).toMatchObject({ name: 'echo', messagesPerSecond: 1000, range: [500, 1000] });
  expect(log).toMatchObject({ name: 'log', messagesPerSecond: 4000, range: [2000, 4000] });
  expect(measured).toMatchObject({
    messagesPerSecond: 100,
    range: [50, 200],
    toEcho: 0.1,
    toLog: 0.025,
    cpuMicroseconds: 5000,
    latency: { ReceiveMessage: { p50: 1 }, DeleteMessage: { p50: 100 } },
  });
});

it('prints a line for each action, and what is unknown as a blank', () => {
  const text = textOf(reportOf(OPTIONS, [round(1000, 4000, 100)]));
  const lines = text.split('\n').slice(3);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    [
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
    ],
    ['echo', '1,000', '1,000-1,000', '0.50', 'SendMessage', '1.00', '2.00', '3.00'],
    ['log', '4,000', '4,000-4,000', 'flush', '1.00', '2.00', '3.00'],
    [
      'receive, delete',
      '100',
      '100-100',
      '0.100',
      '0.025',
      '5000',
      '0.50',
      '0.50',
      '100',
      'ReceiveMessage',
      '1.00',
      '2.00',
      '3.00',
    ],
    ['', 'DeleteMessage', '100.00', '2.00', '3.00'],
  ]);
});

it('says so when a queue ran dry', () => {
  const dry = round(1, 1, 1);
  dry.results[0]!.ranDry = true;
  expect(textOf(reportOf(OPTIONS, [dry]))).toContain('receive, delete: the queue was empty before the time was over');
});
