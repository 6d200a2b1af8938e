import { expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, sqsError } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

const TWELVE_HOURS = 43_200;

/** SQS: section 2.12, section 5.3 */
overBothProtocols('ChangeMessageVisibility', (sqs) => {
  const beyondLimit = (seconds: number) =>
    invalidParameterValue(
      `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is ` +
        'beyond the limit [43200 seconds]',
    );
  const notAvailable = (handle: string) =>
    invalidParameterValue(
      `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for ` +
        'visibility timeout change.',
    );

  /** A queue and the handle of its only message, received just now. */
  const received = async (attributes?: Record<string, string>) => {
    const QueueUrl = await sqs.createQueue(attributes);
    await sqs.send(QueueUrl, 'm');
    return { QueueUrl, ReceiptHandle: await sqs.receiveHandle(QueueUrl) };
  };

  it('counts the new timeout from now', async () => {
    const message = await received();
    await sqs.advance(20);
    expect(await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: 40 })).toEqual({});
    await sqs.advance(39.999);
    expect(await sqs.receive(message.QueueUrl)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('shortens the timeout, also to less than has passed', async () => {
    const message = await received();
    await sqs.advance(20);
    await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: 5 });
    await sqs.advance(5);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('makes the message visible at once with 0', async () => {
    const message = await received();
    await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: 0 });
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('has no effect on later receives', async () => {
    const message = await received({ VisibilityTimeout: '2' });
    await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: 60 });
    await sqs.advance(60);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
    await sqs.advance(2);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('refuses a request without a handle or without a timeout', async () => {
    const { QueueUrl, ReceiptHandle } = await received();
    expect(await sqs.failure('ChangeMessageVisibility', { QueueUrl, VisibilityTimeout: 1 })).toEqual(
      missingParameter('ReceiptHandle'),
    );
    expect(await sqs.failure('ChangeMessageVisibility', { QueueUrl, ReceiptHandle })).toEqual(
      missingParameter('VisibilityTimeout'),
    );
  });

  it('refuses what is no handle', async () => {
    const QueueUrl = await sqs.createQueue();
    const garbage = { QueueUrl, ReceiptHandle: 'garbage', VisibilityTimeout: 1 };
    expect(await sqs.failure('ChangeMessageVisibility', garbage)).toEqual(
      sqsError('ReceiptHandleIsInvalid', 'The input receipt handle "garbage" is not a valid receipt handle.'),
    );
  });

  it('refuses a handle of another queue', async () => {
    const { ReceiptHandle } = await received();
    const other = { QueueUrl: await sqs.createQueue(), ReceiptHandle, VisibilityTimeout: 1 };
    expect(await sqs.failure('ChangeMessageVisibility', other)).toEqual(
      sqsError('ReceiptHandleIsInvalid', `The receipt handle "${ReceiptHandle}" is not valid for this queue.`),
    );
  });

  it.each([-1, 43_201])('refuses a timeout of %i', async (VisibilityTimeout) => {
    const message = await received();
    expect(await sqs.failure('ChangeMessageVisibility', { ...message, VisibilityTimeout })).toEqual(
      invalidParameterValue(
        `Value ${VisibilityTimeout} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200.`,
      ),
    );
  });

  it('refuses to keep a message from others for more than 12 hours after its receive', async () => {
    const message = await received();
    await sqs.advance(10);
    const longest = TWELVE_HOURS - 10;
    expect(await sqs.failure('ChangeMessageVisibility', { ...message, VisibilityTimeout: longest + 1 })).toEqual(
      beyondLimit(longest + 1),
    );
    await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: longest });
    await sqs.advance(longest - 1);
    expect(await sqs.failure('ChangeMessageVisibility', { ...message, VisibilityTimeout: 2 })).toEqual(beyondLimit(2));
    expect(await sqs.receive(message.QueueUrl)).toEqual([]);
    await sqs.advance(1);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('counts the 12 hours anew after another receive', async () => {
    const { QueueUrl } = await received();
    await sqs.advance(30);
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(10);
    const longest = { QueueUrl, ReceiptHandle, VisibilityTimeout: TWELVE_HOURS - 10 };
    expect(await sqs.call('ChangeMessageVisibility', longest)).toEqual({});
  });

  it('refuses a message that was deleted, purged or expired', async () => {
    const deleted = await received();
    await sqs.delete(deleted.QueueUrl, deleted.ReceiptHandle);
    const purged = await received();
    await sqs.call('PurgeQueue', { QueueUrl: purged.QueueUrl });
    const expired = await received({ MessageRetentionPeriod: '60', VisibilityTimeout: '600' });
    await sqs.advance(60);
    for (const message of [deleted, purged, expired]) {
      expect(await sqs.failure('ChangeMessageVisibility', { ...message, VisibilityTimeout: 1 })).toEqual(
        notAvailable(message.ReceiptHandle),
      );
    }
  });

  it('hides a message again after its timeout on a standard queue', async () => {
    const message = await received();
    await sqs.advance(30);
    expect(await sqs.call('ChangeMessageVisibility', { ...message, VisibilityTimeout: 5 })).toEqual({});
    expect(await sqs.receive(message.QueueUrl)).toEqual([]);
    await sqs.advance(5);
    expect(await sqs.receiveBodies(message.QueueUrl)).toEqual(['m']);
  });

  it('refuses a handle after its timeout on a FIFO queue', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    await sqs.sendToGroup(QueueUrl, 'g', 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(30);
    expect(await sqs.failure('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout: 5 })).toEqual(
      invalidParameterValue(
        `Value ${ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
      ),
    );
  });

  /** SQS: section 5.2 */
  it('makes a message visible with the handle of an earlier receive on a standard queue', async () => {
    const { QueueUrl, ReceiptHandle } = await received();
    await sqs.advance(30);
    await sqs.receiveHandle(QueueUrl);
    await sqs.changeVisibility(QueueUrl, ReceiptHandle, 0);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['m']);
  });
});
