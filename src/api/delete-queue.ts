import type { DeleteQueueRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';

export async function deleteQueue(
  queue: QueueRecord,
  _input: DeleteQueueRequest,
  context: ActionContext,
): Promise<undefined> {
  await context.queues.deleteQueue(queue.id);
}
