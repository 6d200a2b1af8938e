import { describe, expect, it } from 'vitest';
import { postJson } from '../support/json-client.ts';
import { arnOf, useSqs } from '../support/sqs.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** SQS: section 1.3 */
describe('AWS JSON', () => {
  const sqs = useSqs();
  const post = (action: string, input: unknown, headers?: Record<string, string>) =>
    postJson(sqs.server.url, action, input, { headers });

  it('answers in JSON 1.0, with a request id and no checksum', async () => {
    const { status, headers, body } = await post('SendMessage', {
      QueueUrl: await sqs.createQueue(),
      MessageBody: 'message',
    });
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/x-amz-json-1.0']);
    expect(headers.get('x-amzn-RequestId')).toMatch(UUID);
    expect(headers.has('Date')).toBe(true);
    expect(headers.has('x-amz-crc32')).toBe(false);
    expect(headers.has('x-amzn-query-error')).toBe(false);
    expect(body).toEqual({
      MessageId: expect.stringMatching(UUID),
      MD5OfMessageBody: '78e731027d8fd50ed642340b7c9a63b3',
    });
  });

  it.each<Record<string, string>>([{}, { 'x-amzn-query-mode': 'true' }])(
    'answers an error with a type and a header, given %j',
    async (given) => {
      const { status, headers, body } = await post('GetQueueUrl', { QueueName: 'unknown' }, given);
      expect([status, headers.get('Content-Type')]).toEqual([400, 'application/x-amz-json-1.0']);
      expect(headers.get('x-amzn-query-error')).toBe('AWS.SimpleQueueService.NonExistentQueue;Sender');
      expect(headers.get('x-amzn-RequestId')).toMatch(UUID);
      expect(body).toEqual({
        __type: 'com.amazonaws.sqs#QueueDoesNotExist',
        message: 'The specified queue does not exist.',
      });
    },
  );

  it('answers nothing, or nothing in braces, for actions that return nothing', async () => {
    const { status, text } = await post('PurgeQueue', { QueueUrl: await sqs.createQueue() });
    expect(status).toBe(200);
    expect(['', '{}']).toContain(text);
  });

  it('omits lists and maps that are empty', async () => {
    const QueueUrl = await sqs.createQueue();
    for (const [action, input] of [
      ['ReceiveMessage', { QueueUrl }],
      ['ListQueues', { QueueNamePrefix: 'nothing-begins-with-this' }],
      ['ListQueueTags', { QueueUrl }],
      ['GetQueueAttributes', { QueueUrl }],
    ] as const) {
      expect((await post(action, input)).body).toEqual({});
    }
    const sent = await post('SendMessageBatch', { QueueUrl, Entries: [{ Id: 'a', MessageBody: 'm' }] });
    expect(Object.keys(sent.body)).toEqual(['Successful']);
    const deleted = await post('DeleteMessageBatch', { QueueUrl, Entries: [{ Id: 'a', ReceiptHandle: 'garbage' }] });
    expect(Object.keys(deleted.body)).toEqual(['Failed']);
    expect(deleted.body.Failed[0].SenderFault).toBe(true);
  });

  it('spells tags and queueUrls in lower case', async () => {
    const created = await post('CreateQueue', { QueueName: 'lower-case', tags: { a: '1' } });
    const QueueUrl = created.body.QueueUrl;
    expect((await post('ListQueueTags', { QueueUrl })).body).toEqual({ Tags: { a: '1' } });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(QueueUrl), maxReceiveCount: 1 });
    const source = await sqs.createQueue({ RedrivePolicy });
    expect((await post('ListDeadLetterSourceQueues', { QueueUrl })).body).toEqual({ queueUrls: [source] });
  });

  it('writes binary values in base64', async () => {
    const QueueUrl = await sqs.createQueue();
    const attributes = { b: { DataType: 'Binary', BinaryValue: 'AP/+' } };
    await post('SendMessage', { QueueUrl, MessageBody: 'm', MessageAttributes: attributes });
    const { body } = await post('ReceiveMessage', { QueueUrl, MessageAttributeNames: ['All'] });
    expect(body.Messages[0].MessageAttributes).toEqual(attributes);
  });

  it('refuses an action that does not exist', async () => {
    const { status, body, headers } = await post('FooBar', {});
    // The text and the code are not known (SQS: section 14).
    expect(status).toBe(400);
    expect(body.__type).toBe('com.amazon.coral.service#UnknownOperationException');
    expect(headers.get('x-amzn-query-error')).toMatch(/^[^;]+;Sender$/);
  });

  /** SQS: section 1.8 */
  describe('with values of the wrong type', () => {
    it.each([
      ['an object for a string', { MessageBody: {} }, 'Start of structure or map found where not expected.'],
      ['a list for a string', { MessageBody: [] }, 'Start of list found where not expected'],
      [
        'a string for a map',
        { MessageBody: 'm', MessageAttributes: 'text' },
        'Unrecognized collection type class java.lang.String',
      ],
      [
        'a string for an integer',
        { MessageBody: 'm', DelaySeconds: 'five' },
        'STRING_VALUE can not be converted to an Integer',
      ],
      [
        'a boolean for an integer',
        { MessageBody: 'm', DelaySeconds: true },
        'TRUE_VALUE can not be converted to an Integer',
      ],
      [
        'a number for the value of an attribute',
        { MessageBody: 'm', MessageAttributes: { a: { DataType: 'Number', StringValue: 7 } } },
        'NUMBER_VALUE can not be converted to a String',
      ],
      [
        'a boolean for the value of an attribute',
        { MessageBody: 'm', MessageAttributes: { a: { DataType: 'String', StringValue: true } } },
        'TRUE_VALUE can not be converted to a String',
      ],
    ])('refuses %s', async (_, input, message) => {
      const QueueUrl = await sqs.createQueue();
      const { status, body, headers } = await post('SendMessage', { QueueUrl, ...input });
      expect([status, body]).toEqual([400, { __type: 'com.amazon.coral.service#SerializationException', message }]);
      expect(headers.get('x-amzn-query-error')).toBe('MalformedInput;Sender');
      expect(await sqs.counts(QueueUrl)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    });

    it('refuses a string for a list', async () => {
      const QueueUrl = await sqs.createQueue();
      const { status, body } = await post('ReceiveMessage', { QueueUrl, AttributeNames: 'All' });
      expect([status, body]).toEqual([
        400,
        {
          __type: 'com.amazon.coral.service#SerializationException',
          message: 'Unrecognized collection type class java.lang.String',
        },
      ]);
    });

    it('refuses what is not JSON', async () => {
      const { status, body, headers } = await post('ListQueues', '{"QueueNamePrefix":');
      expect(status).toBe(400);
      expect(body.__type).toBe('com.amazon.coral.service#SerializationException');
      expect(headers.get('x-amzn-query-error')).toBe('MalformedInput;Sender');
    });

    it('takes a number in a string for an integer', async () => {
      const QueueUrl = await sqs.createQueue();
      for (let count = 0; count < 6; count++) await sqs.send(QueueUrl, 'm');
      const { body } = await post('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: '5' });
      expect(body.Messages).toHaveLength(5);
    });

    it.each([
      [7, '7'],
      [1.5, '1.5'],
      [true, 'true'],
    ])('takes %j for a message body', async (MessageBody, text) => {
      const QueueUrl = await sqs.createQueue();
      await post('SendMessage', { QueueUrl, MessageBody });
      expect(await sqs.receiveBodies(QueueUrl)).toEqual([text]);
    });
  });
});
