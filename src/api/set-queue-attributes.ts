import { missingParameter } from '../protocol/model/errors.ts';
import type { SetQueueAttributesRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { changeQueue } from './catalog.ts';
import { changeAttributes, parseAttributes } from './queue-attributes.ts';
import { isFifo } from './queue-type.ts';
import { checkDeadLetterTarget } from './redrive.ts';
import { ownValue } from './values.ts';

export async function setQueueAttributes(
  queue: QueueRecord,
  input: SetQueueAttributesRequest,
  context: ActionContext,
): Promise<undefined> {
  const requested = input.Attributes ?? {};
  if (Object.keys(requested).length === 0) throw missingParameter('Attribute.Name');
  const fifo = isFifo(queue);
  const changes = parseAttributes(requested, { fifo, creating: false });
  const redrivePolicy = ownValue(requested, 'RedrivePolicy');
  if (redrivePolicy) await checkDeadLetterTarget(redrivePolicy, { ...queue, fifo }, context);

  await changeQueue(queue, context, (current) => ({
    ...current,
    attributes: changeAttributes(current.attributes, changes),
    modifiedAt: context.platform.now(),
  }));
}
