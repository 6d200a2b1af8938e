import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invalidParameterValue, sqsError } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const failed = (Id: string, Code: string, Message: string) => ({ Id, Code, Message, SenderFault: true });
const MIB = 1_048_576;

/** SQS: section 2.8, section 8 */
overBothProtocols('SendMessageBatch', (sqs) => {
  it('sends messages, and answers in their order', async () => {
    const QueueUrl = await sqs.createQueue();
    const ids = Array.from({ length: 10 }, (_, index) => `id-${index}`);
    const output = await sqs.call('SendMessageBatch', {
      QueueUrl,
      Entries: ids.map((Id) => ({ Id, MessageBody: `body of ${Id}` })),
    });
    expect(output).toEqual({
      Successful: ids.map((Id) => ({ Id, MessageId: expect.any(String), MD5OfMessageBody: md5(`body of ${Id}`) })),
    });
    expect(new Set(output.Successful?.map(({ MessageId }) => MessageId)).size).toBe(10);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(ids.map((Id) => `body of ${Id}`));
  });

  it('sends all that SendMessage can', async () => {
    const QueueUrl = await sqs.createQueue();
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
    const { Successful } = await sqs.call('SendMessageBatch', {
      QueueUrl,
      Entries: [
        {
          Id: 'a',
          MessageBody: 'message',
          MessageGroupId: 'tenant',
          MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
          MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
        },
        { Id: 'b', MessageBody: 'later', DelaySeconds: 10 },
      ],
    });
    expect(Successful).toEqual([
      {
        Id: 'a',
        MessageId: expect.any(String),
        MD5OfMessageBody: md5('message'),
        MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
        MD5OfMessageSystemAttributes: '5ae4d5d7636402d80f4eb6d213245a88',
      },
      { Id: 'b', MessageId: expect.any(String), MD5OfMessageBody: md5('later') },
    ]);
    expect(await sqs.receive(QueueUrl, { MessageAttributeNames: ['All'] })).toMatchObject([
      {
        Body: 'message',
        Attributes: { MessageGroupId: 'tenant', AWSTraceHeader: trace },
        MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
      },
    ]);
    await sqs.advance(10);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['later']);
  });

  it('answers with rising sequence numbers on a FIFO queue', async () => {
    const QueueUrl = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
    const { Successful = [] } = await sqs.call('SendMessageBatch', {
      QueueUrl,
      Entries: ['a', 'b', 'c'].map((Id) => ({ Id, MessageBody: Id, MessageGroupId: 'g' })),
    });
    const numbers = Successful.map(({ SequenceNumber }) => SequenceNumber!);
    expect(numbers).toEqual([...new Set(numbers)].sort());
    expect(numbers).toEqual(numbers.map(() => expect.stringMatching(/^\d{20}$/)));
  });

  /** SQS: section 6.2 */
  it('takes an entry with the deduplication id of an earlier one for a duplicate of it', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    const { Successful } = await sqs.call('SendMessageBatch', {
      QueueUrl,
      Entries: ['a', 'b'].map((Id) => ({
        Id,
        MessageBody: Id,
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
      })),
    });
    expect(Successful?.[1]?.MessageId).toBe(Successful?.[0]?.MessageId);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['a']);
  });

  it('sends the good entries of a batch with bad ones', async () => {
    const QueueUrl = await sqs.createQueue({ MaximumMessageSize: '1024' });
    const output = await sqs.call('SendMessageBatch', {
      QueueUrl,
      Entries: [
        { Id: 'empty', MessageBody: '' },
        { Id: 'characters', MessageBody: 'a\0b' },
        { Id: 'fits', MessageBody: 'm'.repeat(1024) },
        { Id: 'long', MessageBody: 'm'.repeat(1025) },
        { Id: 'group', MessageBody: 'm', MessageGroupId: 'a b' },
        { Id: 'delay', MessageBody: 'm', DelaySeconds: 901 },
        { Id: 'attribute', MessageBody: 'm', MessageAttributes: { X: { DataType: 'Text', StringValue: 'v' } } },
        { Id: 'lists', MessageBody: 'm', MessageAttributes: { X: { DataType: 'String', StringListValues: ['v'] } } },
        { Id: 'good', MessageBody: 'good' },
      ],
    });
    expect(output.Successful?.map(({ Id }) => Id)).toEqual(['fits', 'good']);
    expect(output.Failed).toEqual([
      failed(
        'empty',
        'MissingParameter',
        'The request must contain the parameter SendMessageBatchRequestEntry.1.MessageBody.',
      ),
      failed(
        'characters',
        'InvalidMessageContents',
        'Invalid characters found. Valid unicode characters are ' +
          '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
      ),
      failed(
        'long',
        'InvalidParameterValue',
        'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.',
      ),
      failed(
        'group',
        'InvalidParameterValue',
        'MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length',
      ),
      failed(
        'delay',
        'InvalidParameterValue',
        'Value 901 for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.',
      ),
      failed(
        'attribute',
        'InvalidParameterValue',
        "The type of message (user) attribute 'X' is invalid. You must use only the following supported type " +
          'prefixes: Binary, Number, String.',
      ),
      failed(
        'lists',
        'AWS.SimpleQueueService.UnsupportedOperation',
        'Message attribute list values in SendMessage operation are not supported.',
      ),
    ]);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['m'.repeat(1024), 'good']);
  });

  it('succeeds as a request when every entry fails', async () => {
    const output = await sqs.call('SendMessageBatch', {
      QueueUrl: await sqs.createQueue(),
      Entries: [{ Id: 'a', MessageBody: '\uffff' }],
    });
    expect(output).toMatchObject({ Failed: [{ Id: 'a', Code: 'InvalidMessageContents', SenderFault: true }] });
    expect(output).not.toHaveProperty('Successful');
  });

  describe('with a size', () => {
    const tooLong = (bytes: number) =>
      sqsError(
        'BatchRequestTooLong',
        `Batch requests cannot be longer than 1048576 bytes. You have sent ${bytes} bytes.`,
      );

    it('takes 1,048,576 bytes in all, and not one more', async () => {
      const QueueUrl = await sqs.createQueue();
      const entriesOf = (bytes: number) => [
        { Id: 'a', MessageBody: 'm'.repeat(1000) },
        { Id: 'b', MessageBody: 'm'.repeat(bytes - 1000) },
      ];
      const { Successful } = await sqs.call('SendMessageBatch', { QueueUrl, Entries: entriesOf(MIB) });
      expect(Successful).toHaveLength(2);
      expect(await sqs.failure('SendMessageBatch', { QueueUrl, Entries: entriesOf(MIB + 1) })).toEqual(
        tooLong(MIB + 1),
      );
    });

    it('says so also of a single entry, whatever the queue allows', async () => {
      const QueueUrl = await sqs.createQueue({ MaximumMessageSize: '1024' });
      const Entries = [{ Id: 'a', MessageBody: 'm'.repeat(MIB + 1) }];
      expect(await sqs.failure('SendMessageBatch', { QueueUrl, Entries })).toEqual(tooLong(MIB + 1));
    });

    it('says so before it looks at the ids of a FIFO queue', async () => {
      const QueueUrl = await sqs.createFifoQueue();
      const Entries = [{ Id: 'a', MessageBody: 'm'.repeat(MIB + 1) }];
      expect(await sqs.failure('SendMessageBatch', { QueueUrl, Entries })).toEqual(tooLong(MIB + 1));
    });

    it('counts the attributes of all entries', async () => {
      const QueueUrl = await sqs.createQueue();
      const MessageAttributes = { k: { DataType: 'String', StringValue: 'x' } };
      const Entries = [
        { Id: 'a', MessageBody: 'm', MessageAttributes },
        { Id: 'b', MessageBody: 'm'.repeat(MIB - 16), MessageAttributes },
      ];
      expect(await sqs.failure('SendMessageBatch', { QueueUrl, Entries })).toEqual(tooLong(MIB + 1));
    });
  });

  /** SQS: section 6.8 */
  describe('to a FIFO queue', () => {
    it.each([
      ['a group id', { MessageDeduplicationId: 'd' }, 'The request must contain the parameter MessageGroupId.'],
      [
        'a deduplication id',
        { MessageGroupId: 'g' },
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      ],
    ])('fails as a whole when an entry lacks %s', async (_, ids, message) => {
      const QueueUrl = await sqs.createFifoQueue();
      const good = { Id: 'good', MessageBody: 'm', MessageGroupId: 'g', MessageDeduplicationId: 'good' };
      const Entries = [good, { Id: 'bad', MessageBody: 'm', ...ids }];
      expect(await sqs.failure('SendMessageBatch', { QueueUrl, Entries })).toEqual(invalidParameterValue(message));
      expect(await sqs.receive(QueueUrl)).toEqual([]);
    });
  });
});
