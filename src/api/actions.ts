import {
  KeyError,
  OverloadedError,
  QueueGoneError,
  ReadError,
  RevisionConflictError,
  StoreUnavailableError,
  ThrottledError,
} from '../engine/queue-service.ts';
import { SqsError } from '../protocol/model/errors.ts';
import type { ActionInputs, ActionName, ActionOutputs } from '../protocol/model/shapes.ts';
import type { Action, ActionContext } from './action.ts';
import { addPermission } from './add-permission.ts';
import { cancelMessageMoveTask } from './cancel-message-move-task.ts';
import { onQueue, queueDoesNotExist } from './catalog.ts';
import { changeMessageVisibility } from './change-message-visibility.ts';
import { changeMessageVisibilityBatch } from './change-message-visibility-batch.ts';
import { createQueue } from './create-queue.ts';
import { deleteMessage } from './delete-message.ts';
import { deleteMessageBatch } from './delete-message-batch.ts';
import { deleteQueue } from './delete-queue.ts';
import { getQueueAttributes } from './get-queue-attributes.ts';
import { getQueueUrl } from './get-queue-url.ts';
import { listDeadLetterSourceQueues } from './list-dead-letter-source-queues.ts';
import { listMessageMoveTasks } from './list-message-move-tasks.ts';
import { listQueueTags } from './list-queue-tags.ts';
import { listQueues } from './list-queues.ts';
import { purgeQueue } from './purge-queue.ts';
import { isQueuePath } from './queue-url.ts';
import { receiveMessage } from './receive-message.ts';
import { removePermission } from './remove-permission.ts';
import { sendMessage } from './send-message.ts';
import { sendMessageBatch } from './send-message-batch.ts';
import { setQueueAttributes } from './set-queue-attributes.ts';
import { startMessageMoveTask } from './start-message-move-task.ts';
import { tagQueue } from './tag-queue.ts';
import { untagQueue } from './untag-queue.ts';

export const actions: { [Name in ActionName]: Action<ActionInputs[Name], ActionOutputs[Name]> } = {
  AddPermission: onQueue(addPermission),
  CancelMessageMoveTask: cancelMessageMoveTask,
  ChangeMessageVisibility: onQueue(changeMessageVisibility),
  ChangeMessageVisibilityBatch: onQueue(changeMessageVisibilityBatch),
  CreateQueue: onAccount('CreateQueue', createQueue),
  DeleteMessage: onQueue(deleteMessage),
  DeleteMessageBatch: onQueue(deleteMessageBatch),
  DeleteQueue: onQueue(deleteQueue),
  GetQueueAttributes: onQueue(getQueueAttributes),
  GetQueueUrl: getQueueUrl,
  ListDeadLetterSourceQueues: onQueue(listDeadLetterSourceQueues),
  ListMessageMoveTasks: listMessageMoveTasks,
  ListQueueTags: onQueue(listQueueTags),
  ListQueues: onAccount('ListQueues', listQueues),
  PurgeQueue: onQueue(purgeQueue),
  ReceiveMessage: onQueue(receiveMessage),
  RemovePermission: onQueue(removePermission),
  SendMessage: onQueue(sendMessage),
  SendMessageBatch: onQueue(sendMessageBatch),
  SetQueueAttributes: onQueue(setQueueAttributes),
  StartMessageMoveTask: startMessageMoveTask,
  TagQueue: onQueue(tagQueue),
  UntagQueue: onQueue(untagQueue),
};

/**
 * Runs an action by name. What the engine throws becomes an error of the API here and nowhere else.
 *
 * @throws SqsError for everything a client can be told; any other error is a defect of this server.
 */
export async function runAction<Name extends ActionName>(
  name: Name,
  input: ActionInputs[Name],
  context: ActionContext,
): Promise<ActionOutputs[Name]> {
  try {
    return await actions[name](input, context);
  } catch (error) {
    throw toSqsError(error);
  }
}

function toSqsError(error: unknown): unknown {
  if (error instanceof QueueGoneError) return queueDoesNotExist();
  if (error instanceof ThrottledError) return new SqsError('RequestThrottled', 'Request is throttled.');
  if (error instanceof StoreUnavailableError) {
    const outcome =
      error.outcome === 'not-applied' ? 'Nothing was changed.' : 'Whether the request was carried out is not known.';
    return new SqsError('ServiceUnavailable', `${error.message} ${outcome}`, { cause: error });
  }
  if (error instanceof KeyError) {
    return new SqsError(error.failure ?? 'ServiceUnavailable', error.message, { cause: error });
  }
  if (error instanceof ReadError) {
    return new SqsError('InternalFailure', 'The queue cannot be read from the disk of the server.', { cause: error });
  }
  if (error instanceof RevisionConflictError) {
    return new SqsError('ServiceUnavailable', 'Too many changes of the queue at the same time; nothing was changed.', {
      cause: error,
    });
  }
  if (error instanceof OverloadedError) {
    return new SqsError('ServiceUnavailable', `${error.message} Nothing was changed.`, { cause: error });
  }
  return error;
}

/** These two cannot be sent to the URL of a queue (SQS: section 1.1). */
function onAccount<Input, Output>(name: ActionName, action: Action<Input, Output>): Action<Input, Output> {
  return async (input, context) => {
    if (isQueuePath(context.path)) {
      throw new SqsError('UnknownOperationException', `The action ${name} is not valid for this endpoint.`);
    }
    return action(input, context);
  };
}
