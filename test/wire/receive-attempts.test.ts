import { describe, expect, it } from 'vitest';
import { useSqs } from '../support/sqs.ts';

/** SQS: section 6.6 */
describe('A receive with an attempt id', () => {
  const sqs = useSqs();
  const attempt = { ReceiveRequestAttemptId: 'attempt-1' };

  it('returns the same messages and handles when it is repeated', async () => {
    const queue = await sqs.createFifoQueue();
    for (const body of ['1', '2', '3']) await sqs.sendToGroup(queue, 'g', body);
    const first = await sqs.receive(queue, { ...attempt, MaxNumberOfMessages: 2 });
    const again = await sqs.receive(queue, { ...attempt, MaxNumberOfMessages: 2 });
    expect(again.map(({ Body }) => Body)).toEqual(['1', '2']);
    expect(again.map(({ MessageId, ReceiptHandle }) => [MessageId, ReceiptHandle])).toEqual(
      first.map(({ MessageId, ReceiptHandle }) => [MessageId, ReceiptHandle]),
    );
  });

  it('does not count as another receive when it is repeated', async () => {
    const queue = await sqs.createFifoQueue();
    await sqs.sendToGroup(queue, 'g', 'm');
    await sqs.receive(queue, attempt);
    expect(await sqs.receive(queue, attempt)).toMatchObject([{ Attributes: { ApproximateReceiveCount: '1' } }]);
  });

  it('starts the visibility timeout anew when it is repeated', async () => {
    const queue = await sqs.createFifoQueue({ VisibilityTimeout: '30' });
    await sqs.sendToGroup(queue, 'g', 'm');
    await sqs.receive(queue, attempt);
    await sqs.advance(20);
    const [again] = await sqs.receive(queue, attempt);
    await sqs.advance(29);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.delete(queue, again?.ReceiptHandle);
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('returns other messages with another id or with none', async () => {
    const queue = await sqs.createFifoQueue();
    await sqs.sendToGroup(queue, 'a', 'a1');
    await sqs.sendToGroup(queue, 'a', 'a2');
    await sqs.sendToGroup(queue, 'b', 'b1');
    expect(await sqs.receiveBodies(queue, { ...attempt, MaxNumberOfMessages: 1 })).toEqual(['a1']);
    expect(await sqs.receiveBodies(queue, { ReceiveRequestAttemptId: 'attempt-2' })).toEqual(['b1']);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    expect(await sqs.receiveBodies(queue, { ...attempt, MaxNumberOfMessages: 1 })).toEqual(['a1']);
  });

  it('does not return a message that was deleted', async () => {
    const queue = await sqs.createFifoQueue();
    await sqs.sendToGroup(queue, 'g', 'deleted');
    await sqs.delete(queue, await sqs.receiveHandle(queue, attempt));
    await sqs.sendToGroup(queue, 'g', 'next');
    expect(await sqs.receiveBodies(queue, attempt)).toEqual(['next']);
  });

  it('gives a message a new handle when its visibility timeout was changed or is over', async () => {
    const queue = await sqs.createFifoQueue({ VisibilityTimeout: '30' });
    await sqs.sendToGroup(queue, 'g', 'm');
    const first = await sqs.receiveHandle(queue, attempt);
    await sqs.advance(30);
    const second = await sqs.receiveHandle(queue, attempt);
    expect(second).not.toBe(first);
    await sqs.changeVisibility(queue, second, 0);
    expect(await sqs.receiveHandle(queue, attempt)).not.toBe(second);
  });

  it('is remembered for five minutes', async () => {
    const queue = await sqs.createFifoQueue({ VisibilityTimeout: '3600' });
    await sqs.sendToGroup(queue, 'a', 'a');
    expect(await sqs.receiveBodies(queue, attempt)).toEqual(['a']);
    await sqs.advance(299);
    expect(await sqs.receiveBodies(queue, attempt)).toEqual(['a']);
    await sqs.advance(300);
    await sqs.sendToGroup(queue, 'b', 'b');
    expect(await sqs.receiveBodies(queue, attempt)).toEqual(['b']);
  });

  it('is like any other on a standard queue', async () => {
    const queue = await sqs.createQueue();
    for (const body of ['1', '2']) await sqs.send(queue, body);
    expect(await sqs.receiveBodies(queue, { ...attempt, MaxNumberOfMessages: 1 })).toEqual(['1']);
    expect(await sqs.receiveBodies(queue, { ...attempt, MaxNumberOfMessages: 1 })).toEqual(['2']);
  });
});
