import { describe, expect, it } from 'vitest';
import { type Sqs, useSqs } from '../support/sqs.ts';

/** SQS: section 5.6 */
describe.each([
  ['standard', (sqs: Sqs, attributes: Record<string, string>) => sqs.createQueue(attributes), {}],
  [
    'FIFO',
    (sqs: Sqs, attributes: Record<string, string>) => sqs.createFifoQueue(attributes),
    { MessageGroupId: 'g', MessageDeduplicationId: 'd' },
  ],
])('Retention on a %s queue', (_, create, ids) => {
  const sqs = useSqs();
  const empty = { visible: 0, inFlight: 0, delayed: 0 };

  it('keeps a message until the period since it was sent is over', async () => {
    const queue = await create(sqs, { MessageRetentionPeriod: '60', VisibilityTimeout: '0' });
    await sqs.send(queue, 'm', ids);
    await sqs.advance(59.999);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    expect(await sqs.counts(queue)).toEqual(empty);
  });

  it('is four days by default', async () => {
    const queue = await create(sqs, { VisibilityTimeout: '0' });
    await sqs.send(queue, 'm', ids);
    await sqs.advance(345_599);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.advance(1);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('removes messages in flight', async () => {
    const queue = await create(sqs, { MessageRetentionPeriod: '60', VisibilityTimeout: '600' });
    await sqs.send(queue, 'm', ids);
    const handle = await sqs.receiveHandle(queue);
    await sqs.advance(60);
    expect(await sqs.counts(queue)).toEqual(empty);
    await sqs.delete(queue, handle);
    await sqs.advance(600);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('removes delayed messages', async () => {
    const queue = await create(sqs, { MessageRetentionPeriod: '60', DelaySeconds: '90' });
    await sqs.send(queue, 'm', ids);
    await sqs.advance(60);
    expect(await sqs.counts(queue)).toEqual(empty);
    await sqs.advance(30);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });

  it('changes for messages in the queue when it changes', async () => {
    const queue = await create(sqs, { VisibilityTimeout: '0' });
    await sqs.send(queue, 'm', ids);
    await sqs.advance(70);
    await sqs.setAttributes(queue, { MessageRetentionPeriod: '80' });
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.advance(10);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
  });
});

describe('Retention on a FIFO queue with a message in flight', () => {
  const sqs = useSqs();

  it('frees the group when the message is gone', async () => {
    const queue = await sqs.createFifoQueue({ MessageRetentionPeriod: '60', VisibilityTimeout: '600' });
    await sqs.sendToGroup(queue, 'g', 'old');
    await sqs.advance(30);
    await sqs.sendToGroup(queue, 'g', 'young');
    expect(await sqs.receiveBodies(queue, { MaxNumberOfMessages: 1 })).toEqual(['old']);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(30);
    expect(await sqs.receiveBodies(queue)).toEqual(['young']);
  });
});
