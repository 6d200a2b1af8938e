import { fileURLToPath } from 'node:url';
import type { Percentiles } from '../load/latencies.ts';
import { LoadClient } from '../load/load-client.ts';
import type { Measurement } from '../load/plan.ts';
import { warmUp } from '../load/warm-up.ts';
import type { Pins } from '../processes/pins.ts';
import { startServer } from '../processes/server.ts';
import { ended, start } from '../processes/start.ts';
import { UsageWatch, type Watched } from '../processes/usage.ts';

const ECHO_SERVER = fileURLToPath(new URL('./echo-server.js', import.meta.url));
const LOG_WRITER = fileURLToPath(new URL('./log-writer.js', import.meta.url));

export interface EchoPlan {
  connections: number;
  bodyBytes: number;
  seconds: number;
  warmupSeconds: number;
}

export interface LogPlan {
  directory: string;
  recordBytes: number;
  recordsPerFlush: number;
  seconds: number;
  environment: Record<string, string>;
}

export interface LogResult {
  recordsPerSecond: number;
  /** Of a flush, and so of every record in it. */
  latency: Percentiles;
}

/** The requests of `send` at a server that is no queue. */
export async function measureEcho(plan: EchoPlan, pins: Pins): Promise<Measurement & Watched> {
  const { connections, bodyBytes, seconds, warmupSeconds } = plan;
  const server = await startServer([ECHO_SERVER], pins);
  const load = new LoadClient(pins);
  try {
    await load.call('open', { url: server.url, protocol: 'json', credentials: undefined });
    const queue = { url: 'http://localhost/000000000000/echo', bodyBytes, groups: 0, delaySeconds: 0 };
    const roles = [{ step: 'send', connections }] as const;
    const warm = await warmUp(load, { name: 'echo', queue, roles, seconds, warmupSeconds });
    let watch = new UsageWatch(server.usage);
    load.onEvent = () => {
      watch.end();
      watch = new UsageWatch(server.usage);
    };
    const measurement = await load.call('measure', warm);
    return { ...watch.end(), ...measurement };
  } finally {
    load.end();
    await server.stop();
  }
}

/** Records that are appended to a file, and flushed in groups. */
export async function measureLog(plan: LogPlan, pins: Pins): Promise<LogResult> {
  const { directory, recordBytes, recordsPerFlush, seconds, environment } = plan;
  const args = [directory, recordBytes, recordsPerFlush, seconds].map(String);
  const writer = start('server', [LOG_WRITER, ...args], { pins, output: 'pipe', environment });
  let output = '';
  writer.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await ended(writer, 'the log baseline');
  return JSON.parse(output) as LogResult;
}
