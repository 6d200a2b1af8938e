import { invalidParameter, missingParameter } from '../protocol/model/errors.ts';
import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchRequestEntry,
  ChangeMessageVisibilityBatchResult,
} from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { checkBatch, prepareEntries, settleEntries, VISIBILITY_BATCH } from './batch.ts';
import { VISIBILITY_TIMEOUT_SECONDS_MAX } from './limits.ts';
import { requireReceiptHandle, visibilityError } from './receipt-handle.ts';

export async function changeMessageVisibilityBatch(
  queue: QueueRecord,
  input: ChangeMessageVisibilityBatchRequest,
  context: ActionContext,
): Promise<ChangeMessageVisibilityBatchResult> {
  const entries = checkBatch(input.Entries, VISIBILITY_BATCH, context);
  const { ready, failed } = prepareEntries(entries, (entry, index) => ({
    receiptHandle: requireReceiptHandle(entry.ReceiptHandle),
    seconds: timeoutOf(entry, index + 1),
  }));
  const changes = ready.map(({ prepared }) => ({
    receiptHandle: prepared.receiptHandle,
    timeoutMs: prepared.seconds * 1000,
  }));
  const outcomes = changes.length === 0 ? [] : await context.queues.changeVisibility(queue.id, changes);
  return settleEntries(ready, failed, ({ receiptHandle, seconds }, index) =>
    visibilityError(receiptHandle, seconds, outcomes[index]!),
  );
}

/** The texts differ from those of ChangeMessageVisibility (SQS: section 2.13). */
function timeoutOf(entry: ChangeMessageVisibilityBatchRequestEntry, position: number): number {
  const seconds = entry.VisibilityTimeout;
  if (seconds === undefined) {
    throw missingParameter(`ChangeMessageVisibilityBatchRequestEntry.${position}.VisibilityTimeout`);
  }
  if (seconds >= 0 && seconds <= VISIBILITY_TIMEOUT_SECONDS_MAX) return seconds;
  throw invalidParameter(
    `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between ` +
      `0 and ${VISIBILITY_TIMEOUT_SECONDS_MAX}.`,
  );
}
