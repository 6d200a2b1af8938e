import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { queueUrl } from './recorder.ts';
import { SqsClient } from './sqs-client.ts';

const PAGE_BYTES = 8192;
const MESSAGES = 400;

/** A directory that holds a whole store; tests damage copies. */
let whole: string;
let data: string;
let file: string;
let size: number;

beforeAll(async () => {
  buildServer();
  whole = await mkdtemp(join(tmpdir(), 'stanchion-whole-'));
  // Tests find messages in the file by what they say.
  const server = new ServerProcess(whole, { flags: ['--encryption', 'off'] });
  const client = await SqsClient.connect(server);
  for (const QueueName of ['orders', 'other', 'parcels']) await client.call('CreateQueue', { QueueName });
  for (let count = 0; count < MESSAGES; count += 10) {
    const Entries = Array.from({ length: 10 }, (_, index) => ({
      Id: String(index),
      MessageBody: `small-${count + index} ${'.'.repeat(1000)}`,
    }));
    await client.call('SendMessageBatch', { QueueUrl: queueUrl('orders'), Entries });
  }
  await client.call('SendMessage', { QueueUrl: queueUrl('other'), MessageBody: 'unharmed' });
  await client.call('SendMessage', { QueueUrl: queueUrl('parcels'), MessageBody: `large ${'.'.repeat(50_000)}` });
  client.close();
  await server.stop();
  size = (await readFile(join(whole, 'stanchion.mdb'))).length;
});
afterAll(() => rm(whole, { recursive: true }));

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stanchion-damaged-'));
  await cp(whole, data, { recursive: true });
  file = join(data, 'stanchion.mdb');
});
afterEach(async () => {
  await killServers();
  await rm(data, { recursive: true });
});

async function edit(change: (content: Buffer) => void): Promise<void> {
  const content = await readFile(file);
  change(content);
  await writeFile(file, content);
}

const digest = async () => {
  const content = await readFile(file).catch(() => 'missing');
  return createHash('sha256').update(content).digest('hex');
};

async function isRefused(reason: string | RegExp): Promise<void> {
  const before = await digest();
  const server = new ServerProcess(data);
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.errorText).toMatch(reason);
  expect(server.errorText).toContain(data);
  // One line, and no stack trace.
  expect(server.errorText.trim().split('\n')).toHaveLength(1);
  expect(await digest()).toBe(before);
}

describe('a data file that was cut short', () => {
  const lengths: [string, () => number, RegExp][] = [
    ['to nothing', () => 0, /is damaged: it is empty, and it had messages before\. .*Restore the directory/],
    ['to one page', () => PAGE_BYTES, /is damaged: it has 8192 bytes, and no store has fewer/],
    ['to its first two pages', () => 2 * PAGE_BYTES, /is damaged: (page \d+ lies behind its end|it has 16384 bytes)/],
    [
      'to half',
      () => Math.floor(size / 2),
      /is damaged: (it has \d+ bytes, and its content needs \d+|page \d+ lies behind its end)/,
    ],
    [
      'by one page',
      () => size - PAGE_BYTES,
      /is damaged: (it has \d+ bytes, and its content needs \d+|page \d+ lies behind its end)/,
    ],
    [
      'by one byte',
      () => size - 1,
      /is damaged: (it has \d+ bytes, and its content needs \d+|page \d+ lies behind its end)/,
    ],
  ];
  it.each(lengths)('%s is refused', async (_, length, reason) => {
    await truncate(file, length());
    await isRefused(reason);
  });

  it('and filled up with zeros is refused', async () => {
    await truncate(file, PAGE_BYTES * 2);
    await truncate(file, size);
    await isRefused(/is damaged: page \d+ is not the \w+ page that it should be/);
  });

  it('out of existence is refused', async () => {
    await rm(file);
    await isRefused('is damaged: it is missing, and it had messages before');
  });
});

describe('a data file that was overwritten', () => {
  it.each([0, 1])('in meta page %i is refused', async (page) => {
    await edit((content) => content.fill('scribble', page * PAGE_BYTES, page * PAGE_BYTES + 512));
    await isRefused(`is damaged: meta page ${page} is gone, or another program has written the file`);
  });

  it.each([0, 1])('in the numbers of meta page %i is refused', async (page) => {
    await edit((content) => content.fill(0x5a, page * PAGE_BYTES + 96, page * PAGE_BYTES + 160));
    await isRefused(`is damaged: meta page ${page} contradicts itself`);
  });

  it('in the root of the tree is refused', async () => {
    await edit((content) => {
      const root = rootPage(content);
      content.fill('scribble', root * PAGE_BYTES, root * PAGE_BYTES + 4096);
    });
    await isRefused(/is damaged: page \d+ is not the branch page that it should be/);
  });

  it('by another program is refused', async () => {
    await writeFile(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(100_000)]));
    await isRefused('another program has written the file');
  });
});

/** Of the rows, in the newer of the two metas. */
function rootPage(content: Buffer): number {
  const transactionOf = (page: number) => content.readBigUInt64LE(page * PAGE_BYTES + 152);
  const newest = transactionOf(0) > transactionOf(1) ? 0 : 1;
  return Number(content.readBigUInt64LE(newest * PAGE_BYTES + 136));
}

/** Changes one bit right behind each place where `text` stands: LMDB leaves older copies of a page in the file. */
function changeBehind(content: Buffer, text: string): void {
  let places = 0;
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
    content[at + text.length] = (content[at + text.length] as number) ^ 1;
    places++;
  }
  expect(places).toBeGreaterThan(0);
}

describe('a byte that the disk has changed', () => {
  it.each([
    ['in a small message', 'orders', 'small-5 .'],
    ['in a large one', 'parcels', 'large '],
  ])('%s fails the receives of that queue, and nothing else', async (_, queue, text) => {
    await edit((content) => changeBehind(content, text));
    const server = new ServerProcess(data, { flags: ['--encryption', 'off'] });
    const client = await SqsClient.connect(server);
    for (const WaitTimeSeconds of [0, 20]) {
      const receive = client.call('ReceiveMessage', {
        QueueUrl: queueUrl(queue),
        MaxNumberOfMessages: 10,
        WaitTimeSeconds,
        VisibilityTimeout: 0,
      });
      await expect(receive).rejects.toThrow('500');
    }
    expect(server.errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(server.errors)).toMatch(/A stored (message|body) record is damaged/);

    const { Messages } = await client.call('ReceiveMessage', { QueueUrl: queueUrl('other') });
    expect(Messages).toMatchObject([{ Body: 'unharmed' }]);
    // The way out.
    await client.call('PurgeQueue', { QueueUrl: queueUrl(queue) });
    await client.call('SendMessage', { QueueUrl: queueUrl(queue), MessageBody: 'after' });
    const after = await client.call('ReceiveMessage', { QueueUrl: queueUrl(queue), WaitTimeSeconds: 20 });
    expect(after.Messages).toMatchObject([{ Body: 'after' }]);
    expect((await server.stop()).code).toBe(0);
  });

  it('in the settings of a queue keeps the server from starting', async () => {
    await edit((content) => changeBehind(content, '"name":"orde'));
    await isRefused('A stored queue record is damaged');
  });
});
