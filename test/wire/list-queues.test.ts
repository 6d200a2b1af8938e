import { describe, expect, it } from 'vitest';
import { invalidParameterValue } from '../support/errors.ts';
import { overBothProtocols, useSqs } from '../support/sqs.ts';

/** SQS: section 2.3 */
overBothProtocols('ListQueues', (sqs) => {
  const urlsOf = (...names: string[]) => names.map((name) => `${sqs.server.url}/000000000000/${name}`);

  it('omits the list when there is no queue', async () => {
    expect(await sqs.call('ListQueues', { QueueNamePrefix: 'nothing-begins-with-this' })).toEqual({});
  });

  it('lists queues in order of name, by a prefix that minds the case', async () => {
    for (const name of ['list-c', 'list-a', 'List-b', 'list-b']) await sqs.createQueue({}, name);
    expect(await sqs.call('ListQueues', { QueueNamePrefix: 'list-' })).toEqual({
      QueueUrls: urlsOf('list-a', 'list-b', 'list-c'),
    });
    expect(await sqs.call('ListQueues', { QueueNamePrefix: 'L' })).toEqual({ QueueUrls: urlsOf('List-b') });
  });

  it('pages through the queues', async () => {
    for (const name of ['page-1', 'page-2', 'page-3', 'page-4', 'page-5']) await sqs.createQueue({}, name);
    const query = { QueueNamePrefix: 'page-', MaxResults: 2 };
    const first = await sqs.call('ListQueues', query);
    expect(first).toEqual({ QueueUrls: urlsOf('page-1', 'page-2'), NextToken: expect.any(String) });
    const second = await sqs.call('ListQueues', { ...query, NextToken: first.NextToken });
    expect(second).toEqual({ QueueUrls: urlsOf('page-3', 'page-4'), NextToken: expect.any(String) });
    const third = await sqs.call('ListQueues', { ...query, NextToken: second.NextToken });
    expect(third).toEqual({ QueueUrls: urlsOf('page-5') });
  });

  it('gives no token when a page holds all that is left', async () => {
    for (const name of ['full-1', 'full-2']) await sqs.createQueue({}, name);
    expect(await sqs.call('ListQueues', { QueueNamePrefix: 'full-', MaxResults: 2 })).toEqual({
      QueueUrls: urlsOf('full-1', 'full-2'),
    });
  });

  it.each([0, -1, 1001])('refuses MaxResults %i', async (MaxResults) => {
    expect(await sqs.failure('ListQueues', { MaxResults })).toEqual(
      invalidParameterValue(
        'Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.',
      ),
    );
  });

  it('refuses a token that it did not make', async () => {
    expect(await sqs.failure('ListQueues', { MaxResults: 1, NextToken: 'garbage' })).toEqual(
      invalidParameterValue('Invalid or expired next token.'),
    );
  });

  it('refuses a token with other parameters than it was made for', async () => {
    for (const name of ['other-1', 'other-2']) await sqs.createQueue({}, name);
    const { NextToken } = await sqs.call('ListQueues', { QueueNamePrefix: 'other-', MaxResults: 1 });
    expect(await sqs.failure('ListQueues', { QueueNamePrefix: 'oth', MaxResults: 1, NextToken })).toEqual(
      invalidParameterValue(
        'Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.',
      ),
    );
  });
});

describe('ListQueues of more than 1,000 queues', () => {
  const names = Array.from({ length: 1001 }, (_, index) => `many-${String(index).padStart(4, '0')}`);
  const sqs = useSqs('AWS JSON', { queues: Object.fromEntries(names.map((name) => [name, {}])) });

  it('returns 1,000 at most, with a token only when MaxResults is given', async () => {
    const all = await sqs.call('ListQueues', { QueueNamePrefix: 'many-' });
    expect(all.QueueUrls).toHaveLength(1000);
    expect(all.NextToken).toBeUndefined();
    const page = await sqs.call('ListQueues', { QueueNamePrefix: 'many-', MaxResults: 1000 });
    expect(page.QueueUrls).toEqual(all.QueueUrls);
    const last = await sqs.call('ListQueues', {
      QueueNamePrefix: 'many-',
      MaxResults: 1000,
      NextToken: page.NextToken,
    });
    expect(last).toEqual({ QueueUrls: [`${sqs.server.url}/000000000000/many-1000`] });
  });
});
