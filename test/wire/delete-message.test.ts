import { expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, sqsError } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.10 */
overBothProtocols('DeleteMessage', (sqs) => {
  it('removes a message that was received', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual({});
    await sqs.advance(30);
    expect(await sqs.receive(QueueUrl)).toEqual([]);
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('refuses a request without a handle', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('DeleteMessage', { QueueUrl })).toEqual(missingParameter('ReceiptHandle'));
  });

  it('refuses what is no handle', async () => {
    for (const QueueUrl of [await sqs.createQueue(), await sqs.createFifoQueue()]) {
      expect(await sqs.failure('DeleteMessage', { QueueUrl, ReceiptHandle: 'garbage' })).toEqual(
        sqsError('ReceiptHandleIsInvalid', 'The input receipt handle "garbage" is not a valid receipt handle.'),
      );
    }
  });

  it('refuses a handle of another queue', async () => {
    const QueueUrl = await sqs.createQueue();
    const other = await sqs.createQueue();
    await sqs.send(other, 'm');
    const ReceiptHandle = await sqs.receiveHandle(other);
    expect(await sqs.failure('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual(
      sqsError('ReceiptHandleIsInvalid', `The receipt handle "${ReceiptHandle}" is not valid for this queue.`),
    );
    await sqs.advance(30);
    expect(await sqs.receiveBodies(other)).toEqual(['m']);
  });

  it('succeeds again and again with the same handle', async () => {
    for (const QueueUrl of [await sqs.createQueue(), await sqs.createFifoQueue()]) {
      await sqs.send(
        QueueUrl,
        'm',
        QueueUrl.endsWith('.fifo') ? { MessageGroupId: 'g', MessageDeduplicationId: 'd' } : {},
      );
      const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
      await sqs.delete(QueueUrl, ReceiptHandle);
      expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual({});
    }
  });

  it('removes a message whose visibility timeout is over on a standard queue', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(30);
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual({});
    expect(await sqs.receive(QueueUrl)).toEqual([]);
  });

  it('succeeds with the handle of an earlier receive on a standard queue', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.send(QueueUrl, 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(30);
    await sqs.receiveHandle(QueueUrl);
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual({});
  });

  it('refuses a handle whose visibility timeout is over on a FIFO queue', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    await sqs.sendToGroup(QueueUrl, 'g', 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(30);
    expect(await sqs.failure('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual(
      invalidParameterValue(
        `Value ${ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
      ),
    );
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['m']);
  });

  it('succeeds on a FIFO queue after the original timeout when that was extended', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    await sqs.sendToGroup(QueueUrl, 'g', 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.changeVisibility(QueueUrl, ReceiptHandle, 60);
    await sqs.advance(59);
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle })).toEqual({});
    await sqs.advance(60);
    expect(await sqs.receive(QueueUrl)).toEqual([]);
  });

  it('succeeds for a message that expired or was purged', async () => {
    const QueueUrl = await sqs.createQueue({ MessageRetentionPeriod: '60', VisibilityTimeout: '120' });
    await sqs.send(QueueUrl, 'expired');
    const expired = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(60);
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle: expired })).toEqual({});
    await sqs.send(QueueUrl, 'purged');
    const purged = await sqs.receiveHandle(QueueUrl);
    await sqs.call('PurgeQueue', { QueueUrl });
    expect(await sqs.call('DeleteMessage', { QueueUrl, ReceiptHandle: purged })).toEqual({});
  });
});
