import { expect, it } from 'vitest';
import { sqsError } from '../support/errors.ts';
import { nameOf, overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.14 */
overBothProtocols('PurgeQueue', (sqs) => {
  it('removes messages that are visible, in flight and delayed', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'in flight');
    await sqs.receive(QueueUrl);
    await sqs.send(QueueUrl, 'visible');
    await sqs.send(QueueUrl, 'delayed', { DelaySeconds: 10 });
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
    expect(await sqs.call('PurgeQueue', { QueueUrl })).toEqual({});
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    await sqs.advance(30);
    expect(await sqs.receive(QueueUrl)).toEqual([]);
  });

  it('leaves messages that are sent afterwards', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'before');
    await sqs.call('PurgeQueue', { QueueUrl });
    await sqs.send(QueueUrl, 'after');
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['after']);
  });

  it('runs once in 60 seconds', async () => {
    const QueueUrl = await sqs.createQueue();
    const inProgress = sqsError(
      'PurgeQueueInProgress',
      `Only one PurgeQueue operation on ${nameOf(QueueUrl)} is allowed every 60 seconds.`,
    );
    await sqs.call('PurgeQueue', { QueueUrl });
    await sqs.send(QueueUrl, 'stays');
    expect(await sqs.failure('PurgeQueue', { QueueUrl })).toEqual(inProgress);
    await sqs.advance(59.999);
    expect(await sqs.failure('PurgeQueue', { QueueUrl })).toEqual(inProgress);
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    await sqs.advance(0.001);
    expect(await sqs.call('PurgeQueue', { QueueUrl })).toEqual({});
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('forgets deduplication ids and frees message groups', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    const again = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    const first = await sqs.send(QueueUrl, 'first', again);
    await sqs.receive(QueueUrl);
    await sqs.call('PurgeQueue', { QueueUrl });
    const second = await sqs.send(QueueUrl, 'second', again);
    expect(second.MessageId).not.toBe(first.MessageId);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['second']);
  });
});
