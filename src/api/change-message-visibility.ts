import { invalidParameter, missingParameter } from '../protocol/model/errors.ts';
import type { ChangeMessageVisibilityRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { VISIBILITY_TIMEOUT_SECONDS_MAX } from './limits.ts';
import { requireReceiptHandle, visibilityError } from './receipt-handle.ts';

export async function changeMessageVisibility(
  queue: QueueRecord,
  input: ChangeMessageVisibilityRequest,
  context: ActionContext,
): Promise<undefined> {
  const receiptHandle = requireReceiptHandle(input.ReceiptHandle);
  const seconds = input.VisibilityTimeout;
  if (seconds === undefined) throw missingParameter('VisibilityTimeout');
  if (seconds < 0 || seconds > VISIBILITY_TIMEOUT_SECONDS_MAX) {
    throw invalidParameter(
      `Value ${seconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and ` +
        `${VISIBILITY_TIMEOUT_SECONDS_MAX}.`,
    );
  }
  const [outcome] = await context.queues.changeVisibility(queue.id, [{ receiptHandle, timeoutMs: seconds * 1000 }]);
  const error = visibilityError(receiptHandle, seconds, outcome!);
  if (error !== undefined) throw error;
}
