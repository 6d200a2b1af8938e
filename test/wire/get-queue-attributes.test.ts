import { expect, it } from 'vitest';
import { sqsError } from '../support/errors.ts';
import { START_TIME } from '../support/server.ts';
import { arnOf, overBothProtocols } from '../support/sqs.ts';

const STARTED = String(START_TIME / 1000);

/** What every queue has, with the defaults (SQS: section 3.1, section 3.4). */
const DEFAULTS = {
  ApproximateNumberOfMessages: '0',
  ApproximateNumberOfMessagesDelayed: '0',
  ApproximateNumberOfMessagesNotVisible: '0',
  CreatedTimestamp: STARTED,
  DelaySeconds: '0',
  LastModifiedTimestamp: STARTED,
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  SqsManagedSseEnabled: 'true',
  VisibilityTimeout: '30',
};

/** SQS: section 2.5 */
overBothProtocols('GetQueueAttributes', (sqs) => {
  it('returns everything a standard queue has for All', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] })).toEqual({
      Attributes: { ...DEFAULTS, QueueArn: arnOf(QueueUrl) },
    });
  });

  it('returns everything a FIFO queue has for All', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    expect(await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] })).toEqual({
      Attributes: {
        ...DEFAULTS,
        QueueArn: arnOf(QueueUrl),
        FifoQueue: 'true',
        ContentBasedDeduplication: 'false',
        DeduplicationScope: 'queue',
        FifoThroughputLimit: 'perQueue',
      },
    });
  });

  it('returns for All what was set besides', async () => {
    const queue = await sqs.createQueue();
    const set = {
      Policy: JSON.stringify({ Version: '2012-10-17', Statement: [allowAll(arnOf(queue))] }),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(await sqs.createQueue()), maxReceiveCount: 5 }),
      RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }),
      KmsMasterKeyId: 'alias/aws/sqs',
    };
    await sqs.setAttributes(queue, set);
    expect(await sqs.attributes(queue)).toEqual({
      ...DEFAULTS,
      ...set,
      QueueArn: arnOf(queue),
      KmsDataKeyReusePeriodSeconds: '300',
      SqsManagedSseEnabled: 'false',
    });
  });

  it.each([
    ['no list of names', undefined],
    ['an empty list of names', []],
  ])('returns nothing for %s', async (_, AttributeNames) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.call('GetQueueAttributes', { QueueUrl, AttributeNames })).toEqual({});
  });

  it('returns what is asked for', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '42' });
    expect(await sqs.attributes(queue, 'VisibilityTimeout', 'QueueArn')).toEqual({
      VisibilityTimeout: '42',
      QueueArn: arnOf(queue),
    });
  });

  it('omits what the queue does not have', async () => {
    const queue = await sqs.createQueue();
    const names = [
      'FifoQueue',
      'ContentBasedDeduplication',
      'DeduplicationScope',
      'FifoThroughputLimit',
      'Policy',
      'RedrivePolicy',
      'RedriveAllowPolicy',
      'KmsMasterKeyId',
      'KmsDataKeyReusePeriodSeconds',
    ];
    expect(await sqs.attributes(queue, ...names, 'DelaySeconds')).toEqual({ DelaySeconds: '0' });
    expect(await sqs.call('GetQueueAttributes', { QueueUrl: queue, AttributeNames: names })).toEqual({});
  });

  it.each([
    ['an unknown name', ['Foobar'], 'Unknown Attribute Foobar.'],
    ['an unknown name among others', ['QueueArn', 'Foobar'], 'Unknown Attribute Foobar.'],
    ['an unknown name beside All', ['All', 'Foobar'], 'Unknown Attribute Foobar.'],
    ['a name in the wrong case', ['queueArn'], 'Unknown Attribute queueArn.'],
    ['an empty name', [''], 'Unknown Attribute .'],
  ])('refuses %s', async (_, AttributeNames, message) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('GetQueueAttributes', { QueueUrl, AttributeNames })).toEqual(
      sqsError('InvalidAttributeName', message),
    );
  });

  it('tells the time of creation and of the last change in seconds', async () => {
    const queue = await sqs.createQueue();
    const created = Math.floor(sqs.clock.now() / 1000);
    await sqs.advance(90);
    await sqs.send(queue, 'no change of the queue');
    const names = ['CreatedTimestamp', 'LastModifiedTimestamp'];
    expect(await sqs.attributes(queue, ...names)).toEqual({
      CreatedTimestamp: String(created),
      LastModifiedTimestamp: String(created),
    });
    await sqs.setAttributes(queue, { DelaySeconds: '1' });
    expect(await sqs.attributes(queue, ...names)).toEqual({
      CreatedTimestamp: String(created),
      LastModifiedTimestamp: String(created + 90),
    });
  });

  /** SQS: section 3.5 */
  it('counts the messages of a standard queue', async () => {
    const queue = await sqs.createQueue();
    for (const body of ['1', '2', '3', '4', '5', '6']) await sqs.send(queue, body);
    expect(await sqs.counts(queue)).toEqual({ visible: 6, inFlight: 0, delayed: 0 });
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    expect(await sqs.counts(queue)).toEqual({ visible: 5, inFlight: 1, delayed: 0 });
    await sqs.send(queue, 'later', { DelaySeconds: 60 });
    expect(await sqs.counts(queue)).toEqual({ visible: 5, inFlight: 1, delayed: 1 });
    await sqs.advance(30);
    expect(await sqs.counts(queue)).toEqual({ visible: 6, inFlight: 0, delayed: 1 });
    await sqs.advance(30);
    expect(await sqs.counts(queue)).toEqual({ visible: 7, inFlight: 0, delayed: 0 });
  });

  /** SQS: section 3.5 */
  it('counts messages that wait behind an in-flight one of their group as visible', async () => {
    const queue = await sqs.createFifoQueue();
    for (const group of ['a', 'b', 'c']) {
      await sqs.sendToGroup(queue, group, '1');
      await sqs.sendToGroup(queue, group, '2');
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 6, inFlight: 0, delayed: 0 });
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    expect(await sqs.counts(queue)).toEqual({ visible: 4, inFlight: 2, delayed: 0 });
    await sqs.advance(30);
    expect(await sqs.counts(queue)).toEqual({ visible: 6, inFlight: 0, delayed: 0 });
  });

  /** SQS: section 3.5 */
  it('counts a message that is moved to the dead-letter queue there and no longer here', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '0' } });
    await sqs.send(source, 'a');
    await sqs.receive(source);
    await sqs.receive(source);
    expect(await sqs.counts(source)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(await sqs.counts(dead)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
  });
});

function allowAll(resource: string) {
  return { Sid: 'all', Effect: 'Allow', Principal: '*', Action: 'SQS:*', Resource: resource };
}
