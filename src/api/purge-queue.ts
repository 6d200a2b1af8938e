import { SqsError } from '../protocol/model/errors.ts';
import type { PurgeQueueRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';

export async function purgeQueue(
  queue: QueueRecord,
  _input: PurgeQueueRequest,
  context: ActionContext,
): Promise<undefined> {
  const { purgeIntervalMs } = context.limits;
  if ((await context.queues.purge(queue.id, purgeIntervalMs)) === 'purged') return;
  throw new SqsError(
    'PurgeQueueInProgress',
    `Only one PurgeQueue operation on ${queue.name} is allowed every ${purgeIntervalMs / 1000} seconds.`,
  );
}
