import type { ListQueueTagsRequest, ListQueueTagsResult } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';

export async function listQueueTags(queue: QueueRecord, _input: ListQueueTagsRequest): Promise<ListQueueTagsResult> {
  return { Tags: queue.tags };
}
