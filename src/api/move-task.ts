import { invalidParameter, missingParameter, SqsError } from '../protocol/model/errors.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { findQueueByArn, parseArn } from './arn.ts';
import { TOKEN_LENGTH_MAX } from './limits.ts';
import { parseJsonObject } from './values.ts';

/** What the three actions on message move tasks share (SQS: section 7). */

/** What a task handle says. Clients may look into it: SQS writes it in the same way. */
export interface TaskReference {
  taskId: string;
  sourceArn: string;
}

/** Every id that an engine may give a task, and nothing that is too long to be looked up. */
const TASK_ID = /^[\w-]{1,100}$/;

export function writeTaskHandle({ taskId, sourceArn }: TaskReference): string {
  return Buffer.from(JSON.stringify({ taskId, sourceArn })).toString('base64');
}

/** @throws SqsError MissingParameter or InvalidParameterValue. */
export function readTaskHandle(handle: string | undefined): TaskReference {
  if (!handle) {
    throw new SqsError('MissingRequiredParameterException', 'The TaskHandle parameter is required.');
  }
  const content =
    handle.length > TOKEN_LENGTH_MAX ? undefined : parseJsonObject(Buffer.from(handle, 'base64').toString());
  const { taskId, sourceArn } = content ?? {};
  if (typeof taskId !== 'string' || !TASK_ID.test(taskId) || typeof sourceArn !== 'string') {
    throw invalidParameter('Value for parameter TaskHandle is invalid.');
  }
  return { taskId, sourceArn };
}

/**
 * The queue that an ARN parameter names.
 *
 * @throws SqsError MissingParameter, InvalidParameterValue or ResourceNotFoundException.
 */
export async function requireQueueByArn(
  parameter: 'SourceArn' | 'DestinationArn',
  text: string | undefined,
  context: ActionContext,
): Promise<QueueRecord> {
  if (text === undefined) throw missingParameter(parameter);
  const arn = parseArn(text);
  if (arn === undefined) {
    throw invalidParameter(
      `You must use this format to specify the ${parameter}: ` +
        'arn:<partition>:<service>:<region>:<account-id>:<resource-id>',
    );
  }
  const queue = await findQueueByArn(arn, context);
  if (queue !== undefined) return queue;
  throw new SqsError(
    'ResourceNotFoundException',
    `The resource that you specified for the ${parameter} parameter doesn't exist.`,
  );
}
