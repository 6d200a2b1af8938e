import { invalidParameter, SqsError } from '../protocol/model/errors.ts';
import type { CancelMessageMoveTaskRequest, CancelMessageMoveTaskResult } from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { readTaskHandle, requireQueueByArn } from './move-task.ts';

export async function cancelMessageMoveTask(
  input: CancelMessageMoveTaskRequest,
  context: ActionContext,
): Promise<CancelMessageMoveTaskResult> {
  const { taskId, sourceArn } = readTaskHandle(input.TaskHandle);
  const source = await requireQueueByArn('SourceArn', sourceArn, context);
  const task = await context.queues.cancelMoveTask(source.id, taskId);
  if (task === 'no-such-task') throw new SqsError('ResourceNotFoundException', 'Task does not exist.');
  if (task === 'not-active') throw invalidParameter('Only active tasks can be cancelled.');
  return { ApproximateNumberOfMessagesMoved: task.movedCount };
}
