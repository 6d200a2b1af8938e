import type { UntagQueueRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { changeQueue } from './catalog.ts';
import { checkKeyLength, removeTags } from './tags.ts';

export async function untagQueue(
  queue: QueueRecord,
  input: UntagQueueRequest,
  context: ActionContext,
): Promise<undefined> {
  const { TagKeys: keys = [] } = input;
  // No keys are answered like one empty key, which is what Query clients send for an empty list (SQS: section 2.22).
  for (const key of keys.length === 0 ? [''] : keys) checkKeyLength(key);
  await changeQueue(queue, context, (current) => {
    const tags = removeTags(current.tags, keys);
    return tags === current.tags ? current : { ...current, tags };
  });
}
