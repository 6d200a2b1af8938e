import { expect, it } from 'vitest';
import { invalidParameterValue } from '../support/errors.ts';
import { arnOf, overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.17 */
overBothProtocols('ListDeadLetterSourceQueues', (sqs) => {
  const createSources = async (dead: string, ...names: string[]) => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 1 });
    const urls: string[] = [];
    for (const name of names) urls.push(await sqs.createQueue({ RedrivePolicy }, name));
    return urls;
  };

  it('lists the queues whose redrive policy names the queue', async () => {
    const QueueUrl = await sqs.createQueue();
    expect((await sqs.call('ListDeadLetterSourceQueues', { QueueUrl })).queueUrls ?? []).toEqual([]);
    const queueUrls = await createSources(QueueUrl, 'source-a', 'source-b');
    expect(await sqs.call('ListDeadLetterSourceQueues', { QueueUrl })).toEqual({ queueUrls });
    await sqs.setAttributes(queueUrls[0]!, { RedrivePolicy: '' });
    expect(await sqs.call('ListDeadLetterSourceQueues', { QueueUrl })).toEqual({ queueUrls: [queueUrls[1]] });
    await sqs.call('DeleteQueue', { QueueUrl: queueUrls[1] });
    expect((await sqs.call('ListDeadLetterSourceQueues', { QueueUrl })).queueUrls ?? []).toEqual([]);
  });

  it('pages through them', async () => {
    const QueueUrl = await sqs.createQueue();
    const sources = await createSources(QueueUrl, 'page-1', 'page-2', 'page-3');
    const first = await sqs.call('ListDeadLetterSourceQueues', { QueueUrl, MaxResults: 2 });
    expect(first).toEqual({ queueUrls: sources.slice(0, 2), NextToken: expect.any(String) });
    const { NextToken } = first;
    expect(await sqs.call('ListDeadLetterSourceQueues', { QueueUrl, MaxResults: 2, NextToken })).toEqual({
      queueUrls: sources.slice(2),
    });
    expect(
      await sqs.failure('ListDeadLetterSourceQueues', {
        QueueUrl: await sqs.createQueue(),
        MaxResults: 2,
        NextToken,
      }),
    ).toEqual(
      invalidParameterValue(
        'Invalid NextToken value. If you are passing in NextToken, you must not change the other request parameters.',
      ),
    );
  });

  it.each([0, 1001])('refuses MaxResults %i', async (MaxResults) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('ListDeadLetterSourceQueues', { QueueUrl, MaxResults })).toEqual(
      invalidParameterValue(
        'Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000.',
      ),
    );
  });

  it('refuses a token that it did not make', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('ListDeadLetterSourceQueues', { QueueUrl, MaxResults: 1, NextToken: 'garbage' })).toEqual(
      invalidParameterValue('Invalid or expired next token.'),
    );
  });
});
