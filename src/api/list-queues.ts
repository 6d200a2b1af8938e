import type { ListQueuesRequest, ListQueuesResult } from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { listPage } from './pagination.ts';
import { isQueueNamePrefix } from './queue-name.ts';
import { queueUrlOf } from './queue-url.ts';

export async function listQueues(input: ListQueuesRequest, context: ActionContext): Promise<ListQueuesResult> {
  const { scope } = context;
  const prefix = input.QueueNamePrefix ?? '';
  const { queues, nextToken } = await listPage(
    input,
    ['ListQueues', scope.account, scope.region, prefix],
    async ({ after, limit }) =>
      isQueueNamePrefix(prefix) ? context.queues.listQueues(scope, { prefix, after, limit }) : [],
  );
  return { QueueUrls: queues.map((queue) => queueUrlOf(queue, context)), NextToken: nextToken };
}
