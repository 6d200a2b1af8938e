import { describe, expect, it } from 'vitest';
import { errorOf, NOW, SCOPE, testApi } from './testing/context.ts';

async function withQueue(Attributes: Record<string, string> = {}, QueueName = 'orders') {
  const api = testApi();
  await api.run('CreateQueue', { QueueName, Attributes });
  return api;
}

describe('GetQueueAttributes', () => {
  const STANDARD = {
    ApproximateNumberOfMessages: '5',
    ApproximateNumberOfMessagesNotVisible: '1',
    ApproximateNumberOfMessagesDelayed: '2',
    CreatedTimestamp: '1700000000',
    LastModifiedTimestamp: '1700000000',
    DelaySeconds: '0',
    MaximumMessageSize: '1048576',
    MessageRetentionPeriod: '345600',
    QueueArn: 'arn:aws:sqs:us-east-1:000000000000:orders',
    ReceiveMessageWaitTimeSeconds: '0',
    SqsManagedSseEnabled: 'true',
    VisibilityTimeout: '30',
  };

  it('shows all of a standard queue', async () => {
    const { run, queues } = await withQueue();
    queues.replies.counts = { visible: 5, inFlight: 1, delayed: 2 };
    expect(await run('GetQueueAttributes', { QueueUrl: 'orders', AttributeNames: ['All'] })).toEqual({
      Attributes: STANDARD,
    });
  });

  it('shows all of a FIFO queue', async () => {
    const { run } = await withQueue({ FifoQueue: 'true' }, 'orders.fifo');
    const { Attributes } = await run('GetQueueAttributes', { QueueUrl: 'orders.fifo', AttributeNames: ['All', 'All'] });
    expect(Object.keys(Attributes ?? {}).sort()).toEqual(
      [
        ...Object.keys(STANDARD),
        'ContentBasedDeduplication',
        'DeduplicationScope',
        'FifoQueue',
        'FifoThroughputLimit',
      ].sort(),
    );
  });

  it('shows what was asked for and is there', async () => {
    const { run, queues } = await withQueue({ KmsDataKeyReusePeriodSeconds: '60' });
    const get = (...AttributeNames: string[]) => run('GetQueueAttributes', { QueueUrl: 'orders', AttributeNames });
    expect(await get('DelaySeconds', 'FifoQueue', 'Policy', 'KmsDataKeyReusePeriodSeconds')).toEqual({
      Attributes: { DelaySeconds: '0' },
    });
    expect(await run('GetQueueAttributes', { QueueUrl: 'orders' })).toEqual({ Attributes: {} });
    expect(queues.calls).toEqual([]);
  });

  it('shows the reuse period with a key only', async () => {
    const { run } = await withQueue({ KmsMasterKeyId: 'k' });
    const get = async () =>
      (await run('GetQueueAttributes', { QueueUrl: 'orders', AttributeNames: ['All'] })).Attributes;
    expect(await get()).toMatchObject({
      KmsMasterKeyId: 'k',
      KmsDataKeyReusePeriodSeconds: '300',
      SqsManagedSseEnabled: 'false',
    });
    await run('SetQueueAttributes', { QueueUrl: 'orders', Attributes: { KmsMasterKeyId: '' } });
    expect(await get()).not.toHaveProperty('KmsDataKeyReusePeriodSeconds');
  });

  it.each(['Foobar', '', 'constructor', '__proto__'])('refuses the name %j', async (name) => {
    const { run } = await withQueue();
    const get = () => run('GetQueueAttributes', { QueueUrl: 'orders', AttributeNames: ['All', name] });
    expect(await errorOf(get)).toBe(`InvalidAttributeName: Unknown Attribute ${name}.`);
  });
});

describe('SetQueueAttributes', () => {
  it('changes what it names and when the queue was modified', async () => {
    const { run, record, queues } = await withQueue({ DelaySeconds: '5' });
    queues.put({ ...(await record('orders')), modifiedAt: 1 });
    await run('SetQueueAttributes', { QueueUrl: 'orders', Attributes: { VisibilityTimeout: '1' } });
    expect(await record('orders')).toMatchObject({
      attributes: { DelaySeconds: '5', VisibilityTimeout: '1' },
      modifiedAt: NOW,
    });
  });

  it.each(['Policy', 'RedrivePolicy', 'RedriveAllowPolicy', 'KmsMasterKeyId'])('takes %s away', async (name) => {
    const { run, record, queues } = await withQueue();
    const queue = await record('orders');
    queues.put({ ...queue, attributes: { ...queue.attributes, [name]: '{}' } });
    await run('SetQueueAttributes', { QueueUrl: 'orders', Attributes: { [name]: '' } });
    expect((await record('orders')).attributes).not.toHaveProperty(name);
  });

  it('is all or nothing', async () => {
    const { run, record } = await withQueue();
    const before = await record('orders');
    const set = (Attributes?: Record<string, string>) => () =>
      run('SetQueueAttributes', { QueueUrl: 'orders', Attributes });
    expect(await errorOf(set({ DelaySeconds: '1', VisibilityTimeout: 'x' }))).toContain('VisibilityTimeout');
    const missing = 'MissingRequiredParameterException: The request must contain the parameter Attribute.Name.';
    expect(await errorOf(set())).toBe(missing);
    expect(await errorOf(set({}))).toBe(missing);
    expect(await record('orders')).toBe(before);
  });
});

describe('GetQueueUrl', () => {
  it('finds queues of the own and of another account', async () => {
    const { run, record, queues } = await withQueue();
    queues.put({ ...(await record('orders')), id: 7, scope: { ...SCOPE, account: '123456789012' }, name: 'theirs' });
    expect(await run('GetQueueUrl', { QueueName: 'orders' })).toEqual({
      QueueUrl: 'http://localhost:9324/000000000000/orders',
    });
    expect(await run('GetQueueUrl', { QueueName: 'theirs', QueueOwnerAWSAccountId: '123456789012' })).toEqual({
      QueueUrl: 'http://localhost:9324/123456789012/theirs',
    });
    expect(await errorOf(() => run('GetQueueUrl', { QueueName: 'theirs' }))).toContain('QueueDoesNotExist');
    for (const QueueOwnerAWSAccountId of ['', 'me', '0000000000000']) {
      expect(await errorOf(() => run('GetQueueUrl', { QueueName: 'orders', QueueOwnerAWSAccountId }))).toContain(
        'QueueDoesNotExist',
      );
    }
  });

  it('needs a name', async () => {
    const { run } = await withQueue();
    expect(await errorOf(() => run('GetQueueUrl', {}))).toBe(
      'MissingRequiredParameterException: The request must contain the parameter QueueName.',
    );
  });
});

describe('PurgeQueue and DeleteQueue', () => {
  it('go to the engine', async () => {
    const { run, queues, record } = await withQueue();
    const { id } = await record('orders');
    expect(await run('PurgeQueue', { QueueUrl: 'orders' })).toBeUndefined();
    expect(queues.calls).toEqual([{ method: 'purge', arguments: [id, 60_000] }]);
    expect(await run('DeleteQueue', { QueueUrl: 'orders' })).toBeUndefined();
    expect(await queues.findQueue(SCOPE, 'orders')).toBeUndefined();
  });

  it('are told when a purge is too early', async () => {
    const { run, queues } = await withQueue();
    queues.replies.purge = 'in-progress';
    expect(await errorOf(() => run('PurgeQueue', { QueueUrl: 'orders' }))).toBe(
      'PurgeQueueInProgress: Only one PurgeQueue operation on orders is allowed every 60 seconds.',
    );
  });
});

describe('tags of a queue', () => {
  it('are set, listed and removed', async () => {
    const { run, record } = await withQueue();
    const { modifiedAt } = await record('orders');
    await run('TagQueue', { QueueUrl: 'orders', Tags: { a: '1', b: '' } });
    expect(await run('ListQueueTags', { QueueUrl: 'orders' })).toEqual({ Tags: { a: '1', b: '' } });
    await run('UntagQueue', { QueueUrl: 'orders', TagKeys: ['a', 'none'] });
    expect(await run('ListQueueTags', { QueueUrl: 'orders' })).toEqual({ Tags: { b: '' } });
    expect((await record('orders')).modifiedAt).toBe(modifiedAt);
  });

  it('are not written when there is nothing to remove', async () => {
    const { run, record } = await withQueue();
    await run('UntagQueue', { QueueUrl: 'orders', TagKeys: ['none'] });
    expect((await record('orders')).revision).toBe(1);
  });

  it('need tags and keys', async () => {
    const { run } = await withQueue();
    const missing = 'MissingRequiredParameterException: The request must contain the parameter Tags.';
    expect(await errorOf(() => run('TagQueue', { QueueUrl: 'orders' }))).toBe(missing);
    expect(await errorOf(() => run('TagQueue', { QueueUrl: 'orders', Tags: {} }))).toBe(missing);
    const length = 'InvalidParameterValueException: Tag keys must be between 1 and 128 characters in length.';
    for (const TagKeys of [undefined, [], [''], ['x'.repeat(129)]]) {
      expect(await errorOf(() => run('UntagQueue', { QueueUrl: 'orders', TagKeys }))).toBe(length);
    }
  });
});
