import type { DeleteOutcome, VisibilityOutcome } from '../engine/queue-service.ts';
import { invalidParameter, missingParameter, SqsError } from '../protocol/model/errors.ts';
import { VISIBILITY_TIMEOUT_SECONDS_MAX } from './limits.ts';

/** What is wrong with a receipt handle, in the words of SQS (section 2.10, section 2.12, section 5.2). */

/** @throws SqsError MissingParameter */
export function requireReceiptHandle(handle: string | undefined): string {
  if (!handle) throw missingParameter('ReceiptHandle');
  return handle;
}

/** The error that an outcome stands for, or undefined when the message was deleted. */
export function deleteError(handle: string, outcome: DeleteOutcome): SqsError | undefined {
  return outcome === 'deleted' ? undefined : handleError(handle, outcome);
}

/** The error that an outcome stands for, or undefined when the visibility was changed. */
export function visibilityError(
  handle: string,
  timeoutSeconds: number,
  outcome: VisibilityOutcome,
): SqsError | undefined {
  switch (outcome) {
    case 'changed':
      return undefined;
    case 'gone':
      return invalidHandle(handle, 'Message does not exist or is not available for visibility timeout change.');
    case 'beyond-limit':
      return invalidParameter(
        `Value ${timeoutSeconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the ` +
          `message is beyond the limit [${VISIBILITY_TIMEOUT_SECONDS_MAX} seconds]`,
      );
    default:
      return handleError(handle, outcome);
  }
}

function handleError(handle: string, outcome: 'invalid' | 'foreign' | 'expired'): SqsError {
  switch (outcome) {
    case 'invalid':
      return new SqsError(
        'ReceiptHandleIsInvalid',
        `The input receipt handle "${handle}" is not a valid receipt handle.`,
      );
    case 'foreign':
      return new SqsError('ReceiptHandleIsInvalid', `The receipt handle "${handle}" is not valid for this queue.`);
    case 'expired':
      return invalidHandle(handle, 'The receipt handle has expired.');
  }
}

function invalidHandle(handle: string, reason: string): SqsError {
  return invalidParameter(`Value ${handle} for parameter ReceiptHandle is invalid. Reason: ${reason}`);
}
