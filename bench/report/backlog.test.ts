import { expect, it } from 'vitest';
import { type BenchOptions, parseOptions } from '../options.ts';
import type { Result } from '../scenarios/session.ts';
import { type BacklogRun, backlogSection } from './backlog.ts';

const CASE = { protocol: 'json', bodyBytes: 300, connections: 16 } as const;
const LATENCY = { p50: 1, p99: 2, p999: 3, max: 4 };

function result(name: string, cores: number, p50: number, request = 'SendMessage'): Result {
  const requests = { [request]: { count: 200, latency: { ...LATENCY, p50 } } };
  return { name, seconds: 2, messages: 200, requests, loadCores: 0.1, ranDry: false, cores };
}

function run(depth: number, cores: number, p50: number, megabytes: number): BacklogRun {
  const usage = { seconds: 2, cores: 0, peakMegabytes: megabytes, megabytes: megabytes - 10 };
  return {
    each: CASE,
    depth,
    echo: result('echo', 0.5, 1),
    logs: {
      one: { recordsPerSecond: 1000, latency: LATENCY },
      ten: { recordsPerSecond: 4000, latency: LATENCY },
    },
    fill: usage,
    idle: usage,
    actions: [result('one', cores, p50), result('the same in tens', cores, p50, 'DeleteMessageBatch')],
    drain: { ...usage, messages: depth },
    diskMegabytes: depth / 2 ** 10,
  };
}

const OPTIONS = parseOptions(['backlog', '--depths', '1000,4000']) as BenchOptions;

it('compares each action with itself at the smallest depth', () => {
  const { tables, headlines } = backlogSection(OPTIONS, [run(1000, 0.1, 2, 50), run(4000, 0.3, 3, 75)]);
  expect(tables[0]!.rows).toMatchObject([
    { name: 'one', depth: '1,000', messagesPerSecond: 100, toEcho: 1, toLog: 0.1, cpuMicroseconds: 1000, cpuTimes: 1 },
    { name: 'one', depth: '4,000', cpuMicroseconds: 3000, cpuTimes: 3, p50: 3, p50Times: 1.5 },
    { name: 'one in tens', depth: '1,000', toLog: 0.025, cpuTimes: 1 },
    { name: 'one in tens', depth: '4,000', cpuTimes: 3 },
  ]);
  expect(headlines[0]).toEqual({
    name: 'backlog of 4,000, one',
    value: 3000,
    unit: 'CPU us',
    ratio: expect.closeTo(3),
    to: 'that of 1,000',
  });
});

it('tells memory and disk at each depth', () => {
  const { tables, headlines } = backlogSection(OPTIONS, [run(1000, 0.1, 2, 50), run(4000, 0.3, 3, 75)]);
  expect(tables[1]!.rows).toMatchObject([
    { depth: '1,000', filledPerSecond: 500, fillMegabytes: 50, idleMegabytes: 40, drainedPerSecond: 500 },
    { depth: '4,000', fillMegabytes: 75, idleMegabytes: 65, drainMegabytes: 75, diskBytes: 1024 },
  ]);
  expect(headlines.at(-1)).toMatchObject({ name: 'backlog of 4,000: peak MB draining', value: 75, ratio: 1.5 });
});

it('takes medians over the rounds', () => {
  const runs = [run(1000, 0.1, 2, 50), run(1000, 0.2, 4, 60), run(1000, 0.9, 5, 40)];
  const { tables } = backlogSection(OPTIONS, runs);
  expect(tables[0]!.rows).toHaveLength(2);
  expect(tables[0]!.rows[0]).toMatchObject({ cpuMicroseconds: 2000, p50: 4 });
  expect(tables[1]!.rows).toMatchObject([{ fillMegabytes: 60 }]);
});
