import { describe, expect, it } from 'vitest';
import { captureError, queueDoesNotExist } from '../support/errors.ts';
import { overBothProtocols, type Sqs, useSqs } from '../support/sqs.ts';

/** SQS: section 5.7 */
overBothProtocols('A long poll', (sqs) => {
  it('ends empty when its time is over', async () => {
    const queue = await sqs.createQueue();
    const poll = await sqs.startLongPoll(queue, { WaitTimeSeconds: 5 });
    await sqs.advance(4.999);
    expect(await stateOf(sqs, poll.bodies)).toBe('waiting');
    await sqs.advance(0.001);
    expect(await poll.bodies).toEqual([]);
  });

  it('returns at once with what there is', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    expect(await sqs.receiveBodies(queue, { WaitTimeSeconds: 20 })).toEqual(['m']);
  });

  it('returns with the first message that arrives, and does not wait for more', async () => {
    const queue = await sqs.createQueue();
    const poll = await sqs.startLongPoll(queue);
    await sqs.send(queue, 'm');
    expect(await poll.bodies).toEqual(['m']);
  });

  it('waits as long as the queue says, unless the request says otherwise', async () => {
    const queue = await sqs.createQueue({ ReceiveMessageWaitTimeSeconds: '7' });
    expect(await sqs.receiveBodies(queue, { WaitTimeSeconds: 0 })).toEqual([]);
    const ofQueue = await sqs.startLongPoll(queue, { WaitTimeSeconds: undefined });
    const ofRequest = await sqs.startLongPoll(queue, { WaitTimeSeconds: 9 });
    await sqs.advance(7);
    expect(await ofQueue.bodies).toEqual([]);
    expect(await stateOf(sqs, ofRequest.bodies)).toBe('waiting');
    await sqs.advance(2);
    expect(await ofRequest.bodies).toEqual([]);
  });

  it('ends when the queue is deleted', async () => {
    const queue = await sqs.createQueue();
    const poll = await sqs.startLongPoll(queue);
    await sqs.call('DeleteQueue', { QueueUrl: queue });
    // Either an error or no messages: it is not known which (SQS: section 14).
    const outcome = await poll.bodies.catch(() => captureError(poll.bodies));
    expect([[], queueDoesNotExist(sqs.protocol)]).toContainEqual(outcome);
  });
});

describe('A long poll on a standard queue', () => {
  const sqs = useSqs();

  it('returns a message whose delay ends', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm', { DelaySeconds: 5 });
    const poll = await sqs.startLongPoll(queue);
    await sqs.advance(4.999);
    expect(await stateOf(sqs, poll.bodies)).toBe('waiting');
    await sqs.advance(0.001);
    expect(await poll.bodies).toEqual(['m']);
  });

  it('returns a message whose visibility timeout ends', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '5' });
    await sqs.send(queue, 'm');
    await sqs.receive(queue);
    const poll = await sqs.startLongPoll(queue);
    await sqs.advance(5);
    expect(await poll.bodies).toEqual(['m']);
  });

  it('returns a message whose visibility timeout is changed to 0', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    const handle = await sqs.receiveHandle(queue);
    const poll = await sqs.startLongPoll(queue);
    await sqs.changeVisibility(queue, handle, 0);
    expect(await poll.bodies).toEqual(['m']);
  });

  it('gives each message to one of those who wait, to the first one first', async () => {
    const queue = await sqs.createQueue();
    const first = await sqs.startLongPoll(queue);
    const second = await sqs.startLongPoll(queue);
    await sqs.send(queue, 'a');
    expect(await first.bodies).toEqual(['a']);
    expect(await stateOf(sqs, second.bodies)).toBe('waiting');
    await sqs.send(queue, 'b');
    expect(await second.bodies).toEqual(['b']);
  });

  it('returns a message that arrives in the dead-letter queue', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(source, 'm');
    await sqs.changeVisibility(source, await sqs.receiveHandle(source), 0);
    const poll = await sqs.startLongPoll(dead);
    await sqs.receive(source);
    expect(await poll.bodies).toEqual(['m']);
  });

  it('stays when the only message is moved to the dead-letter queue, and returns the next one', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(source, 'bad');
    const handle = await sqs.receiveHandle(source);
    const poll = await sqs.startLongPoll(source);
    await sqs.changeVisibility(source, handle, 0);
    expect(await stateOf(sqs, poll.bodies)).toBe('waiting');
    await sqs.send(source, 'good');
    expect(await poll.bodies).toEqual(['good']);
    expect(await sqs.receiveBodies(dead)).toEqual(['bad']);
  });
});

/** SQS: section 5.7, section 6.4 */
describe('A long poll on a FIFO queue', () => {
  const sqs = useSqs();

  const lockedGroup = async (attributes?: Record<string, string>) => {
    const queue = await sqs.createFifoQueue(attributes);
    for (const body of ['1', '2', '3']) await sqs.sendToGroup(queue, 'g', body);
    const messages = await sqs.receive(queue, { MaxNumberOfMessages: 2 });
    return { queue, handles: messages.map(({ ReceiptHandle }) => ReceiptHandle), poll: await sqs.startLongPoll(queue) };
  };

  it('returns the rest of a group when all of it that is in flight is deleted', async () => {
    const { queue, handles, poll } = await lockedGroup();
    await sqs.delete(queue, handles[0]);
    expect(await stateOf(sqs, poll.bodies)).toBe('waiting');
    await sqs.delete(queue, handles[1]);
    expect(await poll.bodies).toEqual(['3']);
  });

  it('returns a group whose visibility timeouts end', async () => {
    const { poll } = await lockedGroup({ VisibilityTimeout: '5' });
    await sqs.advance(5);
    expect(await poll.bodies).toEqual(['1', '2', '3']);
  });

  it('returns a message whose visibility timeout is changed to 0', async () => {
    const { queue, handles, poll } = await lockedGroup();
    await sqs.changeVisibility(queue, handles[0], 0);
    expect(await poll.bodies).toEqual(['1']);
  });

  it('is not woken by a new message of a locked group, but by one of another group', async () => {
    const { queue, poll } = await lockedGroup();
    await sqs.sendToGroup(queue, 'g', '4');
    expect(await stateOf(sqs, poll.bodies)).toBe('waiting');
    await sqs.sendToGroup(queue, 'other', '5');
    expect(await poll.bodies).toEqual(['5']);
  });

  it('returns a message whose delay ends', async () => {
    const queue = await sqs.createFifoQueue({ DelaySeconds: '5' });
    await sqs.sendToGroup(queue, 'g', 'm');
    const poll = await sqs.startLongPoll(queue);
    await sqs.advance(5);
    expect(await poll.bodies).toEqual(['m']);
  });
});

/** Whether a reply has come, once another one has in the meantime. */
async function stateOf(sqs: Sqs, reply: Promise<unknown>): Promise<'waiting' | 'answered'> {
  let state: 'waiting' | 'answered' = 'waiting';
  const answered = () => {
    state = 'answered';
  };
  reply.then(answered, answered);
  await sqs.call('ListQueues', { QueueNamePrefix: 'no-such-queue' });
  return state;
}
