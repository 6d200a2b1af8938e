import { expect, it } from 'vitest';
import { missingParameter, queueDoesNotExist } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

/** SQS: section 2.4 */
overBothProtocols('GetQueueUrl', (sqs) => {
  it('finds a queue by name', async () => {
    const QueueUrl = await sqs.createQueue({}, 'orders');
    expect(await sqs.call('GetQueueUrl', { QueueName: 'orders' })).toEqual({ QueueUrl });
  });

  it('finds a queue by name and owner', async () => {
    const QueueUrl = await sqs.createQueue({}, 'owned');
    const owner = { QueueName: 'owned', QueueOwnerAWSAccountId: '000000000000' };
    expect(await sqs.call('GetQueueUrl', owner)).toEqual({ QueueUrl });
    expect(await sqs.failure('GetQueueUrl', { ...owner, QueueOwnerAWSAccountId: '111111111111' })).toEqual(
      queueDoesNotExist(sqs.protocol),
    );
  });

  it('minds the case of the name', async () => {
    await sqs.createQueue({}, 'lower');
    expect(await sqs.failure('GetQueueUrl', { QueueName: 'LOWER' })).toEqual(queueDoesNotExist(sqs.protocol));
  });

  it('refuses the name of no queue', async () => {
    expect(await sqs.failure('GetQueueUrl', { QueueName: 'unknown' })).toEqual(queueDoesNotExist(sqs.protocol));
  });

  it('refuses a request without a name', async () => {
    expect(await sqs.failure('GetQueueUrl')).toEqual(missingParameter('QueueName'));
  });
});
