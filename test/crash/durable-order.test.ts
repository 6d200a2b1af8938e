import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { type Acknowledged, isMeta, violationsIn } from './durable-order.ts';
import { queueUrl } from './recorder.ts';
import { SqsClient } from './sqs-client.ts';
import { type Call, parseTrace, TRACE_OPTIONS } from './trace.ts';

/** Sends, each followed by a receive and a delete, of one client that waits for every answer. */
const ONE_BY_ONE = 15;
/** Clients that send at the same time, and how often each does. */
const CLIENTS = 8;
const SENDS = 10;

const tried = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
const unavailable = tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim());
if (unavailable !== undefined) console.log(`Skipped: strace does not work here (${unavailable}).`);

interface Run {
  calls: Call[];
  sends: Acknowledged[];
  /** Every request of the one client, in order. */
  answers: Call[];
}

describe.skipIf(unavailable !== undefined)('the order of writes, as strace sees it', () => {
  let safe: Run;

  beforeAll(async () => {
    buildServer();
    safe = await run('fsync');
  });
  afterEach(killServers);

  it('is: pages, made durable, meta page, made durable, answer', () => {
    expect(safe.sends).toHaveLength(ONE_BY_ONE + CLIENTS * SENDS);
    expect(violationsIn(safe.calls, safe.sends)).toEqual([]);
    expect(violationsIn(safe.calls, oneByOne(safe))).toEqual([]);
  });

  it('is not that with --durability os, and the check says so', async () => {
    const unsafe = await run('os');
    const found = violationsIn(unsafe.calls, [...unsafe.sends, ...oneByOne(unsafe)]);
    expect(found).toHaveLength(unsafe.sends.length + 3 * ONE_BY_ONE);
    expect(found[0]).toContain('its meta page was written before its pages were durable');
  });

  it.each<[string, (calls: Call[]) => Call[]]>([
    ['one flush is missing', (calls) => without(calls, ({ name }) => name === 'fdatasync')],
    ['a flush has failed', (calls) => change(calls, ({ name }) => name === 'fdatasync', { result: -1 })],
    ['the meta pages are not flushed', (calls) => change(calls, isMeta, { isSynchronous: false })],
    ['nothing is written', (calls) => calls.filter(({ target }) => !target.endsWith('.mdb'))],
    ['answers come at once', (calls) => change(calls, ({ target }) => target.startsWith('socket:'), { begin: 0 })],
  ])('would be noticed to be wrong when %s', (_, alter) => {
    expect(violationsIn(alter(safe.calls), safe.sends).length).toBeGreaterThan(0);
    expect(violationsIn(alter(safe.calls), oneByOne(safe)).length).toBeGreaterThan(0);
  });
});

/** The last third of them. */
function without(calls: Call[], isIt: (call: Call) => boolean): Call[] {
  const lost = new Set(calls.filter(isIt).filter((_, index) => index % 3 === 0));
  return calls.filter((call) => !lost.has(call));
}

function change(calls: Call[], isIt: (call: Call) => boolean, to: Partial<Call>): Call[] {
  return calls.map((call) => (isIt(call) ? { ...call, ...to } : call));
}

/** What was written between an answer and the one before is what the later one stands for. */
function oneByOne({ answers }: Run): Acknowledged[] {
  return answers.slice(1).map((answer, index) => ({
    what: `request ${index + 1}`,
    isPage: ({ begin }) => begin > (answers[index] as Call).end,
    isAnswer: (call) => call.words === answer.words && call.end === answer.end,
  }));
}

async function run(durability: 'fsync' | 'os'): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'stanchion-trace-'));
  const trace = join(directory, 'trace');
  // Detached, so that signals reach the server.
  const wrapper = ['strace', '-D', '-o', trace, ...TRACE_OPTIONS];
  const server = new ServerProcess(join(directory, 'data'), { flags: ['--durability', durability], wrapper });
  const client = new SqsClient(server);
  await client.connected();
  await client.call('CreateQueue', { QueueName: 'orders' });
  const bodies: string[] = [];
  for (let count = 0; count < ONE_BY_ONE; count++) {
    bodies.push(`one-${count};`);
    await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: `one-${count};` });
    const { Messages } = await client.call('ReceiveMessage', { QueueUrl: queueUrl('orders') });
    const [{ ReceiptHandle }] = Messages;
    await client.call('DeleteMessage', { QueueUrl: queueUrl('orders'), ReceiptHandle });
  }
  const senders = Array.from({ length: CLIENTS }, async (_, index) => {
    const sender = new SqsClient(server);
    await sender.connected();
    for (let count = 0; count < SENDS; count++) {
      bodies.push(`many-${index}-${count};`);
      await sender.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: `many-${index}-${count};` });
    }
    sender.close();
  });
  await Promise.all(senders);
  expect((await server.stop()).code).toBe(0);

  const calls = parseTrace(await readFile(trace, 'utf8'));
  await rm(directory, { recursive: true });
  const answers = calls.filter(({ target, words }) => target.startsWith('socket:') && words.includes('HTTP/1.1 200'));
  const sends = bodies.map((body): Acknowledged => {
    const md5 = createHash('md5').update(body).digest('hex');
    return {
      what: body,
      isPage: ({ words }) => words.includes(body),
      isAnswer: ({ words }) => words.includes(`\\"MD5OfMessageBody\\":\\"${md5}\\"`),
    };
  });
  return { calls, sends, answers: answers.slice(0, 1 + 3 * ONE_BY_ONE) };
}
