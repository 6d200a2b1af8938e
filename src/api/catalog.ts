import { QueueGoneError, RevisionConflictError } from '../engine/queue-service.ts';
import { SqsError } from '../protocol/model/errors.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext, QueueAction } from './action.ts';
import { QUEUE_NAME_LENGTH_MAX } from './queue-name.ts';
import { queueReferenceOf } from './queue-url.ts';

/**
 * How often a change of a queue is tried. Each failure means that another change succeeded, so no pause is needed; ten
 * in a row mean that somebody changes this queue in a tight loop.
 */
const CHANGE_ATTEMPTS = 10;

/** AWS Query words it a little differently, which is left to its codec. */
export function queueDoesNotExist(): SqsError {
  return new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
}

/** Looks the queue up before the action runs (SQS: section 2). */
export function onQueue<Input extends { QueueUrl?: string }, Output>(action: QueueAction<Input, Output>) {
  return async (input: Input, context: ActionContext): Promise<Output> => {
    // A request that names no queue at all gets the same answer as one for a queue that is not there, which is what
    // was seen of SQS by those who probed it; MissingParameter would be as plausible (SQS: section 2, section 14).
    const reference = queueReferenceOf(input.QueueUrl, context);
    if (reference === undefined || reference.name.length > QUEUE_NAME_LENGTH_MAX) throw queueDoesNotExist();
    const found = context.queues.findQueue(reference.scope, reference.name);
    // Every wait takes a turn of the microtasks, also one for what is here already.
    const queue = found instanceof Promise ? await found : found;
    if (queue === undefined) throw queueDoesNotExist();
    return action(queue, input, context);
  };
}

/**
 * Replaces a queue's record by what `change` makes of it, again from a fresh record when another request was faster.
 * `change` must not depend on what it returned before; returning its argument means that there is nothing to do.
 *
 * @throws QueueGoneError when the queue was deleted meanwhile; RevisionConflictError when every attempt lost.
 */
export async function changeQueue(
  queue: QueueRecord,
  context: Pick<ActionContext, 'queues'>,
  change: (current: QueueRecord) => QueueRecord | Promise<QueueRecord>,
): Promise<void> {
  let current = queue;
  for (let attempt = 1; ; attempt += 1) {
    const changed = await change(current);
    if (changed === current) return;
    try {
      await context.queues.updateQueue(changed);
      return;
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === CHANGE_ATTEMPTS) throw error;
    }
    const fresh = await context.queues.findQueue(queue.scope, queue.name);
    // A queue of the same name that was made since is another queue.
    if (fresh?.id !== queue.id) throw new QueueGoneError(`Queue ${queue.name} was deleted during a change`);
    current = fresh;
  }
}
