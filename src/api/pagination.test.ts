import { describe, expect, it } from 'vitest';
import { errorOf, testApi } from './testing/context.ts';

const url = (name: string) => `http://localhost:9324/000000000000/${name}`;
const token = (content: string) => Buffer.from(content).toString('base64url');

async function withQueues(...names: string[]) {
  const api = testApi();
  for (const QueueName of names) await api.run('CreateQueue', { QueueName });
  return api;
}

describe('ListQueues', () => {
  it('lists by name, and by prefix', async () => {
    const { run } = await withQueues('b1', 'a', 'B', 'b2');
    expect(await run('ListQueues', {})).toEqual({ QueueUrls: ['B', 'a', 'b1', 'b2'].map(url) });
    expect(await run('ListQueues', { QueueNamePrefix: 'b' })).toEqual({ QueueUrls: ['b1', 'b2'].map(url) });
    for (const QueueNamePrefix of ['x', ' ', 'b'.repeat(1_000_000)]) {
      expect(await run('ListQueues', { QueueNamePrefix })).toEqual({ QueueUrls: [] });
    }
  });

  it('pages as long as there is more', async () => {
    const { run } = await withQueues('a', 'b', 'c');
    const first = await run('ListQueues', { MaxResults: 2 });
    expect(first).toEqual({ QueueUrls: ['a', 'b'].map(url), NextToken: expect.any(String) });
    expect(await run('ListQueues', { MaxResults: 2, NextToken: first.NextToken })).toEqual({ QueueUrls: [url('c')] });
    expect(await run('ListQueues', { MaxResults: 1000, NextToken: first.NextToken })).toEqual({
      QueueUrls: [url('c')],
    });
    expect(await run('ListQueues', { MaxResults: 3 })).not.toHaveProperty('NextToken', expect.anything());
  });

  it('goes on after a queue that was deleted', async () => {
    const { run } = await withQueues('a', 'b', 'c');
    const { NextToken } = await run('ListQueues', { MaxResults: 2 });
    await run('DeleteQueue', { QueueUrl: 'b' });
    expect(await run('ListQueues', { MaxResults: 2, NextToken })).toEqual({ QueueUrls: [url('c')] });
  });

  it.each([0, -1, 1001])('refuses MaxResults %i', async (MaxResults) => {
    const { run } = await withQueues();
    expect(await errorOf(() => run('ListQueues', { MaxResults }))).toBe(
      'InvalidParameterValueException: Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.',
    );
  });

  it.each([
    '',
    'garbage',
    token('x'),
    token('{}'),
    token('[]'),
    token('[5,"ListQueues"]'),
    token('null'),
    token('["a b","ListQueues"]'),
  ])('refuses the token %j', async (NextToken) => {
    const { run } = await withQueues();
    expect(await errorOf(() => run('ListQueues', { NextToken }))).toBe(
      'InvalidParameterValueException: Invalid or expired next token.',
    );
  });

  it('refuses a token of another request', async () => {
    const { run } = await withQueues('a', 'b');
    const { NextToken } = await run('ListQueues', { MaxResults: 1 });
    const changed =
      'InvalidParameterValueException: Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.';
    expect(await errorOf(() => run('ListQueues', { QueueNamePrefix: 'a', NextToken }))).toBe(changed);
    expect(await errorOf(() => run('ListDeadLetterSourceQueues', { QueueUrl: 'a', NextToken }))).toBe(changed);
  });
});

it('ListDeadLetterSourceQueues lists the sources of a queue', async () => {
  const { run } = await withQueues('dlq', 'c', 'a', 'b', 'other');
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dlq',
    maxReceiveCount: 1,
  });
  for (const QueueUrl of ['a', 'b', 'c']) await run('SetQueueAttributes', { QueueUrl, Attributes: { RedrivePolicy } });

  expect(await run('ListDeadLetterSourceQueues', { QueueUrl: 'dlq' })).toEqual({ queueUrls: ['a', 'b', 'c'].map(url) });
  expect(await run('ListDeadLetterSourceQueues', { QueueUrl: 'a' })).toEqual({ queueUrls: [] });
  const { NextToken } = await run('ListDeadLetterSourceQueues', { QueueUrl: 'dlq', MaxResults: 2 });
  expect(await run('ListDeadLetterSourceQueues', { QueueUrl: 'dlq', MaxResults: 2, NextToken })).toEqual({
    queueUrls: [url('c')],
  });
});
