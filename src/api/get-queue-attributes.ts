import type { GetQueueAttributesRequest, GetQueueAttributesResult } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { asksForCounts, checkAttributeNames, viewAttributes } from './queue-attribute-view.ts';

/** Without names there is nothing to answer with (SQS: section 2.5). */
export async function getQueueAttributes(
  queue: QueueRecord,
  input: GetQueueAttributesRequest,
  context: ActionContext,
): Promise<GetQueueAttributesResult> {
  const names = input.AttributeNames ?? [];
  checkAttributeNames(names);
  const counts = asksForCounts(names) ? await context.queues.counts(queue.id) : undefined;
  return { Attributes: viewAttributes(queue, names, counts) };
}
