import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../api/action.ts';
import type { CancelSignal, QueueService } from '../engine/queue-service.ts';
import { manualClock } from '../platform/manual.ts';
import type { ReceivedRequest } from '../protocol/codec.ts';
import { SqsError } from '../protocol/model/errors.ts';
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts';
import type { Client } from './exchange.ts';
import { Room } from './room.ts';

const UUID = /^[0-9a-f-]{36}$/;

interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

function setUp(run: DispatcherOptions['run']) {
  const lines: LogLine[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  const dispatch = createDispatcher({
    run,
    queues: {} as QueueService,
    platform: manualClock(),
    defaultScope: { account: '000000000000', region: 'us-east-1' },
    limits: { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 },
    baseUrlFor: (host, isSecure) => `${isSecure ? 'https' : 'http'}://${host}`,
    replyRoom: new Room(1_000_000),
    guard: { run: (_call, run) => run() },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  });
  return { dispatch, lines };
}

function json(action: string, input: unknown, more: Partial<ReceivedRequest> = {}): ReceivedRequest {
  const headers = { host: 'q:1', 'x-amz-target': `AmazonSQS.${action}`, 'x-amzn-trace-id': 'Root=1' };
  return {
    method: 'POST',
    path: '/',
    query: '',
    headers,
    rawHeaders: [],
    body: Buffer.from(JSON.stringify(input)),
    ...more,
  };
}

const noWaiting: Client = {
  goneSignal: () => {
    throw new Error('no signal was called for');
  },
  onceOver: () => {},
};

describe('dispatch', () => {
  it('runs the action with what the request says about its caller', async () => {
    const calls: [string, unknown, ActionContext][] = [];
    const { dispatch, lines } = setUp(async (...call) => {
      calls.push(call);
      return { QueueUrls: ['http://q:1/000000000000/a'] };
    });
    const reply = await dispatch(json('ListQueues', { MaxResults: 5 }, { path: '/000000000000/a' }), noWaiting);
    expect(reply.status).toBe(200);
    expect(reply.headers['x-amzn-RequestId']).toMatch(UUID);
    expect(JSON.parse(String(reply.body))).toEqual({ QueueUrls: ['http://q:1/000000000000/a'] });
    expect(calls).toEqual([
      [
        'ListQueues',
        { MaxResults: 5 },
        expect.objectContaining({
          scope: { account: '000000000000', region: 'us-east-1' },
          baseUrl: 'http://q:1',
          path: '/000000000000/a',
          protocol: 'awsJson1_0',
          traceHeader: 'Root=1',
          senderId: '000000000000',
        }),
      ],
    ]);
    expect(lines).toEqual([]);
  });

  it('speaks AWS Query', async () => {
    const { dispatch } = setUp(async (_, __, context) => ({ QueueUrls: [context.protocol] }));
    const request = {
      method: 'GET',
      path: '/',
      query: 'Action=ListQueues',
      headers: {},
      rawHeaders: [],
      body: Buffer.alloc(0),
    };
    expect((await dispatch(request, noWaiting)).body).toContain('<QueueUrl>awsQuery</QueueUrl>');
  });

  it('gives a signal of the connection to ReceiveMessage alone', async () => {
    const signals: CancelSignal[] = [];
    const { dispatch } = setUp(async (_, __, context) => void signals.push(context.signal));
    const controller = new AbortController();
    await dispatch(json('ReceiveMessage', {}), { ...noWaiting, goneSignal: () => controller.signal });
    await dispatch(json('DeleteQueue', {}), noWaiting);
    controller.abort();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  });

  it('answers an error of the API, and logs its code but not its text', async () => {
    const { dispatch, lines } = setUp(async () => {
      throw new SqsError('ReceiptHandleIsInvalid', 'The input receipt handle "secret" is not a valid receipt handle.');
    });
    const reply = await dispatch(json('DeleteMessage', {}), noWaiting);
    expect(reply.status).toBe(404);
    expect(reply.body).toContain('secret');
    expect(lines).toEqual([
      {
        level: 'debug',
        fields: {
          requestId: reply.headers['x-amzn-RequestId'],
          action: 'DeleteMessage',
          code: 'ReceiptHandleIsInvalid',
          status: 404,
        },
        message: 'request refused',
      },
    ]);
  });

  it('logs an error that is our fault as an error, with its cause', async () => {
    const { dispatch, lines } = setUp(async () => {
      throw new SqsError('ServiceUnavailable', 'Try again.', { cause: new Error('disk full') });
    });
    expect((await dispatch(json('SendMessage', {}), noWaiting)).status).toBe(503);
    expect(lines).toMatchObject([{ level: 'error', fields: { cause: expect.stringContaining('disk full') } }]);
  });

  it.each([[new TypeError('bug')], ['not even an error'], [undefined]])(
    'answers anything else thrown with InternalFailure and logs the stack: %s',
    async (thrown) => {
      const { dispatch, lines } = setUp(async () => {
        throw thrown;
      });
      const reply = await dispatch(json('SendMessage', { MessageBody: 'private' }), noWaiting);
      expect(reply.status).toBe(500);
      expect(reply.headers['x-amzn-query-error']).toBe('InternalFailure;Receiver');
      expect(reply.body).not.toContain('bug');
      expect(lines).toMatchObject([{ level: 'error', fields: { action: 'SendMessage', status: 500 } }]);
      expect(JSON.stringify(lines)).not.toContain('private');
    },
  );

  it.each([
    ['an unknown action', json('FooBar', {}), 400],
    ['a body that is no JSON', { ...json('SendMessage', {}), body: Buffer.from('{') }, 400],
    ['OPTIONS', json('SendMessage', {}, { method: 'OPTIONS' }), 400],
    ['DELETE', json('DeleteQueue', {}, { method: 'DELETE' }), 400],
    [
      'a form on another web site',
      {
        method: 'GET',
        path: '/',
        query: 'Action=ListQueues',
        headers: { 'sec-fetch-site': 'cross-site' },
        rawHeaders: [],
        body: Buffer.alloc(0),
      },
      403,
    ],
    [
      'a GET of nothing',
      { method: 'GET', path: '/x', query: '', headers: {}, rawHeaders: [], body: Buffer.alloc(0) },
      404,
    ],
  ])('refuses %s without running anything', async (_, request, status) => {
    const { dispatch, lines } = setUp(async () => {
      throw new Error('nothing was to run');
    });
    expect((await dispatch(request, noWaiting)).status).toBe(status);
    expect(lines).toMatchObject([{ level: 'debug', message: 'request refused' }]);
  });
});
