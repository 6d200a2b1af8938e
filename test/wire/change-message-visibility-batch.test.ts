import { expect, it } from 'vitest';
import { overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.13 */
overBothProtocols('ChangeMessageVisibilityBatch', (sqs) => {
  it('changes the timeout of each message', async () => {
    const QueueUrl = await sqs.createQueue();
    for (const body of ['a', 'b', 'c']) await sqs.send(QueueUrl, body);
    const [a, b, c] = await sqs.receive(QueueUrl);
    const output = await sqs.call('ChangeMessageVisibilityBatch', {
      QueueUrl,
      Entries: [
        { Id: 'a', ReceiptHandle: a?.ReceiptHandle, VisibilityTimeout: 10 },
        { Id: 'b', ReceiptHandle: b?.ReceiptHandle, VisibilityTimeout: 0 },
        { Id: 'c', ReceiptHandle: c?.ReceiptHandle, VisibilityTimeout: 60 },
      ],
    });
    expect(output).toEqual({ Successful: [{ Id: 'a' }, { Id: 'b' }, { Id: 'c' }] });
    expect(await sqs.receiveBodies(QueueUrl, { VisibilityTimeout: 600 })).toEqual(['b']);
    await sqs.advance(10);
    expect(await sqs.receiveBodies(QueueUrl, { VisibilityTimeout: 600 })).toEqual(['a']);
    await sqs.advance(49.999);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['c']);
  });

  it('changes the good ones of a batch with bad ones', async () => {
    const QueueUrl = await sqs.createQueue();
    for (const body of ['deleted', 'good']) await sqs.send(QueueUrl, body);
    const [deleted, good] = await sqs.receive(QueueUrl);
    await sqs.delete(QueueUrl, deleted?.ReceiptHandle);
    const ReceiptHandle = good?.ReceiptHandle;
    const output = await sqs.call('ChangeMessageVisibilityBatch', {
      QueueUrl,
      Entries: [
        { Id: 'timeout', ReceiptHandle },
        { Id: 'negative', ReceiptHandle, VisibilityTimeout: -1 },
        { Id: 'long', ReceiptHandle, VisibilityTimeout: 43_201 },
        { Id: 'garbage', ReceiptHandle: 'garbage', VisibilityTimeout: 0 },
        { Id: 'deleted', ReceiptHandle: deleted?.ReceiptHandle, VisibilityTimeout: 0 },
        { Id: 'good', ReceiptHandle, VisibilityTimeout: 0 },
      ],
    });
    const failed = (Id: string, Code: string, Message: string) => ({ Id, Code, Message, SenderFault: true });
    const outOfRange = (value: number) =>
      `Value ${value} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between ` +
      '0 and 43200.';
    expect(output).toEqual({
      Successful: [{ Id: 'good' }],
      Failed: [
        failed(
          'timeout',
          'MissingParameter',
          'The request must contain the parameter ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout.',
        ),
        failed('negative', 'InvalidParameterValue', outOfRange(-1)),
        failed('long', 'InvalidParameterValue', outOfRange(43_201)),
        failed(
          'garbage',
          'ReceiptHandleIsInvalid',
          'The input receipt handle "garbage" is not a valid receipt handle.',
        ),
        failed(
          'deleted',
          'InvalidParameterValue',
          `Value ${deleted?.ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is ` +
            'not available for visibility timeout change.',
        ),
      ],
    });
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['good']);
  });
});
