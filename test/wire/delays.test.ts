import { describe, expect, it } from 'vitest';
import { useSqs } from '../support/sqs.ts';

/** SQS: section 5.5 */
describe('A delay on a standard queue', () => {
  const sqs = useSqs();

  it('is that of the queue', async () => {
    const queue = await sqs.createQueue({ DelaySeconds: '10' });
    await sqs.send(queue, 'm');
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
    await sqs.advance(9.999);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it.each([0, 3, 20])('is %i seconds when the message says so', async (DelaySeconds) => {
    const queue = await sqs.createQueue({ DelaySeconds: '10' });
    await sqs.send(queue, 'm', { DelaySeconds });
    if (DelaySeconds > 0) {
      await sqs.advance(DelaySeconds - 0.001);
      expect(await sqs.receiveBodies(queue)).toEqual([]);
      await sqs.advance(0.001);
    }
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('does not change the time at which the message was sent', async () => {
    const queue = await sqs.createQueue();
    const sentAt = String(sqs.clock.now());
    await sqs.send(queue, 'm', { DelaySeconds: 10 });
    await sqs.advance(10);
    expect(await sqs.receive(queue)).toMatchObject([
      { Attributes: { SentTimestamp: sentAt, ApproximateFirstReceiveTimestamp: String(sqs.clock.now()) } },
    ]);
  });

  it('stays that of a message when that of the queue changes', async () => {
    const queue = await sqs.createQueue({ DelaySeconds: '10' });
    await sqs.send(queue, 'before');
    await sqs.setAttributes(queue, { DelaySeconds: '0' });
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.send(queue, 'after');
    expect(await sqs.receiveBodies(queue)).toEqual(['after']);
    await sqs.setAttributes(queue, { DelaySeconds: '900' });
    await sqs.advance(10);
    expect(await sqs.receiveBodies(queue)).toEqual(['before']);
  });
});

/** SQS: section 3.1, section 6.1 */
describe('A delay on a FIFO queue', () => {
  const sqs = useSqs();

  it('is that of the queue, also for a message that asks for none', async () => {
    const queue = await sqs.createFifoQueue({ DelaySeconds: '10' });
    await sqs.sendToGroup(queue, 'g', 'a');
    await sqs.sendToGroup(queue, 'g', 'b', { DelaySeconds: 0 });
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 2 });
    await sqs.advance(9.999);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual(['a', 'b']);
  });

  it('becomes shorter for messages in the queue when that of the queue does', async () => {
    const queue = await sqs.createFifoQueue({ DelaySeconds: '100' });
    await sqs.sendToGroup(queue, 'g', 'm');
    await sqs.advance(20);
    await sqs.setAttributes(queue, { DelaySeconds: '30' });
    await sqs.advance(9.999);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('becomes longer for messages in the queue when that of the queue does', async () => {
    const queue = await sqs.createFifoQueue();
    await sqs.sendToGroup(queue, 'g', 'm');
    await sqs.setAttributes(queue, { DelaySeconds: '30' });
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 1 });
    await sqs.advance(29.999);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('holds back a later message of the group only', async () => {
    const queue = await sqs.createFifoQueue({ DelaySeconds: '10' });
    await sqs.sendToGroup(queue, 'g', 'a');
    await sqs.advance(5);
    await sqs.sendToGroup(queue, 'g', 'b');
    await sqs.advance(5);
    expect(await sqs.receiveBodies(queue, { VisibilityTimeout: 0 })).toEqual(['a']);
    await sqs.advance(5);
    expect(await sqs.receiveBodies(queue)).toEqual(['a', 'b']);
  });
});
