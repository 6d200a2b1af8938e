import type { DeleteMessageRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { deleteError, requireReceiptHandle } from './receipt-handle.ts';

export async function deleteMessage(
  queue: QueueRecord,
  input: DeleteMessageRequest,
  context: ActionContext,
): Promise<undefined> {
  const handle = requireReceiptHandle(input.ReceiptHandle);
  const [outcome] = await context.queues.deleteMessages(queue.id, [handle]);
  const error = deleteError(handle, outcome!);
  if (error !== undefined) throw error;
}
