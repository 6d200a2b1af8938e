import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { queueUrl } from './recorder.ts';
import { RefusedError, SqsClient } from './sqs-client.ts';
import { Volume } from './volume.ts';

const BATCH = 10;
const BODY_BYTES = 100_000;

/** Room for the 64 MiB that sends leave untouched, and some 30 MiB more. */
const probe = Volume.create(112);
const unavailable = typeof probe === 'string' ? probe : undefined;
if (typeof probe !== 'string') probe.remove();
if (unavailable !== undefined) console.log(`Skipped: no file system can be mounted here (${unavailable}).`);

let volume: Volume;
let server: ServerProcess;
let client: SqsClient;

async function start(): Promise<void> {
  server = new ServerProcess(volume.path);
  client = new SqsClient(server);
  await server.url;
  await client.connected();
}

const send = (queue: string, body: string) =>
  client.call('SendMessage', { QueueUrl: queueUrl(queue), MessageBody: body });

/** Sends until it is refused. Returns how many were acknowledged. */
async function fill(queue: string): Promise<number> {
  const Entries = Array.from({ length: BATCH }, (_, index) => ({
    Id: String(index),
    MessageBody: 'x'.repeat(BODY_BYTES),
  }));
  for (let sent = 0; ; sent += BATCH) {
    try {
      await client.call('SendMessageBatch', { QueueUrl: queueUrl(queue), Entries });
    } catch (error) {
      expect((error as Error).message).toContain('The disk is nearly full: no messages are taken until there is room.');
      expect((error as RefusedError).code).toBe('ServiceUnavailable');
      return sent;
    }
  }
}

/** Receives and deletes at most so many. Returns how many. */
async function consume(queue: string, atMost: number): Promise<number> {
  let count = 0;
  while (count < atMost) {
    const { Messages = [] } = await client.call('ReceiveMessage', {
      QueueUrl: queueUrl(queue),
      MaxNumberOfMessages: Math.min(10, atMost - count),
    });
    if (Messages.length === 0) break;
    const Entries = Messages.map(({ ReceiptHandle }: { ReceiptHandle: string }, index: number) => {
      return { Id: String(index), ReceiptHandle };
    });
    const { Failed = [] } = await client.call('DeleteMessageBatch', { QueueUrl: queueUrl(queue), Entries });
    expect(Failed).toEqual([]);
    count += Messages.length;
  }
  return count;
}

/** Takes every byte that is left, as another program does. */
function fillByOthers(): () => void {
  const path = join(volume.path, 'others');
  const file = openSync(path, 'w');
  for (const bytes of [1024 * 1024, 4096, 512]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, 1));
    } catch {
      // The next smaller pieces.
    }
  }
  closeSync(file);
  return () => rmSync(path);
}

describe.skipIf(unavailable !== undefined)('a full disk', () => {
  beforeAll(buildServer);
  beforeEach(async () => {
    volume = Volume.create(112) as Volume;
    await start();
    for (const QueueName of ['orders', 'other']) await client.call('CreateQueue', { QueueName });
    for (let count = 0; count < 5; count++) await send('other', `${count}`);
  });
  afterEach(async () => {
    await killServers();
    volume.remove();
  });

  it('refuses sends, lets consumers work, survives a kill, and takes messages again when some are gone', async () => {
    const sent = await fill('orders');
    expect(sent).toBeGreaterThan(100);
    await expect(send('other', 'no')).rejects.toThrow(RefusedError);
    expect(await consume('other', 2)).toBe(2);

    await server.kill();
    await start();
    await expect(send('other', 'no')).rejects.toThrow(RefusedError);
    expect(server.log.map(({ msg }) => msg).join()).toMatch(
      /the disk has \d+ MiB left: no messages are taken until 64/,
    );
    expect(await consume('other', 10)).toBe(3);
    expect(await consume('orders', sent / 2)).toBe(sent / 2);

    // The store is asked again after a while.
    const accepted = await untilAccepted(() => send('other', 'yes'));
    expect(accepted).toHaveProperty('MessageId');
    expect(await consume('orders', sent)).toBe(sent / 2);
    expect(await consume('other', 10)).toBe(1);
    expect((await server.stop()).code).toBe(0);
  });

  it('that others have filled to the last byte stops nothing but writes, and those only as long as it lasts', async () => {
    const sent = await fill('orders');
    const makeRoom = fillByOthers();
    for (let attempt = 0; attempt < 20; attempt++) {
      for (const action of ['SendMessage', 'ReceiveMessage', 'CreateQueue']) {
        const input = { QueueUrl: queueUrl('orders'), MessageBody: 'x'.repeat(5000), QueueName: `new-${attempt}` };
        const refused = await client.call(action, input).catch((error) => error);
        // For what is small there may be room in the journal.
        if (action === 'SendMessage') expect(refused).toBeInstanceOf(RefusedError);
        if (refused instanceof RefusedError) expect(refused.code).toBe('ServiceUnavailable');
      }
    }
    await client.call('ListQueues', {});

    await server.kill();
    const stranded = new ServerProcess(volume.path);
    expect(await stranded.exited).toEqual({ code: 1, signal: null });
    expect(stranded.errorText).toContain('there is no room on the disk');

    makeRoom();
    await start();
    const { Attributes } = await client.call('GetQueueAttributes', {
      QueueUrl: queueUrl('orders'),
      AttributeNames: ['All'],
    });
    const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
    expect(Number(visible) + Number(hidden)).toBe(sent);
    expect(await consume('orders', Number(visible))).toBe(Number(visible));
    await untilAccepted(() => send('other', 'yes'));
    expect(await consume('other', 10)).toBe(6);
  });
});

async function untilAccepted<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'ServiceUnavailable') throw error;
    }
  }
}
