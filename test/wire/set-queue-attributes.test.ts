import { describe, expect, it } from 'vitest';
import { captureError, missingParameter, sqsError } from '../support/errors.ts';
import { readReply } from '../support/query-client.ts';
import { arnOf, overBothProtocols, useSqs } from '../support/sqs.ts';

/** Least and greatest values (SQS: section 3.1). */
const RANGES: [name: string, min: number, max: number][] = [
  ['DelaySeconds', 0, 900],
  ['MaximumMessageSize', 1024, 1_048_576],
  ['MessageRetentionPeriod', 60, 1_209_600],
  ['ReceiveMessageWaitTimeSeconds', 0, 20],
  ['VisibilityTimeout', 0, 43_200],
  ['KmsDataKeyReusePeriodSeconds', 60, 86_400],
];

const invalidValue = (name: string) => sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
const unknownAttribute = (name: string) => sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);

/** SQS: section 2.6 */
overBothProtocols('SetQueueAttributes', (sqs) => {
  it('changes what is given and leaves the rest', async () => {
    const QueueUrl = await sqs.createQueue({ DelaySeconds: '3', VisibilityTimeout: '4' });
    expect(await sqs.call('SetQueueAttributes', { QueueUrl, Attributes: { DelaySeconds: '5' } })).toEqual({});
    expect(await sqs.attributes(QueueUrl, 'DelaySeconds', 'VisibilityTimeout')).toEqual({
      DelaySeconds: '5',
      VisibilityTimeout: '4',
    });
  });

  it.each([
    ['no attributes', undefined],
    ['an empty map of attributes', {}],
  ])('refuses %s', async (_, Attributes) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes })).toEqual(
      missingParameter('Attribute.Name'),
    );
  });

  it.each(RANGES)('takes %s from %i to %i', async (name, min, max) => {
    const queue = await sqs.createQueue({ KmsMasterKeyId: 'key' });
    for (const value of [min, max]) {
      await sqs.setAttributes(queue, { [name]: String(value) });
      expect(await sqs.attributes(queue, name)).toEqual({ [name]: String(value) });
      const created = await sqs.createQueue({ KmsMasterKeyId: 'key', [name]: String(value) });
      expect(await sqs.attributes(created, name)).toEqual({ [name]: String(value) });
    }
    for (const value of [String(min - 1), String(max + 1), 'invalid', '1.5', `${min}s`]) {
      const Attributes = { [name]: value };
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl: queue, Attributes })).toEqual(invalidValue(name));
      expect(await sqs.failure('CreateQueue', { QueueName: sqs.uniqueName(), Attributes })).toEqual(invalidValue(name));
    }
    expect(await sqs.attributes(queue, name)).toEqual({ [name]: String(max) });
  });

  it.each([
    ['SqsManagedSseEnabled', 'yes'],
    ['ContentBasedDeduplication', 'yes'],
    ['DeduplicationScope', 'group'],
    ['FifoThroughputLimit', 'perGroup'],
  ])('refuses %s=%s', async (name, value) => {
    const QueueUrl = await sqs.createFifoQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { [name]: value } })).toEqual(
      invalidValue(name),
    );
  });

  it('takes booleans in any case', async () => {
    const queue = await sqs.createFifoQueue();
    await sqs.setAttributes(queue, { ContentBasedDeduplication: 'True', SqsManagedSseEnabled: 'FALSE' });
    expect(await sqs.attributes(queue, 'ContentBasedDeduplication', 'SqsManagedSseEnabled')).toEqual({
      ContentBasedDeduplication: 'true',
      SqsManagedSseEnabled: 'false',
    });
    await sqs.setAttributes(queue, { ContentBasedDeduplication: 'false' });
    expect(await sqs.attributes(queue, 'ContentBasedDeduplication')).toEqual({ ContentBasedDeduplication: 'false' });
  });

  it.each([
    'Foobar',
    'All',
    'QueueArn',
    'CreatedTimestamp',
    'LastModifiedTimestamp',
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ])('refuses %s, which cannot be set', async (name) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { [name]: '1' } })).toEqual(
      unknownAttribute(name),
    );
  });

  it('changes all or nothing', async () => {
    const QueueUrl = await sqs.createQueue();
    const Attributes = { DelaySeconds: '5', VisibilityTimeout: '43201' };
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes })).toEqual(
      invalidValue('VisibilityTimeout'),
    );
    expect(await sqs.attributes(QueueUrl, 'DelaySeconds')).toEqual({ DelaySeconds: '0' });
  });

  it('does not change the type of a queue', async () => {
    const standard = await sqs.createQueue();
    for (const FifoQueue of ['true', 'false']) {
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl: standard, Attributes: { FifoQueue } })).toEqual(
        unknownAttribute('FifoQueue'),
      );
    }
    const fifo = await sqs.createFifoQueue();
    await sqs.setAttributes(fifo, { FifoQueue: 'true' });
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl: fifo, Attributes: { FifoQueue: 'false' } })).toEqual(
      sqsError(
        'InvalidAttributeValue',
        'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
      ),
    );
  });

  it.each([
    ['ContentBasedDeduplication', 'true', 'Unknown Attribute ContentBasedDeduplication.'],
    [
      'DeduplicationScope',
      'messageGroup',
      'You can specify the DeduplicationScope only when FifoQueue is set to true.',
    ],
    [
      'FifoThroughputLimit',
      'perMessageGroupId',
      'You can specify the FifoThroughputLimit only when FifoQueue is set to true.',
    ],
  ])('refuses %s on a standard queue', async (name, value, message) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { [name]: value } })).toEqual(
      sqsError('InvalidAttributeName', message),
    );
  });

  /** SQS: section 6.3 */
  it('allows the throughput limit per message group only with the deduplication scope of the group', async () => {
    const error = sqsError(
      'InvalidAttributeValue',
      'The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup',
    );
    const QueueUrl = await sqs.createFifoQueue();
    const perGroup = { FifoThroughputLimit: 'perMessageGroupId' };
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: perGroup })).toEqual(error);
    expect(
      await sqs.failure('CreateQueue', {
        QueueName: sqs.uniqueName('.fifo'),
        Attributes: { FifoQueue: 'true', DeduplicationScope: 'queue', ...perGroup },
      }),
    ).toEqual(error);

    await sqs.setAttributes(QueueUrl, { DeduplicationScope: 'messageGroup' });
    await sqs.setAttributes(QueueUrl, perGroup);
    expect(await sqs.attributes(QueueUrl, 'DeduplicationScope', 'FifoThroughputLimit')).toEqual({
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { DeduplicationScope: 'queue' } })).toEqual(
      error,
    );
    await sqs.setAttributes(QueueUrl, { DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' });
  });

  /** SQS: section 3.3 */
  describe('with encryption', () => {
    const encryption = (queue: string) =>
      sqs.attributes(queue, 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled');

    it('turns the encryption of SQS off when a key is set, and leaves it off when the key is removed', async () => {
      const queue = await sqs.createQueue();
      expect(await encryption(queue)).toEqual({ SqsManagedSseEnabled: 'true' });
      await sqs.setAttributes(queue, { KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000' });
      expect(await encryption(queue)).toEqual({
        KmsMasterKeyId: 'testKeyId',
        KmsDataKeyReusePeriodSeconds: '6000',
        SqsManagedSseEnabled: 'false',
      });
      await sqs.setAttributes(queue, { KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '' });
      expect(await encryption(queue)).toEqual({ SqsManagedSseEnabled: 'false' });
      await sqs.setAttributes(queue, { SqsManagedSseEnabled: 'true' });
      expect(await encryption(queue)).toEqual({ SqsManagedSseEnabled: 'true' });
    });

    it('removes the key when the encryption of SQS is turned on', async () => {
      const queue = await sqs.createQueue({ KmsMasterKeyId: 'testKeyId' });
      expect(await encryption(queue)).toMatchObject({ KmsMasterKeyId: 'testKeyId', SqsManagedSseEnabled: 'false' });
      await sqs.setAttributes(queue, { SqsManagedSseEnabled: 'true' });
      expect(await encryption(queue)).toEqual({ SqsManagedSseEnabled: 'true' });
    });

    it('shows the period of key reuse only while there is a key', async () => {
      const queue = await sqs.createQueue({ KmsDataKeyReusePeriodSeconds: '600' });
      expect(await encryption(queue)).toEqual({ SqsManagedSseEnabled: 'true' });
    });

    it('refuses both kinds at once', async () => {
      const both = { KmsMasterKeyId: 'testKeyId', SqsManagedSseEnabled: 'true' };
      const error = sqsError(
        'InvalidAttributeName',
        'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
      );
      const QueueUrl = await sqs.createQueue();
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: both })).toEqual(error);
      expect(await sqs.failure('CreateQueue', { QueueName: sqs.uniqueName(), Attributes: both })).toEqual(error);
    });
  });

  /** SQS: section 3.2 */
  describe('with a policy', () => {
    const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };

    it.each(['2012-10-17', '2008-10-17'])('stores one of version %s, and removes it', async (Version) => {
      const queue = await sqs.createQueue();
      const Policy = JSON.stringify({ Version, Id: 'id', Statement: [statement] });
      await sqs.setAttributes(queue, { Policy });
      expect(await sqs.attributes(queue, 'Policy')).toEqual({ Policy });
      await sqs.setAttributes(queue, { Policy: '' });
      expect(await sqs.attributes(queue, 'Policy')).toEqual({});
    });

    it.each([
      ['what is not JSON', '{'],
      ['a list', '[]'],
      ['an unknown version', JSON.stringify({ Version: '2020-01-01', Statement: [statement] })],
      ['no statement', JSON.stringify({ Version: '2012-10-17' })],
      ['a statement without effect', JSON.stringify({ Version: '2012-10-17', Statement: [{ Principal: '*' }] })],
      [
        'a condition operator that there is not',
        JSON.stringify({
          Version: '2012-10-17',
          Statement: [{ ...statement, Condition: { StringMatches: { 'aws:username': 'bob' } } }],
        }),
      ],
      [
        'an action of another service',
        JSON.stringify({ Version: '2012-10-17', Statement: [{ ...statement, Action: 's3:GetObject' }] }),
      ],
      [
        'more than 8,192 bytes',
        JSON.stringify({ Version: '2012-10-17', Id: 'i'.repeat(8192), Statement: [statement] }),
      ],
    ])('refuses %s', async (_, Policy) => {
      const QueueUrl = await sqs.createQueue();
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { Policy } })).toEqual(
        invalidValue('Policy'),
      );
    });

    it('refuses more than 20 statements', async () => {
      const QueueUrl = await sqs.createQueue();
      const policyOf = (count: number) =>
        JSON.stringify({ Version: '2012-10-17', Statement: new Array(count).fill(statement) });
      await sqs.setAttributes(QueueUrl, { Policy: policyOf(20) });
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { Policy: policyOf(22) } })).toEqual(
        sqsError('OverLimit', '22 statements were found in the submitted policy, max allowed is 20'),
      );
    });
  });

  it('removes the redrive policies when they are set to nothing', async () => {
    const queue = await sqs.createQueue({
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(await sqs.createQueue()), maxReceiveCount: 1 }),
      RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }),
    });
    await sqs.setAttributes(queue, { RedrivePolicy: '', RedriveAllowPolicy: '' });
    expect(await sqs.attributes(queue, 'RedrivePolicy', 'RedriveAllowPolicy')).toEqual({});
  });
});

describe('SetQueueAttributes over AWS Query', () => {
  const sqs = useSqs('AWS Query');
  const set = async (...parameters: [string, string][]) =>
    readReply('SetQueueAttributes', await sqs.server.query.request([['Action', 'SetQueueAttributes'], ...parameters]));

  /** SQS: section 1.4 */
  it('takes a single attribute without a number', async () => {
    const queue = await sqs.createQueue();
    await set(['QueueUrl', queue], ['Attribute.Name', 'DelaySeconds'], ['Attribute.Value', '7']);
    expect(await sqs.attributes(queue, 'DelaySeconds')).toEqual({ DelaySeconds: '7' });
  });

  it.each([
    ['an attribute without a name', [['Attribute.1.Value', '7']], 'Attribute.Name'],
    ['an attribute without a value', [['Attribute.1.Name', 'DelaySeconds']], 'Attribute.Value'],
  ] as [string, [string, string][], string][])('refuses %s', async (_, parameters, missing) => {
    const queue = await sqs.createQueue();
    expect(await captureError(set(['QueueUrl', queue], ...parameters))).toEqual(missingParameter(missing));
  });
});
