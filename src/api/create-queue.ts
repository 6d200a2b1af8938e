import { SqsError } from '../protocol/model/errors.ts';
import type { CreateQueueRequest, CreateQueueResult } from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { firstDifference, newQueueAttributes, parseAttributes } from './queue-attributes.ts';
import { checkNewQueueName } from './queue-name.ts';
import { queueUrlOf } from './queue-url.ts';
import { checkDeadLetterTarget } from './redrive.ts';
import { addTags } from './tags.ts';
import { ownValue } from './values.ts';

export async function createQueue(input: CreateQueueRequest, context: ActionContext): Promise<CreateQueueResult> {
  const { Attributes: requested = {}, tags = {} } = input;
  const { name, fifo } = checkNewQueueName(input.QueueName, ownValue(requested, 'FifoQueue'));
  const changes = parseAttributes(requested, { fifo, creating: true });
  const attributes = newQueueAttributes(fifo, changes);
  const redrivePolicy = ownValue(requested, 'RedrivePolicy');
  if (redrivePolicy) await checkDeadLetterTarget(redrivePolicy, { scope: context.scope, name, fifo }, context);

  const now = context.platform.now();
  const outcome = await context.queues.createQueue(
    {
      scope: context.scope,
      name,
      attributes,
      tags: addTags(name, {}, tags),
      createdAt: now,
      modifiedAt: now,
      deduplicationScopeInForce: fifo ? scopeOfDeduplication(attributes) : undefined,
    },
    context.limits.recreateAfterMs,
  );

  if (outcome === 'deleted-recently') {
    throw new SqsError(
      'QueueDeletedRecently',
      `You must wait ${context.limits.recreateAfterMs / 1000} seconds after deleting a queue before you can create ` +
        'another with the same name.',
    );
  }
  // Creating a queue again is no error as long as the request does not contradict it. Tags are neither compared nor
  // changed then (SQS: section 2.1).
  const different = outcome.created ? undefined : firstDifference(outcome.queue.attributes, changes);
  if (different !== undefined) {
    throw new SqsError(
      'QueueNameExists',
      `A queue already exists with the same name and a different value for attribute ${different}`,
    );
  }
  return { QueueUrl: queueUrlOf(outcome.queue, context) };
}

function scopeOfDeduplication(attributes: Readonly<Record<string, string>>): 'queue' | 'messageGroup' {
  return attributes.DeduplicationScope === 'messageGroup' ? 'messageGroup' : 'queue';
}
