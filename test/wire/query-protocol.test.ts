import { describe, expect, it } from 'vitest';
import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';
import { captureError, invalidParameterValue, sqsError } from '../support/errors.ts';
import { readReply } from '../support/query-client.ts';
import { arnOf, nameOf, useSqs } from '../support/sqs.ts';
import { childText, parseXml } from '../support/xml.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** SQS: section 1.4 */
describe('AWS Query', () => {
  const sqs = useSqs('AWS Query');
  const request = (...parameters: [string, string][]) => sqs.server.query.request(parameters);

  it('answers with an envelope in XML', async () => {
    const queue = await sqs.createQueue();
    const { status, headers, text } = await request(
      ['Action', 'SendMessage'],
      ['QueueUrl', queue],
      ['MessageBody', 'message'],
    );
    expect([status, headers.get('Content-Type')?.split(';')[0]]).toEqual([200, 'text/xml']);
    const [id, requestId] = [/<MessageId>(.*?)</.exec(text)?.[1], /<RequestId>(.*?)</.exec(text)?.[1]];
    expect(text.replaceAll(/>\s+</g, '><').replace(/^<\?xml[^>]*\?>\s*/, '')).toBe(
      '<SendMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><SendMessageResult>' +
        `<MessageId>${id}</MessageId><MD5OfMessageBody>78e731027d8fd50ed642340b7c9a63b3</MD5OfMessageBody>` +
        `</SendMessageResult><ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></SendMessageResponse>`,
    );
    expect(text).toMatch(/^<\?xml version="1.0"/);
    expect(requestId).toMatch(UUID);
    expect(headers.get('x-amzn-RequestId')).toBe(requestId);
  });

  it('answers an error with an envelope in XML', async () => {
    const { status, headers, text } = await request(['Action', 'GetQueueUrl'], ['QueueName', 'unknown']);
    expect([status, headers.get('Content-Type')?.split(';')[0]]).toEqual([400, 'text/xml']);
    const requestId = /<RequestId>(.*?)</.exec(text)?.[1];
    expect(text.replace(/^<\?xml[^>]*\?>\s*/, '')).toBe(
      '<ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type>' +
        '<Code>AWS.SimpleQueueService.NonExistentQueue</Code>' +
        '<Message>The specified queue does not exist for this wsdl version.</Message><Detail/></Error>' +
        `<RequestId>${requestId}</RequestId></ErrorResponse>`,
    );
    expect(requestId).toMatch(UUID);
  });

  it('answers an empty receive with an empty element', async () => {
    const { text } = await request(['Action', 'ReceiveMessage'], ['QueueUrl', await sqs.createQueue()]);
    expect(text).toContain('<ReceiveMessageResult/>');
  });

  it('writes carriage returns and quotes of a body as references', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'a\r\nb "c" <d> & e');
    const { text } = await request(['Action', 'ReceiveMessage'], ['QueueUrl', queue]);
    expect(text).toContain('<Body>a&#xD;\nb &quot;c&quot; &lt;d&gt; &amp; e</Body>');
  });

  it('refuses an action that does not exist', async () => {
    const failure = async () => readReply('ListQueues', await request(['Action', 'FooBar']));
    expect(await captureError(failure())).toEqual(
      sqsError('UnknownOperationException', 'The action FooBar is not valid for this endpoint.'),
    );
  });

  it.each([undefined, 'application/json'])(
    'answers a GET without an action with 404 in XML, accepting %s',
    async (accept) => {
      const headers = accept === undefined ? undefined : { Accept: accept };
      for (const path of ['/', '/000000000000/queue', '/favicon.ico']) {
        const response = await fetch(`${sqs.server.url}${path}`, { headers });
        expect([response.status, await response.text()]).toEqual([404, '<UnknownOperationException/>']);
      }
    },
  );

  it('takes credentials in the query string', async () => {
    const queue = await sqs.createQueue({}, 'with-credentials');
    const credentials = new URLSearchParams({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20231114/us-east-1/sqs/aws4_request',
      'X-Amz-Date': '20231114T221320Z',
      'X-Amz-Expires': '300',
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Signature': '0'.repeat(64),
    });
    const response = await fetch(
      `${sqs.server.url}/?Action=ListQueues&QueueNamePrefix=with-credentials&Version=2012-11-05&${credentials}`,
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`<QueueUrl>${queue}</QueueUrl>`);
  });

  it('sorts what is numbered by number, gaps or not', async () => {
    const queue = await sqs.createQueue();
    const numbers = [11, 2, 10, 9, 100, 1];
    const { text } = await request(
      ['Action', 'SendMessageBatch'],
      ['QueueUrl', queue],
      ...numbers.flatMap((number): [string, string][] => [
        [`SendMessageBatchRequestEntry.${number}.Id`, `id-${number}`],
        [`SendMessageBatchRequestEntry.${number}.MessageBody`, String(number)],
      ]),
    );
    expect([...text.matchAll(/<Id>(.*?)</g)].map(([, id]) => id)).toEqual([
      'id-1',
      'id-2',
      'id-9',
      'id-10',
      'id-11',
      'id-100',
    ]);
    expect(await sqs.receiveBodies(queue)).toEqual(['1', '2', '9', '10', '11', '100']);
  });

  it('reads the two lists of system attributes from one prefix', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    const reply = await request(
      ['Action', 'ReceiveMessage'],
      ['QueueUrl', queue],
      ['AttributeName.1', 'SentTimestamp'],
      ['AttributeName.2', 'ApproximateReceiveCount'],
    );
    const { Messages } = readReply('ReceiveMessage', reply) as { Messages: { Attributes: object }[] };
    expect(Object.keys(Messages[0]!.Attributes).sort()).toEqual(['ApproximateReceiveCount', 'SentTimestamp']);
  });

  /** Every action over GET, with inputs that succeed one after the other. */
  it('carries out every action over GET', async () => {
    const get = <Name extends ActionName>(action: Name, input: ActionInputs[Name]) =>
      sqs.server.query.call(action, input, { method: 'GET' });
    const { QueueUrl } = await get('CreateQueue', { QueueName: 'get', tags: { a: '1' } });
    const { QueueUrl: dead } = await get('CreateQueue', { QueueName: 'get-dead' });
    expect(await get('GetQueueUrl', { QueueName: 'get' })).toEqual({ QueueUrl });
    expect(await get('ListQueues', { QueueNamePrefix: 'get' })).toEqual({ QueueUrls: [QueueUrl, dead] });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(dead!), maxReceiveCount: 5 });
    expect(await get('SetQueueAttributes', { QueueUrl, Attributes: { RedrivePolicy } })).toEqual({});
    expect(await get('GetQueueAttributes', { QueueUrl, AttributeNames: ['RedrivePolicy'] })).toEqual({
      Attributes: { RedrivePolicy },
    });
    expect(await get('ListDeadLetterSourceQueues', { QueueUrl: dead })).toEqual({ queueUrls: [QueueUrl] });
    expect(await get('TagQueue', { QueueUrl, Tags: { b: '2' } })).toEqual({});
    expect(await get('UntagQueue', { QueueUrl, TagKeys: ['a'] })).toEqual({});
    expect(await get('ListQueueTags', { QueueUrl })).toEqual({ Tags: { b: '2' } });
    const permission = { QueueUrl, Label: 'l', AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] };
    expect(await get('AddPermission', permission)).toEqual({});
    expect(await get('RemovePermission', { QueueUrl, Label: 'l' })).toEqual({});

    await get('SendMessage', { QueueUrl, MessageBody: 'a+b & ä' });
    const entries = ['1', '2'].map((Id) => ({ Id, MessageBody: Id }));
    expect((await get('SendMessageBatch', { QueueUrl, Entries: entries })).Successful).toHaveLength(2);
    const { Messages = [] } = await get('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 });
    expect(Messages.map(({ Body }) => Body)).toEqual(['a+b & ä', '1', '2']);
    const [first, second, third] = Messages.map(({ ReceiptHandle }) => ReceiptHandle);
    expect(await get('ChangeMessageVisibility', { QueueUrl, ReceiptHandle: first, VisibilityTimeout: 60 })).toEqual({});
    const Entries = [{ Id: 'a', ReceiptHandle: second, VisibilityTimeout: 60 }];
    expect(await get('ChangeMessageVisibilityBatch', { QueueUrl, Entries })).toEqual({ Successful: [{ Id: 'a' }] });
    expect(await get('DeleteMessage', { QueueUrl, ReceiptHandle: first })).toEqual({});
    expect(
      await get('DeleteMessageBatch', {
        QueueUrl,
        Entries: [
          { Id: 'a', ReceiptHandle: second },
          { Id: 'b', ReceiptHandle: third },
        ],
      }),
    ).toEqual({ Successful: [{ Id: 'a' }, { Id: 'b' }] });
    expect(await get('PurgeQueue', { QueueUrl })).toEqual({});

    const SourceArn = arnOf(dead!);
    await get('SendMessage', { QueueUrl: dead, MessageBody: 'm' });
    const { TaskHandle } = await get('StartMessageMoveTask', { SourceArn, DestinationArn: arnOf(QueueUrl!) });
    expect((await get('ListMessageMoveTasks', { SourceArn })).Results).toMatchObject([{ SourceArn }]);
    await sqs.advance(5);
    expect(await captureError(get('CancelMessageMoveTask', { TaskHandle }))).toEqual(
      invalidParameterValue('Only active tasks can be cancelled.'),
    );
    expect(await get('DeleteQueue', { QueueUrl })).toEqual({});
  });

  describe('in a GET that accepts JSON', () => {
    const getJson = async (parameters: Record<string, string>) => {
      const response = await fetch(`${sqs.server.url}/?${new URLSearchParams(parameters)}`, {
        headers: { Accept: 'application/json' },
      });
      expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const metadata = { ResponseMetadata: { RequestId: expect.stringMatching(UUID) } };

    it('answers in JSON', async () => {
      const queue = await sqs.createQueue({ DelaySeconds: '0' });
      await sqs.send(queue, 'm');
      const { body } = await getJson({ Action: 'ReceiveMessage', QueueUrl: queue });
      expect(body).toMatchObject({
        ReceiveMessageResponse: { ReceiveMessageResult: { messages: [{ Body: 'm' }] }, ...metadata },
      });
      const attributes = await getJson({
        Action: 'GetQueueAttributes',
        QueueUrl: queue,
        'AttributeName.1': 'DelaySeconds',
      });
      expect(attributes.body).toMatchObject({
        GetQueueAttributesResponse: {
          GetQueueAttributesResult: { Attributes: [{ Name: 'DelaySeconds', Value: '0' }] },
        },
      });
      const list = await getJson({ Action: 'ListQueues', QueueNamePrefix: nameOf(queue) });
      expect(list.body).toHaveProperty('ListQueuesResponse');
    });

    it('answers errors in JSON', async () => {
      const { status, body } = await getJson({ Action: 'GetQueueUrl', QueueName: 'unknown' });
      expect([status, body]).toMatchObject([
        400,
        {
          Error: {
            Code: 'AWS.SimpleQueueService.NonExistentQueue',
            Message: 'The specified queue does not exist for this wsdl version.',
            Type: 'Sender',
          },
        },
      ]);
    });
  });

  it('writes the elements of a message by their names in the model', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm', { MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } } });
    const { text } = await request(
      ['Action', 'ReceiveMessage'],
      ['QueueUrl', queue],
      ['AttributeName.1', 'SentTimestamp'],
      ['MessageAttributeName.1', 'k'],
    );
    const [result] = parseXml(text).children;
    const message = result?.children[0];
    expect(message?.name).toBe('Message');
    expect(message?.children.map(({ name }) => name).sort()).toEqual([
      'Attribute',
      'Body',
      'MD5OfBody',
      'MD5OfMessageAttributes',
      'MessageAttribute',
      'MessageId',
      'ReceiptHandle',
    ]);
    expect(childText(message, 'MD5OfMessageAttributes')).toBe('a45daa70926828a2f0a1db3418e6feb4');
  });
});
