import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';
import { queueUrl } from './recorder.ts';
import { SqsClient } from './sqs-client.ts';

let data: string;

beforeAll(buildServer);
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'stanchion-stop-'));
});
afterEach(async () => {
  await killServers();
  await rm(data, { recursive: true });
});

describe('SIGTERM', () => {
  it('answers an open long poll, empty, and ends the process with code 0', async () => {
    const server = new ServerProcess(data);
    const [client, waiting] = [await SqsClient.connect(server), await SqsClient.connect(server)];
    await client.call('CreateQueue', { QueueName: 'orders' });
    const longPoll = waiting.call('ReceiveMessage', { QueueUrl: queueUrl('orders'), WaitTimeSeconds: 20 });
    // Written later, so when it is answered the long poll has been read, too.
    await client.call('ListQueues', {});

    const exit = server.stop();
    expect(await longPoll).toEqual({});
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('ends the process with code 0 from its first log line on', async () => {
    for (let round = 0; round < 3; round++) {
      const server = new ServerProcess(data);
      await server.url;
      expect(await server.stop()).toEqual({ code: 0, signal: null });
    }
  });

  it('keeps what was acknowledged', async () => {
    const first = new ServerProcess(data);
    const before = await SqsClient.connect(first);
    await before.call('CreateQueue', { QueueName: 'orders' });
    await before.call('SendMessage', { QueueUrl: queueUrl('orders'), MessageBody: 'kept' });
    await first.stop();

    const after = await SqsClient.connect(new ServerProcess(data));
    const { Messages } = await after.call('ReceiveMessage', { QueueUrl: queueUrl('orders') });
    expect(Messages).toMatchObject([{ Body: 'kept' }]);
  });

  it('ends the process at once when it comes again', async () => {
    const server = new ServerProcess(data);
    // Half a request: the server waits some seconds for the rest of it before it stops.
    const { hostname, port } = new URL(await server.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
    await new Promise((resolve) => socket.once('connect', resolve));
    await (await SqsClient.connect(server)).call('ListQueues', {});

    // Signals that follow one another closely count as one.
    const again = setInterval(() => server.signal('SIGTERM'), 50);
    expect(await server.stop()).toEqual({ code: 143, signal: null });
    clearInterval(again);
    socket.destroy();
  });
});

describe('a data directory', () => {
  it('that a server is using is refused, and that server goes on', async () => {
    const first = new ServerProcess(data);
    const client = await SqsClient.connect(first);
    const second = new ServerProcess(data);
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.errorText).toMatch(/another server \(process \d+\) is using this data directory/);
    await client.call('ListQueues', {});
  });

  it('that a killed server has left behind is taken over', async () => {
    const first = new ServerProcess(data);
    await first.url;
    await first.kill();
    await (await SqsClient.connect(new ServerProcess(data))).call('ListQueues', {});
  });
});
