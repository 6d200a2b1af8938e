import AWS from 'aws-sdk/clients/sqs.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/start.ts';
import { arrivalOf } from '../support/arrivals.ts';

// The AWS SDK for JavaScript v2: AWS JSON in the manner of its time. It checks the digest of every body it sends or
// receives by itself.

// Silences its advice to move on to version 3, which it gives when it is loaded.
vi.hoisted(() => {
  process.env.AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE = '1';
});

let server: RunningServer;
let sqs: AWS;

beforeEach(async () => {
  server = await startServer({ store: 'memory', port: 0 });
  sqs = new AWS({ endpoint: server.url, region: 'us-east-1', accessKeyId: 'any', secretAccessKey: 'any' });
});

afterEach(() => server.close());

async function createQueue(name: string, attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await sqs.createQueue({ QueueName: name, Attributes: attributes }).promise();
  return QueueUrl!;
}

describe('the AWS SDK for JavaScript v2', () => {
  it('takes a queue and a message through their whole lives', async () => {
    const QueueUrl = await createQueue('orders', { VisibilityTimeout: '60' });
    expect((await sqs.getQueueUrl({ QueueName: 'orders' }).promise()).QueueUrl).toBe(QueueUrl);
    expect((await sqs.listQueues({ QueueNamePrefix: 'ord' }).promise()).QueueUrls).toEqual([QueueUrl]);
    const { Attributes } = await sqs
      .getQueueAttributes({ QueueUrl, AttributeNames: ['VisibilityTimeout', 'QueueArn'] })
      .promise();
    expect(Attributes).toEqual({
      VisibilityTimeout: '60',
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:orders',
    });

    const sent = await sqs
      .sendMessage({
        QueueUrl,
        MessageBody: 'Grüße \u{1F426}',
        MessageAttributes: {
          MyAttribute: { DataType: 'String', StringValue: 'foobar' },
        },
      })
      .promise();
    // The digest of {MyAttribute: String "foobar"} as SQS computed it (section 4.6).
    expect(sent.MD5OfMessageAttributes).toBe('adb59cd4678ea5a855436b949cd07ab6');

    const received = await sqs
      .receiveMessage({ QueueUrl, AttributeNames: ['All'], MessageAttributeNames: ['All'] })
      .promise();
    expect(received.Messages).toHaveLength(1);
    const [message] = received.Messages!;
    expect(message).toMatchObject({
      MessageId: sent.MessageId,
      Body: 'Grüße \u{1F426}',
      Attributes: { ApproximateReceiveCount: '1' },
      MessageAttributes: { MyAttribute: { DataType: 'String', StringValue: 'foobar' } },
    });

    const ReceiptHandle = message!.ReceiptHandle!;
    await sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }).promise();
    const again = await sqs.receiveMessage({ QueueUrl, AttributeNames: ['ApproximateReceiveCount'] }).promise();
    expect(again.Messages).toMatchObject([{ MessageId: sent.MessageId, Attributes: { ApproximateReceiveCount: '2' } }]);
    await sqs.deleteMessage({ QueueUrl, ReceiptHandle: again.Messages![0]!.ReceiptHandle! }).promise();
    // This SDK makes an empty list of what the reply leaves out.
    expect((await sqs.receiveMessage({ QueueUrl }).promise()).Messages).toEqual([]);

    await sqs.deleteQueue({ QueueUrl }).promise();
    expect((await sqs.listQueues().promise()).QueueUrls).toEqual([]);
  });

  it('sends, changes and deletes in batches', async () => {
    const QueueUrl = await createQueue('orders');
    const bytes = Buffer.from([0, 1, 2, 254, 255]);
    const sent = await sqs
      .sendMessageBatch({
        QueueUrl,
        Entries: [
          { Id: 'a', MessageBody: 'first', MessageAttributes: { Raw: { DataType: 'Binary', BinaryValue: bytes } } },
          { Id: 'b', MessageBody: '\u0000' },
          { Id: 'c', MessageBody: 'third' },
        ],
      })
      .promise();
    expect(sent.Successful.map(({ Id }) => Id)).toEqual(['a', 'c']);
    expect(sent.Failed).toMatchObject([{ Id: 'b', Code: 'InvalidMessageContents', SenderFault: true }]);

    const { Messages = [] } = await sqs
      .receiveMessage({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['.*'] })
      .promise();
    const first = Messages.find(({ Body }) => Body === 'first');
    expect(Messages.map(({ Body }) => Body).sort()).toEqual(['first', 'third']);
    expect(Buffer.from(first?.MessageAttributes?.Raw?.BinaryValue as Uint8Array)).toEqual(bytes);

    const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle: ReceiptHandle! }));
    const changed = await sqs
      .changeMessageVisibilityBatch({
        QueueUrl,
        Entries: Entries.map((entry) => ({ ...entry, VisibilityTimeout: 100 })),
      })
      .promise();
    expect(changed.Successful.map(({ Id }) => Id)).toEqual(['0', '1']);
    const deleted = await sqs.deleteMessageBatch({ QueueUrl, Entries }).promise();
    expect(deleted.Successful.map(({ Id }) => Id)).toEqual(['0', '1']);
  });

  it('keeps the order of a FIFO queue and drops duplicates', async () => {
    const QueueUrl = await createQueue('orders.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    const send = (body: string) => sqs.sendMessage({ QueueUrl, MessageBody: body, MessageGroupId: 'g' }).promise();
    const [one, two, three] = [await send('one'), await send('two'), await send('one')];
    expect(three.MessageId).toBe(one.MessageId);
    expect(one.SequenceNumber).toMatch(/^\d{20}$/);
    expect(two.SequenceNumber! > one.SequenceNumber!).toBe(true);
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 }).promise();
    expect(Messages.map(({ Body }) => Body)).toEqual(['one', 'two']);
  });

  it('gets a message that arrives during its long poll', async () => {
    const QueueUrl = await createQueue('orders');
    const polling = arrivalOf('ReceiveMessage');
    const poll = sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 }).promise();
    await polling;
    await sqs.sendMessage({ QueueUrl, MessageBody: 'now' }).promise();
    expect((await poll).Messages).toMatchObject([{ Body: 'now' }]);
  });

  it('shows the code of an error as it shows it of AWS', async () => {
    const missing = `${server.url}/000000000000/missing`;
    await expect(sqs.sendMessage({ QueueUrl: missing, MessageBody: 'x' }).promise()).rejects.toMatchObject({
      code: 'AWS.SimpleQueueService.NonExistentQueue',
      message: 'The specified queue does not exist.',
      statusCode: 400,
    });
    const QueueUrl = await createQueue('orders');
    await expect(sqs.deleteMessage({ QueueUrl, ReceiptHandle: 'garbage' }).promise()).rejects.toMatchObject({
      code: 'ReceiptHandleIsInvalid',
      message: 'The input receipt handle "garbage" is not a valid receipt handle.',
      statusCode: 404,
    });
    await sqs.purgeQueue({ QueueUrl }).promise();
    await expect(sqs.purgeQueue({ QueueUrl }).promise()).rejects.toMatchObject({
      code: 'AWS.SimpleQueueService.PurgeQueueInProgress',
      message: 'Only one PurgeQueue operation on orders is allowed every 60 seconds.',
      statusCode: 403,
    });
  });
});
