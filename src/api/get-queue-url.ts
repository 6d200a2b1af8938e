import { missingParameter } from '../protocol/model/errors.ts';
import type { GetQueueUrlRequest, GetQueueUrlResult } from '../protocol/model/shapes.ts';
import { isAccountId } from './account.ts';
import type { ActionContext } from './action.ts';
import { queueDoesNotExist } from './catalog.ts';
import { isQueueName } from './queue-name.ts';
import { queueUrlOf } from './queue-url.ts';

export async function getQueueUrl(input: GetQueueUrlRequest, context: ActionContext): Promise<GetQueueUrlResult> {
  const { QueueName: name, QueueOwnerAWSAccountId: owner } = input;
  if (!name) throw missingParameter('QueueName');
  const account = owner ?? context.scope.account;
  const canExist = isAccountId(account) && isQueueName(name);
  const queue = canExist ? await context.queues.findQueue({ ...context.scope, account }, name) : undefined;
  if (queue === undefined) throw queueDoesNotExist();
  return { QueueUrl: queueUrlOf(queue, context) };
}
