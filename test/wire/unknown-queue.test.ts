import { expect, it } from 'vitest';
import type { ActionName } from '../../src/protocol/model/shapes.ts';
import { queueDoesNotExist } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

const QUEUE_ACTIONS: ActionName[] = [
  'AddPermission',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'DeleteMessage',
  'DeleteMessageBatch',
  'DeleteQueue',
  'GetQueueAttributes',
  'ListDeadLetterSourceQueues',
  'ListQueueTags',
  'PurgeQueue',
  'ReceiveMessage',
  'RemovePermission',
  'SendMessage',
  'SendMessageBatch',
  'SetQueueAttributes',
  'TagQueue',
  'UntagQueue',
];

/** SQS: section 2. The queue is looked up before any other parameter. */
overBothProtocols('An unknown queue', (sqs) => {
  it.each(QUEUE_ACTIONS)('is an error of %s before all that is missing or wrong', async (action) => {
    const QueueUrl = `${sqs.server.url}/000000000000/unknown`;
    expect(await sqs.failure(action, { QueueUrl })).toEqual(queueDoesNotExist(sqs.protocol));
    const wrong = { QueueUrl, ReceiptHandle: 'garbage', Entries: [], MaxNumberOfMessages: 11 };
    expect(await sqs.failure(action, wrong)).toEqual(queueDoesNotExist(sqs.protocol));
  });

  it.each(QUEUE_ACTIONS)('is what %s says of no queue at all', async (action) => {
    expect(await sqs.failure(action, {})).toEqual(queueDoesNotExist(sqs.protocol));
  });
});
