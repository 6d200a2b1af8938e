import { once } from 'node:events';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import * as sdk from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerOptions, StartError, startServer } from '../../src/index.ts';
import { certificateFiles, selfSigned } from '../support/self-signed.ts';

// HTTPS, by the AWS SDK and by hand, beside HTTP and without it.

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(options: ServerOptions = {}) {
  const files = await certificateFiles();
  cleanUps.push(files.remove);
  const { tlsCert, tlsKey } = files;
  const server = await startServer({ store: 'memory', port: 0, tlsPort: 0, tlsCert, tlsKey, ...options });
  cleanUps.push(() => server.close());
  const securePort = Number(new URL(server.secureUrl ?? '').port);
  return { server, files, securePort, ca: files.ca };
}

function sdkOver(endpoint: string, ca: string): sdk.SQSClient {
  const httpsAgent = new Agent({ ca, keepAlive: true });
  const client = new sdk.SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
    requestHandler: { httpsAgent },
  });
  cleanUps.push(() => {
    client.destroy();
    httpsAgent.destroy();
  });
  return client;
}

async function secureConnection(port: number, ca: string, more: object = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ca, ...more });
  cleanUps.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** One request on a connection that stays open, and the reply. */
async function listQueuesOn(socket: Socket): Promise<string> {
  socket.write('GET /?Action=ListQueues HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  return String(chunk);
}

function get(options: RequestOptions): Promise<{ status?: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ host: '127.0.0.1', agent: false, ...options }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    request.on('error', reject);
    request.end();
  });
}

describe('HTTPS', () => {
  it('serves the AWS SDK beside HTTP: one server, queue URLs as the request came', async () => {
    const { server, ca } = await start();
    const secure = sdkOver(server.secureUrl as string, ca);
    const plain = sdkOver(server.url, ca);
    const { QueueUrl } = await secure.send(new sdk.CreateQueueCommand({ QueueName: 'orders' }));
    expect(QueueUrl).toBe(`${server.secureUrl}/000000000000/orders`);
    expect(server.secureUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    await secure.send(new sdk.SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const overHttp = await plain.send(new sdk.GetQueueUrlCommand({ QueueName: 'orders' }));
    expect(overHttp.QueueUrl).toBe(`${server.url}/000000000000/orders`);
    const { Messages = [] } = await plain.send(new sdk.ReceiveMessageCommand({ QueueUrl: overHttp.QueueUrl }));
    expect(Messages.map(({ Body }) => Body)).toEqual(['hello']);
    expect((await secure.send(new sdk.ListQueuesCommand({}))).QueueUrls).toEqual([QueueUrl]);
  });

  it('keeps a public URL as it is', async () => {
    const { server, ca } = await start({ publicUrl: 'http://queues.example.com' });
    const secure = sdkOver(server.secureUrl as string, ca);
    const { QueueUrl } = await secure.send(new sdk.CreateQueueCommand({ QueueName: 'a' }));
    expect(QueueUrl).toBe('http://queues.example.com/000000000000/a');
  });

  it('carries a message of a megabyte both ways', async () => {
    const { server, ca } = await start();
    const secure = sdkOver(server.secureUrl as string, ca);
    const { QueueUrl } = await secure.send(new sdk.CreateQueueCommand({ QueueName: 'large' }));
    const MessageBody = 'x'.repeat(1024 * 1024);
    await secure.send(new sdk.SendMessageCommand({ QueueUrl, MessageBody }));
    const { Messages = [] } = await secure.send(new sdk.ReceiveMessageCommand({ QueueUrl }));
    expect(Messages[0]?.Body === MessageBody).toBe(true);
  });

  it('serves without HTTP', async () => {
    const { server, securePort, ca } = await start({ port: 'off' });
    expect(server.url).toBe(server.secureUrl);
    expect(server.port).toBe(securePort);
    const { QueueUrls } = await sdkOver(server.url, ca).send(new sdk.ListQueuesCommand({}));
    expect(QueueUrls).toBeUndefined();
  });

  it('reports its health', async () => {
    const { securePort, ca } = await start();
    const { status, text } = await get({ port: securePort, path: '/health', ca });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ok' });
  });

  it('answers a client that ends its side after the request', async () => {
    const { securePort, ca } = await start();
    const socket = await secureConnection(securePort, ca, { allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.end('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('takes TLS 1.2 and 1.3, and nothing older', async () => {
    const { securePort, ca } = await start();
    expect((await secureConnection(securePort, ca)).getProtocol()).toBe('TLSv1.3');
    expect((await secureConnection(securePort, ca, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(secureConnection(securePort, ca, old)).rejects.toThrow(/protocol version/);
  });

  it('is not put out by who speaks plain HTTP, rubbish or nothing at its port', async () => {
    const { server, securePort, ca } = await start();
    for (const bytes of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\u0016\u0003\u0001garbage', '']) {
      const socket = connectPlain(securePort, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.end(bytes);
      await once(socket, 'close');
    }
    await expect(fetch(server.url.replace(/\d+$/, String(securePort)))).rejects.toThrow();
    expect((await get({ port: securePort, path: '/health', ca })).status).toBe(200);
  });

  it('closes handshakes and connections that are not in use when the server stops', async () => {
    const { server, securePort, ca } = await start();
    const silent = connectPlain(securePort, '127.0.0.1');
    await once(silent, 'connect');
    const unused = await secureConnection(securePort, ca);
    const closed = Promise.all([once(silent, 'close'), once(unused, 'close')]);
    silent.resume();
    unused.resume();
    await server.close();
    await closed;
    await expect(secureConnection(securePort, ca)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('the limit of connections', () => {
  it('counts both ports, and handshakes', async () => {
    const { server, securePort, ca } = await start({ maxConnections: 3 });
    const plain = connectPlain(server.port, '127.0.0.1');
    cleanUps.push(() => plain.destroy());
    expect(await listQueuesOn(plain)).toMatch(/^HTTP\/1\.1 200 /);
    const silent = connectPlain(securePort, '127.0.0.1');
    cleanUps.push(() => silent.destroy());
    await once(silent, 'connect');
    const secure = await secureConnection(securePort, ca);
    expect(await listQueuesOn(secure)).toMatch(/^HTTP\/1\.1 200 /);
    const excess = await secureConnection(securePort, ca);
    expect(await listQueuesOn(excess)).toMatch(/^HTTP\/1\.1 503 /);
    const response = await fetch(`${server.url}/?Action=ListQueues`);
    expect(response.status).toBe(503);
    // Those that are in stay in.
    expect(await listQueuesOn(secure)).toMatch(/^HTTP\/1\.1 200 /);
    silent.destroy();
    excess.destroy();
    await expect.poll(async () => listQueuesOn(await secureConnection(securePort, ca))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a renewed certificate', () => {
  it('is used for connections to come, and those that are there go on', async () => {
    const { server, files, securePort, ca } = await start();
    const before = await secureConnection(securePort, ca);
    expect(await listQueuesOn(before)).toMatch(/^HTTP\/1\.1 200 /);
    const renewed = selfSigned({ name: 'renewed' });
    await files.replace(renewed);
    await server.reload();
    const after = await secureConnection(securePort, renewed.cert);
    expect(after.getPeerCertificate().subject.CN).toBe('renewed');
    expect(await listQueuesOn(after)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await listQueuesOn(before)).toMatch(/^HTTP\/1\.1 200 /);
    await expect(secureConnection(securePort, ca)).rejects.toThrow(/self-signed|self signed/);
  });

  it('is not used when it is broken', async () => {
    const { server, files, securePort, ca } = await start();
    await files.replace({ cert: selfSigned().cert, key: selfSigned().key });
    await server.reload();
    expect((await secureConnection(securePort, ca)).getPeerCertificate().subject.CN).toBe('localhost');
  });

  it('is no matter for a server without one', async () => {
    const server = await startServer({ store: 'memory', port: 0 });
    cleanUps.push(() => server.close());
    await server.reload();
    expect(server.secureUrl).toBeUndefined();
  });
});

describe('a server that cannot use TLS', () => {
  it('does not start, and holds no port', async () => {
    const { server, files } = await start();
    const { tlsCert, tlsKey } = files;
    const options = { store: 'memory' as const, port: 0, tlsPort: 0, tlsCert, tlsKey };
    await expect(startServer({ ...options, tlsKey: `${tlsKey}.none` })).rejects.toThrow(StartError);
    await expect(startServer({ ...options, tlsPort: server.port })).rejects.toThrow(/the port is in use/);
    await expect(startServer({ ...options, tlsKey: undefined })).rejects.toThrow(/tlsCert needs tlsKey/);
  });
});
