import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, sqsError } from '../support/errors.ts';
import { postJson } from '../support/json-client.ts';
import { overBothProtocols, useSqs } from '../support/sqs.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const md5 = (text: string) => createHash('md5').update(text).digest('hex');
/** All that a group id or a deduplication id may have besides letters and digits. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const INVALID_CHARACTERS = sqsError(
  'InvalidMessageContents',
  'Invalid characters found. Valid unicode characters are ' +
    '#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
);

const tooLong = (maxBytes: number) =>
  invalidParameterValue(`One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`);

const invalidId = (parameter: string, value: string) =>
  invalidParameterValue(
    `Value ${value} for parameter ${parameter} is invalid. Reason: ${parameter} can only include alphanumeric and ` +
      'punctuation characters. 1 to 128 in length.',
  );

/** SQS: section 2.7 */
overBothProtocols('SendMessage', (sqs) => {
  it('answers with an id and the digest of the body, and no more', async () => {
    const queue = await sqs.createQueue();
    expect(await sqs.send(queue, 'message')).toEqual({
      MessageId: expect.stringMatching(UUID),
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
    });
  });

  it('answers with a sequence number on a FIFO queue', async () => {
    const queue = await sqs.createFifoQueue();
    expect(await sqs.sendToGroup(queue, 'g', 'message')).toEqual({
      MessageId: expect.stringMatching(UUID),
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
      SequenceNumber: expect.stringMatching(/^\d{20}$/),
    });
  });

  it('answers with digests of the attributes that are sent', async () => {
    const queue = await sqs.createQueue();
    const sent = await sqs.send(queue, 'message', {
      MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
      MessageSystemAttributes: {
        AWSTraceHeader: {
          DataType: 'String',
          StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
        },
      },
    });
    expect(sent).toEqual({
      MessageId: expect.stringMatching(UUID),
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
      MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
      MD5OfMessageSystemAttributes: '5ae4d5d7636402d80f4eb6d213245a88',
    });
  });

  it.each([
    ['no body', undefined],
    ['an empty body', ''],
  ])('refuses %s', async (_, MessageBody) => {
    for (const QueueUrl of [await sqs.createQueue(), await sqs.createFifoQueue()]) {
      const input = { QueueUrl, MessageBody, ...(QueueUrl.endsWith('.fifo') && { MessageGroupId: 'g' }) };
      expect(await sqs.failure('SendMessage', input)).toEqual(missingParameter('MessageBody'));
    }
  });

  /** SQS: section 4.4 */
  it.each([
    ['white space only', ' \t\r\n '],
    ['line ends of every kind', 'a\nb\r\nc\rd'],
    ['quotes and markup', '"<a b=\'c\'>&amp;</a>"'],
    ['the ends of the allowed ranges', '\t\n\r \ud7ff\ue000\ufffd\u{10000}\u{10ffff}'],
    ['what percent-encoding escapes', 'a+b%20c&d=e;f'],
    ['an emoji', '\u{1f600}'],
  ])('takes and returns %s', async (_, body) => {
    const queue = await sqs.createQueue();
    expect(await sqs.send(queue, body)).toMatchObject({ MD5OfMessageBody: md5(body) });
    expect(await sqs.receive(queue)).toMatchObject([{ Body: body, MD5OfBody: md5(body) }]);
  });

  /** SQS: section 4.4 */
  it.each(['\0', '\x08', '\x0b', '\x13', '\x1f', '\ufffe', '\uffff'])('refuses the character %j', async (character) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: `a${character}b` })).toEqual(INVALID_CHARACTERS);
  });

  describe('with a size', () => {
    const attribute = { kk: { DataType: 'String.label', StringValue: 'häh' } };
    const attributeBytes = 2 + 12 + 4;

    it.each([1024, 1_048_576])('takes %i bytes when that is the most, and not one more', async (max) => {
      const QueueUrl = await sqs.createQueue({ MaximumMessageSize: String(max) });
      const { MessageId } = await sqs.send(QueueUrl, 'm'.repeat(max));
      expect(MessageId).toMatch(UUID);
      expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm'.repeat(max + 1) })).toEqual(tooLong(max));
    });

    it('counts bytes, not characters', async () => {
      const QueueUrl = await sqs.createQueue({ MaximumMessageSize: '1024' });
      expect((await sqs.send(QueueUrl, 'ä'.repeat(512))).MessageId).toMatch(UUID);
      expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: `m${'ä'.repeat(512)}` })).toEqual(tooLong(1024));
    });

    it('counts name, type and value of attributes', async () => {
      const QueueUrl = await sqs.createQueue({ MaximumMessageSize: '1024' });
      const MessageBody = 'm'.repeat(1024 - attributeBytes);
      expect((await sqs.send(QueueUrl, MessageBody, { MessageAttributes: attribute })).MessageId).toMatch(UUID);
      expect(
        await sqs.failure('SendMessage', { QueueUrl, MessageBody: `${MessageBody}m`, MessageAttributes: attribute }),
      ).toEqual(tooLong(1024));
    });

    it('counts the bytes of a binary value, not those of its base64', async () => {
      const QueueUrl = await sqs.createQueue({ MaximumMessageSize: '1024' });
      const MessageAttributes = { b: { DataType: 'Binary', BinaryValue: new Uint8Array(1000) } };
      expect((await sqs.send(QueueUrl, 'm'.repeat(17), { MessageAttributes })).MessageId).toMatch(UUID);
      expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm'.repeat(18), MessageAttributes })).toEqual(
        tooLong(1024),
      );
    });

    it('counts neither system attributes nor ids', async () => {
      const queue = await sqs.createFifoQueue({ MaximumMessageSize: '1024' });
      const sent = await sqs.send(queue, 'm'.repeat(1024), {
        MessageGroupId: 'g'.repeat(128),
        MessageDeduplicationId: 'd'.repeat(128),
        MessageSystemAttributes: {
          AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' },
        },
      });
      expect(sent.MessageId).toMatch(UUID);
    });
  });

  it.each([-1, 901])('refuses DelaySeconds %i', async (DelaySeconds) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm', DelaySeconds })).toEqual(
      invalidParameterValue(
        `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
      ),
    );
  });

  it.each([0, 900])('takes DelaySeconds %i', async (DelaySeconds) => {
    const queue = await sqs.createQueue();
    expect((await sqs.send(queue, 'm', { DelaySeconds })).MessageId).toMatch(UUID);
  });

  it('refuses a delay of a single message on a FIFO queue, unless it is 0', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    const message = { QueueUrl, MessageBody: 'm', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    expect(await sqs.failure('SendMessage', { ...message, DelaySeconds: 5 })).toEqual(
      invalidParameterValue(
        'Value 5 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for ' +
          'this queue type.',
      ),
    );
    expect((await sqs.call('SendMessage', { ...message, DelaySeconds: 0 })).MessageId).toMatch(UUID);
  });

  it('refuses a message without a group id on a FIFO queue', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    const message = { QueueUrl, MessageBody: 'm' };
    expect(await sqs.failure('SendMessage', { ...message, MessageDeduplicationId: 'd' })).toEqual(
      missingParameter('MessageGroupId'),
    );
    expect(await sqs.failure('SendMessage', message)).toEqual(missingParameter('MessageGroupId'));
  });

  it('refuses a message without a deduplication id, unless the queue makes it of the body', async () => {
    const message = { MessageBody: 'm', MessageGroupId: 'g' };
    const explicit = await sqs.createFifoQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl: explicit, ...message })).toEqual(
      invalidParameterValue(
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      ),
    );
    const contentBased = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
    expect((await sqs.call('SendMessage', { QueueUrl: contentBased, ...message })).MessageId).toMatch(UUID);
  });

  it.each([
    ['a space in it', 'group 123'],
    ['129 characters', 'g'.repeat(129)],
    ['an umlaut in it', 'grüppe'],
    ['nothing in it', ''],
  ])('refuses a group id with %s on a standard queue', async (_, MessageGroupId) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm', MessageGroupId })).toEqual(
      invalidId('MessageGroupId', MessageGroupId),
    );
  });

  it.each([
    ['a space in it', 'id 123'],
    ['129 characters', 'i'.repeat(129)],
    ['an umlaut in it', 'ïd'],
  ])('refuses group and deduplication ids with %s on a FIFO queue', async (_, id) => {
    const QueueUrl = await sqs.createFifoQueue();
    const message = { QueueUrl, MessageBody: 'm', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    expect(await sqs.failure('SendMessage', { ...message, MessageGroupId: id })).toEqual(
      invalidId('MessageGroupId', id),
    );
    expect(await sqs.failure('SendMessage', { ...message, MessageDeduplicationId: id })).toEqual(
      invalidId('MessageDeduplicationId', id),
    );
  });

  it('refuses an empty deduplication id', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    const message = { QueueUrl, MessageBody: 'm', MessageGroupId: 'g', MessageDeduplicationId: '' };
    expect(await sqs.failure('SendMessage', message)).toEqual(invalidId('MessageDeduplicationId', ''));
  });

  it.each([PUNCTUATION, 'a'.repeat(128)])('takes and returns the ids %s', async (id) => {
    const queue = await sqs.createFifoQueue();
    await sqs.send(queue, 'm', { MessageGroupId: id, MessageDeduplicationId: id });
    expect(await sqs.receive(queue)).toMatchObject([
      { Attributes: { MessageGroupId: id, MessageDeduplicationId: id } },
    ]);
  });

  it('takes a group id on a standard queue and returns it', async () => {
    const queue = await sqs.createQueue();
    expect(await sqs.send(queue, 'm', { MessageGroupId: 'tenant' })).toEqual({
      MessageId: expect.stringMatching(UUID),
      MD5OfMessageBody: md5('m'),
    });
    const [message] = await sqs.receive(queue);
    expect(message?.Attributes).toMatchObject({ MessageGroupId: 'tenant' });
    expect(message?.Attributes).not.toHaveProperty('SequenceNumber');
  });

  it('refuses a deduplication id on a standard queue', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'm', MessageDeduplicationId: 'd' })).toEqual(
      invalidParameterValue(
        'The request include parameter MessageDeduplicationId which is not valid for this queue type',
      ),
    );
  });
});

describe('SendMessage over AWS JSON', () => {
  const sqs = useSqs('AWS JSON');

  /** SQS: section 4.4. AWS Query cannot spell it: there it would not be UTF-8. */
  it('refuses half of a surrogate pair', async () => {
    const QueueUrl = await sqs.createQueue();
    const { status, body } = await postJson(
      sqs.server.url,
      'SendMessage',
      `{"QueueUrl":${JSON.stringify(QueueUrl)},"MessageBody":"a\\ud800b"}`,
    );
    expect([status, body]).toEqual([400, { __type: INVALID_CHARACTERS.type, message: INVALID_CHARACTERS.message }]);
  });
});
