import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, type Exit, killServers, ServerProcess } from '../support/server-process.ts';
import { queueUrl } from './recorder.ts';
import { LostAnswerError, SqsClient } from './sqs-client.ts';

const KILLS = 3;
const PRODUCERS = 6;
/** Acknowledged messages between two kills. */
const STRIDE = 150;
const REPLACED = 'another worker is there';

let data: string;

beforeAll(buildServer);
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stanchion-workers-'));
});
afterEach(async () => {
  await killServers();
  await rm(data, { recursive: true });
});

function start(options?: { ownGroup: boolean }): ServerProcess {
  return new ServerProcess(data, { flags: ['--workers', '2'], ...options });
}

async function workersOf(server: ServerProcess): Promise<number[]> {
  await server.url;
  return server.log[0]?.workers as number[];
}

/** Kills a worker, and resolves to the one that took its place. */
async function killWorker(server: ServerProcess, pid: number): Promise<number> {
  const replaced = server.logs(REPLACED);
  process.kill(pid, 'SIGKILL');
  return (await replaced).worker as number;
}

/** An open long poll on a connection of its own: what it is answered, or undefined when the answer is lost. */
async function longPoll(server: ServerProcess, queue: string): Promise<{ answer: Promise<object | undefined> }> {
  const client = await SqsClient.connect(server);
  const answer = client.call('ReceiveMessage', { QueueUrl: queueUrl(queue), WaitTimeSeconds: 20 });
  return {
    answer: answer.catch((error) => {
      if (!(error instanceof LostAnswerError)) throw error;
    }),
  };
}

/** Every worker has read what was sent to it before, because it has answered something that came later. */
async function settled(server: ServerProcess): Promise<void> {
  for (let index = 0; index < 4; index++) await (await SqsClient.connect(server)).call('ListQueues', {});
}

describe('a worker that is killed', () => {
  it('loses nothing that was acknowledged, and is replaced', async () => {
    const server = start();
    const workers = await workersOf(server);
    expect(workers).toHaveLength(2);
    const admin = await SqsClient.connect(server);
    await admin.call('CreateQueue', { QueueName: 'ledger.fifo', Attributes: { FifoQueue: 'true' } });
    admin.close();

    const acknowledged: string[][] = Array.from({ length: PRODUCERS }, () => []);
    let total = 0;
    let milestone: { at: number; reached: () => void } | undefined;
    const reach = (at: number) => new Promise<void>((reached) => (milestone = { at, reached }));
    let isStopping = false;
    const produce = async (group: number) => {
      const client = new SqsClient(server);
      for (let position = 0; !isStopping; ) {
        await client.connected();
        const MessageBody = `${group}-${position}`;
        const ids = { MessageGroupId: `${group}`, MessageDeduplicationId: MessageBody };
        try {
          await client.call('SendMessage', { QueueUrl: queueUrl('ledger.fifo'), MessageBody, ...ids });
        } catch (error) {
          // Sent again: that it may have arrived is what deduplication is for.
          if (error instanceof LostAnswerError) continue;
          throw error;
        }
        acknowledged[group]?.push(MessageBody);
        position++;
        total++;
        if (milestone !== undefined && total >= milestone.at) milestone.reached();
      }
      client.close();
    };
    const producers = acknowledged.map((_, group) => produce(group));
    for (let kill = 0; kill < KILLS; kill++) {
      await reach(total + STRIDE);
      workers[kill % 2] = await killWorker(server, workers[kill % 2] as number);
    }
    await reach(total + STRIDE);
    isStopping = true;
    await Promise.all(producers);

    const received: string[][] = acknowledged.map(() => []);
    const consumer = await SqsClient.connect(server);
    for (;;) {
      const { Messages = [] } = await consumer.call('ReceiveMessage', {
        QueueUrl: queueUrl('ledger.fifo'),
        MaxNumberOfMessages: 10,
      });
      if (Messages.length === 0) break;
      const Entries = [];
      for (const [index, { Body, ReceiptHandle }] of Messages.entries()) {
        received[Number.parseInt(Body, 10)]?.push(Body);
        Entries.push({ Id: String(index), ReceiptHandle });
      }
      await consumer.call('DeleteMessageBatch', { QueueUrl: queueUrl('ledger.fifo'), Entries });
    }
    expect(received).toEqual(acknowledged);
    expect(server.errors.map(({ msg }) => msg)).toEqual(Array(KILLS).fill('a worker ended, and is replaced'));
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it('takes its long polls along, so that they take no message', async () => {
    const server = start();
    const workers = await workersOf(server);
    await (await SqsClient.connect(server)).call('CreateQueue', { QueueName: 'orders' });
    const polls = [await longPoll(server, 'orders'), await longPoll(server, 'orders')];
    await settled(server);
    for (const worker of workers) await killWorker(server, worker);
    expect(await Promise.all(polls.map(({ answer }) => answer))).toEqual([undefined, undefined]);

    const client = await SqsClient.connect(server);
    await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'a' });
    const { Messages } = await client.call('ReceiveMessage', {
      QueueUrl: queueUrl('orders'),
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    });
    expect(Messages).toMatchObject([{ Body: 'a', Attributes: { ApproximateReceiveCount: '1' } }]);
  });
});

describe('a server with workers that is stopped', () => {
  const GRACEFUL: Exit = { code: 0, signal: null };

  it.each([
    ['by a signal to itself', (server: ServerProcess) => server.signal('SIGTERM')],
    ['by a signal to all its processes', (server: ServerProcess) => server.signalGroup('SIGTERM')],
    ['by Ctrl-C', (server: ServerProcess) => server.signalGroup('SIGINT')],
  ])('%s answers long polls, empty, and keeps what was acknowledged', async (_, stop) => {
    const server = start({ ownGroup: true });
    const client = await SqsClient.connect(server);
    for (const name of ['orders', 'empty']) await client.call('CreateQueue', { QueueName: name });
    const polls = await Promise.all([1, 2, 3, 4].map(() => longPoll(server, 'empty')));
    await settled(server);
    await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'kept' });
    stop(server);
    expect(await Promise.all(polls.map(({ answer }) => answer))).toEqual([{}, {}, {}, {}]);
    expect(await server.exited).toEqual(GRACEFUL);
    expect(server.errors).toEqual([]);

    const next = await SqsClient.connect(start());
    const { Messages } = await next.call('ReceiveMessage', { QueueUrl: queueUrl('orders') });
    expect(Messages).toMatchObject([{ Body: 'kept' }]);
  });

  it('by SIGKILL takes its workers along', async () => {
    const server = start();
    const workers = await workersOf(server);
    await (await SqsClient.connect(server)).call('CreateQueue', { QueueName: 'orders' });
    const { answer } = await longPoll(server, 'orders');
    // Not before the last one has let go of the standard error that they share.
    expect(await server.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await answer).toBeUndefined();
    expect(workers).toHaveLength(2);
  });
});
