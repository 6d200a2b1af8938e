import type { DeleteMessageBatchRequest, DeleteMessageBatchResult } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { checkBatch, DELETE_BATCH, prepareEntries, settleEntries } from './batch.ts';
import { deleteError, requireReceiptHandle } from './receipt-handle.ts';

export async function deleteMessageBatch(
  queue: QueueRecord,
  input: DeleteMessageBatchRequest,
  context: ActionContext,
): Promise<DeleteMessageBatchResult> {
  const entries = checkBatch(input.Entries, DELETE_BATCH, context);
  const { ready, failed } = prepareEntries(entries, (entry) => requireReceiptHandle(entry.ReceiptHandle));
  const handles = ready.map(({ prepared }) => prepared);
  const outcomes = handles.length === 0 ? [] : await context.queues.deleteMessages(queue.id, handles);
  return settleEntries(ready, failed, (handle, index) => deleteError(handle, outcomes[index]!));
}
