import { missingParameter } from '../protocol/model/errors.ts';
import type { TagQueueRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { changeQueue } from './catalog.ts';
import { addTags } from './tags.ts';

export async function tagQueue(queue: QueueRecord, input: TagQueueRequest, context: ActionContext): Promise<undefined> {
  const added = input.Tags ?? {};
  if (Object.keys(added).length === 0) throw missingParameter('Tags');
  await changeQueue(queue, context, (current) => ({ ...current, tags: addTags(queue.name, current.tags, added) }));
}
