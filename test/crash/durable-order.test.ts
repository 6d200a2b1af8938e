import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { JOURNAL_LIMITS } from '../../src/storage/journaled/journaled-store.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import {
  type Acknowledged,
  answerViolations,
  checkpointViolations,
  isFrame,
  isMeta,
  overwritesIn,
} from './durable-order.ts';
import { queueUrl } from './recorder.ts';
import { SqsClient } from './sqs-client.ts';
import { type Call, parseTrace, TRACE_OPTIONS } from './trace.ts';

/** Sends, each followed by a receive and a delete, of one client that waits for every answer. */
const ONE_BY_ONE = 15;
/** Clients that send at the same time, and how often each does. */
const CLIENTS = 8;
const SENDS = 10;
/**
 * Sends that make the server use a journal file again: the first file is full, a checkpoint begins, and it is over at the
 * latest when the next file can take no more.
 */
const LARGE_BYTES = 1024 * 1024;
const LARGE_SENDS = (JOURNAL_LIMITS.checkpointBytes + JOURNAL_LIMITS.fileBytesMax) / LARGE_BYTES + 2;

const OVERWRITTEN = 'it was overwritten before it was below';

const tried = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
const unavailable = tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim());
if (unavailable !== undefined) console.log(`Skipped: strace does not work here (${unavailable}).`);

interface Run {
  calls: Call[];
  sends: Acknowledged[];
  /** Those of messages that were not deleted. */
  kept: Acknowledged[];
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

  it('is: journal, made durable, answer', () => {
    expect(safe.sends).toHaveLength(ONE_BY_ONE + CLIENTS * SENDS + LARGE_SENDS);
    expect(answerViolations(safe.calls, safe.sends)).toEqual([]);
    expect(answerViolations(safe.calls, oneByOne(safe))).toEqual([]);
  });

  it('is, at a checkpoint: pages, made durable, meta page, made durable, journal file used again', () => {
    expect(overwritesIn(safe.calls).length).toBeGreaterThan(0);
    expect(checkpointViolations(safe.calls, safe.kept)).toEqual([]);
  });

  it('is not that with --durability os, and the check says so', async () => {
    const unsafe = await run('os');
    const found = answerViolations(unsafe.calls, [...unsafe.sends, ...oneByOne(unsafe)]);
    expect(found).toHaveLength(unsafe.sends.length + 3 * ONE_BY_ONE);
    for (const violation of found) expect(violation).toContain(': it was answered before it was durable');
    const early = checkpointViolations(unsafe.calls, []);
    for (const { number } of overwritesIn(unsafe.calls)) expect(early).toContain(`frame ${number}: ${OVERWRITTEN}`);
  });

  it.each<[string, string, (calls: Call[]) => Call[]]>([
    [
      'the journal is not opened for synchronous writes',
      'answered before it was durable',
      (calls) => change(calls, isFrame, { isSynchronous: false }),
    ],
    [
      'a write to the journal has failed',
      'not written whole',
      (calls) => change(calls, everyThird(isFrame), { result: -1 }),
    ],
    [
      'a write to the journal was short',
      'not written whole',
      (calls) => change(calls, everyThird(isFrame), { result: 80 }),
    ],
    [
      'the journal only grows, and nothing is written to it',
      'nothing of it was in the journal',
      (calls) => without(calls, isFrame),
    ],
    [
      'the name of a journal file is not flushed',
      'before the name of its file was durable',
      (calls) => without(calls, ({ name, target }) => name === 'fsync' && target.endsWith('/data')),
    ],
    [
      'answers come at once',
      'nothing of it was in the journal before the answer',
      (calls) => change(calls, ({ target }) => target.startsWith('socket:'), { begin: 0 }),
    ],
  ])('would be noticed to be wrong when %s', (_, violation, alter) => {
    expect(answerViolations(alter(safe.calls), safe.sends).join()).toContain(violation);
    expect(answerViolations(alter(safe.calls), oneByOne(safe)).join()).toContain(violation);
  });

  it.each<[string, string, (calls: Call[]) => Call[]]>([
    ['a flush of lmdb is missing', 'before its pages were durable', (calls) => without(calls, everyThird(isLmdbFlush))],
    [
      'a flush of lmdb has failed',
      'before its pages were durable',
      (calls) => change(calls, everyThird(isLmdbFlush), { result: -1 }),
    ],
    [
      'a page could not be written',
      'a page could not be written',
      (calls) => change(calls, everyThird(isPage), { result: -1 }),
    ],
    [
      'the meta pages are not flushed',
      'its meta page was not durable',
      (calls) => change(calls, isMeta, { isSynchronous: false }),
    ],
    [
      'lmdb is not flushed before a journal file is used again',
      OVERWRITTEN,
      (calls) => without(calls, lmdbFlushBefore(firstOverwrite(calls))),
    ],
    [
      'a message does not get to lmdb',
      'large-3: it was not below when it was said to be',
      (calls) => without(calls, (call) => isPage(call) && call.words.includes('large-3;')),
    ],
    ['nothing is written to lmdb', OVERWRITTEN, (calls) => without(calls, ({ target }) => target.endsWith('.mdb'))],
    [
      'a journal file is used again at once',
      OVERWRITTEN,
      (calls) => change(calls, same(firstOverwrite(calls)), { begin: 0 }),
    ],
  ])('would be noticed to be wrong when %s', (_, violation, alter) => {
    expect(checkpointViolations(alter(safe.calls), safe.kept).join()).toContain(violation);
  });
});

function isLmdbFlush({ name, target }: Call): boolean {
  return name === 'fdatasync' && target.endsWith('.mdb');
}

function isPage(call: Call): boolean {
  return call.target.endsWith('.mdb') && call.name.includes('write') && !isMeta(call);
}

function lmdbFlushBefore({ begin }: Call): (call: Call) => boolean {
  return (call) => isLmdbFlush(call) && call.begin < begin;
}

function same(wanted: Call): (call: Call) => boolean {
  return (call) => call === wanted;
}

function firstOverwrite(calls: readonly Call[]): Call {
  return overwritesIn(calls)[0]!.call;
}

/** For one pass over the calls. */
function everyThird(isIt: (call: Call) => boolean): (call: Call) => boolean {
  let count = 0;
  return (call) => isIt(call) && count++ % 3 === 0;
}

function without(calls: Call[], isIt: (call: Call) => boolean): Call[] {
  return calls.filter((call) => !isIt(call));
}

function change(calls: Call[], isIt: (call: Call) => boolean, to: Partial<Call>): Call[] {
  return calls.map((call) => (isIt(call) ? { ...call, ...to } : call));
}

/** What was written between an answer and the one before is what the later one stands for. */
function oneByOne({ answers }: Run): Acknowledged[] {
  return answers.slice(1).map((answer, index) => ({
    what: `request ${index + 1}`,
    isWrittenBy: ({ begin }) => begin > (answers[index] as Call).end,
    isAnswer: (call) => call.words === answer.words && call.end === answer.end,
  }));
}

async function run(durability: 'fsync' | 'os'): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'stanchion-trace-'));
  const trace = join(directory, 'trace');
  // Detached, so that signals reach the server.
  const wrapper = ['strace', '-D', '-o', trace, ...TRACE_OPTIONS];
  // Messages are found by their bodies in what was written.
  const flags = ['--durability', durability, '--encryption', 'off'];
  const server = new ServerProcess(join(directory, 'data'), { flags, wrapper });
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
  for (let count = 0; count < LARGE_SENDS; count++) {
    bodies.push(`large-${count};`.padEnd(LARGE_BYTES, '.'));
    await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: bodies.at(-1) });
  }
  expect((await server.stop()).code).toBe(0);

  const calls = parseTrace(await readFile(trace, 'utf8'));
  await rm(directory, { recursive: true });
  const answers = calls.filter(({ target, words }) => target.startsWith('socket:') && words.includes('HTTP/1.1 200'));
  const sends = bodies.map((body): Acknowledged => {
    const md5 = createHash('md5').update(body).digest('hex');
    // The trace does not have all of a large one.
    const [what] = body.split(';', 1) as [string];
    return {
      what,
      isWrittenBy: ({ words }) => words.includes(`${what};`),
      isAnswer: ({ words }) => words.includes(`\\"MD5OfMessageBody\\":\\"${md5}\\"`),
    };
  });
  const kept = sends.slice(ONE_BY_ONE);
  return { calls, sends, kept, answers: answers.slice(0, 1 + 3 * ONE_BY_ONE) };
}
