import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawConnection, requestBytes } from '../support/raw-connection.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { Flood, faultOfRefusal, type Reply } from './flood.ts';

// A server with a small heap, and more work than fits into it (promise P9): it stays alive, its memory stays bounded, what
// it refuses it refuses clearly, and nothing that it has acknowledged is lost.

const MIB = 1024 * 1024;
const HEAP_MIB = 256;
/** The heap, what requests and replies may take outside of it with their copies in sockets, and the program. */
const MEMORY_MAX_BYTES = 750 * MIB;
const SAMPLE_MS = 50;

let data: string;
let server: ServerProcess;
let flood: Flood;
let peak: number;
let sampling: NodeJS.Timeout;

beforeAll(buildServer);

async function start(...flags: string[]): Promise<void> {
  data = await mkdtemp(join(tmpdir(), 'stanchion-overload-'));
  server = new ServerProcess(data, {
    flags: ['--durability', 'os', ...flags],
    nodeFlags: [`--max-old-space-size=${HEAP_MIB}`],
  });
  flood = new Flood(await server.url);
}

beforeEach(() => {
  peak = 0;
  sampling = setInterval(() => {
    peak = Math.max(peak, server.memory() ?? 0);
  }, SAMPLE_MS);
});

afterEach(async () => {
  clearInterval(sampling);
  flood.close();
  await killServers();
  await rm(data, { recursive: true, force: true });
});

async function createQueue(name: string): Promise<string> {
  const reply = await flood.json('CreateQueue', { QueueName: name, Attributes: { VisibilityTimeout: '600' } });
  expect(reply.status).toBe(200);
  return JSON.parse(reply.body.toString()).QueueUrl;
}

/** Ids of all messages, deleted as they come. */
async function drain(queue: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (;;) {
    const { status, body } = await flood.json('ReceiveMessage', { QueueUrl: queue, MaxNumberOfMessages: 10 });
    expect(status).toBe(200);
    const { Messages = [] } = JSON.parse(body.toString() || '{}');
    if (Messages.length === 0) return ids;
    for (const { MessageId, ReceiptHandle } of Messages) {
      ids.add(MessageId);
      await flood.json('DeleteMessage', { QueueUrl: queue, ReceiptHandle });
    }
  }
}

/** The id in the reply to a send; undefined for one that was refused as it should be. */
function acknowledged(reply: Reply): string | undefined {
  if (reply.status === 200) {
    return /(?:<MessageId>|"MessageId":")([0-9a-f-]{36})/.exec(reply.body.toString())?.[1];
  }
  expect(faultOfRefusal(reply)).toBeUndefined();
  return undefined;
}

async function expectServiceAsUsual(): Promise<void> {
  const queue = await createQueue('as-usual');
  for (let turn = 0; turn < 20; turn++) {
    const started = performance.now();
    expect((await flood.json('SendMessage', { QueueUrl: queue, MessageBody: 'x' })).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(2_000);
  }
  expect((await drain(queue)).size).toBe(20);
  expect(server.errors).toEqual([]);
  expect(peak).toBeLessThan(MEMORY_MAX_BYTES);
}

describe('a server with a small heap', () => {
  it('survives more large sends than fit into it', { timeout: 120_000 }, async () => {
    await start();
    const queue = await createQueue('large');
    const text = '<'.repeat(MIB);
    const send = async (index: number) => {
      const reply =
        index % 2 === 0
          ? await flood.json('SendMessage', { QueueUrl: queue, MessageBody: text })
          : await flood.form({ Action: 'SendMessage', QueueUrl: encodeURIComponent(queue), MessageBody: text });
      return acknowledged(reply);
    };
    const sent = await Promise.all(Array.from({ length: 160 }, (_, index) => send(index)));
    const ids = sent.filter((id) => id !== undefined);
    expect(ids.length).toBeGreaterThan(50);
    const received = await drain(queue);
    expect(ids.filter((id) => !received.has(id))).toEqual([]);
    await expectServiceAsUsual();
  });

  it('survives more large receives than fit into it', { timeout: 120_000 }, async () => {
    await start();
    const queue = await createQueue('large');
    // The worst there is for XML: each becomes six characters.
    const text = '"'.repeat(MIB);
    for (let index = 0; index < 80; index++) {
      expect((await flood.json('SendMessage', { QueueUrl: queue, MessageBody: text })).status).toBe(200);
    }
    const parameters = { Action: 'ReceiveMessage', QueueUrl: encodeURIComponent(queue), MaxNumberOfMessages: 10 };
    const receive = async (index: number) => {
      const reply =
        index % 4 === 0
          ? await flood.json('ReceiveMessage', { QueueUrl: queue, MaxNumberOfMessages: 10 })
          : await flood.form(parameters);
      expect(reply.status).toBe(200);
      return reply.body.toString('latin1').match(/<MessageId>|"MessageId"/g)?.length ?? 0;
    };
    const counts = await Promise.all(Array.from({ length: 8 }, (_, index) => receive(index)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(80);
    await expectServiceAsUsual();
  });

  it('survives clients that do not fetch their large replies', { timeout: 120_000 }, async () => {
    await start();
    const queue = await createQueue('large');
    const text = '<'.repeat(MIB);
    for (let index = 0; index < 20; index++) {
      expect((await flood.json('SendMessage', { QueueUrl: queue, MessageBody: text })).status).toBe(200);
    }
    const body = `Action=ReceiveMessage&QueueUrl=${encodeURIComponent(queue)}&MaxNumberOfMessages=10&VisibilityTimeout=0`;
    const call = requestBytes({ headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body });
    const port = Number(new URL(await server.url).port);
    const lazy = await Promise.all(Array.from({ length: 30 }, () => RawConnection.open(port)));
    for (const connection of lazy) connection.pause();
    await Promise.all(lazy.map((connection) => connection.write(call)));
    // Small calls go on meanwhile.
    const other = await createQueue('other');
    for (let turn = 0; turn < 100; turn++) {
      expect((await flood.json('SendMessage', { QueueUrl: other, MessageBody: 'x' })).status).toBe(200);
    }
    expect((await drain(other)).size).toBe(100);
    for (const connection of lazy) connection.close();
    await expectServiceAsUsual();
  });

  it('refuses connections beyond its limit, and serves those that it has', { timeout: 120_000 }, async () => {
    await start('--max-connections', '50');
    const queue = await createQueue('crowded');
    const ids = new Set<string>();
    let refused = 0;
    let closed = 0;
    const send = async () => {
      try {
        const id = acknowledged(await flood.json('SendMessage', { QueueUrl: queue, MessageBody: 'x'.repeat(20_000) }));
        if (id === undefined) refused++;
        else ids.add(id);
      } catch {
        closed++;
      }
    };
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 400 }, send));
    expect(refused + closed).toBeGreaterThan(0);
    flood.close();
    flood = new Flood(await server.url);
    // Until the server has noticed that the others are gone.
    const isServed = () =>
      flood
        .json('ListQueues', {})
        .then(({ status }) => status === 200)
        .catch(() => false);
    while (!(await isServed()));
    const received = await drain(queue);
    expect([...ids].filter((id) => !received.has(id))).toEqual([]);
    await expectServiceAsUsual();
  });
});
