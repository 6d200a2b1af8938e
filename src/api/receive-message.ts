import { invalidParameter, SqsError } from '../protocol/model/errors.ts';
import type { ReceiveMessageRequest, ReceiveMessageResult } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { compileAttributeFilter } from './attribute-filter.ts';
import { isId } from './characters.ts';
import { RECEIVE_MESSAGES_MAX, VISIBILITY_TIMEOUT_SECONDS_MAX, WAIT_TIME_SECONDS_MAX } from './limits.ts';
import { isFifo } from './queue-type.ts';
import { systemAttributesToShow, viewMessage } from './received-message.ts';

export async function receiveMessage(
  queue: QueueRecord,
  input: ReceiveMessageRequest,
  context: ActionContext,
): Promise<ReceiveMessageResult> {
  const { MaxNumberOfMessages: maxMessages = 1, VisibilityTimeout: visibilitySeconds } = input;
  checkMaxMessages(maxMessages);
  checkSeconds('WaitTimeSeconds', input.WaitTimeSeconds, WAIT_TIME_SECONDS_MAX);
  checkSeconds('VisibilityTimeout', visibilitySeconds, VISIBILITY_TIMEOUT_SECONDS_MAX);
  const systemAttributes = systemAttributesToShow(input);
  const attributeFilter = compileAttributeFilter(input.MessageAttributeNames);
  const waitSeconds = input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds);

  const messages = await context.queues.receive(
    queue.id,
    {
      maxMessages,
      waitMs: waitSeconds * 1000,
      visibilityTimeoutMs: visibilitySeconds === undefined ? undefined : visibilitySeconds * 1000,
      attemptId: attemptIdOf(queue, input.ReceiveRequestAttemptId),
    },
    context.signal,
    context.room,
  );
  if (messages === 'over-limit') {
    // The code is documented, the text is not known (SQS: section 14).
    throw new SqsError(
      'OverLimit',
      'The maximum number of in flight messages is reached. Delete messages from the queue after they are processed.',
    );
  }
  return { Messages: messages.map((message) => viewMessage(message, systemAttributes, attributeFilter)) };
}

function checkMaxMessages(count: number): void {
  if (count >= 1 && count <= RECEIVE_MESSAGES_MAX) return;
  throw invalidParameter(
    `Value ${count} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and ` +
      `${RECEIVE_MESSAGES_MAX}, if provided.`,
  );
}

function checkSeconds(parameter: string, seconds: number | undefined, max: number): void {
  if (seconds === undefined || (seconds >= 0 && seconds <= max)) return;
  throw invalidParameter(
    `Value ${seconds} for parameter ${parameter} is invalid. Reason: Must be >= 0 and <= ${max}, if provided.`,
  );
}

/** A standard queue takes no notice of the id, which some clients send to every queue (SQS: section 6.6). */
function attemptIdOf(queue: QueueRecord, id: string | undefined): string | undefined {
  if (id === undefined || !isFifo(queue)) return undefined;
  if (isId(id)) return id;
  // Worded like the other ids: the text of SQS is not known (SQS: section 14).
  throw invalidParameter(
    `Value ${id} for parameter ReceiveRequestAttemptId is invalid. Reason: ReceiveRequestAttemptId can only include ` +
      'alphanumeric and punctuation characters. 1 to 128 in length.',
  );
}
