import { describe, expect, it } from 'vitest';
import { arnOf, useSqs } from '../support/sqs.ts';

/** SQS: section 5.8 */
describe('The dead-letter queue of a standard queue', () => {
  const sqs = useSqs();

  it.each([1, 2, 5])('gets a message at the receive after %i receives', async (maxReceiveCount) => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(maxReceiveCount, {
      source: { VisibilityTimeout: '10' },
    });
    await sqs.send(source, 'm');
    for (let count = 1; count <= maxReceiveCount; count++) {
      expect(await sqs.receive(source)).toMatchObject([{ Attributes: { ApproximateReceiveCount: String(count) } }]);
      await sqs.advance(10);
    }
    expect(await sqs.receiveBodies(dead)).toEqual([]);
    expect(await sqs.counts(source)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    expect(await sqs.receiveBodies(source)).toEqual([]);
    expect(await sqs.counts(source)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
  });

  it('gets a message whose receives had a timeout of 0', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(2, { source: { VisibilityTimeout: '0' } });
    await sqs.send(source, 'm');
    expect([await sqs.receiveBodies(source), await sqs.receiveBodies(source), await sqs.receiveBodies(source)]).toEqual(
      [['m'], ['m'], []],
    );
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
  });

  it('gets it in a receive that returns other messages', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(source, 'bad');
    await sqs.changeVisibility(source, await sqs.receiveHandle(source), 0);
    await sqs.send(source, 'good');
    expect(await sqs.receiveBodies(source)).toEqual(['good']);
    expect(await sqs.receiveBodies(dead)).toEqual(['bad']);
  });

  it('gets the message as it was, with its source', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '5' } });
    const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
    const MessageAttributes = { k: { DataType: 'String', StringValue: 'x' } };
    await sqs.send(source, 'm', {
      MessageAttributes,
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
    });
    await sqs.advance(1);
    const [original] = await sqs.receive(source, { MessageAttributeNames: ['All'] });
    await sqs.advance(5);
    await sqs.receive(source);
    await sqs.advance(5);
    const [moved] = await sqs.receive(dead, { MessageAttributeNames: ['All'] });
    expect(moved).toEqual({
      ...original,
      ReceiptHandle: expect.any(String),
      Attributes: {
        ...original?.Attributes,
        ApproximateReceiveCount: '2',
        DeadLetterQueueSourceArn: arnOf(source),
      },
    });
    expect(moved?.MessageAttributes).toEqual(MessageAttributes);
    expect(moved?.Attributes?.AWSTraceHeader).toBe(trace);
  });

  it('keeps the message until its period since the original send is over', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, {
      source: { VisibilityTimeout: '0' },
      dead: { MessageRetentionPeriod: '100', VisibilityTimeout: '0' },
    });
    await sqs.send(source, 'm');
    await sqs.receive(source);
    await sqs.advance(60);
    await sqs.receive(source);
    await sqs.advance(39.999);
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(dead)).toEqual([]);
  });

  it('may have a dead-letter queue itself', async () => {
    const { source: middle, dead: last } = await sqs.createQueueWithDeadLetters(1, {
      source: { VisibilityTimeout: '0' },
    });
    const first = await sqs.createQueue({
      VisibilityTimeout: '0',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(middle), maxReceiveCount: 1 }),
    });
    await sqs.send(first, 'm');
    expect(await sqs.receiveBodies(first)).toEqual(['m']);
    expect(await sqs.receiveBodies(first)).toEqual([]);
    // The count goes on, and still there is one delivery for a maxReceiveCount of 1.
    expect(await sqs.receive(middle)).toMatchObject([{ Body: 'm', Attributes: { ApproximateReceiveCount: '2' } }]);
    expect(await sqs.receiveBodies(middle)).toEqual([]);
    expect(await sqs.receive(last)).toMatchObject([
      { Body: 'm', Attributes: { DeadLetterQueueSourceArn: arnOf(middle) } },
    ]);
  });

  it('gets no message that is deleted in time', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(source, 'm');
    await sqs.delete(source, await sqs.receiveHandle(source));
    await sqs.advance(30);
    expect(await sqs.receiveBodies(source)).toEqual([]);
    expect(await sqs.receiveBodies(dead)).toEqual([]);
  });

  it('gets what was received too often once the policy is set', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '0' });
    const dead = await sqs.createQueue();
    await sqs.send(queue, 'm');
    for (let receive = 0; receive < 3; receive++) expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.setAttributes(queue, {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 3 }),
    });
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
  });

  it('leaves the messages in the source queue when it does not exist any more', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '0' } });
    await sqs.send(source, 'm');
    await sqs.receive(source);
    await sqs.call('DeleteQueue', { QueueUrl: dead });
    await sqs.receive(source);
    const { visible, inFlight } = await sqs.counts(source);
    expect(visible + inFlight).toBe(1);
  });
});

/** SQS: section 6.7 */
describe('The dead-letter queue of a FIFO queue', () => {
  const sqs = useSqs();
  const policy = { fifo: true, source: { VisibilityTimeout: '0' } };

  it('gets a message at the receive after the last one, and the group goes on', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(2, policy);
    await sqs.sendToGroup(source, 'g', 'a');
    await sqs.sendToGroup(source, 'g', 'b');
    const one = { MaxNumberOfMessages: 1 };
    expect([
      await sqs.receiveBodies(source, one),
      await sqs.receiveBodies(source, one),
      await sqs.receiveBodies(source, one),
    ]).toEqual([['a'], ['a'], ['b']]);
    expect(await sqs.receiveBodies(dead)).toEqual(['a']);
    await sqs.sendToGroup(source, 'g', 'c');
    expect(await sqs.receiveBodies(source)).toEqual(['b', 'c']);
  });

  it('keeps id and group, and makes the message id the deduplication id', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, policy);
    const { MessageId } = await sqs.sendToGroup(source, 'g', 'm');
    await sqs.receive(source);
    await sqs.receive(source);
    expect(await sqs.receive(dead)).toMatchObject([
      {
        MessageId,
        Body: 'm',
        Attributes: {
          MessageGroupId: 'g',
          MessageDeduplicationId: MessageId,
          ApproximateReceiveCount: '2',
          DeadLetterQueueSourceArn: arnOf(source),
          SequenceNumber: expect.stringMatching(/^\d{20}$/),
        },
      },
    ]);
  });

  it('keeps the message until its period since the move is over', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, {
      ...policy,
      dead: { MessageRetentionPeriod: '100', VisibilityTimeout: '0' },
    });
    await sqs.sendToGroup(source, 'g', 'm');
    await sqs.receive(source);
    await sqs.advance(60);
    await sqs.receive(source);
    await sqs.advance(99.999);
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(dead)).toEqual([]);
  });

  it('leaves the deduplication id taken in the source queue', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, policy);
    const again = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    const first = await sqs.send(source, 'm', again);
    await sqs.receive(source);
    await sqs.receive(source);
    expect((await sqs.send(source, 'm', again)).MessageId).toBe(first.MessageId);
    expect(await sqs.receiveBodies(source)).toEqual([]);
    expect(await sqs.receiveBodies(dead)).toEqual(['m']);
  });

  it('keeps the order of a group', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, policy);
    for (const body of ['1', '2', '3']) await sqs.sendToGroup(source, 'g', body);
    await sqs.receive(source);
    expect(await sqs.receiveBodies(source)).toEqual([]);
    expect(await sqs.receiveBodies(dead)).toEqual(['1', '2', '3']);
  });
});
