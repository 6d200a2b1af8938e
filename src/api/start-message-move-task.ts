import { invalidParameter } from '../protocol/model/errors.ts';
import type { StartMessageMoveTaskRequest, StartMessageMoveTaskResult } from '../protocol/model/shapes.ts';
import { type QueueRecord, queueArn } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { MOVE_TASK_RATE_MAX } from './limits.ts';
import { requireQueueByArn, writeTaskHandle } from './move-task.ts';
import { isFifo } from './queue-type.ts';

export async function startMessageMoveTask(
  input: StartMessageMoveTaskRequest,
  context: ActionContext,
): Promise<StartMessageMoveTaskResult> {
  const source = await requireQueueByArn('SourceArn', input.SourceArn, context);
  const sourceArn = queueArn(source);
  await requireDeadLetterQueue(source, sourceArn, context);
  if (input.DestinationArn !== undefined) await checkDestination(source, sourceArn, input.DestinationArn, context);
  const rate = input.MaxNumberOfMessagesPerSecond;
  if (rate !== undefined && (rate < 1 || rate > MOVE_TASK_RATE_MAX)) {
    throw invalidParameter(
      "Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 " +
        `and ${MOVE_TASK_RATE_MAX}.`,
    );
  }

  const task = await context.queues.startMoveTask({
    sourceQueueId: source.id,
    sourceArn,
    destinationArn: input.DestinationArn,
    maxMessagesPerSecond: rate,
  });
  if (task === 'already-running') {
    throw invalidParameter(
      'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
    );
  }
  return { TaskHandle: writeTaskHandle({ taskId: task.id, sourceArn }) };
}

/** A dead-letter queue is one that some queue names as such now. */
async function requireDeadLetterQueue(queue: QueueRecord, arn: string, context: ActionContext): Promise<void> {
  const sources = await context.queues.deadLetterSources(queue.scope, arn, { limit: 1 });
  if (sources.length === 0) throw invalidParameter('Source queue must be configured as a Dead Letter Queue.');
}

async function checkDestination(
  source: QueueRecord,
  sourceArn: string,
  destinationArn: string,
  context: ActionContext,
): Promise<void> {
  if (destinationArn === sourceArn) {
    throw invalidParameter('Source queue arn and destination queue arn cannot be the same.');
  }
  const destination = await requireQueueByArn('DestinationArn', destinationArn, context);
  if (isFifo(destination) !== isFifo(source)) {
    throw invalidParameter('The source queue and destination queue must be of the same queue type.');
  }
}
