import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { codecFor, type WireReply, type WireRequest } from '../protocol/codec.ts';
import { HttpListener, type HttpOptions } from './http.ts';
import { silentLogger } from './logger.ts';

const MIB = 1024 * 1024;
let listener: HttpListener;
let port: number;

async function listen(handle: HttpOptions['handle'], ready = true): Promise<void> {
  listener = new HttpListener({
    handle,
    refuse: (request, error) => codecFor(request).encodeError(error, 'the-request-id'),
    version: '1.2.3',
    logger: silentLogger,
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
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
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

  it('holds no more than 192 MiB of unfinished bodies, and has room again when their clients are gone', async () => {
    await listen(echo);
    const slow = Array.from({ length: 13 }, () => {
      const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'Content-Length': 16 * MIB } });
      request.on('error', () => {});
      request.write(Buffer.alloc(15 * MIB));
      return request;
    });
    const refusal = await Promise.race(slow.map((request) => once(request, 'response')));
    expect(refusal[0].statusCode).toBe(503);
    for (const request of slow) request.destroy();
    const whole = { body: [Buffer.alloc(8 * MIB), Buffer.alloc(8 * MIB)] };
    let reply = await send(whole);
    while (reply.status === 503) reply = await send(whole);
    expect(reply.status).toBe(200);
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
    await listen(echo, false);
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
    await listen((request, goneSignal) => {
      goneSignal().addEventListener('abort', resolve);
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
    let signal: AbortSignal | undefined;
    await listen((request, goneSignal) => {
      signal = goneSignal();
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
    const second = new HttpListener({ handle: echo, refuse: () => never(), version: '', logger: silentLogger });
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
      handle,
      refuse: (request, error) => codecFor(request).encodeError(error, 'the-request-id'),
      version: '1.2.3',
      logger: silentLogger,
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
