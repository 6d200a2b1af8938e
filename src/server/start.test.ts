import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock } from '../platform/manual.ts';
import { type RunningServer, type ServerOptions, startServer } from './start.ts';
import { ConfigError, StartError } from './start-error.ts';

const running: RunningServer[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer({ store: 'memory', port: 0, ...options });
  running.push(server);
  return server;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stanchion-start-'));
  folders.push(path);
  return path;
}

async function call(server: RunningServer, action: string, input: object, headers = {}) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'X-Amz-Target': `AmazonSQS.${action}`, 'Content-Type': 'application/x-amz-json-1.0', ...headers },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: replies of every action
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as any };
}

/** Lines the server logs at info and above. */
function recorder() {
  const lines: { level: string; fields: object; message: string }[] = [];
  const log = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  return { lines, logger: { debug: () => {}, info: log('info'), warn: log('warn'), error: log('error') } };
}

describe('startServer', () => {
  it('serves a queue from memory on a free port', async () => {
    const server = await start();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const created = await call(server, 'CreateQueue', { QueueName: 'orders' });
    expect(created).toEqual({ status: 200, body: { QueueUrl: `${server.url}/000000000000/orders` } });
    await call(server, 'SendMessage', { QueueUrl: created.body.QueueUrl, MessageBody: 'hello' });
    const received = await call(server, 'ReceiveMessage', {
      QueueUrl: created.body.QueueUrl,
      MessageSystemAttributeNames: ['SenderId'],
    });
    expect(received.body.Messages).toMatchObject([{ Body: 'hello', Attributes: { SenderId: '000000000000' } }]);
  });

  it('keeps queues of other accounts and regions apart', async () => {
    const server = await start({ account: '111111111111', region: 'eu-west-1' });
    const other = {
      Authorization: 'AWS4-HMAC-SHA256 Credential=222222222222/20251130/eu-west-2/sqs/aws4_request, Signature=0',
    };
    await call(server, 'CreateQueue', { QueueName: 'a' });
    const inOther = await call(server, 'CreateQueue', { QueueName: 'b' }, other);
    expect(inOther.body.QueueUrl).toBe(`${server.url}/222222222222/b`);
    expect((await call(server, 'ListQueues', {})).body.QueueUrls).toEqual([`${server.url}/111111111111/a`]);
    expect((await call(server, 'ListQueues', {}, other)).body.QueueUrls).toEqual([`${server.url}/222222222222/b`]);
  });

  it('puts the public URL into queue URLs', async () => {
    const server = await start({ publicUrl: 'https://queues.example.com' });
    const created = await call(server, 'CreateQueue', { QueueName: 'a' });
    expect(created.body.QueueUrl).toBe('https://queues.example.com/000000000000/a');
  });

  it('lets a test jump over a visibility timeout', async () => {
    const clock = manualClock({ startAt: 1_700_000_000_000 });
    const server = await start({ clock });
    await call(server, 'CreateQueue', { QueueName: 'a' });
    await call(server, 'SendMessage', { QueueUrl: 'a', MessageBody: 'again' });
    const receive = async () => (await call(server, 'ReceiveMessage', { QueueUrl: 'a' })).body.Messages ?? [];
    expect(await receive()).toHaveLength(1);
    await clock.advance(29_999);
    expect(await receive()).toHaveLength(0);
    await clock.advance(1);
    expect(await receive()).toHaveLength(1);
  });

  it('makes SQS wait for nothing when its timers are relaxed', async () => {
    const server = await start({ relaxedTimers: true });
    const recreate = async (from: RunningServer) => {
      await call(from, 'CreateQueue', { QueueName: 'a' });
      await call(from, 'DeleteQueue', { QueueUrl: 'a' });
      return (await call(from, 'CreateQueue', { QueueName: 'a' })).status;
    };
    expect(await recreate(server)).toBe(200);
    expect(await recreate(await start())).toBe(400);
  });

  it('keeps what it acknowledged over a restart', async () => {
    const data = join(await folder(), 'made', 'when', 'missing');
    const first = await start({ store: 'lmdb', data });
    await call(first, 'CreateQueue', { QueueName: 'a' });
    await call(first, 'SendMessage', { QueueUrl: 'a', MessageBody: 'kept' });
    await first.close();
    const second = await start({ store: 'lmdb', data });
    const received = await call(second, 'ReceiveMessage', { QueueUrl: 'a' });
    expect(received.body.Messages).toMatchObject([{ Body: 'kept' }]);
  });
});

describe('declared queues', () => {
  const queues = {
    orders: {
      attributes: { VisibilityTimeout: 45 },
      tags: { team: 'billing' },
      redrive: { deadLetterQueue: 'dead', maxReceiveCount: 3 },
    },
    dead: null,
    'strict.fifo': { attributes: { ContentBasedDeduplication: true } },
  };

  it('exist when the server runs', async () => {
    const server = await start({ queues });
    const attributes = async (name: string) =>
      (await call(server, 'GetQueueAttributes', { QueueUrl: name, AttributeNames: ['All'] })).body.Attributes;
    expect(await attributes('orders')).toMatchObject({
      VisibilityTimeout: '45',
      RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":3}',
    });
    expect(await attributes('strict.fifo')).toMatchObject({ FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    expect((await call(server, 'ListQueueTags', { QueueUrl: 'orders' })).body).toEqual({ Tags: { team: 'billing' } });
  });

  it('follow the declaration at the next start', async () => {
    const data = await folder();
    await (await start({ store: 'lmdb', data, queues })).close();
    const changed = { ...queues, orders: { attributes: { VisibilityTimeout: 50 } } };
    const server = await start({ store: 'lmdb', data, queues: changed });
    const reply = await call(server, 'GetQueueAttributes', { QueueUrl: 'orders', AttributeNames: ['All'] });
    expect(reply.body.Attributes).toMatchObject({
      VisibilityTimeout: '50',
      RedrivePolicy: expect.stringContaining('dead'),
    });
  });

  it.each([
    [{ orders: { attributes: { DelaySeconds: 901 } } }, /^queues\.orders\.attributes\.DelaySeconds: /],
    [{ orders: { attributes: { Delay: 1 } } }, /^queues\.orders\.attributes\.Delay: Unknown Attribute Delay\.$/],
    [{ 'bad name': {} }, /^queues\.bad name: /],
    [
      { orders: { redrive: { deadLetterQueue: 'nowhere', maxReceiveCount: 3 } } },
      /^queues\.orders\.redrive: .*nowhere/,
    ],
  ])('keep the server from starting when SQS would refuse them: %j', async (declared, message) => {
    const error = await start({ queues: declared as ServerOptions['queues'] }).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(message);
  });

  it('are created also when a queue of that name was deleted a moment ago', async () => {
    const data = await folder();
    const first = await start({ store: 'lmdb', data, queues: { a: {} } });
    await call(first, 'DeleteQueue', { QueueUrl: 'a' });
    await first.close();
    const second = await start({ store: 'lmdb', data, queues: { a: {} } });
    expect((await call(second, 'GetQueueUrl', { QueueName: 'a' })).status).toBe(200);
  });
});

describe('a start that fails', () => {
  it('says that an option is wrong', async () => {
    await expect(start({ port: 70_000 })).rejects.toThrow(
      new ConfigError(['port must be a whole number from 0 to 65535, not 70000 (option)']),
    );
    await expect(start({ dta: 'x' } as ServerOptions)).rejects.toThrow('dta is not a setting; did you mean "data"?');
  });

  it('says that worker processes cannot share a clock', async () => {
    await expect(start({ workers: 2, clock: manualClock() })).rejects.toThrow(
      new ConfigError(['workers must be 0 with a clock of your own: other processes cannot see it (option)']),
    );
  });

  it('says that the port is in use, and touches no data', async () => {
    const { port } = await start();
    const data = join(await folder(), 'untouched');
    await expect(start({ port, store: 'lmdb', data })).rejects.toThrow(
      new StartError(`cannot listen on 127.0.0.1:${port}: the port is in use`),
    );
    await expect(writeFile(data, '')).resolves.toBeUndefined();
  });

  it('says that the machine has no such address', async () => {
    await expect(start({ host: '192.0.2.1', insecure: true })).rejects.toThrow(
      'cannot listen on 192.0.2.1:0: this machine has no such address',
    );
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])('refuses to serve others at %s without access control', async (host) => {
    await expect(start({ host })).rejects.toThrow(
      `other machines may reach ${host}: set auth to on, or insecure to true to let them in with any credentials`,
    );
  });

  it('refuses a policy for the listener that nobody would be held to', async () => {
    await expect(start({ endpointPolicy: 'policy.json' })).rejects.toThrow(
      'endpointPolicy means nothing with auth off',
    );
  });

  it('says that there are no identities', async () => {
    const identityFile = join(await folder(), 'identity.yaml');
    await expect(start({ auth: 'on', identityFile })).rejects.toThrow(
      `cannot read the identity file ${identityFile}: there is no such file`,
    );
  });

  it('says what is wrong with the endpoint policy', async () => {
    const path = await folder();
    const identityFile = join(path, 'identity.yaml');
    const endpointPolicy = join(path, 'policy.json');
    await writeFile(identityFile, 'version: 1\naccounts: {}\n');
    await writeFile(endpointPolicy, '{"Statement":[]}');
    await expect(start({ auth: 'on', identityFile, endpointPolicy })).rejects.toThrow(
      `the endpoint policy ${endpointPolicy} is no policy: Statement: must have at least one statement`,
    );
  });

  it('says that there is a file in place of the data directory', async () => {
    const data = join(await folder(), 'file');
    await writeFile(data, '');
    const options = { store: 'lmdb', data } as const;
    await expect(start(options)).rejects.toThrow(`cannot use the data directory ${data}: there is a file in its place`);
    await expect(start({ ...options, data: join(data, 'below') })).rejects.toThrow('there is a file in its place');
  });

  it('says that another server uses the data directory, and leaves it alone', async () => {
    const data = await folder();
    const first = await start({ store: 'lmdb', data });
    await expect(start({ store: 'lmdb', data })).rejects.toThrow(/^cannot open the store in .*another server/);
    expect((await call(first, 'CreateQueue', { QueueName: 'a' })).status).toBe(200);
  });

  it('frees port and data directory', async () => {
    const data = await folder();
    const { port } = await start();
    await running.pop()?.close();
    const options = { store: 'lmdb', data, port } as const;
    await expect(start({ ...options, queues: { 'bad name': {} } })).rejects.toThrow(ConfigError);
    expect((await start(options)).port).toBe(port);
  });
});

describe('close', () => {
  it('answers long polls at once, and empty', async () => {
    const server = await start();
    await call(server, 'CreateQueue', { QueueName: 'a' });
    const polls = [1, 2, 3].map(() => call(server, 'ReceiveMessage', { QueueUrl: 'a', WaitTimeSeconds: 20 }));
    await untilWaiting(server);
    await server.close();
    expect(await Promise.all(polls)).toEqual(polls.map(() => ({ status: 200, body: {} })));
    await expect(call(server, 'ListQueues', {})).rejects.toThrow();
  });

  it('can be called twice', async () => {
    const server = await start();
    await Promise.all([server.close(), server.close()]);
    await server.close();
  });
});

describe('the log', () => {
  it('begins with the address, the store, and that any credentials do', async () => {
    const { lines, logger } = recorder();
    const server = await start({ logger });
    expect(lines).toMatchObject([{ level: 'info', fields: { url: server.url, store: 'memory' } }]);
    expect(lines[0]?.message).toBe(
      `serving on ${server.url}, messages in memory, gone when it stops, any credentials are accepted`,
    );
  });

  it('tells where messages are, and how durably', async () => {
    const data = await folder();
    const { lines, logger } = recorder();
    await start({ logger, store: 'lmdb', data, durability: 'os' });
    expect(lines[0]?.message).toContain(`messages in ${data}, durability os, any credentials are accepted`);
  });

  it('warns when other machines can reach the server', async () => {
    const { lines, logger } = recorder();
    const server = await start({ logger, host: '0.0.0.0', insecure: true });
    expect(server.url).toBe(`http://localhost:${server.port}`);
    expect(lines[1]).toMatchObject({ level: 'warn', message: expect.stringContaining('any credentials') });
  });
});

/** Requests on other connections that were sent before have arrived when a later one has been answered. */
async function untilWaiting(server: RunningServer): Promise<void> {
  for (let round = 0; round < 5; round++) await call(server, 'ListQueues', {});
}
