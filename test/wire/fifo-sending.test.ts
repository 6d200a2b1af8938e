import { describe, expect, it } from 'vitest';
import { useSqs } from '../support/sqs.ts';

const MINUTE = 60;

/** SQS: section 6.1 */
describe('Sequence numbers', () => {
  const sqs = useSqs();

  it('rise from message to message, whatever the group', async () => {
    const queue = await sqs.createFifoQueue();
    const numbers: string[] = [];
    for (const group of ['a', 'b', 'a', 'c', 'b']) {
      numbers.push((await sqs.sendToGroup(queue, group, 'm')).SequenceNumber!);
    }
    expect(numbers).toEqual([...new Set(numbers)].sort());
    expect(numbers.every((number) => /^\d{20}$/.test(number))).toBe(true);
  });

  it('are those that come with the messages', async () => {
    const queue = await sqs.createFifoQueue();
    const sent = [await sqs.sendToGroup(queue, 'g', '1'), await sqs.sendToGroup(queue, 'g', '2')];
    expect((await sqs.receive(queue)).map(({ Attributes }) => Attributes?.SequenceNumber)).toEqual(
      sent.map(({ SequenceNumber }) => SequenceNumber),
    );
  });

  it('are not used again after a purge', async () => {
    const queue = await sqs.createFifoQueue();
    const before = await sqs.sendToGroup(queue, 'g', '1');
    await sqs.call('PurgeQueue', { QueueUrl: queue });
    const after = await sqs.sendToGroup(queue, 'g', '2');
    expect([after.SequenceNumber, before.SequenceNumber].sort()).toEqual([before.SequenceNumber, after.SequenceNumber]);
    expect(after.SequenceNumber).not.toBe(before.SequenceNumber);
  });
});

/** SQS: section 6.2 */
describe('Deduplication', () => {
  const sqs = useSqs();
  const inGroup = (group: string, id?: string) => ({ MessageGroupId: group, MessageDeduplicationId: id });

  it('answers a duplicate with the id of the first message, and queues nothing', async () => {
    const queue = await sqs.createFifoQueue();
    const first = await sqs.send(queue, 'message', inGroup('g', 'd'));
    const second = await sqs.send(queue, 'x', inGroup('g', 'd'));
    expect(second).toEqual({ ...first, MD5OfMessageBody: '9dd4e461268c8034f5c8564e155c67a6' });
    expect(await sqs.receiveBodies(queue)).toEqual(['message']);
  });

  it('lasts five minutes from the send that was accepted', async () => {
    const queue = await sqs.createFifoQueue({ VisibilityTimeout: '0' });
    const { MessageId } = await sqs.send(queue, 'first', inGroup('g', 'd'));
    await sqs.advance(4 * MINUTE);
    expect((await sqs.send(queue, 'duplicate', inGroup('g', 'd'))).MessageId).toBe(MessageId);
    await sqs.advance(MINUTE - 0.001);
    expect((await sqs.send(queue, 'duplicate', inGroup('g', 'd'))).MessageId).toBe(MessageId);
    await sqs.advance(0.001);
    expect((await sqs.send(queue, 'second', inGroup('g', 'd'))).MessageId).not.toBe(MessageId);
    expect(await sqs.receiveBodies(queue)).toEqual(['first', 'second']);
  });

  it('goes on after the message was received and deleted', async () => {
    const queue = await sqs.createFifoQueue();
    const { MessageId } = await sqs.send(queue, 'm', inGroup('g', 'd'));
    const handle = await sqs.receiveHandle(queue);
    expect((await sqs.send(queue, 'm', inGroup('g', 'd'))).MessageId).toBe(MessageId);
    await sqs.delete(queue, handle);
    expect((await sqs.send(queue, 'm', inGroup('g', 'd'))).MessageId).toBe(MessageId);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(6 * MINUTE);
    await sqs.send(queue, 'm', inGroup('g', 'd'));
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('is across the groups of the queue', async () => {
    const queue = await sqs.createFifoQueue();
    const first = await sqs.send(queue, 'a', inGroup('one', 'd'));
    expect((await sqs.send(queue, 'b', inGroup('two', 'd'))).MessageId).toBe(first.MessageId);
    expect(await sqs.receiveBodies(queue)).toEqual(['a']);
  });

  it('is not across queues', async () => {
    for (const queue of [await sqs.createFifoQueue(), await sqs.createFifoQueue()]) {
      await sqs.send(queue, 'm', inGroup('g', 'd'));
      expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    }
  });

  describe('by content', () => {
    const BODY_HASH = '62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a';

    it('minds the body, and no attributes', async () => {
      const queue = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
      const first = await sqs.send(queue, 'm', inGroup('g'));
      const second = await sqs.send(queue, 'm', {
        ...inGroup('g'),
        MessageAttributes: { k: { DataType: 'String', StringValue: 'x' } },
      });
      expect(second.MessageId).toBe(first.MessageId);
      expect(second.MD5OfMessageAttributes).toBe('a45daa70926828a2f0a1db3418e6feb4');
      expect((await sqs.send(queue, 'M', inGroup('g'))).MessageId).not.toBe(first.MessageId);
      expect(await sqs.receive(queue)).toMatchObject([
        { Body: 'm', Attributes: { MessageDeduplicationId: BODY_HASH } },
        { Body: 'M' },
      ]);
    });

    it('gives way to an explicit id, and is the same as the explicit id of its hash', async () => {
      const queue = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
      const first = await sqs.send(queue, 'm', inGroup('g'));
      expect((await sqs.send(queue, 'm', inGroup('g', 'explicit'))).MessageId).not.toBe(first.MessageId);
      expect((await sqs.send(queue, 'other', inGroup('g', BODY_HASH))).MessageId).toBe(first.MessageId);
      expect(await sqs.receiveBodies(queue)).toEqual(['m', 'm']);
    });
  });

  /** SQS: section 6.3 */
  describe('with the scope of the message group', () => {
    it.each([
      ['perQueue', { DeduplicationScope: 'messageGroup' }],
      ['perMessageGroupId', { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }],
    ])('is within a group only, with the throughput limit %s', async (_, attributes: Record<string, string>) => {
      const queue = await sqs.createFifoQueue(attributes);
      const first = await sqs.send(queue, 'a', inGroup('one', 'd'));
      const other = await sqs.send(queue, 'b', inGroup('two', 'd'));
      expect(other.MessageId).not.toBe(first.MessageId);
      expect((await sqs.send(queue, 'c', inGroup('one', 'd'))).MessageId).toBe(first.MessageId);
      expect((await sqs.receiveBodies(queue)).sort()).toEqual(['a', 'b']);
    });

    it.each([
      ['queue', 'messageGroup', ['a']],
      ['messageGroup', 'queue', ['a', 'b']],
    ])('stays what it was at first when it is changed from %s to %s', async (from, to, bodies) => {
      const queue = await sqs.createFifoQueue({ DeduplicationScope: from });
      await sqs.setAttributes(queue, { DeduplicationScope: to });
      expect(await sqs.attributes(queue, 'DeduplicationScope')).toEqual({ DeduplicationScope: to });
      await sqs.send(queue, 'a', inGroup('one', 'd'));
      await sqs.send(queue, 'b', inGroup('two', 'd'));
      expect((await sqs.receiveBodies(queue)).sort()).toEqual(bodies);
    });
  });
});
