import { missingParameter } from '../protocol/model/errors.ts';
import type { GetQueueUrlRequest, GetQueueUrlResult } from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { queueDoesNotExist } from './catalog.ts';
import { isQueueName } from './queue-name.ts';
import { queueUrlOf } from './queue-url.ts';

export async function getQueueUrl(input: GetQueueUrlRequest, context: ActionContext): Promise<GetQueueUrlResult> {
  const { QueueName: name, QueueOwnerAWSAccountId: owner } = input;
  if (!name) throw missingParameter('QueueName');
  const scope = owner === undefined ? context.scope : { ...context.scope, account: owner };
  const queue = isQueueName(name) ? await context.queues.findQueue(scope, name) : undefined;
  if (queue === undefined) throw queueDoesNotExist(context);
  return { QueueUrl: queueUrlOf(queue, context) };
}
