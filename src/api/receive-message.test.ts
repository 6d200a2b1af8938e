import { describe, expect, it } from 'vitest';
import type { ReceivedMessage } from '../engine/queue-service.ts';
import type { ReceiveMessageRequest } from '../protocol/model/shapes.ts';
import { errorOf, testApi } from './testing/context.ts';

const text = (name: string, value: string) => ({ name, dataType: 'String', value });

const MESSAGE: ReceivedMessage = {
  messageId: 'm',
  body: 'message',
  bodyMd5: '78e731027d8fd50ed642340b7c9a63b3',
  attributes: [text('General', 'Kenobi'), text('Hello', 'There'), text('Help.Me', 'Me')],
  senderId: 'AIDATEST',
  receiptHandle: 'h',
  sentAt: 1_700_000_000_001,
  receiveCount: 2,
  firstReceivedAt: 1_700_000_000_002,
};
const SHOWN = { MessageId: 'm', ReceiptHandle: 'h', MD5OfBody: MESSAGE.bodyMd5, Body: 'message' };
const ALWAYS = {
  SenderId: 'AIDATEST',
  SentTimestamp: '1700000000001',
  ApproximateReceiveCount: '2',
  ApproximateFirstReceiveTimestamp: '1700000000002',
};
const SOMETIMES = {
  SequenceNumber: '00000000000000000001',
  MessageDeduplicationId: 'd',
  MessageGroupId: 'g',
  AWSTraceHeader: 'Root=1',
  DeadLetterQueueSourceArn: 'arn',
};

async function withQueue(Attributes: Record<string, string> = {}, messages: ReceivedMessage[] = [MESSAGE]) {
  const api = testApi();
  const QueueUrl = Attributes.FifoQueue === undefined ? 'orders' : 'orders.fifo';
  await api.run('CreateQueue', { QueueName: QueueUrl, Attributes });
  api.queues.replies.receive = messages;
  const receive = (request: ReceiveMessageRequest) => api.run('ReceiveMessage', { QueueUrl, ...request });
  return {
    ...api,
    receive,
    first: async (request: ReceiveMessageRequest) => (await receive(request)).Messages?.[0],
    request: () => api.queues.calls[0]?.arguments[1],
  };
}

describe('ReceiveMessage', () => {
  it('asks for one message without waiting', async () => {
    const { receive, request, queues, context } = await withQueue({}, []);
    expect(await receive({})).toEqual({ Messages: [] });
    expect(request()).toEqual({ maxMessages: 1, waitMs: 0 });
    expect(queues.calls[0]?.arguments[2]).toBe(context.signal);
  });

  it('asks for what the request and the queue say', async () => {
    const { receive, queues } = await withQueue({ ReceiveMessageWaitTimeSeconds: '7' });
    await receive({ MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
    await receive({ WaitTimeSeconds: 0, VisibilityTimeout: 43_200, ReceiveRequestAttemptId: 'a b' });
    await receive({ WaitTimeSeconds: 20 });
    expect(queues.calls.map((call) => call.arguments[1])).toEqual([
      { maxMessages: 10, waitMs: 7000, visibilityTimeoutMs: 0 },
      { maxMessages: 1, waitMs: 0, visibilityTimeoutMs: 43_200_000 },
      { maxMessages: 1, waitMs: 20_000 },
    ]);
  });

  it('passes the attempt id on for a FIFO queue', async () => {
    const { receive, request } = await withQueue({ FifoQueue: 'true' });
    await receive({ ReceiveRequestAttemptId: 'attempt' });
    expect(request()).toMatchObject({ attemptId: 'attempt' });
    for (const id of ['', 'a b', 'x'.repeat(129)]) {
      expect(await errorOf(() => receive({ ReceiveRequestAttemptId: id }))).toBe(
        `InvalidParameterValueException: Value ${id} for parameter ReceiveRequestAttemptId is invalid. Reason: ReceiveRequestAttemptId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
      );
    }
  });

  it.each<[ReceiveMessageRequest, string]>([
    ...[0, 11, -1].map((value): [ReceiveMessageRequest, string] => [
      { MaxNumberOfMessages: value },
      `Value ${value} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.`,
    ]),
    ...[-1, 21].map((value): [ReceiveMessageRequest, string] => [
      { WaitTimeSeconds: value },
      `Value ${value} for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided.`,
    ]),
    ...[-1, 43_201].map((value): [ReceiveMessageRequest, string] => [
      { VisibilityTimeout: value },
      `Value ${value} for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided.`,
    ]),
  ])('refuses %j', async (request, message) => {
    const { receive, queues } = await withQueue();
    expect(await errorOf(() => receive(request))).toBe(`InvalidParameterValueException: ${message}`);
    expect(queues.calls).toEqual([]);
  });

  it('tells that too many messages are in flight', async () => {
    const { receive, queues } = await withQueue();
    queues.replies.receive = 'over-limit';
    expect(await errorOf(() => receive({}))).toContain(
      'OverLimit: The maximum number of in flight messages is reached.',
    );
  });

  it('shows no attributes that were not asked for', async () => {
    const { receive } = await withQueue();
    for (const names of [undefined, []]) {
      expect(
        await receive({ AttributeNames: names, MessageSystemAttributeNames: names, MessageAttributeNames: names }),
      ).toEqual({ Messages: [SHOWN] });
    }
  });
});

describe('system attributes', () => {
  it('are those the message has', async () => {
    const { first } = await withQueue();
    expect(await first({ MessageSystemAttributeNames: ['All'] })).toEqual({ ...SHOWN, Attributes: ALWAYS });

    const complete: ReceivedMessage = {
      ...MESSAGE,
      sequenceNumber: SOMETIMES.SequenceNumber,
      deduplicationId: 'd',
      groupId: 'g',
      traceHeader: 'Root=1',
      deadLetterSourceArn: 'arn',
    };
    const fifo = await withQueue({ FifoQueue: 'true' }, [complete]);
    expect((await fifo.first({ AttributeNames: ['All'] }))?.Attributes).toEqual({ ...ALWAYS, ...SOMETIMES });
  });

  it('are the union of what both parameters ask for', async () => {
    const { first } = await withQueue();
    const shown = await first({
      AttributeNames: ['SenderId', 'VisibilityTimeout'],
      MessageSystemAttributeNames: ['SentTimestamp', 'SequenceNumber'],
    });
    expect(shown?.Attributes).toEqual({ SenderId: 'AIDATEST', SentTimestamp: '1700000000001' });
  });

  it.each<[ReceiveMessageRequest, string]>([
    [{ MessageSystemAttributeNames: ['SenderId', 'Foobar'] }, 'Foobar'],
    [{ MessageSystemAttributeNames: ['VisibilityTimeout'] }, 'VisibilityTimeout'],
    [{ AttributeNames: ['constructor'] }, 'constructor'],
  ])('must be known: %j', async (request, name) => {
    const { receive } = await withQueue();
    expect(await errorOf(() => receive(request))).toBe(`InvalidAttributeName: Unknown Attribute ${name}.`);
  });
});

describe('message attributes', () => {
  const value = (StringValue: string) => ({ DataType: 'String', StringValue });

  it.each<[string[], object | undefined, string | undefined]>([
    [
      ['All'],
      { General: value('Kenobi'), Hello: value('There'), 'Help.Me': value('Me') },
      '4c360f3fdafd970e05fae2f149d997f5',
    ],
    [['Hel.*'], { Hello: value('There'), 'Help.Me': value('Me') }, '83fee93c1bcd8b9a5a923ffacdc636c7'],
    [['General', 'Hello'], { General: value('Kenobi'), Hello: value('There') }, 'fca026605781cb4126a1e9044df24232'],
    [['Hello', 'AWS.', '..foo'], { Hello: value('There') }, 'a311262e065454b75da111d535b8dacd'],
    [['Foo'], undefined, undefined],
  ])('of %j come with the digest of what is returned', async (MessageAttributeNames, attributes, md5) => {
    const { first } = await withQueue();
    expect(await first({ MessageAttributeNames })).toEqual({
      ...SHOWN,
      MessageAttributes: attributes,
      MD5OfMessageAttributes: md5,
    });
  });

  it('may be bytes and may be called like parts of objects', async () => {
    const attributes = [{ name: '__proto__', dataType: 'Binary.png', value: Uint8Array.of(1, 2) }];
    const { first } = await withQueue({}, [{ ...MESSAGE, attributes }]);
    const shown = await first({ MessageAttributeNames: ['*'] });
    expect(Object.entries(shown?.MessageAttributes ?? {})).toEqual([
      ['__proto__', { DataType: 'Binary.png', BinaryValue: Uint8Array.of(1, 2) }],
    ]);
  });
});
