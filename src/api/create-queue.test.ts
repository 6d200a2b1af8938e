import { describe, expect, it } from 'vitest';
import { errorOf, NOW, SCOPE, testApi } from './testing/context.ts';

const URL = { QueueUrl: 'http://localhost:9324/000000000000/orders' };

describe('CreateQueue', () => {
  it('makes a record with all that is known of the queue', async () => {
    const { run, record } = testApi();
    const tags = { env: 'test' };
    expect(await run('CreateQueue', { QueueName: 'orders', Attributes: { DelaySeconds: '5' }, tags })).toEqual(URL);
    expect(await record('orders')).toMatchObject({
      scope: SCOPE,
      name: 'orders',
      attributes: { DelaySeconds: '5', VisibilityTimeout: '30' },
      tags,
      createdAt: NOW,
      modifiedAt: NOW,
      deduplicationScopeInForce: undefined,
    });
  });

  it('fixes the scope of deduplication of a FIFO queue', async () => {
    const { run, record } = testApi();
    const Attributes = { FifoQueue: 'True', DeduplicationScope: 'messageGroup' };
    await run('CreateQueue', { QueueName: 'a.fifo', Attributes });
    await run('CreateQueue', { QueueName: 'b.fifo', Attributes: { FifoQueue: 'true' } });
    expect((await record('a.fifo')).deduplicationScopeInForce).toBe('messageGroup');
    expect((await record('b.fifo')).deduplicationScopeInForce).toBe('queue');
  });

  it('can be repeated as long as nothing in the request differs', async () => {
    const { run, record } = testApi();
    const create = (Attributes?: Record<string, string>) => run('CreateQueue', { QueueName: 'orders', Attributes });
    await create({ VisibilityTimeout: '60' });
    expect(await create()).toEqual(URL);
    expect(await create({})).toEqual(URL);
    expect(await create({ VisibilityTimeout: '60', DelaySeconds: '0' })).toEqual(URL);

    await run('SetQueueAttributes', { QueueUrl: 'orders', Attributes: { VisibilityTimeout: '61' } });
    expect(await create()).toEqual(URL);
    expect(await create({ VisibilityTimeout: '61' })).toEqual(URL);
    expect(await errorOf(() => create({ VisibilityTimeout: '60' }))).toBe(
      'QueueNameExists: A queue already exists with the same name and a different value for attribute VisibilityTimeout',
    );

    await run('CreateQueue', { QueueName: 'orders', tags: { a: 'x' } });
    expect((await record('orders')).tags).toEqual({});
  });

  it('waits after a deletion', async () => {
    const api = testApi();
    api.queues.replies.create = 'deleted-recently';
    expect(await errorOf(() => api.run('CreateQueue', { QueueName: 'orders' }))).toBe(
      'QueueDeletedRecently: You must wait 60 seconds after deleting a queue before you can create another with the same name.',
    );
  });

  it.each<[object, string]>([
    [{ Attributes: { constructor: 'x' } }, 'InvalidAttributeName: Unknown Attribute constructor.'],
    [
      { Attributes: { FifoThroughputLimit: 'perQueue' } },
      'InvalidAttributeName: You can specify the FifoThroughputLimit only when FifoQueue is set to true.',
    ],
    [{ tags: { '': 'x' } }, 'InvalidParameterValueException: Tag keys must be between 1 and 128 characters in length.'],
    [
      {
        Attributes: {
          RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:orders","maxReceiveCount":1}',
        },
      },
      'InvalidParameterValueException: Value {"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:orders","maxReceiveCount":1} for parameter RedrivePolicy is invalid. Reason: Dead letter target does not exist.',
    ],
  ])('makes nothing of %j', async (input, error) => {
    const { run, queues } = testApi();
    expect(await errorOf(() => run('CreateQueue', { QueueName: 'orders', ...input }))).toBe(error);
    expect(await queues.findQueue(SCOPE, 'orders')).toBeUndefined();
  });

  it('takes no attribute from the prototype of an object', async () => {
    const { run } = testApi();
    const Attributes = Object.create({ FifoQueue: 'true', RedrivePolicy: 'x' });
    expect(await run('CreateQueue', { QueueName: 'orders', Attributes })).toEqual(URL);
  });
});

it.each(['CreateQueue', 'ListQueues'] as const)('%s is refused on the path of a queue', async (name) => {
  const { run } = testApi({ path: '/000000000000/orders' });
  expect(await errorOf(() => run(name, { QueueName: 'x' }))).toBe(
    `UnknownOperationException: The action ${name} is not valid for this endpoint.`,
  );
});
