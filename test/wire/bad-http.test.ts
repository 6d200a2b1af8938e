import { describe, expect, it } from 'vitest';
import { chunk, RawConnection, type RawRequest, requestBytes } from '../support/raw-connection.ts';
import { jsonVerdict, queryVerdict, useResilientServer, type Verdict } from '../support/resilience.ts';
import { parseXml } from '../support/xml.ts';

// Connections that are broken, hostile or no HTTP (promise P8). What is HTTP gets an error of the API in the protocol of
// the request; for what is none a status of HTTP, or the end of the connection, has to do. That the server is well is
// checked after each test.

const MIB = 1024 * 1024;
/** Bodies are cut off at about 16 MiB (SQS: section 1.9). */
const BODY_MAX = 16 * MIB;
const server = useResilientServer();
const { sqs } = server;

/** A call of AWS JSON. */
function jsonCall(action: string, input: object | string, more: RawRequest = {}): RawRequest {
  return {
    ...more,
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `AmazonSQS.${action}`,
      ...more.headers,
    },
    body: typeof input === 'string' ? input : JSON.stringify(input),
  };
}

function queryCall(parameters: string, more: RawRequest = {}): RawRequest {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...more.headers };
  return { ...more, headers, body: parameters };
}

/** What a connection ends with: the status of a reply, or `closed`. It has to end with one of them. */
async function outcomeOf(bytes: string | Buffer): Promise<number | 'closed'> {
  const connection = await server.open();
  try {
    return (await connection.exchange(bytes)).status;
  } catch {
    return 'closed';
  } finally {
    connection.close();
  }
}

function expectNoService(outcome: number | 'closed'): void {
  if (outcome === 'closed') return;
  expect(outcome).toBeGreaterThanOrEqual(400);
  expect(outcome).toBeLessThan(500);
}

function expectRefused(verdict: Verdict): void {
  expect(verdict.code, verdict.text).toBeDefined();
}

describe('bodies that are too large', () => {
  it('are refused by their length before they come, in the protocol of the request', async () => {
    const headers = { 'Content-Length': String(BODY_MAX + 1) };
    const json = jsonVerdict(await server.send(jsonCall('SendMessage', '', { headers })));
    expect(json).toMatchObject({ status: 413, code: 'RequestEntityTooLarge' });
    const query = queryVerdict(await server.send(queryCall('', { headers })));
    expect(query).toMatchObject({ status: 413, code: 'RequestEntityTooLarge' });
    const absurd = { 'Content-Length': '999999999999999' };
    expect(jsonVerdict(await server.send(jsonCall('SendMessage', '', { headers: absurd }))).status).toBe(413);
  });

  it('are refused by their length also when they do come', async () => {
    const body = ' '.repeat(BODY_MAX + 1);
    expect(jsonVerdict(await server.send(jsonCall('SendMessage', body))).status).toBe(413);
  });

  it('are refused in chunks as soon as there are too many', async () => {
    const connection = await server.open();
    const headers = { 'Transfer-Encoding': 'chunked' };
    const { headers: all, ...rest } = jsonCall('SendMessage', '', { headers });
    void connection.write(requestBytes({ ...rest, headers: all }));
    const mebibyte = Buffer.from(`${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`);
    const reply = connection.reply();
    for (let sent = 0; sent <= BODY_MAX / MIB; sent++) await connection.write(mebibyte);
    // The last chunk was never sent.
    expect(jsonVerdict(await reply)).toMatchObject({ status: 413, code: 'RequestEntityTooLarge' });
    connection.close();
  });

  it('are read when they are as large as they may be', async () => {
    const call = JSON.stringify({ QueueNamePrefix: 'bystander' });
    const body = call + ' '.repeat(BODY_MAX - call.length);
    expect(jsonVerdict(await server.send(jsonCall('ListQueues', body))).status).toBe(200);
    const form = 'Action=ListQueues&x=';
    const padded = form + 'x'.repeat(BODY_MAX - form.length);
    expect(queryVerdict(await server.send(queryCall(padded))).status).toBe(200);
  });

  it('hold ten messages of a tenth of a batch in base64 and escapes', async () => {
    const queue = await sqs.createQueue();
    // Each character of the body takes six in the request.
    const MessageBody = '\\u0041'.repeat(MIB / 10);
    const entries = Array.from({ length: 10 }, (_, index) => `{"Id":"${index}","MessageBody":"${MessageBody}"}`);
    const body = `{"QueueUrl":"${queue}","Entries":[${entries.join(',')}]}`;
    const verdict = jsonVerdict(await server.send(jsonCall('SendMessageBatch', body)));
    expect(verdict.status).toBe(200);
    expect(JSON.parse(verdict.text).Successful).toHaveLength(10);
  });
});

describe('16 MiB of tiny items', () => {
  /** `item` as often as it fits, between `start` and `end`. */
  function filled(start: string, item: string, end: string, separator = ','): string {
    const room = BODY_MAX - start.length - end.length - item.length;
    return `${start}${`${item}${separator}`.repeat(Math.floor(room / (item.length + separator.length)))}${item}${end}`;
  }

  it.each([
    ['entries', 'SendMessageBatch', '{"QueueUrl":"canary","Entries":[', '{}', ']}'],
    ['entries that are null', 'SendMessageBatch', '{"QueueUrl":"canary","Entries":[', 'null', ']}'],
    ['names', 'ReceiveMessage', '{"QueueUrl":"canary","AttributeNames":[', '""', ']}'],
    ['names of attributes', 'ReceiveMessage', '{"QueueUrl":"canary","MessageAttributeNames":[', '"a"', ']}'],
    ['attributes of a message', 'SendMessage', '{"QueueUrl":"canary","MessageAttributes":{', '"a":{}', '}}'],
    ['attributes of a queue', 'SetQueueAttributes', '{"QueueUrl":"canary","Attributes":{', '"a":""', '}}'],
    ['keys of tags', 'UntagQueue', '{"QueueUrl":"canary","TagKeys":[', '"a"', ']}'],
    ['numbers where none should be', 'ListQueues', '{"QueueNamePrefix":[', '0', ']}'],
    ['unknown members of one name', 'ListQueues', '{', '"a":0', '}'],
    ['numbers without an object', 'ListQueues', '[', '0', ']'],
    ['open brackets', 'ListQueues', '', '[', ''],
    ['escapes in a string', 'GetQueueUrl', '{"QueueName":"', '\\u0041', '"}'],
  ])('JSON: %s', async (name, action, start, item, end) => {
    const separator = name === 'open brackets' || name.startsWith('escapes') ? '' : ',';
    const verdict = jsonVerdict(await server.send(jsonCall(action, filled(start, item, end, separator))));
    if (action !== 'ListQueues' && action !== 'ReceiveMessage') expectRefused(verdict);
  });

  it('JSON: unknown members of many names', async () => {
    const members = Array.from({ length: 1_000_000 }, (_, index) => `"${index.toString(36)}x":0`);
    jsonVerdict(await server.send(jsonCall('ListQueues', `{${members.join(',')}}`)));
  });

  it('JSON: tags of many names', async () => {
    const tags = Array.from({ length: 1_000_000 }, (_, index) => `"${index.toString(36)}":"x"`);
    const body = `{"QueueUrl":"canary","Tags":{${tags.join(',')}}}`;
    expectRefused(jsonVerdict(await server.send(jsonCall('TagQueue', body))));
  });

  it.each([
    ['parameters of one name', 'Action=ListQueues&', 'a=1', '&'],
    ['parameters without name', 'Action=ListQueues&', '=', '&'],
    ['nothing but separators', 'Action=ListQueues&', '', '&'],
    ['dots in a name', 'Action=ListQueues&', '.', ''],
    ['parts of a name', 'Action=ListQueues&', 'a.', ''],
    ['escapes', 'Action=GetQueueUrl&QueueName=', '%41', ''],
    ['plus signs', 'Action=GetQueueUrl&QueueName=', '+', ''],
    ['equal signs', 'Action=GetQueueUrl&QueueName', '=', ''],
  ])('form: %s', async (_, start, item, separator) => {
    queryVerdict(await server.send(queryCall(filled(start, item, '', separator))));
  });

  it('inside a token', async () => {
    const json = `[${'{},'.repeat((BODY_MAX * 0.7) / 3)}0]`;
    const token = Buffer.from(json).toString('base64');
    for (const [action, input] of [
      ['ListQueues', { MaxResults: 1, NextToken: token }],
      ['CancelMessageMoveTask', { TaskHandle: token }],
      ['DeleteMessage', { QueueUrl: 'canary', ReceiptHandle: token }],
      ['SetQueueAttributes', { QueueUrl: 'canary', Attributes: { Policy: json } }],
      ['SetQueueAttributes', { QueueUrl: 'canary', Attributes: { RedrivePolicy: json } }],
      ['SetQueueAttributes', { QueueUrl: 'canary', Attributes: { RedriveAllowPolicy: json } }],
    ] as const) {
      expectRefused(jsonVerdict(await server.send(jsonCall(action, input))));
    }
  });

  it('are not quoted at full length in an error', async () => {
    for (const item of ['x', '<', '%00', '%F0%9F%90%A6']) {
      const start = 'Action=SendMessage&QueueUrl=canary&MessageBody=x&MessageGroupId=';
      const reply = await server.send(queryCall(filled(start, item, '', '')));
      expectRefused(queryVerdict(reply));
      expect(reply.body.length).toBeLessThan(100_000);
    }
    const start = '{"QueueUrl":"canary","ReceiptHandle":"';
    const reply = await server.send(jsonCall('DeleteMessage', filled(start, '\\u0001', '"}', '')));
    expectRefused(jsonVerdict(reply));
    expect(reply.body.length).toBeLessThan(100_000);
  });

  it('form: items of a list', async () => {
    const names = Array.from({ length: 700_000 }, (_, index) => `TagKey.${index}=a`);
    const body = `Action=UntagQueue&QueueUrl=canary&${names.join('&')}`;
    queryVerdict(await server.send(queryCall(body)));
  });
});

describe('JSON that nests deeply', () => {
  const DEPTH = 1_000_000;
  const lists = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;
  const objects = `${'{"a":'.repeat(DEPTH)}0${'}'.repeat(DEPTH)}`;

  it.each([
    ['lists', lists],
    ['objects', objects],
  ])('%s', async (_, deep) => {
    for (const [action, body] of [
      ['ListQueues', deep],
      ['ListQueues', `{"Unknown":${deep}}`],
      ['GetQueueUrl', `{"QueueName":${deep}}`],
      ['SendMessage', `{"QueueUrl":"canary","MessageBody":${deep}}`],
      ['SendMessage', `{"QueueUrl":"canary","MessageBody":"x","MessageAttributes":${deep}}`],
      ['SendMessage', `{"QueueUrl":"canary","MessageBody":"x","MessageAttributes":{"a":${deep}}}`],
      ['SendMessageBatch', `{"QueueUrl":"canary","Entries":${deep}}`],
      ['SetQueueAttributes', `{"QueueUrl":"canary","Attributes":{"RedrivePolicy":${deep}}}`],
      ['TagQueue', `{"QueueUrl":"canary","Tags":${deep}}`],
    ] as const) {
      const verdict = jsonVerdict(await server.send(jsonCall(action, body)));
      if (!body.includes('Unknown') && body !== objects) expectRefused(verdict);
    }
  });

  it.each(['RedrivePolicy', 'RedriveAllowPolicy', 'Policy'])('in the text of %s', async (name) => {
    for (const depth of [1000, 4000, DEPTH]) {
      for (const text of [
        `${'['.repeat(depth)}${']'.repeat(depth)}`,
        `{"Statement":${'['.repeat(depth)}${']'.repeat(depth)}}`,
        `${'{"Statement":'.repeat(depth)}0${'}'.repeat(depth)}`,
        `{"deadLetterTargetArn":${'['.repeat(depth)}${']'.repeat(depth)},"maxReceiveCount":1}`,
        `{"deadLetterTargetArn":"a","maxReceiveCount":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      ]) {
        const input = { QueueUrl: 'canary', Attributes: { [name]: text } };
        expectRefused(jsonVerdict(await server.send(jsonCall('SetQueueAttributes', input))));
      }
    }
  });
});

describe('connections that break', () => {
  it('in the middle of a request store nothing', async () => {
    const queue = await sqs.createQueue();
    const whole = requestBytes(jsonCall('SendMessage', { QueueUrl: queue, MessageBody: 'half' }));
    for (let length = 1; length < whole.length; length += 7) {
      for (const way of ['end', 'close', 'reset'] as const) {
        const connection = await server.open();
        await connection.write(whole.subarray(0, length));
        connection[way]();
        await connection.closed;
      }
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('in the middle of chunks store nothing', async () => {
    const queue = await sqs.createQueue();
    const headers = { 'Transfer-Encoding': 'chunked' };
    const { body, ...rest } = jsonCall('SendMessage', { QueueUrl: queue, MessageBody: 'half' }, { headers });
    const whole = Buffer.concat([requestBytes(rest), chunk(Buffer.from(body!), 10)]);
    for (let cut = 1; cut < 30; cut++) {
      const connection = await server.open();
      await connection.write(whole.subarray(0, whole.length - cut));
      connection.end();
      await connection.closed;
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect((await server.send(whole)).status).toBe(200);
  });

  it('after a request, before its reply, have carried it out or not', async () => {
    const queue = await sqs.createQueue();
    const call = requestBytes(jsonCall('SendMessage', { QueueUrl: queue, MessageBody: 'x' }));
    for (let turn = 0; turn < 50; turn++) {
      const connection = await server.open();
      await connection.write(call);
      if (turn % 2 === 0) connection.close();
      else connection.reset();
      await connection.closed;
    }
    const { visible } = await sqs.counts(queue);
    expect(visible).toBeLessThanOrEqual(50);
  });

  it('during a long poll take no message with them', async () => {
    const queue = await sqs.createQueue();
    const poll = requestBytes(jsonCall('ReceiveMessage', { QueueUrl: queue, WaitTimeSeconds: 20 }));
    for (const way of ['close', 'reset'] as const) {
      const gone = await Promise.all(Array.from({ length: 20 }, () => server.open()));
      await Promise.all(gone.map((connection) => connection.write(poll)));
      await settled();
      for (const connection of gone) connection[way]();
      await Promise.all(gone.map(({ closed }) => closed));
      await settled();
      await sqs.send(queue, way);
      const messages = await sqs.receive(queue);
      expect(messages).toMatchObject([{ Body: way, Attributes: { ApproximateReceiveCount: '1' } }]);
    }
  });

  it('half-way in one direction still get their reply', async () => {
    const connection = await server.open();
    const reply = connection.reply();
    await connection.write(requestBytes(jsonCall('ListQueues', {})));
    connection.end();
    expect(jsonVerdict(await reply).status).toBe(200);
  });
});

describe('bytes that come in another way than usual', () => {
  it('one by one', async () => {
    const connection = await server.open();
    const call = requestBytes(jsonCall('ListQueues', { QueueNamePrefix: 'bystander' }));
    for (const byte of call) await connection.write(Buffer.of(byte));
    expect(jsonVerdict(await connection.reply()).status).toBe(200);
    connection.close();
  });

  it('in chunks of every size', async () => {
    const queue = await sqs.createQueue();
    const body = Buffer.from(JSON.stringify({ QueueUrl: queue, MessageBody: 'Grüße 🐦' }));
    const { body: _, ...rest } = jsonCall('SendMessage', '', { headers: { 'Transfer-Encoding': 'chunked' } });
    for (const size of [1, 2, 3, 7, body.length]) {
      const reply = await server.send(Buffer.concat([requestBytes(rest), chunk(body, size)]));
      expect(jsonVerdict(reply).status).toBe(200);
    }
    expect(await sqs.receiveBodies(queue)).toEqual(Array(5).fill('Grüße 🐦'));
  });

  it('many requests at once on one connection, answered in order', async () => {
    const queue = await sqs.createFifoQueue();
    const calls = Array.from({ length: 50 }, (_, index) =>
      requestBytes(
        index % 5 === 4
          ? jsonCall('GetQueueUrl', { QueueName: `missing-${index}` })
          : jsonCall('SendMessage', {
              QueueUrl: queue,
              MessageBody: `${index}`,
              MessageGroupId: 'g',
              MessageDeduplicationId: `${index}`,
            }),
      ),
    );
    const connection = await server.open();
    void connection.write(Buffer.concat(calls));
    const numbers: string[] = [];
    for (const index of calls.keys()) {
      const verdict = jsonVerdict(await connection.reply());
      if (index % 5 === 4) expect(verdict.code).toBe('AWS.SimpleQueueService.NonExistentQueue');
      else numbers.push(JSON.parse(verdict.text).SequenceNumber);
    }
    connection.close();
    // Answered in order; and a client may rely on its requests being carried out in order too.
    expect(numbers).toEqual([...numbers].sort());
  });

  it('requests behind a refused one, on a connection that stays open', async () => {
    const connection = await server.open();
    const bad = jsonVerdict(await connection.exchange(requestBytes(jsonCall('SendMessage', '{'))));
    expectRefused(bad);
    expect(jsonVerdict(await connection.exchange(requestBytes(jsonCall('ListQueues', {})))).status).toBe(200);
    expectRefused(queryVerdict(await connection.exchange(requestBytes(queryCall('Action=Foo')))));
    expect(jsonVerdict(await connection.exchange(requestBytes(jsonCall('ListQueues', {})))).status).toBe(200);
    connection.close();
  });

  it('a request behind a long poll, which waits for it', async () => {
    const queue = await sqs.createQueue();
    const connection = await server.open();
    const poll = jsonCall('ReceiveMessage', { QueueUrl: queue, WaitTimeSeconds: 20 });
    void connection.write(Buffer.concat([requestBytes(poll), requestBytes(jsonCall('ListQueues', {}))]));
    await settled();
    await sqs.send(queue, 'x');
    expect(JSON.parse(jsonVerdict(await connection.reply()).text).Messages).toMatchObject([{ Body: 'x' }]);
    expect(JSON.parse(jsonVerdict(await connection.reply()).text)).toHaveProperty('QueueUrls');
    connection.close();
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['words', 'hello\r\n\r\n'],
    ['line ends', '\r\n\r\n\r\n\r\nx\r\n\r\n'],
    ['nulls', '\0'.repeat(1000)],
    ['a TLS hello', Buffer.from('16030100f6010000f20303', 'hex')],
    ['a greeting of SSH', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method alone', 'GET\r\n\r\n'],
    ['no version', 'GET /\r\n\r\n'],
    ['a version of the future', 'GET /health HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['an unknown method', 'FETCH /health HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a method in lower case', 'post / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
    ['a header without a name', 'GET /health HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'],
    ['a header name with a space', 'GET /health HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n'],
    ['a null in a header', 'GET /health HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    ['a length in words', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n'],
    ['a length beyond all numbers', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a chunk size in words', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n\r\n'],
    [
      'a chunk size beyond all numbers',
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\n\r\n`,
    ],
    ['a chunk without its end', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['an encoding that is none', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: nonsense\r\n\r\nabc'],
    ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    expectNoService(await outcomeOf(bytes));
  });

  it('more headers than there is room for', async () => {
    const line = `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`;
    expectNoService(await outcomeOf(line));
    const many = `GET /health HTTP/1.1\r\nHost: a\r\n${'X-Y: z\r\n'.repeat(100_000)}\r\n`;
    expectNoService(await outcomeOf(many));
    expectNoService(await outcomeOf(`GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`));
  });

  it('noise', async () => {
    // Reproducible: a linear congruence is noise enough.
    let state = 1;
    for (let turn = 0; turn < 100; turn++) {
      const noise = Buffer.alloc(500);
      for (let index = 0; index < noise.length; index++) {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        noise[index] = state >> 16;
      }
      const connection = await server.open();
      await connection.write(noise);
      connection.end();
      await connection.closed;
    }
  });

  it('a hundred connections that say nothing', async () => {
    const silent = await Promise.all(Array.from({ length: 100 }, () => server.open()));
    await server.expectWell();
    for (const connection of silent) connection.close();
  });
});

describe('HTTP of an unusual kind', () => {
  it('version 1.0 without a host gets queue URLs that lead back here', async () => {
    const name = sqs.uniqueName();
    const body = `{"QueueName":"${name}"}`;
    const connection = await server.open();
    const reply = await connection.exchange(
      `POST / HTTP/1.0\r\nX-Amz-Target: AmazonSQS.CreateQueue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(JSON.parse(jsonVerdict(reply).text)).toEqual({ QueueUrl: `${sqs.server.url}/000000000000/${name}` });
    await connection.closed;
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'SEARCH', 'PROPFIND'])('the method %s', async (method) => {
    const json = jsonVerdict(await server.send({ ...jsonCall('ListQueues', {}), method }));
    expectRefused(json);
    expectRefused(queryVerdict(await server.send({ ...queryCall('Action=ListQueues'), method })));
    expectNoService(await outcomeOf(`${method} /health HTTP/1.1\r\nHost: a\r\n\r\n`));
  });

  it('the method HEAD', async () => {
    // The reply has a length and no body, so it is read as far as its headers.
    expect(await outcomeOf('HEAD /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toBe('closed');
    expect(await outcomeOf('HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toBe('closed');
  });

  it('attempts to tunnel or to upgrade', async () => {
    expectNoService(await outcomeOf('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'));
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13';
    expectNoService(await outcomeOf(`GET / HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n\r\n`));
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA';
    expectNoService(await outcomeOf(`GET / HTTP/1.1\r\nHost: a\r\n${h2c}\r\n\r\n`));
  });

  it('paths that lead nowhere', async () => {
    for (const target of [
      ...['/favicon.ico', '/../../etc/passwd', '/%', '/%00', '/%ff', '//', '/?', '/?&', '*', '/#', '/%2e%2e/'],
      ...['http://elsewhere.example/x?y', '/000000000000/missing', `/${'a/'.repeat(10_000)}`, '/?Action=%'],
      ...['/ü', '/?Action=ü&x=\xff', '/000000000000/', '/000000000000//'],
    ]) {
      const outcome = await outcomeOf(requestBytes({ method: 'GET', target }));
      expect(outcome, target).not.toBe(200);
      expectNoService(outcome);
    }
  });

  it('a client that asks first whether it may send', async () => {
    const queue = await sqs.createQueue();
    const call = jsonCall(
      'SendMessage',
      { QueueUrl: queue, MessageBody: 'x' },
      { headers: { Expect: '100-continue' } },
    );
    const whole = requestBytes(call);
    const headEnd = whole.indexOf('\r\n\r\n') + 4;
    const connection = await server.open();
    expect((await connection.exchange(whole.subarray(0, headEnd))).status).toBe(100);
    expect(jsonVerdict(await connection.exchange(whole.subarray(headEnd))).status).toBe(200);
    connection.close();
  });

  it('a client that asks first and is told no', async () => {
    const headers = { Expect: '100-continue', 'Content-Length': String(BODY_MAX + 1) };
    const reply = await server.send(jsonCall('SendMessage', '', { headers }));
    expect(jsonVerdict(reply).status).toBe(413);
  });

  it('a client that expects something else', async () => {
    expectNoService(await outcomeOf(requestBytes(jsonCall('ListQueues', {}, { headers: { Expect: 'a miracle' } }))));
  });
});

describe('absurd headers', () => {
  const AUTHORIZATIONS = [
    '',
    'x',
    'Basic YTpi',
    'Bearer',
    'AWS4-HMAC-SHA256',
    'AWS4-HMAC-SHA256 Credential=',
    'AWS4-HMAC-SHA256 Credential=////',
    'AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request',
    'AWS4-HMAC-SHA256 Credential=AKID/20231114/../sqs/aws4_request, SignedHeaders=, Signature=',
    `AWS4-HMAC-SHA256 Credential=AKID/20231114/${'x'.repeat(10_000)}/sqs/aws4_request`,
    'AWS4-HMAC-SHA256 Credential=__proto__/20231114/constructor/sqs/aws4_request',
    'AWS4-HMAC-SHA256 Credential=\xff\xfe/20231114/us-east-1/sqs/aws4_request',
    'Credential=Credential=Credential=',
  ];

  it.each(AUTHORIZATIONS)('Authorization: %s', async (Authorization) => {
    const headers = { Authorization };
    jsonVerdict(await server.send(jsonCall('ListQueues', {}, { headers })));
    jsonVerdict(await server.send(jsonCall('CreateQueue', { QueueName: 'a' }, { headers })));
    queryVerdict(await server.send(queryCall('Action=ListQueues', { headers })));
  });

  it('credentials in the URL', async () => {
    for (const credential of [
      '',
      '%',
      '%ff',
      'a/b/c/d/aws4_request',
      '/'.repeat(1000),
      '__proto__/x/y/z/aws4_request',
    ]) {
      const target = `/?Action=ListQueues&X-Amz-Credential=${credential}&X-Amz-Signature=x`;
      queryVerdict(await server.send({ method: 'GET', target }));
    }
  });

  it.each([
    '',
    ' ',
    'a b',
    '"><script>',
    '\xff\xfe',
    'a:b:c',
    ':80',
    '[::1',
    'a/b?c#d',
    'x'.repeat(10_000),
    '__proto__',
    'a&b<c>',
  ])('Host: %s', async (Host) => {
    const name = sqs.uniqueName();
    const { QueueUrl } = await sqs.call('CreateQueue', { QueueName: name });
    const headers = { Host };
    const json = await server.send(jsonCall('GetQueueUrl', { QueueName: name }, { headers }));
    // An empty host is no host, which HTTP itself refuses.
    if (json.status === 400 && json.body === '') return;
    const { text } = jsonVerdict(json);
    // Whatever it is, what comes back is a URL of that queue.
    if (json.status === 200) expect(new URL(JSON.parse(text).QueueUrl).pathname).toBe(new URL(QueueUrl!).pathname);
    queryVerdict(await server.send(queryCall(`Action=GetQueueUrl&QueueName=${name}`, { headers })));
  });

  it.each(['Root=x', 'x'.repeat(10_000), '\xff\xfe', '<a>&amp;"', ' ', '\t', '__proto__'])(
    'X-Amzn-Trace-Id: %s',
    async (header) => {
      const queue = await sqs.createQueue();
      const headers = { 'X-Amzn-Trace-Id': header };
      jsonVerdict(await server.send(jsonCall('SendMessage', { QueueUrl: queue, MessageBody: 'x' }, { headers })));
      const receive = { QueueUrl: queue, MessageSystemAttributeNames: ['All'], VisibilityTimeout: 0 };
      expect(jsonVerdict(await server.send(jsonCall('ReceiveMessage', receive))).status).toBe(200);
      const form = `Action=ReceiveMessage&QueueUrl=${encodeURIComponent(queue)}&AttributeName.1=All`;
      expect(queryVerdict(await server.send(queryCall(form))).status).toBe(200);
    },
  );

  it('content types and encodings of all kinds', async () => {
    for (const contentType of ['', 'x', 'text/plain', 'application/json', 'multipart/form-data', ';;;', '\xff']) {
      const headers = { 'Content-Type': contentType };
      jsonVerdict(await server.send(jsonCall('ListQueues', {}, { headers })));
      queryVerdict(await server.send(queryCall('Action=ListQueues', { headers })));
    }
    for (const encoding of ['gzip', 'br', 'nonsense']) {
      const headers = { 'Content-Encoding': encoding };
      jsonVerdict(await server.send(jsonCall('ListQueues', '\x1f\x8b\x08', { headers })));
    }
  });

  it('what the client accepts, of all kinds', async () => {
    for (const Accept of ['', '*/*', 'image/png', ';q=', 'x'.repeat(10_000), '\xff']) {
      queryVerdict(await server.send(queryCall('Action=ListQueues', { headers: { Accept } })));
      queryVerdict(await server.send(queryCall('Action=Foo', { headers: { Accept } })));
    }
    const asJson = await server.send(queryCall('Action=Foo', { headers: { Accept: 'application/json' } }));
    expect(asJson.status).toBe(400);
    expect(JSON.parse(asJson.body)).toMatchObject({ Error: { Code: 'InvalidAction', Type: 'Sender' } });
  });

  it('very many of them', async () => {
    const headers = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`X-${index}`, 'a']));
    expect(jsonVerdict(await server.send(jsonCall('ListQueues', {}, { headers }))).status).toBe(200);
  });

  it('a length that is larger than the body leaves the request waiting, and nobody else', async () => {
    const call = jsonCall('ListQueues', {}, { headers: { 'Content-Length': '100' } });
    const connection = await server.open();
    await connection.write(requestBytes(call));
    await server.expectWell();
    connection.close();
  });

  it('a length that is smaller than the body makes the rest another request', async () => {
    const connection = await server.open();
    const call = jsonCall('ListQueues', '{}POST / HTTP/1.1', { headers: { 'Content-Length': '2' } });
    expect(jsonVerdict(await connection.exchange(requestBytes(call))).status).toBe(200);
    connection.close();
  });

  it('an error page that is XML for every XML parser', async () => {
    const { body } = await server.send({ method: 'GET', target: '/nothing' });
    expect(parseXml(body).name).toBe('UnknownOperationException');
  });
});

/** Resolves when the server has read what was written before: two of its replies later. */
async function settled(): Promise<void> {
  const connection = await RawConnection.open(server.port);
  for (let turn = 0; turn < 2; turn++) await connection.exchange(requestBytes({ method: 'GET', target: '/health' }));
  connection.close();
}
