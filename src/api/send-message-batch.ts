import { invalidParameter, SqsError } from '../protocol/model/errors.ts';
import type {
  SendMessageBatchRequest,
  SendMessageBatchRequestEntry,
  SendMessageBatchResult,
} from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { checkBatch, checkBatchSize, prepareEntries, SEND_BATCH } from './batch.ts';
import { messageSize } from './message-size.ts';
import { batchWording, checkDelivery, composeMessage, sendResultOf } from './outgoing-message.ts';
import { isFifo } from './queue-type.ts';

export async function sendMessageBatch(
  queue: QueueRecord,
  input: SendMessageBatchRequest,
  context: ActionContext,
): Promise<SendMessageBatchResult> {
  const entries = checkBatch(input.Entries, SEND_BATCH, context);
  const sizes = entries.map((entry) => messageSize(entry.MessageBody, entry.MessageAttributes));
  checkBatchSize(sizes);
  const fifo = isFifo(queue);
  if (fifo) checkFifoDelivery(queue, entries);

  const { ready, failed } = prepareEntries(entries, (entry, index) => {
    const wording = batchWording(index + 1);
    if (!fifo) checkDelivery(queue, entry, wording);
    return composeMessage(queue, entry, sizes[index]!, wording, context);
  });
  const messages = ready.map(({ prepared }) => prepared.message);
  const results = messages.length === 0 ? [] : await context.queues.send(queue.id, messages);
  return {
    Successful: ready.map(({ id, prepared }, index) => ({ Id: id, ...sendResultOf(prepared, results[index]!) })),
    Failed: failed,
  };
}

/**
 * On a FIFO queue one entry without a body, with a wrong id or with a delay fails the whole batch, and always as
 * InvalidParameterValue. That was recorded for missing ids; for the rest it is what those who probed SQS do
 * (SQS: section 6.8, section 14).
 */
function checkFifoDelivery(queue: QueueRecord, entries: readonly SendMessageBatchRequestEntry[]): void {
  entries.forEach((entry, index) => {
    try {
      checkDelivery(queue, entry, batchWording(index + 1));
    } catch (error) {
      throw error instanceof SqsError ? invalidParameter(error.message) : error;
    }
  });
}
