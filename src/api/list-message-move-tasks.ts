import type { MoveTask } from '../engine/queue-service.ts';
import { invalidParameter } from '../protocol/model/errors.ts';
import type {
  ListMessageMoveTasksRequest,
  ListMessageMoveTasksResult,
  ListMessageMoveTasksResultEntry,
} from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { MOVE_TASK_RESULTS_MAX } from './limits.ts';
import { requireQueueByArn, writeTaskHandle } from './move-task.ts';

export async function listMessageMoveTasks(
  input: ListMessageMoveTasksRequest,
  context: ActionContext,
): Promise<ListMessageMoveTasksResult> {
  const source = await requireQueueByArn('SourceArn', input.SourceArn, context);
  const { MaxResults: limit = 1 } = input;
  if (limit < 1 || limit > MOVE_TASK_RESULTS_MAX) {
    throw invalidParameter(
      `Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and ${MOVE_TASK_RESULTS_MAX}.`,
    );
  }
  const tasks = await context.queues.listMoveTasks(source.id, limit);
  return { Results: tasks.map(viewTask) };
}

function viewTask(task: MoveTask): ListMessageMoveTasksResultEntry {
  return {
    // Only what can be cancelled has a handle.
    TaskHandle: task.status === 'RUNNING' ? writeTaskHandle({ taskId: task.id, sourceArn: task.sourceArn }) : undefined,
    Status: task.status,
    SourceArn: task.sourceArn,
    DestinationArn: task.destinationArn,
    MaxNumberOfMessagesPerSecond: task.maxMessagesPerSecond,
    ApproximateNumberOfMessagesMoved: task.movedCount,
    ApproximateNumberOfMessagesToMove: task.toMoveCount,
    FailureReason: task.status === 'FAILED' ? task.failureReason : undefined,
    StartedTimestamp: task.startedAt,
  };
}
