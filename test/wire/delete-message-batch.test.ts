import { expect, it } from 'vitest';
import { overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.11 */
overBothProtocols('DeleteMessageBatch', (sqs) => {
  it('removes messages', async () => {
    const QueueUrl = await sqs.createQueue();
    for (const body of ['a', 'b', 'c']) await sqs.send(QueueUrl, body);
    const messages = await sqs.receive(QueueUrl);
    const Entries = messages.map(({ Body: Id, ReceiptHandle }) => ({ Id, ReceiptHandle }));
    expect(await sqs.call('DeleteMessageBatch', { QueueUrl, Entries: Entries.slice(1) })).toEqual({
      Successful: [{ Id: 'b' }, { Id: 'c' }],
    });
    await sqs.advance(30);
    expect(await sqs.receiveBodies(QueueUrl)).toEqual(['a']);
  });

  it('removes the good ones of a batch with bad ones', async () => {
    const QueueUrl = await sqs.createQueue();
    const other = await sqs.createQueue();
    for (const queue of [QueueUrl, other]) await sqs.send(queue, 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    const foreign = await sqs.receiveHandle(other);
    const output = await sqs.call('DeleteMessageBatch', {
      QueueUrl,
      Entries: [
        { Id: 'garbage', ReceiptHandle: 'garbage' },
        { Id: 'good', ReceiptHandle },
        { Id: 'foreign', ReceiptHandle: foreign },
        { Id: 'again', ReceiptHandle },
      ],
    });
    expect(output).toEqual({
      Successful: [{ Id: 'good' }, { Id: 'again' }],
      Failed: [
        {
          Id: 'garbage',
          Code: 'ReceiptHandleIsInvalid',
          Message: 'The input receipt handle "garbage" is not a valid receipt handle.',
          SenderFault: true,
        },
        {
          Id: 'foreign',
          Code: 'ReceiptHandleIsInvalid',
          Message: `The receipt handle "${foreign}" is not valid for this queue.`,
          SenderFault: true,
        },
      ],
    });
    await sqs.advance(30);
    expect(await sqs.receive(QueueUrl)).toEqual([]);
  });

  it('fails for handles that have expired on a FIFO queue', async () => {
    const QueueUrl = await sqs.createFifoQueue();
    await sqs.sendToGroup(QueueUrl, 'g', 'm');
    const ReceiptHandle = await sqs.receiveHandle(QueueUrl);
    await sqs.advance(30);
    const Message = `Value ${ReceiptHandle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`;
    expect(await sqs.call('DeleteMessageBatch', { QueueUrl, Entries: [{ Id: 'a', ReceiptHandle }] })).toEqual({
      Failed: [{ Id: 'a', Code: 'InvalidParameterValue', Message, SenderFault: true }],
    });
  });
});
