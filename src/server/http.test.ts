import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { CancelSignal } from '../engine/queue-service.ts';
import { type ManualClock, manualClock } from '../platform/manual.ts';
import { codecFor, type WireReply, type WireRequest } from '../protocol/codec.ts';
import { HttpListener, type HttpOptions } from './http.ts';
import { silentLogger } from './logger.ts';

const MIB = 1024 * 1024;
let listener: HttpListener;
let port: number;
let clock: ManualClock;

const OPTIONS = { version: '1.2.3', logger: silentLogger, maxConnections: 1000, requestBytesMax: 192 * MIB };

async function listen(
  handle: HttpOptions['handle'],
  { ready = true, ...more }: { ready?: boolean } & Partial<HttpOptions> = {},
): Promise<void> {
  clock = manualClock();
  listener = new HttpListener({
    ...OPTIONS,
    timers: clock,
    handle,
    refuse: (request, error) => codecFor(request).encodeError(error, 'the-request-id'),
    ...more,
  });
  ({ port } = await listener.listen({ host: '127.0.0.1', port: 0 }));
  if (ready) listener.ready();
}

/** Answers with what it was asked. */
async function echo(request: WireRequest): Promise<WireReply> {
  const { method, path, query, body } = request;
  const text = JSON.stringify({ method, path, query, body: body.length > 100 ? body.length : body.toString() });
  return { status: 200, headers: { 'x-amzn-RequestId': 'r', 'Content-Type': 'text/plain' }, body: text };
}

afterEach(async () => {
  listener.abandon();
  await listener.drain();
});

/** Sends bytes as they are and collects everything until the server closes. */
async function raw(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  return textUntilClose(socket);
}

async function textUntilClose(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

function send(options: {
  method?: string;
  path?: string;
  headers?: Record<string, string | number>;
  body?: Iterable<Buffer>;
  agent?: Agent;
}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', path = '/', headers, agent } = options;
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        const reply = { status: response.statusCode ?? 0, headers: response.headers, body };
        // A refusal may come before the whole request has gone.
        if (request.writableFinished) resolve(reply);
        else request.once('finish', () => resolve(reply));
      });
    });
    request.on('error', reject);
    for (const chunk of options.body ?? []) request.write(chunk);
    request.end();
  });
}

const CLOSE = 'Host: x\r\nConnection: close\r\n';

describe('requests', () => {
  it('hands on method, path, query and body, and answers in one piece', async () => {
    await listen(echo);
    const reply = await send({ path: '/000000000000/q?a=1?b', body: [Buffer.from('he'), Buffer.from('llo')] });
    expect(JSON.parse(reply.body)).toEqual({ method: 'POST', path: '/000000000000/q', query: 'a=1?b', body: 'hello' });
    expect(reply.headers).toMatchObject({ 'x-amzn-requestid': 'r', 'content-length': String(reply.body.length) });
    expect(reply.headers['transfer-encoding']).toBeUndefined();
  });

  it('counts the length of a reply in bytes', async () => {
    await listen(async () => ({ status: 200, headers: {}, body: 'grüße' }));
    expect(await send({})).toMatchObject({ body: 'grüße', headers: { 'content-length': '7' } });
  });

  it('accepts a body of just the largest size, in chunks too', async () => {
    await listen(echo);
    const body = Array.from({ length: 16 }, () => Buffer.alloc(MIB, 'x'));
    expect(JSON.parse((await send({ body })).body).body).toBe(16 * MIB);
    const headers = { 'Content-Length': 16 * MIB };
    expect(JSON.parse((await send({ body, headers })).body).body).toBe(16 * MIB);
  });

  it('reads the path out of an absolute URL', async () => {
    await listen(echo);
    expect(await raw(`GET http://sqs.local:80/a/b?c HTTP/1.1\r\n${CLOSE}\r\n`)).toContain('"path":"/a/b","query":"c"');
    expect(await raw(`GET http://sqs.local?c HTTP/1.1\r\n${CLOSE}\r\n`)).toContain('"path":"/","query":"c"');
  });

  it('passes on methods and targets nobody asks for', async () => {
    await listen(echo);
    expect(await raw(`OPTIONS * HTTP/1.1\r\n${CLOSE}\r\n`)).toContain('"method":"OPTIONS","path":"*"');
    expect((await send({ method: 'DELETE' })).body).toContain('DELETE');
  });

  it('serves HTTP/1.0 without a Host', async () => {
    await listen(echo);
    expect(await raw('GET /a HTTP/1.0\r\n\r\n')).toContain('"path":"/a"');
  });

  it('serves several requests in one packet, in order', async () => {
    await listen(echo);
    const text = await raw(`GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\n${CLOSE}\r\n`);
    expect(text.indexOf('"path":"/1"')).toBeGreaterThan(0);
    expect(text.indexOf('"path":"/2"')).toBeGreaterThan(text.indexOf('"path":"/1"'));
  });

  it('sends no body to a HEAD', async () => {
    await listen(echo);
    expect((await send({ method: 'HEAD' })).body).toBe('');
  });

  it('lets a client that expects it continue', async () => {
    await listen(echo);
    const text = await raw(`POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${CLOSE}\r\n`, 'hi');
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(text).toContain('"body":"hi"');
  });
});

describe('health', () => {
  it('tells status and version', async () => {
    await listen(echo);
    const reply = await send({ method: 'GET', path: '/health' });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(JSON.parse(reply.body)).toEqual({ status: 'ok', version: '1.2.3' });
  });

  it('is bad until the server is ready', async () => {
    await listen(echo, { ready: false });
    expect(await send({ method: 'GET', path: '/health' })).toMatchObject({
      status: 503,
      body: '{"status":"starting","version":"1.2.3"}',
    });
    expect((await send({})).status).toBe(200);
  });

  it('is for GET and HEAD only', async () => {
    await listen(echo);
    expect((await send({ method: 'HEAD', path: '/health' })).status).toBe(200);
    expect((await send({ method: 'POST', path: '/health' })).body).toContain('"path":"/health"');
  });
});

describe('oversized requests', () => {
  const json = { 'X-Amz-Target': 'AmazonSQS.SendMessage', 'Content-Type': 'application/x-amz-json-1.0' };

  it('refuses a stated length over the cap at once', async () => {
    await listen(echo);
    const text = await raw(
      `POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: ${16 * MIB + 1}\r\nHost: x\r\n`,
      'X-Amz-Target: AmazonSQS.SendMessage\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('RequestEntityTooLarge');
    expect(text).toContain('the-request-id');
    expect(text).not.toContain('100 Continue');
  });

  it.each([
    ['of stated length', { ...json, 'Content-Length': 17 * MIB }],
    ['in chunks', json],
  ])('refuses a body %s over the cap, and keeps the connection in order', async (_, headers) => {
    await listen(echo);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = Array.from({ length: 17 }, () => Buffer.alloc(MIB));
    const reply = await send({ headers, body, agent });
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.body).__type).toBe('com.amazon.coral.service#RequestEntityTooLargeException');
    expect((await send({ agent, body: [Buffer.from('next')] })).body).toContain('"body":"next"');
    agent.destroy();
  });

  it('closes only when it has read what it refuses, when the client asks for that', async () => {
    await listen(echo);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const parts = [
      `POST / HTTP/1.1\r\nContent-Length: ${30 * MIB}\r\n${CLOSE}\r\n`,
      ...Array(30).fill(Buffer.alloc(MIB)),
    ];
    // Looks for a reply when all is written, as many clients do.
    for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
    expect(await textUntilClose(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('takes every header of many', async () => {
    await listen(async ({ headers }) => ({ status: 200, headers: {}, body: String(headers['x-last']) }));
    const filler = Array.from({ length: 3000 }, (_, index) => `X-${index}: a\r\n`).join('');
    expect(await raw(`GET / HTTP/1.1\r\n${filler}X-Last: here\r\n${CLOSE}\r\n`)).toMatch(/^HTTP\/1\.1 200 .*here$/s);
  });

  it('refuses headers over the cap', async () => {
    await listen(echo);
    const filler = `X-Filler: ${'x'.repeat(70 * 1024)}\r\n`;
    expect(await raw(`GET / HTTP/1.1\r\n${filler}${CLOSE}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('more requests than there is room for', () => {
  /** Begins a request whose body does not end. */
  function begin(length: number): ClientRequest {
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': length } });
    request.on('error', () => {});
    request.write('x');
    return request;
  }

  /** Resolves when the listener has read what was written before, as its answers show. */
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await send({ method: 'GET', path: '/health' });
  }

  const WHOLE = { headers: { 'Content-Length': 16 * MIB }, body: [Buffer.alloc(16 * MIB)] };

  it('wait until others are over', async () => {
    await listen(echo, { requestBytesMax: 64 * MIB });
    const slow = [begin(16 * MIB), begin(16 * MIB)];
    await settled();
    let answered = 0;
    const waiting = [1, 2].map(async () => {
      const reply = await send(WHOLE);
      answered++;
      return reply;
    });
    await settled();
    expect(answered).toBe(0);
    for (const request of slow) request.destroy();
    for (const reply of await Promise.all(waiting)) expect(reply.status).toBe(200);
  });

  it('are refused when they have waited for long', async () => {
    await listen(echo, { requestBytesMax: 64 * MIB });
    const slow = [begin(16 * MIB), begin(16 * MIB)];
    await settled();
    const waiting = send({ ...WHOLE, headers: { ...WHOLE.headers, 'X-Amz-Target': 'AmazonSQS.SendMessage' } });
    await settled();
    await clock.advance(5_000);
    const reply = await waiting;
    expect(reply.status).toBe(503);
    expect(JSON.parse(reply.body).__type).toBe('com.amazon.coral.service#ServiceUnavailable');
    expect(reply.headers['x-amzn-query-error']).toBe('ServiceUnavailable;Receiver');
    for (const request of slow) request.destroy();
  });

  it('leave room for small ones', async () => {
    await listen(echo, { requestBytesMax: 64 * MIB });
    const slow = Array.from({ length: 10 }, () => begin(16 * MIB));
    await settled();
    const replies = await Promise.all(Array.from({ length: 50 }, () => send({ body: [Buffer.alloc(10_000)] })));
    for (const reply of replies) expect(reply.status).toBe(200);
    for (const request of slow) request.destroy();
  });

  it('are refused in the middle when they did not say how much comes', async () => {
    await listen(echo, { requestBytesMax: 32 * MIB });
    const slow = begin(16 * MIB);
    await settled();
    const reply = await send({ body: Array.from({ length: 12 }, () => Buffer.alloc(MIB)) });
    expect(reply.status).toBe(503);
    slow.destroy();
  });

  it('have their room back when the client goes away while it waits', async () => {
    await listen(echo, { requestBytesMax: 32 * MIB });
    const slow = begin(16 * MIB);
    await settled();
    const impatient = begin(16 * MIB);
    await settled();
    impatient.destroy();
    slow.destroy();
    expect((await send(WHOLE)).status).toBe(200);
    expect((await send(WHOLE)).status).toBe(200);
  });

  it('count until their replies', async () => {
    const { promise: answering, resolve: answer } = withResolvers();
    const { promise: waiting, resolve: isWaiting } = withResolvers();
    const paths: string[] = [];
    await listen(
      async (request) => {
        paths.push(request.path);
        isWaiting();
        if (request.path === '/slow') await answering;
        return echo(request);
      },
      { requestBytesMax: 32 * MIB },
    );
    const first = send({ ...WHOLE, path: '/slow' });
    await waiting;
    const second = send(WHOLE);
    await settled();
    expect(paths).toEqual(['/slow']);
    answer();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
  });
});

describe('more connections than there may be', () => {
  async function idle(count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return sockets;
  }

  it('are told so in the protocol of their request, and closed', async () => {
    await listen(echo, { maxConnections: 3 });
    const sockets = await idle(3);
    for (const body of [[], [Buffer.alloc(MIB)]]) {
      const reply = await send({ headers: { 'X-Amz-Target': 'AmazonSQS.ListQueues' }, body });
      expect(reply.status).toBe(503);
      expect(JSON.parse(reply.body).__type).toBe('com.amazon.coral.service#ServiceUnavailable');
    }
    const get = await raw('GET /?Action=ListQueues HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(get).toContain('<Code>ServiceUnavailable</Code>');
    expect(await raw('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc')).toMatch(/^HTTP\/1\.1 503 /);
    expect((await send({ method: 'GET', path: '/health' })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    let reply = await send({});
    while (reply.status === 503) reply = await send({});
    expect(reply.status).toBe(200);
  });

  it('are closed at once when there are far too many', async () => {
    await listen(echo, { maxConnections: 3 });
    const sockets = await idle(103);
    const more = connect(port, '127.0.0.1');
    await textUntilClose(more);
    for (const socket of sockets) socket.destroy();
  });

  it('are mentioned in the log once, not each', async () => {
    const lines: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => lines.push(fields) };
    await listen(echo, { maxConnections: 1, logger });
    const sockets = await idle(1);
    for (let turn = 0; turn < 5; turn++) expect((await send({})).status).toBe(503);
    expect(lines).toEqual([{ refused: 1 }]);
    await clock.advance(10_000);
    expect((await send({})).status).toBe(503);
    expect(lines).toEqual([{ refused: 1 }, { refused: 5 }]);
    for (const socket of sockets) socket.destroy();
  });
});

describe('requests without end on one connection', () => {
  it('end it when too many of them wait', async () => {
    let handled = 0;
    await listen(() => {
      handled++;
      return new Promise(() => {});
    });
    await raw('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000));
    expect(handled).toBeLessThanOrEqual(256);
    expect((await send({ method: 'GET', path: '/health' })).status).toBe(200);
  });

  it('are answered, when they are some hundred', async () => {
    await listen(echo);
    const text = await raw('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200), `GET /2 HTTP/1.1\r\n${CLOSE}\r\n`);
    expect(text.split('"path":"/1"').length - 1).toBe(200);
    expect(text).toContain('"path":"/2"');
  });
});

describe('broken requests', () => {
  it.each([
    'garbage\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'GET / HTTP/9.9\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nBad\x00Header: y\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
  ])('answers %j with 400 and closes', async (text) => {
    await listen(echo);
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect((await send({})).status).toBe(200);
  });

  it('answers the requests around one without a host, and does not carry out what follows it', async () => {
    const paths: string[] = [];
    await listen(async (request) => {
      paths.push(request.path);
      return echo(request);
    });
    const body = Buffer.alloc(4 * MIB);
    const text = await raw(
      'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n',
      `POST /2 HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
      'GET /3 HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"\/1".*HTTP\/1\.1 400 Bad Request\r\n/s);
    expect(paths).toEqual(['/1']);
  });

  it('answers garbage that goes on and on before it closes', async () => {
    await listen(echo);
    const garbage = Array.from({ length: 8 }, () => Buffer.alloc(MIB, 'garbage\r\n\r\n'));
    const text = await raw('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n', ...garbage);
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"\/1".*HTTP\/1\.1 400 Bad Request\r\n/s);
  });

  it('drops a request that is cut off, and serves on', async () => {
    let handled = 0;
    await listen((request) => {
      handled++;
      return echo(request);
    });
    const socket = connect(port, '127.0.0.1');
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this');
    await textUntilClose(socket);
    expect(handled).toBe(0);
    expect((await send({})).status).toBe(200);
  });

  it('answers the requests before garbage, then the garbage', async () => {
    await listen(async (request) => {
      // When the reply comes the garbage has been seen.
      await new Promise((resolve) => setImmediate(resolve));
      return echo(request);
    });
    const text = await raw('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"\/1".*HTTP\/1\.1 200 .*"\/2".*HTTP\/1\.1 400 Bad Request\r\n/s);
  });
});

describe('the gone signal', () => {
  it('is aborted when the client goes away while it waits', async () => {
    const { promise: aborted, resolve } = withResolvers();
    const { promise: waiting, resolve: isWaiting } = withResolvers();
    await listen((request, client) => {
      client.goneSignal().addEventListener('abort', resolve);
      isWaiting();
      return new Promise<WireReply>((done) => aborted.then(() => done(echo(request))));
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await waiting;
    socket.destroy();
    await aborted;
    expect((await send({ path: '/health', method: 'GET' })).status).toBe(200);
  });

  it('stays quiet when the reply was written', async () => {
    let signal: CancelSignal | undefined;
    await listen((request, client) => {
      signal = client.goneSignal();
      return echo(request);
    });
    await send({ headers: { Connection: 'close' } });
    await send({ method: 'GET', path: '/health' });
    expect(signal?.aborted).toBe(false);
  });
});

describe('drain', () => {
  it('closes idle connections and those that were never used', async () => {
    await listen(echo);
    const unused = connect(port, '127.0.0.1');
    await new Promise((resolve) => unused.once('connect', resolve));
    const used = connect(port, '127.0.0.1');
    used.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => used.once('data', resolve));
    await Promise.all([listener.drain(), textUntilClose(unused), textUntilClose(used)]);
  });

  it('answers what is under way, tells that client to close, and takes nothing new', async () => {
    const { promise: answering, resolve: answer } = withResolvers();
    const { promise: waiting, resolve: isWaiting } = withResolvers();
    await listen(async (request) => {
      isWaiting();
      await answering;
      return echo(request);
    });
    const underWay = send({ path: '/slow' });
    await waiting;
    const drained = listener.drain();
    await expect(send({ path: '/new' })).rejects.toThrow('ECONNREFUSED');
    answer();
    const reply = await underWay;
    expect(reply.body).toContain('/slow');
    expect(reply.headers.connection).toBe('close');
    await drained;
  });

  it('refuses a request that was arriving, and closes its connection', async () => {
    await listen(echo);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2?Action=ListQueues HTTP/1.1\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    const drained = listener.drain();
    socket.write('Host: x\r\n\r\n');
    const text = await textUntilClose(socket);
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    expect(text).toContain('Connection: close');
    expect(text).toContain('<Code>ServiceUnavailable</Code>');
    await drained;
  });

  it('gives up on what is left when told to', async () => {
    const { promise: waiting, resolve: isWaiting } = withResolvers();
    await listen(() => {
      isWaiting();
      return new Promise(() => {});
    });
    const stuck = send({}).catch((error: Error) => error);
    await waiting;
    const drained = listener.drain();
    listener.abandon();
    await drained;
    expect(await stuck).toBeInstanceOf(Error);
  });
});

describe('listen', () => {
  it('rejects when the port is taken', async () => {
    await listen(echo);
    const second = new HttpListener({ ...OPTIONS, timers: clock, handle: echo, refuse: () => never() });
    await expect(second.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function never(): never {
  throw new Error('unexpected');
}

describe('a listener that others listen for', () => {
  let door: Server;

  afterEach(() => {
    door.close();
  });

  async function listenElsewhere(handle: HttpOptions['handle']): Promise<void> {
    await listen(handle);
    await listener.drain();
    listener = new HttpListener({
      ...OPTIONS,
      timers: clock,
      handle,
      refuse: (request, error) => codecFor(request).encodeError(error, 'the-request-id'),
    });
    listener.listenToNobody();
    listener.ready();
    door = createServer((socket) => listener.accept(socket));
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
    ({ port } = door.address() as AddressInfo);
  }

  it('answers on the connections it is given', async () => {
    await listenElsewhere(echo);
    expect(await send({ body: [Buffer.from('hello')] })).toMatchObject({ status: 200 });
  });

  it('waits for the request under way when it drains, and closes connections that come late', async () => {
    const { promise: asked, resolve: ask } = withResolvers();
    const { promise: answering, resolve: answer } = withResolvers();
    await listenElsewhere(async (request) => {
      ask();
      await answering;
      return echo(request);
    });
    const reply = send({ body: [Buffer.from('hello')] });
    await asked;
    const drained = listener.drain();
    const late = connect(port, '127.0.0.1');
    expect(await textUntilClose(late)).toBe('');
    answer();
    expect(await reply).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await drained;
  });

  it('watches over its connections as one that listens itself does', async () => {
    await listenElsewhere(() => new Promise(() => {}));
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'connect');
    await new Promise((resolve) => setImmediate(resolve));
    // Only those that Node keeps an eye on, for their timeouts, are closed by this.
    listener.abandon();
    expect(await textUntilClose(socket)).toBe('');
  });
});
