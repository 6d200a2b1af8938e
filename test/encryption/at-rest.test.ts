import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queueUrl } from '../crash/recorder.ts';
import { SqsClient } from '../crash/sqs-client.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';

/** Each of them is looked for in the files, so none may be a part of something that is stored in the clear. */
const SECRETS = ['secret-small-body', 'secret-large-body', 'secret-attribute', 'secret-name', 'Root=secret-trace'];

let data: string;

beforeAll(buildServer);
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stanchion-encryption-'));
});
afterEach(async () => {
  await killServers();
  await rm(data, { recursive: true });
});

/** Runs a server until `use` is done. */
async function withServer(flags: string[], use: (client: SqsClient) => Promise<void>): Promise<void> {
  const server = new ServerProcess(data, { flags });
  const client = await SqsClient.connect(server);
  await use(client);
  client.close();
  await server.stop();
}

async function failureOfStart(): Promise<string> {
  const server = new ServerProcess(data);
  expect((await server.exited).code).toBe(1);
  return server.errorText;
}

const create = (client: SqsClient, name: string, Attributes: Record<string, string> = {}) =>
  client.call('CreateQueue', { QueueName: name, Attributes: { VisibilityTimeout: '0', ...Attributes } });

async function sendSecrets(client: SqsClient, name: string): Promise<void> {
  const QueueUrl = queueUrl(name);
  await client.call('SendMessage', {
    QueueUrl,
    MessageBody: 'secret-small-body',
    MessageAttributes: { 'secret-name': { DataType: 'String', StringValue: 'secret-attribute' } },
    MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=secret-trace' } },
  });
  await client.call('SendMessage', { QueueUrl, MessageBody: `secret-large-body${'.'.repeat(100_000)}` });
}

/** Bodies of the messages of a queue, shortened, in order of the alphabet. */
async function bodies(client: SqsClient, name: string): Promise<string[]> {
  const { Messages = [] } = await client.call('ReceiveMessage', {
    QueueUrl: queueUrl(name),
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['All'],
  });
  return Messages.map(({ Body }: { Body: string }) => Body.slice(0, 17)).sort();
}

function secretsOnDisk(): string[] {
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
    .map((name) => join(data, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
  return SECRETS.filter((secret) => files.some((content) => content.includes(secret)));
}

function keyring(...args: string[]) {
  return spawnSync(process.execPath, ['dist/bin/stanchion.js', 'keyring', ...args, '--data', data], {
    encoding: 'utf8',
  });
}

const BOTH = ['secret-large-body', 'secret-small-body'];

describe('encryption at rest', () => {
  it('leaves nothing of a message readable on the disk, and everything to its receiver', async () => {
    await withServer([], async (client) => {
      await create(client, 'orders');
      await sendSecrets(client, 'orders');
    });
    expect(secretsOnDisk()).toEqual([]);
    await withServer([], async (client) => {
      const { Messages } = await client.call('ReceiveMessage', {
        QueueUrl: queueUrl('orders'),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['AWSTraceHeader'],
      });
      const small = Messages.find(({ Body }: { Body: string }) => Body === 'secret-small-body');
      expect(small).toMatchObject({
        MD5OfBody: 'ca6ca519928d4aa446f9ba1c21bf4a13',
        MessageAttributes: { 'secret-name': { DataType: 'String', StringValue: 'secret-attribute' } },
        Attributes: { AWSTraceHeader: 'Root=secret-trace' },
      });
      expect(await bodies(client, 'orders')).toEqual(BOTH);
    });
  });

  it.each([
    ['the server says off', ['--encryption', 'off'], {}],
    ['the queue says off', [], { SqsManagedSseEnabled: 'false' }],
  ])('leaves all of it readable where %s', async (_, flags, attributes) => {
    await withServer(flags, async (client) => {
      await create(client, 'orders', attributes);
      await sendSecrets(client, 'orders');
    });
    expect(secretsOnDisk()).toEqual(SECRETS);
  });

  it('may be turned on and off, or given another key, while there are messages', async () => {
    await withServer(['--encryption', 'off'], async (client) => {
      await create(client, 'orders');
      await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: '1 clear' });
    });
    await withServer([], async (client) => {
      const QueueUrl = queueUrl('orders');
      await client.call('SendMessage', { QueueUrl, MessageBody: '2 managed' });
      await client.call('SetQueueAttributes', { QueueUrl, Attributes: { KmsMasterKeyId: 'alias/aws/sqs' } });
      await client.call('SendMessage', { QueueUrl, MessageBody: '3 named' });
      await client.call('SetQueueAttributes', { QueueUrl, Attributes: { KmsMasterKeyId: '' } });
      await client.call('SendMessage', { QueueUrl, MessageBody: '4 clear' });
      expect(await bodies(client, 'orders')).toEqual(['1 clear', '2 managed', '3 named', '4 clear']);
    });
    await withServer(['--encryption', 'off'], async (client) => {
      expect(await bodies(client, 'orders')).toEqual(['1 clear', '2 managed', '3 named', '4 clear']);
    });
  });

  it('stays what it is on the way to a dead-letter queue in the clear, and back', async () => {
    await withServer([], async (client) => {
      await create(client, 'dead', { SqsManagedSseEnabled: 'false' });
      const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn('dead'), maxReceiveCount: 1 });
      await create(client, 'orders', { RedrivePolicy });
      await sendSecrets(client, 'orders');
      expect(await bodies(client, 'orders')).toEqual(BOTH);
      expect(await bodies(client, 'orders')).toEqual([]);
      expect(await bodies(client, 'dead')).toEqual(BOTH);
      await client.call('StartMessageMoveTask', { SourceArn: arn('dead') });
      const received: string[] = [];
      while (received.length < 2) {
        const { Messages = [] } = await client.call('ReceiveMessage', {
          QueueUrl: queueUrl('orders'),
          WaitTimeSeconds: 20,
          VisibilityTimeout: 600,
        });
        received.push(...Messages.map(({ Body }: { Body: string }) => Body.slice(0, 17)));
      }
      expect(received.sort()).toEqual(BOTH);
    });
    expect(secretsOnDisk()).toEqual([]);
  });

  it('answers a damaged ciphertext as it does other damage, and spares the rest', async () => {
    await withServer([], async (client) => {
      for (const name of ['orders', 'other']) await create(client, name);
      await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'x'.repeat(300) });
      await client.call('SendMessage', { QueueUrl: queueUrl('other'), MessageBody: 'unharmed' });
    });
    damageOneMessage();
    await withServer([], async (client) => {
      await expect(bodies(client, 'orders')).rejects.toThrow('The queue cannot be read from the disk of the server.');
      expect(await bodies(client, 'other')).toEqual(['unharmed']);
    });
  });
});

/** Changes a byte of the longest ciphertext and gives the record a CRC that is right: only the tag can tell. */
function damageOneMessage(): void {
  const path = join(data, 'stanchion.mdb');
  const content = readFileSync(path);
  // The version of a sealed message, its flags, and far enough behind them the header of the envelope.
  const header = Buffer.from([1, 1, 0, 68]);
  let changed = 0;
  for (let at = content.indexOf(header); at >= 0; at = content.indexOf(header, at + 1)) {
    // What precedes the content of a message without a group: 70 bytes and the sender's id.
    const start = at - 70 - 2 - 12;
    if (start < 0 || content[start] !== 3) continue;
    const end = at + 4 + 68 + 12 + 16 + 1 + 1 + 16 + 300;
    if (crc32(content.subarray(start, end)) !== content.readUInt32BE(end)) continue;
    content[end - 20] = (content[end - 20] as number) ^ 1;
    content.writeUInt32BE(crc32(content.subarray(start, end)), end);
    changed++;
  }
  expect(changed).toBeGreaterThan(0);
  writeFileSync(path, content);
}

describe('the keyring', () => {
  const path = () => join(data, 'keyring.json');

  it('can be rotated: old messages are read, new ones have the new key', async () => {
    await withServer([], async (client) => {
      await create(client, 'orders');
      await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'before' });
    });
    expect(keyring('rotate').status).toBe(0);
    await withServer([], async (client) => {
      await client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'later' });
      expect(await bodies(client, 'orders')).toEqual(['before', 'later']);
    });
    const { stdout } = keyring('list');
    expect(stdout.match(/^SSE-SQS key\t.*\tcurrent$/gm)).toHaveLength(1);
    expect(stdout.match(/^SSE-SQS key\t.*\tdecrypts$/gm)).toHaveLength(1);
    const { keys } = JSON.parse(readFileSync(path(), 'utf8')) as { keys: { versions: { key: string }[] }[] };
    for (const { versions } of keys) for (const { key } of versions) expect(stdout).not.toContain(key);
  });

  it('has the keys that KmsMasterKeyId may name', async () => {
    await withServer([], async (client) => {
      await create(client, 'orders', { KmsMasterKeyId: 'alias/orders' });
      await expect(client.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'x' })).rejects.toThrow(
        /#KmsNotFound.*alias\/orders/,
      );
    });
    expect(keyring('add', 'alias/orders').status).toBe(0);
    expect(keyring('add', 'alias/orders')).toMatchObject({ status: 1, stderr: expect.stringContaining('already') });
    await withServer([], async (client) => {
      await sendSecrets(client, 'orders');
      expect(await bodies(client, 'orders')).toEqual(BOTH);
    });
    expect(secretsOnDisk()).toEqual([]);
  });

  it('keeps the server from starting without it, with another one, and with one that others may read', async () => {
    await withServer([], async () => {});
    chmodSync(path(), 0o644);
    expect(await failureOfStart()).toContain('can be used by others');
    rmSync(path());
    expect(await failureOfStart()).toContain('is missing, and the messages in the store cannot be read without it');
    expect(keyring('add', 'alias/orders').status).toBe(0);
    expect(await failureOfStart()).toContain('is not the one that the messages in the store are encrypted with');
  });
});
