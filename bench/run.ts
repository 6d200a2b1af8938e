import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Percentiles } from './load/latencies.ts';
import type { LoadEvent, LoadPlan, Measurement } from './load/load.ts';
import type { BenchOptions } from './options.ts';
import { ended, start, startServer, type Usage, unpin } from './processes.ts';

/** One measurement, with what the server used for it where that is known. */
export interface Result extends Measurement {
  serverCores?: number;
  serverMegabytes?: number;
}

export interface LogResult {
  recordsPerSecond: number;
  /** Of a flush, and so of every record in it. */
  latency: Percentiles;
}

/** Everything measured once, the baselines right before what is compared with them. */
export interface Round {
  echo: Result;
  log: LogResult;
  results: Result[];
}

const SERVER = fileURLToPath(new URL('../../dist/bin/stanchion.js', import.meta.url));
const ECHO_SERVER = fileURLToPath(new URL('./baselines/echo-server.js', import.meta.url));
const LOG_WRITER = fileURLToPath(new URL('./baselines/log-writer.js', import.meta.url));
const LOAD_PROCESS = fileURLToPath(new URL('./load/load-process.js', import.meta.url));

export async function runRound(options: BenchOptions): Promise<Round> {
  if (options.workers !== '0') unpin();
  mkdirSync(options.data, { recursive: true });
  const scratch = mkdtempSync(join(options.data, 'bench-'));
  try {
    const [echo] = await measure([ECHO_SERVER], 'echo', options);
    const log = await measureLog(scratch, options);
    const { durability, target, scenario, workers } = options;
    const flags = ['--data', join(scratch, 'store'), '--durability', durability, '--workers', workers];
    const results = await measure(target ?? [SERVER, 'serve', '--port', '0', ...flags], scenario, options);
    return { echo: echo as Result, log, results };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Against a server that runs at a URL, or one that is started with these arguments. */
async function measure(server: string | string[], scenario: string, options: BenchOptions): Promise<Result[]> {
  const { connections, seconds, warmupSeconds, bodyBytes, groups, prefill } = options;
  const plan = { scenario, connections, seconds, warmupSeconds, bodyBytes, groups, prefill };
  if (typeof server === 'string') return runLoad({ ...plan, url: server }, () => undefined);
  const { url, usage, stop } = await startServer(server);
  try {
    return await runLoad({ ...plan, url }, usage);
  } finally {
    await stop();
  }
}

async function runLoad(plan: LoadPlan, usage: () => Usage | undefined): Promise<Result[]> {
  const load = start('load', [LOAD_PROCESS], 'ipc');
  const results: Result[] = [];
  let before: Usage | undefined;
  load.on('message', (event: LoadEvent) => {
    if (event.kind === 'started') {
      before = usage();
      return;
    }
    const { measurement } = event;
    const after = usage();
    const cpuSeconds = after && before && after.cpuSeconds - before.cpuSeconds;
    results.push({
      ...measurement,
      serverCores: cpuSeconds && cpuSeconds / measurement.seconds,
      serverMegabytes: after?.megabytes,
    });
  });
  load.send(plan);
  await ended(load, 'the load generator');
  return results;
}

/** As many records to a flush as messages are under way in the scenario. */
async function measureLog(directory: string, options: BenchOptions): Promise<LogResult> {
  const recordsPerFlush = options.connections * (options.scenario === 'batch' ? 10 : 1);
  const args = [directory, options.bodyBytes, recordsPerFlush, options.seconds].map(String);
  const writer = start('server', [LOG_WRITER, ...args], 'pipe');
  let output = '';
  writer.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await ended(writer, 'the log baseline');
  return JSON.parse(output) as LogResult;
}
