import { describe, expect, it } from 'vitest';
import { useSqs } from '../support/sqs.ts';

/** SQS: section 5.1 */
describe('Visibility on a standard queue', () => {
  const sqs = useSqs();

  it('ends when the timeout of the queue is over', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '7' });
    await sqs.send(queue, 'm');
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.advance(6.999);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(0.001);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('ends when the timeout of the receive is over, which has no effect on later ones', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '2' });
    await sqs.send(queue, 'm');
    await sqs.receive(queue, { VisibilityTimeout: 100 });
    await sqs.advance(99);
    expect(await sqs.receiveBodies(queue)).toEqual([]);
    await sqs.advance(1);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
    await sqs.advance(2);
    expect(await sqs.receiveBodies(queue)).toEqual(['m']);
  });

  it('never begins with a timeout of 0, though the receive counts', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    for (const count of ['1', '2', '3']) {
      expect(await sqs.receive(queue, { VisibilityTimeout: 0 })).toMatchObject([
        { Body: 'm', Attributes: { ApproximateReceiveCount: count } },
      ]);
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
  });

  it('gives a message a new handle and the same id each time', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '0' });
    const { MessageId } = await sqs.send(queue, 'm');
    const receives = [await sqs.receive(queue), await sqs.receive(queue), await sqs.receive(queue)].flat();
    expect(receives.map((message) => message.MessageId)).toEqual([MessageId, MessageId, MessageId]);
    expect(new Set(receives.map(({ ReceiptHandle }) => ReceiptHandle)).size).toBe(3);
  });

  it('leaves a message that expires and is deleted neither here nor there', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'm');
    const handle = await sqs.receiveHandle(queue);
    await sqs.advance(30);
    await sqs.delete(queue, handle);
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('is that of the queue at the time of the receive', async () => {
    const queue = await sqs.createQueue({ VisibilityTimeout: '60' });
    await sqs.send(queue, 'a');
    await sqs.receive(queue);
    await sqs.setAttributes(queue, { VisibilityTimeout: '5' });
    await sqs.send(queue, 'b');
    expect(await sqs.receiveBodies(queue)).toEqual(['b']);
    await sqs.advance(5);
    expect(await sqs.receiveBodies(queue)).toEqual(['b']);
    await sqs.advance(55);
    expect((await sqs.receiveBodies(queue)).sort()).toEqual(['a', 'b']);
  });

  it('puts a message that was received three times behind the others', async () => {
    const queue = await sqs.createQueue();
    for (const body of ['poison', 'a', 'b']) await sqs.send(queue, body);
    for (let receive = 0; receive < 3; receive++) {
      expect(await sqs.receiveBodies(queue, { MaxNumberOfMessages: 1, VisibilityTimeout: 0 })).toEqual(['poison']);
    }
    expect(await sqs.receiveBodies(queue)).toEqual(['a', 'b', 'poison']);
  });

  it('ends for messages beside those that were never received', async () => {
    const queue = await sqs.createQueue();
    for (const body of ['a', 'b', 'c']) await sqs.send(queue, body);
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    await sqs.advance(30);
    expect((await sqs.receiveBodies(queue)).sort()).toEqual(['a', 'b', 'c']);
  });
});
