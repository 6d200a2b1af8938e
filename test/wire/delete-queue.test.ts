import { expect, it } from 'vitest';
import { queueDoesNotExist } from '../support/errors.ts';
import { arnOf, nameOf, overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.2 */
overBothProtocols('DeleteQueue', (sqs) => {
  it('removes a queue with its messages', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'gone');
    expect(await sqs.call('DeleteQueue', { QueueUrl })).toEqual({});
    expect(await sqs.failure('GetQueueUrl', { QueueName: nameOf(QueueUrl) })).toEqual(queueDoesNotExist(sqs.protocol));
    expect(await sqs.failure('SendMessage', { QueueUrl, MessageBody: 'late' })).toEqual(
      queueDoesNotExist(sqs.protocol),
    );
    expect(await sqs.call('ListQueues', { QueueNamePrefix: nameOf(QueueUrl) })).toEqual({});
  });

  it('refuses a queue that was deleted before', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('DeleteQueue', { QueueUrl });
    expect(await sqs.failure('DeleteQueue', { QueueUrl })).toEqual(queueDoesNotExist(sqs.protocol));
  });

  it('forgets attributes, tags and policy: a new queue of that name is new', async () => {
    const QueueName = sqs.uniqueName();
    const { QueueUrl } = await sqs.call('CreateQueue', {
      QueueName,
      Attributes: { DelaySeconds: '3' },
      tags: { a: '1' },
    });
    await sqs.call('AddPermission', {
      QueueUrl,
      Label: 'l',
      AWSAccountIds: ['111111111111'],
      Actions: ['SendMessage'],
    });
    await sqs.call('DeleteQueue', { QueueUrl });
    await sqs.advance(60);
    await sqs.createQueue({}, QueueName);
    expect(await sqs.attributes(QueueUrl!, 'DelaySeconds', 'Policy')).toEqual({ DelaySeconds: '0' });
    expect(await sqs.call('ListQueueTags', { QueueUrl })).toEqual({});
  });

  it('leaves the redrive policies that name the queue', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(2);
    await sqs.call('DeleteQueue', { QueueUrl: dead });
    expect(await sqs.attributes(source, 'RedrivePolicy')).toEqual({
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 2 }),
    });
  });
});
