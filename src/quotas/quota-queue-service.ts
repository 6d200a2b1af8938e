import { type QueueService, ThrottledError } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import type { QueueRecord } from '../queue/record.ts';
import { FifoQuotas, type MeteredAction } from './fifo-quotas.ts';

const NO_GROUPS: ReadonlySet<string> = new Set();

/**
 * The same queues, with the throughput quotas of AWS before them. It stands in the process that keeps the queues, so what many
 * workers take counts together. A call that fails its validation never comes here, and does not count.
 */
export function withQuotas(queues: QueueService, platform: Pick<Platform, 'now'>): QueueService {
  const quotas = new FifoQuotas();
  /** FIFO queues that have been asked for, by their ids: every request begins with that. As many as there are at most. */
  const fifoQueues = new Map<number, QueueRecord>();
  const note = (queue: QueueRecord | undefined): QueueRecord | undefined => {
    if (queue?.attributes.FifoQueue === 'true') fifoQueues.set(queue.id, queue);
    return queue;
  };
  const count = (queueId: number, action: MeteredAction, groups = NO_GROUPS): void => {
    const queue = fifoQueues.get(queueId);
    if (queue !== undefined && !quotas.admits(queue, action, groups, platform.now())) throw new ThrottledError();
  };
  return {
    findQueue(scope, name) {
      const found = queues.findQueue(scope, name);
      return found instanceof Promise ? found.then(note) : note(found);
    },
    async send(queueId, messages) {
      count(queueId, 'send', new Set(messages.map(({ groupId = '' }) => groupId)));
      return queues.send(queueId, messages);
    },
    async receive(queueId, request, signal, room) {
      count(queueId, 'receive');
      return queues.receive(queueId, request, signal, room);
    },
    async deleteMessages(queueId, receiptHandles) {
      count(queueId, 'delete');
      return queues.deleteMessages(queueId, receiptHandles);
    },
    async changeVisibility(queueId, entries) {
      count(queueId, 'changeVisibility');
      return queues.changeVisibility(queueId, entries);
    },
    async deleteQueue(queueId) {
      await queues.deleteQueue(queueId);
      fifoQueues.delete(queueId);
    },
    listQueues: (scope, query) => queues.listQueues(scope, query),
    createQueue: (queue, recreateAfterMs) => queues.createQueue(queue, recreateAfterMs),
    updateQueue: (record) => queues.updateQueue(record),
    deadLetterSources: (scope, targetArn, query) => queues.deadLetterSources(scope, targetArn, query),
    counts: (queueId) => queues.counts(queueId),
    purge: (queueId, minIntervalMs) => queues.purge(queueId, minIntervalMs),
    startMoveTask: (request) => queues.startMoveTask(request),
    listMoveTasks: (sourceQueueId, limit) => queues.listMoveTasks(sourceQueueId, limit),
    cancelMoveTask: (sourceQueueId, taskId) => queues.cancelMoveTask(sourceQueueId, taskId),
  };
}
