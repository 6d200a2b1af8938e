import { describe, expect, it } from 'vitest';
import type { NewMessage } from '../queue/message.ts';
import type { MessageRequest } from './outgoing-message.ts';
import { errorOf, testApi } from './testing/context.ts';

const INVALID = 'InvalidParameterValueException:';
const CHARACTERS =
  'InvalidMessageContents: Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF';
const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

async function withQueue(Attributes: Record<string, string> = {}, overrides = {}) {
  const api = testApi(overrides);
  const QueueUrl = Attributes.FifoQueue === undefined ? 'orders' : 'orders.fifo';
  await api.run('CreateQueue', { QueueName: QueueUrl, Attributes });
  return {
    ...api,
    send: (request: MessageRequest) => api.run('SendMessage', { QueueUrl, ...request }),
    sent: () => api.queues.calls.flatMap((call) => call.arguments[1] as NewMessage[]),
  };
}

const fifo = (attributes: object = {}) => withQueue({ FifoQueue: 'true', ...attributes });
const FIFO_MESSAGE = { MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' };

describe('SendMessage', () => {
  it('hands the message over and answers with its digests', async () => {
    const { send, sent } = await withQueue();
    const reply = await send({
      MessageBody: 'message',
      DelaySeconds: 0,
      MessageGroupId: 'tenant',
      MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: TRACE } },
    });
    expect(reply).toEqual({
      MessageId: 'id-1',
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
      MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
      MD5OfMessageSystemAttributes: '5ae4d5d7636402d80f4eb6d213245a88',
    });
    expect(sent()).toEqual([
      {
        messageId: 'id-1',
        body: 'message',
        bodyMd5: '78e731027d8fd50ed642340b7c9a63b3',
        attributes: [{ name: 'k', dataType: 'String', value: 'x' }],
        senderId: 'AIDATEST',
        traceHeader: TRACE,
        groupId: 'tenant',
        delayMs: 0,
      },
    ]);
  });

  it('answers with what was sent first when the message is a duplicate', async () => {
    const { send, queues } = await fifo();
    queues.replies.send = () => ({ messageId: 'first', sequenceNumber: '00000000000000000001' });
    expect(await send({ ...FIFO_MESSAGE, MessageBody: 'message' })).toEqual({
      MessageId: 'first',
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
      SequenceNumber: '00000000000000000001',
    });
  });

  it('takes the trace header of the HTTP request when the message has none', async () => {
    const { send, sent } = await withQueue({}, { traceHeader: 'Root=http' });
    expect(await send({ MessageBody: 'x' })).not.toHaveProperty('MD5OfMessageSystemAttributes', expect.anything());
    await send({
      MessageBody: 'x',
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=own' } },
    });
    expect(sent().map((message) => message.traceHeader)).toEqual(['Root=http', 'Root=own']);
  });

  it('makes a deduplication id of the body alone', async () => {
    const { send, sent } = await fifo({ ContentBasedDeduplication: 'true' });
    await send({ MessageBody: 'x', MessageGroupId: 'g' });
    await send({
      MessageBody: 'x',
      MessageGroupId: 'h',
      MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
    });
    await send({ ...FIFO_MESSAGE });
    const hash = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
    expect(sent().map((message) => message.deduplicationId)).toEqual([hash, hash, 'd']);
  });

  it('leaves the delay of a FIFO queue alone', async () => {
    const { send, sent } = await fifo();
    await send({ ...FIFO_MESSAGE, DelaySeconds: 0 });
    expect(sent()[0]?.delayMs).toBeUndefined();
  });

  it('delays a message by its own or by no time', async () => {
    const { send, sent } = await withQueue();
    await send({ MessageBody: 'x', DelaySeconds: 900 });
    await send({ MessageBody: 'x' });
    expect(sent().map((message) => message.delayMs)).toEqual([900_000, undefined]);
  });

  it.each<[MessageRequest, string]>([
    [{}, 'MissingRequiredParameterException: The request must contain the parameter MessageBody.'],
    [{ MessageBody: '' }, 'MissingRequiredParameterException: The request must contain the parameter MessageBody.'],
    [{ MessageBody: '\0' }, CHARACTERS],
    [{ MessageBody: 'x\uFFFF' }, CHARACTERS],
    [{ MessageBody: '\uD800' }, CHARACTERS],
    ...[901, -1, 2 ** 31 - 1].map((DelaySeconds): [MessageRequest, string] => [
      { MessageBody: 'x', DelaySeconds },
      `${INVALID} Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
    ]),
    ...['', 'group 123', 'x'.repeat(129)].map((MessageGroupId): [MessageRequest, string] => [
      { MessageBody: 'x', MessageGroupId },
      `${INVALID} Value ${MessageGroupId} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    ]),
    [
      { MessageBody: 'x', MessageDeduplicationId: 'd', MessageGroupId: 'a b' },
      `${INVALID} The request include parameter MessageDeduplicationId which is not valid for this queue type`,
    ],
    [
      { MessageBody: 'x', MessageSystemAttributes: { X: { DataType: 'String', StringValue: 'x' } } },
      `${INVALID} Message system attribute name 'X' is invalid.`,
    ],
  ])('to a standard queue refuses %j', async (request, error) => {
    const { send, queues } = await withQueue();
    expect(await errorOf(() => send(request))).toBe(error);
    expect(queues.calls).toEqual([]);
  });

  it.each<[MessageRequest, string]>([
    [
      { MessageGroupId: undefined },
      'MissingRequiredParameterException: The request must contain the parameter MessageGroupId.',
    ],
    [
      { MessageGroupId: '' },
      'MissingRequiredParameterException: The request must contain the parameter MessageGroupId.',
    ],
    [
      { MessageDeduplicationId: undefined },
      `${INVALID} The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly`,
    ],
    ...['', 'a b', 'x'.repeat(129)].map((MessageDeduplicationId): [MessageRequest, string] => [
      { MessageDeduplicationId },
      `${INVALID} Value ${MessageDeduplicationId} for parameter MessageDeduplicationId is invalid. Reason: MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
    ]),
    [
      { DelaySeconds: 5 },
      `${INVALID} Value 5 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    ],
  ])('to a FIFO queue refuses %j', async (request, error) => {
    const { send } = await fifo();
    expect(await errorOf(() => send({ ...FIFO_MESSAGE, ...request }))).toBe(error);
  });

  it('takes exactly the maximum size, attributes included and system attributes not', async () => {
    const { send } = await withQueue({ MaximumMessageSize: '1024' });
    const k = { DataType: 'String', StringValue: 'x' };
    const trace = { AWSTraceHeader: { DataType: 'String', StringValue: TRACE } };
    const tooLong = `${INVALID} One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.`;
    await send({ MessageBody: 'x'.repeat(1024), MessageSystemAttributes: trace });
    await send({ MessageBody: 'x'.repeat(1016), MessageAttributes: { k } });
    expect(await errorOf(() => send({ MessageBody: 'x'.repeat(1025) }))).toBe(tooLong);
    expect(await errorOf(() => send({ MessageBody: 'é'.repeat(513) }))).toBe(tooLong);
    expect(await errorOf(() => send({ MessageBody: 'x'.repeat(1017), MessageAttributes: { k } }))).toBe(tooLong);
  });
});
