import { describe, expect, it } from 'vitest';
import type { SendMessageBatchRequestEntry } from '../protocol/model/shapes.ts';
import type { NewMessage } from '../queue/message.ts';
import { errorOf, testApi } from './testing/context.ts';

const ACTIONS = ['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch'] as const;
const IDS_INVALID =
  'InvalidBatchEntryId: A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';

async function withQueue(Attributes: Record<string, string> = {}, overrides = {}) {
  const api = testApi(overrides);
  const QueueUrl = Attributes.FifoQueue === undefined ? 'orders' : 'orders.fifo';
  await api.run('CreateQueue', { QueueName: QueueUrl, Attributes });
  return {
    ...api,
    send: (...Entries: SendMessageBatchRequestEntry[]) => api.run('SendMessageBatch', { QueueUrl, Entries }),
    sent: () => api.queues.calls.flatMap((call) => (call.arguments[1] as NewMessage[]).map(({ body }) => body)),
  };
}

const failure = (Id: string, Code: string, Message: string) => ({ Id, Code, Message, SenderFault: true });

describe.each(ACTIONS)('%s', (action) => {
  const run = async (Entries: { Id?: string }[] | undefined, overrides = {}) => {
    const api = await withQueue({}, overrides);
    return errorOf(() => api.run(action, { QueueUrl: 'orders', Entries }));
  };

  it('needs entries', async () => {
    const missing = 'MissingRequiredParameterException: The request must contain the parameter';
    expect(await run(undefined)).toBe(`${missing} Entries.`);
    expect(await run(undefined, { protocol: 'awsQuery' })).toBe(`${missing} ${action}RequestEntry.`);
    expect(await run([])).toBe(`EmptyBatchRequest: There should be at least one ${action}RequestEntry in the request.`);
  });

  it('takes ten of them', async () => {
    expect(await run(Array.from({ length: 11 }, () => ({})))).toBe(
      'TooManyEntriesInBatchRequest: Maximum number of entries per request are 10. You have sent 11.',
    );
  });

  it('needs distinct ids', async () => {
    const prefix = action === 'ChangeMessageVisibilityBatch' ? action : `${action}RequestEntry`;
    expect(await run([{ Id: 'a' }, {}])).toBe(
      `MissingRequiredParameterException: The request must contain the parameter ${prefix}.2.Id.`,
    );
    for (const Id of ['', 'a b', 'a.b', 'é', 'x'.repeat(81)])
      expect(await run([{ Id: 'a' }, { Id }])).toBe(IDS_INVALID);
    expect(await run([{ Id: 'id_1' }, { Id: 'id_2' }, { Id: 'id_2' }, { Id: 'id_1' }])).toBe(
      'BatchEntryIdsNotDistinct: Id id_2 repeated.',
    );
  });
});

describe('SendMessageBatch', () => {
  it('sends what is valid at once and tells what is not', async () => {
    const { send, sent, queues } = await withQueue({ MaximumMessageSize: '1024' });
    const reply = await send(
      { Id: 'ok', MessageBody: 'message', MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } } },
      { Id: 'empty', MessageBody: '' },
      { Id: 'characters', MessageBody: '\0' },
      { Id: 'long', MessageBody: 'x'.repeat(1025) },
      { Id: 'group', MessageBody: 'x', MessageGroupId: 'a b' },
      { Id: 'dedup', MessageBody: 'x', MessageDeduplicationId: 'd' },
      { Id: 'delay', MessageBody: 'x', DelaySeconds: 901 },
      { Id: 'attribute', MessageBody: 'x', MessageAttributes: { k: { DataType: 'String', StringListValues: ['x'] } } },
      { Id: '__proto__', MessageBody: 'last' },
    );
    expect(reply).toEqual({
      Successful: [
        {
          Id: 'ok',
          MessageId: 'id-1',
          MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
          MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
        },
        { Id: '__proto__', MessageId: 'id-2', MD5OfMessageBody: '98bd1c45684cf587ac2347a92dd7bb51' },
      ],
      Failed: [
        failure(
          'empty',
          'MissingParameter',
          'The request must contain the parameter SendMessageBatchRequestEntry.2.MessageBody.',
        ),
        failure(
          'characters',
          'InvalidMessageContents',
          'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
        ),
        failure(
          'long',
          'InvalidParameterValue',
          'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.',
        ),
        failure(
          'group',
          'InvalidParameterValue',
          'MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length',
        ),
        failure(
          'dedup',
          'InvalidParameterValue',
          'The request include parameter that is not valid for this queue type',
        ),
        failure(
          'delay',
          'InvalidParameterValue',
          'Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.',
        ),
        failure(
          'attribute',
          'AWS.SimpleQueueService.UnsupportedOperation',
          'Message attribute list values in SendMessage operation are not supported.',
        ),
      ],
    });
    expect(queues.calls).toHaveLength(1);
    expect(sent()).toEqual(['message', 'last']);
  });

  it('sends nothing when nothing is valid', async () => {
    const { send, queues } = await withQueue();
    expect(await send({ Id: 'a' })).toMatchObject({ Successful: [], Failed: [{ Id: 'a' }] });
    expect(queues.calls).toEqual([]);
  });

  it('takes a mebibyte in total, whatever the limit of the queue', async () => {
    const { send } = await withQueue({ MaximumMessageSize: '1024' });
    const half = 'x'.repeat(524_288);
    const { Failed } = await send({ Id: 'a', MessageBody: half }, { Id: 'b', MessageBody: half });
    expect(Failed).toHaveLength(2);
    expect(await errorOf(() => send({ Id: 'a', MessageBody: half }, { Id: 'b', MessageBody: `${half}x` }))).toBe(
      'BatchRequestTooLong: Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.',
    );
    expect(await errorOf(() => send({ Id: 'a', MessageBody: `${half}${half}x` }))).toContain('1048577 bytes');
  });

  const INVALID = 'InvalidParameterValueException:';
  const first = { Id: 'a', MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  it.each<[SendMessageBatchRequestEntry, string]>([
    [{ MessageGroupId: undefined }, `${INVALID} The request must contain the parameter MessageGroupId.`],
    [
      { MessageDeduplicationId: undefined },
      `${INVALID} The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly`,
    ],
    [
      { MessageGroupId: 'a b' },
      `${INVALID} MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length`,
    ],
    [
      { MessageBody: undefined },
      `${INVALID} The request must contain the parameter SendMessageBatchRequestEntry.2.MessageBody.`,
    ],
    [
      { DelaySeconds: 1 },
      `${INVALID} Value 1 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    ],
  ])('to a FIFO queue fails as a whole for %j', async (change, error) => {
    const { send, queues } = await withQueue({ FifoQueue: 'true' });
    expect(await errorOf(() => send(first, { ...first, Id: 'b', ...change }))).toBe(error);
    expect(queues.calls).toEqual([]);
  });

  it('to a FIFO queue fails by entry for what is in the message', async () => {
    const { send, sent } = await withQueue({ FifoQueue: 'true' });
    expect(await send(first, { ...first, Id: 'b', MessageBody: '\0' })).toMatchObject({
      Successful: [{ Id: 'a' }],
      Failed: [{ Id: 'b', Code: 'InvalidMessageContents' }],
    });
    expect(sent()).toEqual(['x']);
  });
});

describe('DeleteMessageBatch', () => {
  it('tells the outcome of each entry', async () => {
    const { run, queues } = await withQueue();
    queues.replies.deletions = ['deleted', 'invalid', 'foreign', 'expired'];
    const Entries = [
      { Id: 'a', ReceiptHandle: 'h1' },
      { Id: 'missing' },
      { Id: 'b', ReceiptHandle: 'h2' },
      { Id: 'c', ReceiptHandle: 'h3' },
      { Id: 'd', ReceiptHandle: 'h4' },
    ];
    expect(await run('DeleteMessageBatch', { QueueUrl: 'orders', Entries })).toEqual({
      Successful: [{ Id: 'a' }],
      Failed: [
        failure('missing', 'MissingParameter', 'The request must contain the parameter ReceiptHandle.'),
        failure('b', 'ReceiptHandleIsInvalid', 'The input receipt handle "h2" is not a valid receipt handle.'),
        failure('c', 'ReceiptHandleIsInvalid', 'The receipt handle "h3" is not valid for this queue.'),
        failure(
          'd',
          'InvalidParameterValue',
          'Value h4 for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.',
        ),
      ],
    });
    expect(queues.calls[0]?.arguments[1]).toEqual(['h1', 'h2', 'h3', 'h4']);
  });
});

describe('ChangeMessageVisibilityBatch', () => {
  it('tells the outcome of each entry', async () => {
    const { run, queues } = await withQueue();
    queues.replies.visibility = ['changed', 'gone'];
    const Entries = [
      { Id: 'a', ReceiptHandle: 'h1', VisibilityTimeout: 0 },
      { Id: 'missing', ReceiptHandle: 'h2' },
      { Id: 'range', ReceiptHandle: 'h3', VisibilityTimeout: 43_201 },
      { Id: 'handle', VisibilityTimeout: 1 },
      { Id: 'b', ReceiptHandle: 'h4', VisibilityTimeout: 43_200 },
    ];
    expect(await run('ChangeMessageVisibilityBatch', { QueueUrl: 'orders', Entries })).toEqual({
      Successful: [{ Id: 'a' }],
      Failed: [
        failure(
          'missing',
          'MissingParameter',
          'The request must contain the parameter ChangeMessageVisibilityBatchRequestEntry.2.VisibilityTimeout.',
        ),
        failure(
          'range',
          'InvalidParameterValue',
          'Value 43201 for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200.',
        ),
        failure('handle', 'MissingParameter', 'The request must contain the parameter ReceiptHandle.'),
        failure(
          'b',
          'InvalidParameterValue',
          'Value h4 for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
        ),
      ],
    });
    expect(queues.calls[0]?.arguments[1]).toEqual([
      { receiptHandle: 'h1', timeoutMs: 0 },
      { receiptHandle: 'h4', timeoutMs: 43_200_000 },
    ]);
  });
});
