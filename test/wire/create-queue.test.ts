import { describe, expect, it } from 'vitest';
import { invalidParameterValue, sqsError } from '../support/errors.ts';
import { postJson } from '../support/json-client.ts';
import { arnOf, overBothProtocols, useSqs } from '../support/sqs.ts';

const NAME_RULE = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';
const FIFO_NAME_RULE =
  'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo ' +
  'suffix and be 1 to 80 in length';

/** SQS: section 2.1 */
overBothProtocols('CreateQueue', (sqs) => {
  const alreadyExists = (attribute: string) =>
    sqsError(
      'QueueNameExists',
      `A queue already exists with the same name and a different value for attribute ${attribute}`,
    );

  it('answers with the URL of the queue', async () => {
    const { QueueUrl } = await sqs.call('CreateQueue', { QueueName: 'Orders_2-new' });
    expect(QueueUrl).toBe(`${sqs.server.url}/000000000000/Orders_2-new`);
    expect(await sqs.attributes(QueueUrl!, 'QueueArn')).toEqual({
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:Orders_2-new',
    });
  });

  it('sets attributes and tags', async () => {
    const { QueueUrl } = await sqs.call('CreateQueue', {
      QueueName: 'with-everything',
      Attributes: { DelaySeconds: '5', VisibilityTimeout: '0' },
      tags: { team: 'billing', empty: '' },
    });
    expect(await sqs.attributes(QueueUrl!, 'DelaySeconds', 'VisibilityTimeout')).toEqual({
      DelaySeconds: '5',
      VisibilityTimeout: '0',
    });
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({ Tags: { team: 'billing', empty: '' } });
  });

  it('creates a FIFO queue', async () => {
    const { QueueUrl } = await sqs.call('CreateQueue', {
      QueueName: 'orders.fifo',
      Attributes: { FifoQueue: 'True', ContentBasedDeduplication: 'TRUE' },
    });
    expect(QueueUrl).toBe(`${sqs.server.url}/000000000000/orders.fifo`);
    expect(await sqs.attributes(QueueUrl!, 'FifoQueue', 'ContentBasedDeduplication')).toEqual({
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
    });
  });

  it.each([
    ['a standard queue', 'n'.repeat(80), {}],
    ['a FIFO queue', `${'n'.repeat(75)}.fifo`, { FifoQueue: 'true' }],
  ])('takes a name of 80 characters for %s', async (_, QueueName, Attributes) => {
    const { QueueUrl } = await sqs.call('CreateQueue', { QueueName, Attributes });
    expect(QueueUrl).toBe(`${sqs.server.url}/000000000000/${QueueName}`);
  });

  it.each([
    ['no name', undefined, {}, 'Value for parameter QueueName is invalid. Reason: Must specify a queue name.'],
    ['an empty name', '', {}, 'Queue name cannot be empty'],
    ['a space in the name', 'or ders', {}, NAME_RULE],
    ['an umlaut in the name', 'bücher', {}, NAME_RULE],
    ['a dot in the name', 'or.ders', {}, NAME_RULE],
    ['a slash in the name', 'queue/name', {}, NAME_RULE],
    ['81 characters', 'n'.repeat(81), {}, NAME_RULE],
    ['.fifo without FifoQueue', 'name.fifo', {}, NAME_RULE],
    ['FifoQueue without .fifo', 'name', { FifoQueue: 'true' }, FIFO_NAME_RULE],
    ['81 characters, .fifo included', `${'n'.repeat(76)}.fifo`, { FifoQueue: 'true' }, FIFO_NAME_RULE],
    ['nothing before .fifo but a space', ' .fifo', { FifoQueue: 'true' }, FIFO_NAME_RULE],
  ])('refuses %s', async (_, QueueName, Attributes, message) => {
    expect(await sqs.failure('CreateQueue', { QueueName, Attributes })).toEqual(invalidParameterValue(message));
  });

  it.each([
    ['FifoQueue=false on a standard queue', 'q', { FifoQueue: 'false' }, 'Unknown Attribute FifoQueue.'],
    ['FifoQueue=false on a .fifo name', 'q.fifo', { FifoQueue: 'false' }, 'Unknown Attribute FifoQueue.'],
    [
      'ContentBasedDeduplication on a standard queue',
      'q',
      { ContentBasedDeduplication: 'true' },
      'Unknown Attribute ContentBasedDeduplication.',
    ],
    [
      'DeduplicationScope on a standard queue',
      'q',
      { DeduplicationScope: 'queue' },
      'You can specify the DeduplicationScope only when FifoQueue is set to true.',
    ],
    [
      'FifoThroughputLimit on a standard queue',
      'q',
      { FifoThroughputLimit: 'perQueue' },
      'You can specify the FifoThroughputLimit only when FifoQueue is set to true.',
    ],
    ['an attribute that does not exist', 'q', { Foobar: '1' }, 'Unknown Attribute Foobar.'],
    ['an attribute that is read-only', 'q', { QueueArn: 'a' }, 'Unknown Attribute QueueArn.'],
  ])('refuses %s', async (_, QueueName, Attributes, message) => {
    expect(await sqs.failure('CreateQueue', { QueueName, Attributes: Attributes as Record<string, string> })).toEqual(
      sqsError('InvalidAttributeName', message),
    );
  });

  it('creates nothing when it refuses', async () => {
    await sqs.failure('CreateQueue', { QueueName: 'refused', Attributes: { DelaySeconds: '901' } });
    expect(await sqs.call('ListQueues', { QueueNamePrefix: 'refused' })).toEqual({});
  });

  it('tells names apart by case', async () => {
    const lower = await sqs.createQueue({}, 'case');
    const upper = await sqs.createQueue({ DelaySeconds: '1' }, 'CASE');
    expect(await sqs.attributes(lower, 'DelaySeconds')).toEqual({ DelaySeconds: '0' });
    expect(await sqs.attributes(upper, 'DelaySeconds')).toEqual({ DelaySeconds: '1' });
  });

  describe('for a queue that exists', () => {
    it('answers with its URL when no attributes are given, whatever it has', async () => {
      const QueueName = sqs.uniqueName();
      const QueueUrl = await sqs.createQueue({ DelaySeconds: '3' }, QueueName);
      expect(await sqs.call('CreateQueue', { QueueName })).toEqual({ QueueUrl });
      await sqs.setAttributes(QueueUrl, { DelaySeconds: '4' });
      expect(await sqs.call('CreateQueue', { QueueName })).toEqual({ QueueUrl });
    });

    it('takes the attributes that it has now, and only those', async () => {
      const QueueName = sqs.uniqueName();
      const QueueUrl = await sqs.createQueue({ DelaySeconds: '3' }, QueueName);
      expect(await sqs.call('CreateQueue', { QueueName, Attributes: { DelaySeconds: '3' } })).toEqual({ QueueUrl });
      await sqs.setAttributes(QueueUrl, { DelaySeconds: '4' });
      expect(await sqs.call('CreateQueue', { QueueName, Attributes: { DelaySeconds: '4' } })).toEqual({ QueueUrl });
      expect(await sqs.failure('CreateQueue', { QueueName, Attributes: { DelaySeconds: '3' } })).toEqual(
        alreadyExists('DelaySeconds'),
      );
    });

    it('compares only the attributes that are given', async () => {
      const QueueName = sqs.uniqueName();
      const QueueUrl = await sqs.createQueue({ DelaySeconds: '3', VisibilityTimeout: '7' }, QueueName);
      expect(await sqs.call('CreateQueue', { QueueName, Attributes: { VisibilityTimeout: '7' } })).toEqual({
        QueueUrl,
      });
    });

    it('takes a default for an attribute that has it', async () => {
      const QueueName = sqs.uniqueName();
      const QueueUrl = await sqs.createQueue({}, QueueName);
      const Attributes = { DelaySeconds: '0', MessageRetentionPeriod: '345600', SqsManagedSseEnabled: 'true' };
      expect(await sqs.call('CreateQueue', { QueueName, Attributes })).toEqual({ QueueUrl });
      expect(await sqs.failure('CreateQueue', { QueueName, Attributes: { DelaySeconds: '1' } })).toEqual(
        alreadyExists('DelaySeconds'),
      );
    });

    it('does not mind messages or the passing of time', async () => {
      const QueueName = sqs.uniqueName();
      const Attributes = { VisibilityTimeout: '30' };
      const QueueUrl = await sqs.createQueue(Attributes, QueueName);
      await sqs.send(QueueUrl, 'a');
      await sqs.advance(5);
      await sqs.send(QueueUrl, 'b');
      await sqs.receive(QueueUrl, { MaxNumberOfMessages: 1 });
      expect(await sqs.call('CreateQueue', { QueueName, Attributes })).toEqual({ QueueUrl });
    });

    it('does the same for a FIFO queue, whatever the case of true', async () => {
      const QueueName = sqs.uniqueName('.fifo');
      const QueueUrl = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' }, QueueName);
      const Attributes = { FifoQueue: 'True', ContentBasedDeduplication: 'True' };
      expect(await sqs.call('CreateQueue', { QueueName, Attributes })).toEqual({ QueueUrl });
      expect(
        await sqs.failure('CreateQueue', {
          QueueName,
          Attributes: { FifoQueue: 'true', ContentBasedDeduplication: 'false' },
        }),
      ).toEqual(alreadyExists('ContentBasedDeduplication'));
    });

    it('neither compares nor changes tags', async () => {
      const QueueName = sqs.uniqueName();
      const { QueueUrl } = await sqs.call('CreateQueue', { QueueName, tags: { a: '1' } });
      expect(await sqs.call('CreateQueue', { QueueName, tags: { b: '2' } })).toEqual({ QueueUrl });
      expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({ Tags: { a: '1' } });
    });
  });

  it('waits 60 seconds after the deletion of a queue of that name', async () => {
    const QueueName = sqs.uniqueName();
    const QueueUrl = await sqs.createQueue({}, QueueName);
    await sqs.send(QueueUrl, 'of the old queue');
    await sqs.call('DeleteQueue', { QueueUrl });
    const deletedRecently = sqsError(
      'QueueDeletedRecently',
      'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
    );
    expect(await sqs.failure('CreateQueue', { QueueName })).toEqual(deletedRecently);
    await sqs.advance(59.999);
    expect(await sqs.failure('CreateQueue', { QueueName })).toEqual(deletedRecently);
    await sqs.advance(0.001);
    expect(await sqs.call('CreateQueue', { QueueName })).toEqual({ QueueUrl });
    expect(await sqs.receiveBodies(QueueUrl)).toEqual([]);
  });

  it('ignores an empty policy', async () => {
    const queue = await sqs.createQueue({ Policy: '' });
    expect(await sqs.attributes(queue, 'Policy')).toEqual({});
  });

  it('refuses a policy of more than 20 statements', async () => {
    const queue = sqs.uniqueName();
    const statement = { Effect: 'Allow', Principal: '*', Action: 'SQS:SendMessage', Resource: arnOf(queue) };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: new Array(22).fill(statement) });
    expect(await sqs.failure('CreateQueue', { QueueName: queue, Attributes: { Policy } })).toEqual(
      invalidParameterValue('22 statements were found in the submitted policy, max allowed is 20'),
    );
  });
});

describe('CreateQueue over AWS JSON', () => {
  const sqs = useSqs('AWS JSON');

  it('takes a list of attributes for attributes that are called by numbers', async () => {
    const { status, body } = await postJson(sqs.server.url, 'CreateQueue', {
      QueueName: 'list',
      Attributes: ['DelaySeconds'],
    });
    expect([status, body]).toEqual([
      400,
      { __type: 'com.amazonaws.sqs#InvalidAttributeName', message: 'Unknown Attribute 0.' },
    ]);
  });
});
