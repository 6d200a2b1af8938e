import { describe, expect, it, vi } from 'vitest';
import { OverloadedError, QueueGoneError, StoreUnavailableError } from '../engine/queue-service.ts';
import { errorOf, testApi } from './testing/context.ts';

async function withQueue() {
  const api = testApi();
  await api.run('CreateQueue', { QueueName: 'orders' });
  return api;
}

describe('looking up the queue', () => {
  it('comes before everything else', async () => {
    const error = 'QueueDoesNotExist: The specified queue does not exist.';
    const { run } = await withQueue();
    for (const QueueUrl of ['none', undefined, '', 'a b', 'x'.repeat(1_000_000), '123456789012/orders', '__proto__']) {
      expect(await errorOf(() => run('SendMessage', { QueueUrl }))).toBe(error);
      expect(await errorOf(() => run('DeleteMessage', { QueueUrl, ReceiptHandle: 'garbage' }))).toBe(error);
      expect(await errorOf(() => run('SendMessageBatch', { QueueUrl, Entries: [] }))).toBe(error);
      expect(await errorOf(() => run('TagQueue', { QueueUrl }))).toBe(error);
      expect(await errorOf(() => run('DeleteQueue', { QueueUrl }))).toBe(error);
    }
    expect(await errorOf(() => run('GetQueueUrl', { QueueName: 'none' }))).toBe(error);
  });

  it('takes the path when there is no parameter', async () => {
    const { run, context } = await withQueue();
    context.path = '/000000000000/orders';
    expect(await run('ListQueueTags', {})).toEqual({ Tags: {} });
    expect(await errorOf(() => run('ListQueueTags', { QueueUrl: 'none' }))).toContain('QueueDoesNotExist');
  });
});

describe('changing a queue', () => {
  it('is tried again on what another request made of it', async () => {
    const { run, queues, record } = await withQueue();
    let conflicts = 2;
    queues.beforeUpdate = (changed) => {
      if (conflicts-- <= 0) return;
      queues.put({ ...changed, tags: { [`other${conflicts}`]: 'x' }, revision: changed.revision + 1 });
    };
    await run('TagQueue', { QueueUrl: 'orders', Tags: { mine: 'x' } });
    expect((await record('orders')).tags).toEqual({ other0: 'x', mine: 'x' });
    expect((await record('orders')).revision).toBe(4);
  });

  it('is given up after ten attempts', async () => {
    const { run, queues } = await withQueue();
    const update = vi.fn((changed) => {
      queues.put({ ...changed, tags: {}, revision: changed.revision + 1 });
    });
    queues.beforeUpdate = update;
    expect(await errorOf(() => run('TagQueue', { QueueUrl: 'orders', Tags: { a: 'x' } }))).toBe(
      'ServiceUnavailable: Too many changes of the queue at the same time; nothing was changed.',
    );
    expect(update).toHaveBeenCalledTimes(10);
  });

  it('checks again against the new record', async () => {
    const { run, queues, record } = await withQueue();
    const grant = { QueueUrl: 'orders', Label: 'l', AWSAccountIds: ['123456789012'], Actions: ['*'] };
    queues.beforeUpdate = (changed) => {
      queues.beforeUpdate = () => {};
      queues.put({ ...changed, revision: changed.revision + 1 });
    };
    expect(await errorOf(() => run('AddPermission', grant))).toContain('Already exists.');
    expect((await record('orders')).revision).toBe(2);
  });

  it('does not reach a new queue of the same name', async () => {
    const { run, queues } = await withQueue();
    queues.beforeUpdate = (changed) => {
      queues.put({ ...changed, id: 99, revision: 1, tags: {} });
    };
    expect(await errorOf(() => run('TagQueue', { QueueUrl: 'orders', Tags: { a: 'x' } }))).toBe(
      'QueueDoesNotExist: The specified queue does not exist.',
    );
  });
});

describe('errors of the engine', () => {
  it.each([
    [new QueueGoneError('gone'), 'QueueDoesNotExist: The specified queue does not exist.'],
    [
      new StoreUnavailableError('not-applied', 'The disk is nearly full.'),
      'ServiceUnavailable: The disk is nearly full. Nothing was changed.',
    ],
    [
      new StoreUnavailableError('unknown', 'The store is slow.'),
      'ServiceUnavailable: The store is slow. Whether the request was carried out is not known.',
    ],
    [
      new OverloadedError('There are too many requests under way.'),
      'ServiceUnavailable: There are too many requests under way. Nothing was changed.',
    ],
  ])('%s is told as one of the API', async (error, text) => {
    const { run, queues } = await withQueue();
    queues.send = () => Promise.reject(error);
    const send = () => run('SendMessage', { QueueUrl: 'orders', MessageBody: 'x' });
    expect(await errorOf(send)).toBe(text);
  });

  it('anything else is passed on', async () => {
    const { run, queues } = await withQueue();
    queues.send = () => Promise.reject(new TypeError('defect'));
    await expect(run('SendMessage', { QueueUrl: 'orders', MessageBody: 'x' })).rejects.toThrow(TypeError);
  });
});
