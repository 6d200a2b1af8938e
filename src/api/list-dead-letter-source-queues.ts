import type { ListDeadLetterSourceQueuesRequest, ListDeadLetterSourceQueuesResult } from '../protocol/model/shapes.ts';
import { type QueueRecord, queueArn } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { listPage } from './pagination.ts';
import { queueUrlOf } from './queue-url.ts';

export async function listDeadLetterSourceQueues(
  queue: QueueRecord,
  input: ListDeadLetterSourceQueuesRequest,
  context: ActionContext,
): Promise<ListDeadLetterSourceQueuesResult> {
  const arn = queueArn(queue);
  const { queues, nextToken } = await listPage(input, ['ListDeadLetterSourceQueues', arn], (query) =>
    context.queues.deadLetterSources(queue.scope, arn, query),
  );
  return { queueUrls: queues.map((source) => queueUrlOf(source, context)), NextToken: nextToken };
}
