import type { QueueRecord } from '../queue/record.ts';

export function isFifo(queue: Pick<QueueRecord, 'attributes'>): boolean {
  return queue.attributes.FifoQueue === 'true';
}
