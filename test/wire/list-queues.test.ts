import { describe, expect, it } from 'vitest';
import { queueDoesNotExist } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

overBothProtocols('smoke', (sqs) => {
  it('works', async () => {
    const q = await sqs.createQueue({ DelaySeconds: '1' });
    await sqs.send(q, 'hello', {
      MessageAttributes: { a: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) } },
    });
    await sqs.advance(1);
    console.log(await sqs.receive(q, { MessageAttributeNames: ['All'] }), await sqs.counts(q));
    expect(await sqs.failure('GetQueueUrl', { QueueName: 'nope' })).toEqual(queueDoesNotExist(sqs.protocol));
  });
});
