import { describe, expect, it } from 'vitest';
import { useSqs } from '../support/sqs.ts';

/** SQS: section 6.4 */
describe('A message group', () => {
  const sqs = useSqs();
  const NOT_YET = { VisibilityTimeout: 0 };

  /** A queue with messages m1, m2, ... in one group, and the handles of the first ones, which are in flight. */
  const locked = async (messages: number, inFlight: number, attributes?: Record<string, string>) => {
    const queue = await sqs.createFifoQueue(attributes);
    for (let index = 1; index <= messages; index++) await sqs.sendToGroup(queue, 'g', `m${index}`);
    const received = await sqs.receive(queue, { MaxNumberOfMessages: inFlight });
    expect(received.map(({ Body }) => Body)).toEqual(['m1', 'm2', 'm3'].slice(0, inFlight));
    return { queue, handles: received.map(({ ReceiptHandle }) => ReceiptHandle) };
  };

  it('is received in the order in which it was sent', async () => {
    const queue = await sqs.createFifoQueue();
    const bodies = Array.from({ length: 25 }, (_, index) => String(index));
    for (const body of bodies) await sqs.sendToGroup(queue, 'g', body);
    const received: (string | undefined)[] = [];
    for (let receive = 0; receive < 3; receive++) {
      const messages = await sqs.receive(queue);
      received.push(...messages.map(({ Body }) => Body));
      for (const { ReceiptHandle } of messages) await sqs.delete(queue, ReceiptHandle);
    }
    expect(received).toEqual(bodies);
  });

  it('yields nothing while messages are in flight, though other groups do', async () => {
    const { queue } = await locked(4, 2);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.sendToGroup(queue, 'other', 'o1');
    expect(await sqs.receiveBodies(queue)).toEqual(['o1']);
  });

  it('stays locked when only the first of two messages in flight is deleted', async () => {
    const { queue, handles } = await locked(4, 2);
    await sqs.delete(queue, handles[0]);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('stays locked when only the second of two messages in flight is deleted', async () => {
    const { queue, handles } = await locked(4, 2);
    await sqs.delete(queue, handles[1]);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('goes on at once when all that is in flight is deleted', async () => {
    const { queue, handles } = await locked(4, 2);
    for (const handle of handles) await sqs.delete(queue, handle);
    expect(await sqs.receiveBodies(queue)).toEqual(['m3', 'm4']);
  });

  it('yields the first message alone when that is made visible and the second is in flight', async () => {
    const { queue, handles } = await locked(4, 2);
    await sqs.changeVisibility(queue, handles[0], 0);
    expect(await sqs.receiveBodies(queue)).toEqual(['m1']);
  });

  it('yields nothing when the second message is made visible and the first is in flight', async () => {
    const { queue, handles } = await locked(4, 2);
    await sqs.changeVisibility(queue, handles[1], 0);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it.each([
    ['first', 0, []],
    ['second', 1, ['m1']],
    ['third', 2, ['m1', 'm2']],
  ])('yields what is before the %s of three messages when only that was extended', async (_, extended, bodies) => {
    const { queue, handles } = await locked(4, 3, { VisibilityTimeout: '10' });
    await sqs.changeVisibility(queue, handles[extended], 60);
    await sqs.advance(10);
    expect(await sqs.receiveBodies(queue)).toEqual(bodies);
  });

  it('is not unlocked by a new message', async () => {
    const { queue } = await locked(1, 1);
    await sqs.sendToGroup(queue, 'g', 'm2');
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('is delivered again in its order when all timeouts are over', async () => {
    const { queue } = await locked(4, 3, { VisibilityTimeout: '10' });
    await sqs.advance(10);
    expect(await sqs.receiveBodies(queue)).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  it('is delivered in its order when the timeouts end one after the other', async () => {
    const { queue, handles } = await locked(3, 3);
    await sqs.changeVisibility(queue, handles[2], 1);
    await sqs.changeVisibility(queue, handles[1], 2);
    await sqs.changeVisibility(queue, handles[0], 3);
    await sqs.advance(2);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(1);
    expect(await sqs.receiveBodies(queue)).toEqual(['m1', 'm2', 'm3']);
  });

  it('is not locked by a receive with a timeout of 0', async () => {
    const queue = await sqs.createFifoQueue();
    for (const body of ['m1', 'm2']) await sqs.sendToGroup(queue, 'g', body);
    for (let receive = 0; receive < 3; receive++) {
      expect(await sqs.receiveBodies(queue, NOT_YET)).toEqual(['m1', 'm2']);
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 2, inFlight: 0, delayed: 0 });
  });

  it('fills a receive as far as it can before the next group does', async () => {
    const queue = await sqs.createFifoQueue();
    for (const [group, body] of [
      ['g1', 'g1-m1'],
      ['g2', 'g2-m1'],
      ['g1', 'g1-m2'],
      ['g1', 'g1-m3'],
    ] as const) {
      await sqs.sendToGroup(queue, group, body);
    }
    expect(await sqs.receiveBodies(queue)).toEqual(['g1-m1', 'g1-m2', 'g1-m3', 'g2-m1']);
  });

  it('goes behind the others after it was served', async () => {
    const queue = await sqs.createFifoQueue();
    for (const group of ['g1', 'g1', 'g2', 'g2', 'g3']) await sqs.sendToGroup(queue, group, group);
    expect(await sqs.receiveBodies(queue, { ...NOT_YET, MaxNumberOfMessages: 3 })).toEqual(['g1', 'g1', 'g2']);
    expect(await sqs.receiveBodies(queue, NOT_YET)).toEqual(['g3', 'g1', 'g1', 'g2', 'g2']);
  });

  it('is served beside others by several consumers, each in order', async () => {
    const queue = await sqs.createFifoQueue();
    for (const index of [1, 2, 3]) {
      for (const group of ['a', 'b', 'c']) await sqs.sendToGroup(queue, group, `${group}${index}`);
    }
    const received: (string | undefined)[] = [];
    for (;;) {
      const [one] = await sqs.receive(queue, { MaxNumberOfMessages: 1 });
      const [two] = await sqs.receive(queue, { MaxNumberOfMessages: 1 });
      if (one === undefined) break;
      expect(two?.Attributes?.MessageGroupId).not.toBe(one.Attributes?.MessageGroupId);
      for (const message of [one, two]) {
        if (message === undefined) continue;
        received.push(message.Body);
        await sqs.delete(queue, message.ReceiptHandle);
      }
    }
    for (const group of ['a', 'b', 'c']) {
      expect(received.filter((body) => body?.startsWith(group))).toEqual([`${group}1`, `${group}2`, `${group}3`]);
    }
  });
});
