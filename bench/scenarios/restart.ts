import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HttpConnection } from '../load/http-connection.ts';
import type { QueueTarget } from '../load/plan.ts';
import { SqsRequests } from '../load/sqs-requests.ts';
import type { BenchOptions } from '../options.ts';
import { pinsOf } from '../processes/pins.ts';
import { startServer } from '../processes/server.ts';
import { type RestartRun, restartSection } from '../report/restart.ts';
import type { Section } from '../report/section.ts';
import { type Case, casesOf, withScratch } from './rounds.ts';
import { Session, startStanchion } from './session.ts';

const ECHO_SERVER = fileURLToPath(new URL('../baselines/echo-server.js', import.meta.url));
/** Long enough for work to be under way at every layer of the server. */
const SENDING_MS = 1000;
const RETRY_MS = 1;

/** The files are in the system's cache, as after any restart of a process alone. */
export async function restart(options: BenchOptions): Promise<Section> {
  const echoMs: number[] = [];
  for (let round = 0; round < options.rounds; round++) echoMs.push(await timeEcho(options));
  const runs: RestartRun[] = [];
  // The first one: more combinations would tell the same.
  const [each] = casesOf(options) as [Case];
  for (const depth of options.depths) {
    console.error(`restart: ${depth.toLocaleString('en')} messages ...`);
    runs.push(...(await withScratch(options, (scratch) => measureDepth(options, each, depth, scratch))));
  }
  return restartSection(options, echoMs, runs);
}

async function measureDepth(options: BenchOptions, each: Case, depth: number, scratch: string): Promise<RestartRun[]> {
  const session = await Session.open(options, each.protocol, scratch);
  const shape = { bodyBytes: each.bodyBytes, groups: options.groups[0] ?? 0, delaySeconds: 0 };
  const queue = await session.load.call('createQueue', shape);
  await session.fill(queue, depth);
  await session.close();

  const runs: RestartRun[] = [];
  const data = join(scratch, 'store');
  for (let round = 0; round < options.rounds; round++) {
    runs.push({ depth, after: 'clean stop', ...(await timeStart(options, data, queue)) });
  }
  for (let round = 0; round < options.rounds; round++) {
    await killWhileSending(options, each, queue, scratch);
    const { servesMs, firstMessageMs } = await timeStart(options, data, queue);
    runs.push({ depth, after: 'SIGKILL while sending', servesMs, firstMessageMs });
  }
  return runs;
}

async function timeStart(options: BenchOptions, data: string, { url }: QueueTarget) {
  const startedAt = performance.now();
  const server = await startStanchion(options, data);
  const servesMs = performance.now() - startedAt;
  const requests = new SqsRequests({ url: server.url, protocol: 'json', credentials: options.credentials });
  const connection = await HttpConnection.open(server.url);
  // Visible again at once, so that the next start finds it too.
  const receive = { QueueUrl: url, VisibilityTimeout: 0 };
  for (;;) {
    const { status, body } = await connection.request(requests.encode('ReceiveMessage', receive));
    if (status === 200 && requests.protocol.valuesIn(body, 'ReceiptHandle').length > 0) break;
    if (status !== 200) console.error(`  a receive was refused after the start: ${status} ${body}`);
    await sleep(RETRY_MS);
  }
  const firstMessageMs = performance.now() - startedAt;
  connection.close();
  const stoppedAt = performance.now();
  await server.stop();
  return { servesMs, firstMessageMs, stopMs: performance.now() - stoppedAt };
}

async function killWhileSending(options: BenchOptions, each: Case, queue: QueueTarget, scratch: string): Promise<void> {
  const session = await Session.open(options, each.protocol, scratch);
  const roles = [{ step: 'send', connections: each.connections }] as const;
  const plan = { name: 'until killed', queue, roles, seconds: 60, warmupSeconds: 0 };
  // Ends with an error, when the connections break.
  const sending = session.load.call('measure', plan).catch(() => {});
  await sleep(SENDING_MS);
  await session.server?.kill();
  await sending;
  session.load.end();
}

/** A Node program with nothing to load. */
async function timeEcho({ pin }: BenchOptions): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer([ECHO_SERVER], pinsOf(pin));
  const servesMs = performance.now() - startedAt;
  await server.stop();
  return servesMs;
}
