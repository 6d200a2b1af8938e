import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ActionInputs } from '../../src/protocol/model/shapes.ts';
import { invalidParameterValue, sqsError } from '../support/errors.ts';
import { arnOf, overBothProtocols } from '../support/sqs.ts';

const string = (StringValue: string) => ({ DataType: 'String', StringValue });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** SQS: section 2.9 */
overBothProtocols('ReceiveMessage', (sqs) => {
  it('returns nothing at all when there is no message', async () => {
    expect(await sqs.call('ReceiveMessage', { QueueUrl: await sqs.createQueue() })).toEqual({});
  });

  it('returns one message by default, without attributes', async () => {
    const QueueUrl = await sqs.createQueue();
    const { MessageId } = await sqs.send(QueueUrl, 'message', { MessageAttributes: { k: string('x') } });
    await sqs.send(QueueUrl, 'another');
    const { Messages } = await sqs.call('ReceiveMessage', { QueueUrl });
    expect(Messages).toEqual([
      {
        MessageId,
        ReceiptHandle: expect.any(String),
        Body: 'message',
        MD5OfBody: '78e731027d8fd50ed642340b7c9a63b3',
      },
    ]);
    expect(Messages?.[0]?.ReceiptHandle?.length).toBeLessThanOrEqual(1024);
  });

  it.each([1, 3, 10])('returns up to %i messages', async (MaxNumberOfMessages) => {
    const queue = await sqs.createQueue();
    for (let index = 0; index < 11; index++) await sqs.send(queue, `${index}`);
    expect(await sqs.receive(queue, { MaxNumberOfMessages })).toHaveLength(MaxNumberOfMessages);
  });

  it.each([
    [{ MaxNumberOfMessages: 0 }, 'Value 0 for parameter MaxNumberOfMessages', 'Must be between 1 and 10, if provided.'],
    [
      { MaxNumberOfMessages: 11 },
      'Value 11 for parameter MaxNumberOfMessages',
      'Must be between 1 and 10, if provided.',
    ],
    [{ WaitTimeSeconds: -1 }, 'Value -1 for parameter WaitTimeSeconds', 'Must be >= 0 and <= 20, if provided.'],
    [{ WaitTimeSeconds: 21 }, 'Value 21 for parameter WaitTimeSeconds', 'Must be >= 0 and <= 20, if provided.'],
    [{ VisibilityTimeout: -1 }, 'Value -1 for parameter VisibilityTimeout', 'Must be >= 0 and <= 43200, if provided.'],
    [
      { VisibilityTimeout: 43_201 },
      'Value 43201 for parameter VisibilityTimeout',
      'Must be >= 0 and <= 43200, if provided.',
    ],
  ])('refuses %j', async (parameters, subject, reason) => {
    for (const QueueUrl of [await sqs.createQueue(), await sqs.createFifoQueue()]) {
      expect(await sqs.failure('ReceiveMessage', { QueueUrl, ...parameters })).toEqual(
        invalidParameterValue(`${subject} is invalid. Reason: ${reason}`),
      );
    }
  });

  it.each([
    ['AttributeNames', { AttributeNames: ['Foobar'] }],
    ['MessageSystemAttributeNames', { MessageSystemAttributeNames: ['SenderId', 'Foobar'] }],
  ])('refuses an unknown name in %s', async (_, names) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('ReceiveMessage', { QueueUrl, ...names })).toEqual(
      sqsError('InvalidAttributeName', 'Unknown Attribute Foobar.'),
    );
  });

  it.each(['', 'a b', 'a'.repeat(129)])(
    'refuses the attempt id "%s" on a FIFO queue',
    async (ReceiveRequestAttemptId) => {
      const QueueUrl = await sqs.createFifoQueue();
      // The text is not known (SQS: section 14).
      expect(await sqs.failure('ReceiveMessage', { QueueUrl, ReceiveRequestAttemptId })).toMatchObject({
        code: 'InvalidParameterValue',
        status: 400,
      });
    },
  );

  /** SQS: section 4.2 */
  describe('with system attributes', () => {
    it('returns all that a message of a standard queue has', async () => {
      const queue = await sqs.createQueue();
      const sentAt = sqs.clock.now();
      await sqs.send(queue, 'm');
      await sqs.advance(1.5);
      const [first] = await sqs.receive(queue, { VisibilityTimeout: 0 });
      expect(first?.Attributes).toEqual({
        SenderId: expect.stringMatching(/./),
        SentTimestamp: String(sentAt),
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: String(sentAt + 1500),
      });
      await sqs.advance(2);
      const [second] = await sqs.receive(queue);
      expect(second?.Attributes).toEqual({ ...first?.Attributes, ApproximateReceiveCount: '2' });
      expect(second?.MessageId).toBe(first?.MessageId);
      expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    });

    it('returns all that a message of a FIFO queue has', async () => {
      const queue = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
      const { SequenceNumber } = await sqs.send(queue, 'm', { MessageGroupId: 'group' });
      const [message] = await sqs.receive(queue);
      expect(message?.Attributes).toEqual({
        SenderId: expect.stringMatching(/./),
        SentTimestamp: String(sqs.clock.now()),
        ApproximateReceiveCount: '1',
        ApproximateFirstReceiveTimestamp: String(sqs.clock.now()),
        SequenceNumber,
        MessageGroupId: 'group',
        MessageDeduplicationId: sha256('m'),
      });
    });

    it.each(['AttributeNames', 'MessageSystemAttributeNames'] as const)('returns those in %s', async (member) => {
      const QueueUrl = await sqs.createQueue();
      await sqs.send(QueueUrl, 'm');
      const names = ['SentTimestamp', 'ApproximateReceiveCount', 'SequenceNumber', 'DeadLetterQueueSourceArn'];
      const { Messages } = await sqs.call('ReceiveMessage', { QueueUrl, [member]: names });
      expect(Messages?.[0]?.Attributes).toEqual({
        SentTimestamp: String(sqs.clock.now()),
        ApproximateReceiveCount: '1',
      });
    });

    it('returns the source of a message only when a redrive policy moved it', async () => {
      const { source, dead } = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '0' } });
      await sqs.send(source, 'moved');
      await sqs.receive(source);
      await sqs.receive(source);
      await sqs.send(dead, 'sent');
      const sources = (await sqs.receive(dead)).map(({ Body, Attributes }) => [
        Body,
        Attributes?.DeadLetterQueueSourceArn,
      ]);
      expect(new Map(sources as [string, string][])).toEqual(
        new Map([
          ['moved', arnOf(source)],
          ['sent', undefined],
        ]),
      );
    });
  });

  /** SQS: section 4.3 */
  describe('with attribute names', () => {
    const attributes = { General: string('Kenobi'), Hello: string('There'), 'Help.Me': string('Me') };
    const all = ['General', 'Hello', 'Help.Me'] as const;

    it.each([
      [['All'], all, '4c360f3fdafd970e05fae2f149d997f5'],
      [['.*'], all, '4c360f3fdafd970e05fae2f149d997f5'],
      [['*'], all, '4c360f3fdafd970e05fae2f149d997f5'],
      [['Hel.*'], ['Hello', 'Help.Me'], '83fee93c1bcd8b9a5a923ffacdc636c7'],
      [['General', 'Hello'], ['General', 'Hello'], 'fca026605781cb4126a1e9044df24232'],
      [['Hello', 'unknown', 'AWS.x', '..foo', ''], ['Hello'], 'a311262e065454b75da111d535b8dacd'],
      [['Hello', 'All'], all, '4c360f3fdafd970e05fae2f149d997f5'],
    ] as const)('%j returns %j', async (MessageAttributeNames, names, digest) => {
      const queue = await sqs.createQueue();
      await sqs.send(queue, 'm', { MessageAttributes: attributes });
      const [message] = await sqs.receive(queue, { MessageAttributeNames: [...MessageAttributeNames] });
      expect(message?.MessageAttributes).toEqual(Object.fromEntries(names.map((name) => [name, attributes[name]])));
      expect(message?.MD5OfMessageAttributes).toBe(digest);
    });

    it.each([['unknown'], ['hello'], ['AWS.x'], ['..foo']])('%j returns none, and no digest', async (name) => {
      const queue = await sqs.createQueue();
      await sqs.send(queue, 'm', { MessageAttributes: attributes });
      const [message] = await sqs.receive(queue, { MessageAttributeNames: [name] });
      expect(message).not.toHaveProperty('MessageAttributes');
      expect(message).not.toHaveProperty('MD5OfMessageAttributes');
    });
  });
});

/** SQS: section 4.3. In AWS Query the two lists are one: there is one prefix for both (section 1.4). */
overBothProtocols('ReceiveMessage with both lists of system attributes', (sqs) => {
  it('returns what either asks for', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    const lists: ActionInputs['ReceiveMessage'] =
      sqs.protocol === 'AWS JSON'
        ? { AttributeNames: ['SenderId'], MessageSystemAttributeNames: ['SentTimestamp'] }
        : { AttributeNames: ['SenderId', 'SentTimestamp'], MessageSystemAttributeNames: undefined };
    const [message] = await sqs.receive(queue, lists);
    expect(Object.keys(message?.Attributes ?? {}).sort()).toEqual(['SenderId', 'SentTimestamp']);
  });
});
