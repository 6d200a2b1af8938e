import { expect, it } from 'vitest';
import { sqsError } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

const THROTTLED = sqsError('RequestThrottled', 'Request is throttled.');

overBothProtocols(
  'quotas of AWS',
  (sqs) => {
    it('let 300 sends a second through to a FIFO queue, and the next one when its time has come', async () => {
      const queue = await sqs.createFifoQueue();
      for (let n = 0; n < 300; n++) await sqs.sendToGroup(queue, `g${n}`, 'a');
      const input = { QueueUrl: queue, MessageBody: 'b', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
      expect(await sqs.failure('SendMessage', input)).toEqual(THROTTLED);
      const Entries = [{ Id: '1', MessageBody: 'b', MessageGroupId: 'g', MessageDeduplicationId: 'd' }];
      expect(await sqs.failure('SendMessageBatch', { QueueUrl: queue, Entries })).toEqual(THROTTLED);
      // Another action, and another queue.
      expect(await sqs.receive(queue)).toHaveLength(10);
      await sqs.sendToGroup(await sqs.createFifoQueue(), 'g', 'a');
      await sqs.advance(0.004);
      await sqs.call('SendMessage', input);
      expect(await sqs.failure('SendMessage', input)).toEqual(THROTTLED);
      expect(await sqs.counts(queue)).toMatchObject({ visible: 291, inFlight: 10 });
    });

    it('do not hold for standard queues', async () => {
      const queue = await sqs.createQueue();
      for (let n = 0; n < 301; n++) await sqs.send(queue, 'a');
      expect((await sqs.counts(queue)).visible).toBe(301);
    });
  },
  { quotas: 'aws' },
);

overBothProtocols(
  'a rate limit',
  (sqs) => {
    it('holds for all requests of an account, also those that fail', async () => {
      await sqs.createQueue({}, 'a');
      await sqs.failure('GetQueueUrl', { QueueName: 'none' });
      await sqs.call('ListQueues');
      expect(await sqs.failure('ListQueues')).toEqual(THROTTLED);
      await sqs.advance(0.499);
      expect(await sqs.failure('ListQueues')).toEqual(THROTTLED);
      await sqs.advance(0.001);
      await sqs.call('ListQueues');
      expect(await sqs.failure('ListQueues')).toEqual(THROTTLED);
    });
  },
  { rateLimits: { '000000000000': { requestsPerSecond: 2, burst: 3 } } },
);
