import { describe, expect, it } from 'vitest';
import { isQueuePath, parseQueueUrl, queueReferenceOf } from './queue-url.ts';

const scope = { account: '000000000000', region: 'us-east-1' };
const other = { account: '123456789012', region: 'us-east-1' };

describe('queue URLs', () => {
  it.each([
    ['orders', scope],
    ['/orders', scope],
    ['123456789012/orders', other],
    ['/123456789012/orders', other],
    ['/123456789012/orders/', other],
    ['http://localhost:9324/000000000000/orders', scope],
    ['https://sqs.eu-west-1.amazonaws.com/123456789012/orders', other],
    ['https://queue.amazonaws.com/123456789012/orders', other],
    ['http://proxy/some/prefix/123456789012/orders', other],
    ['http://localhost:9324/queue/orders', scope],
    ['http://localhost/12345678901/orders', scope],
    ['http://localhost/1234567890123/orders', scope],
    ['http://orders/orders', scope],
  ])('%s names the queue', (url, expected) => {
    expect(parseQueueUrl(url, scope)).toEqual({ scope: expected, name: 'orders' });
  });

  it.each(['', '/', '///', 'http://localhost', 'http://orders', 'http://localhost:9324/'])('%s names none', (url) => {
    expect(parseQueueUrl(url, scope)).toBeUndefined();
  });

  it('beat the path, which is used without one', () => {
    const context = { scope, path: '/123456789012/from-path' };
    expect(queueReferenceOf('http://localhost/000000000000/orders', context)).toEqual({ scope, name: 'orders' });
    expect(queueReferenceOf('orders', context)).toEqual({ scope, name: 'orders' });
    expect(queueReferenceOf(undefined, context)).toEqual({ scope: other, name: 'from-path' });
    expect(queueReferenceOf('', context)).toEqual({ scope: other, name: 'from-path' });
    expect(queueReferenceOf(undefined, { scope, path: '/' })).toBeUndefined();
  });
});

it('the path of a queue has its account in it', () => {
  expect(isQueuePath('/123456789012/orders')).toBe(true);
  expect(isQueuePath('/123456789012/orders.fifo/')).toBe(true);
  for (const path of ['/', '', '/sqs', '/123456789012', '/a/b', '/x/123456789012/orders']) {
    expect(isQueuePath(path)).toBe(false);
  }
});
