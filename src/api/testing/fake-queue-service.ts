import {
  type DeleteOutcome,
  type MessageCounts,
  type MoveTask,
  type MoveTaskRequest,
  QueueGoneError,
  type QueueService,
  type ReceivedMessage,
  type ReceiveRequest,
  RevisionConflictError,
  type SendResult,
  type VisibilityChange,
  type VisibilityOutcome,
} from '../../engine/queue-service.ts';
import type { NewMessage } from '../../queue/message.ts';
import type { QueueRecord, Scope } from '../../queue/record.ts';

/**
 * A catalog in memory, and no messages: what concerns them is recorded in `calls` and answered with what the test put
 * into `replies`.
 */
export class FakeQueueService implements QueueService {
  readonly calls: { method: string; arguments: unknown[] }[] = [];
  readonly replies = {
    counts: { visible: 0, inFlight: 0, delayed: 0 } as MessageCounts,
    send: (message: NewMessage): SendResult => ({ messageId: message.messageId }),
    receive: [] as ReceivedMessage[] | 'over-limit',
    /** Without them everything succeeds. */
    deletions: undefined as DeleteOutcome[] | undefined,
    visibility: undefined as VisibilityOutcome[] | undefined,
    purge: 'purged' as 'purged' | 'in-progress',
    create: undefined as 'deleted-recently' | undefined,
    startMoveTask: 'already-running' as MoveTask | 'already-running',
    moveTasks: [] as MoveTask[],
    cancelMoveTask: 'no-such-task' as MoveTask | 'no-such-task' | 'not-active',
  };
  /** Runs before each conditional update: for what another request does at the same time. */
  beforeUpdate = (_record: QueueRecord): void => {};

  readonly #queues = new Map<string, QueueRecord>();
  #nextId = 1;

  async findQueue(scope: Scope, name: string): Promise<QueueRecord | undefined> {
    return this.#queues.get(keyOf(scope, name));
  }

  async listQueues(scope: Scope, query: { prefix: string; after?: string; limit: number }): Promise<QueueRecord[]> {
    return this.#page(scope, query, (queue) => queue.name.startsWith(query.prefix));
  }

  async createQueue(
    queue: Omit<QueueRecord, 'id' | 'revision'>,
  ): Promise<{ created: boolean; queue: QueueRecord } | 'deleted-recently'> {
    if (this.replies.create !== undefined) return this.replies.create;
    const existing = this.#queues.get(keyOf(queue.scope, queue.name));
    if (existing !== undefined) return { created: false, queue: existing };
    const created = { ...queue, id: this.#nextId++, revision: 1 };
    this.#queues.set(keyOf(queue.scope, queue.name), created);
    return { created: true, queue: created };
  }

  async updateQueue(record: QueueRecord): Promise<QueueRecord> {
    this.beforeUpdate(record);
    const stored = this.#queues.get(keyOf(record.scope, record.name));
    if (stored?.id !== record.id) throw new QueueGoneError();
    if (stored.revision !== record.revision) throw new RevisionConflictError();
    return this.put({ ...record, revision: record.revision + 1 });
  }

  /** Stores a record as it is, whatever was there. */
  put(record: QueueRecord): QueueRecord {
    this.#queues.set(keyOf(record.scope, record.name), record);
    return record;
  }

  async deleteQueue(queueId: number): Promise<void> {
    for (const [key, queue] of this.#queues) {
      if (queue.id === queueId) this.#queues.delete(key);
    }
  }

  async deadLetterSources(
    scope: Scope,
    targetArn: string,
    query: { after?: string; limit: number },
  ): Promise<QueueRecord[]> {
    return this.#page(scope, query, ({ attributes: { RedrivePolicy: policy } }) =>
      Boolean(policy && JSON.parse(policy).deadLetterTargetArn === targetArn),
    );
  }

  async counts(queueId: number): Promise<MessageCounts> {
    this.#record('counts', queueId);
    return this.replies.counts;
  }

  async send(queueId: number, messages: readonly NewMessage[]): Promise<SendResult[]> {
    this.#record('send', queueId, messages);
    return messages.map(this.replies.send);
  }

  async receive(
    queueId: number,
    request: ReceiveRequest,
    signal: AbortSignal,
  ): Promise<ReceivedMessage[] | 'over-limit'> {
    this.#record('receive', queueId, request, signal);
    return this.replies.receive;
  }

  async deleteMessages(queueId: number, receiptHandles: readonly string[]): Promise<DeleteOutcome[]> {
    this.#record('deleteMessages', queueId, receiptHandles);
    return this.replies.deletions ?? receiptHandles.map(() => 'deleted');
  }

  async changeVisibility(queueId: number, entries: readonly VisibilityChange[]): Promise<VisibilityOutcome[]> {
    this.#record('changeVisibility', queueId, entries);
    return this.replies.visibility ?? entries.map(() => 'changed');
  }

  async purge(queueId: number, minIntervalMs: number): Promise<'purged' | 'in-progress'> {
    this.#record('purge', queueId, minIntervalMs);
    return this.replies.purge;
  }

  async startMoveTask(request: MoveTaskRequest): Promise<MoveTask | 'already-running'> {
    this.#record('startMoveTask', request);
    return this.replies.startMoveTask;
  }

  async listMoveTasks(sourceQueueId: number, limit: number): Promise<MoveTask[]> {
    this.#record('listMoveTasks', sourceQueueId, limit);
    return this.replies.moveTasks;
  }

  async cancelMoveTask(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'> {
    this.#record('cancelMoveTask', sourceQueueId, taskId);
    return this.replies.cancelMoveTask;
  }

  #record(method: string, ...args: unknown[]): void {
    this.calls.push({ method, arguments: args });
  }

  #page(
    scope: Scope,
    query: { after?: string; limit: number },
    matches: (queue: QueueRecord) => boolean,
  ): QueueRecord[] {
    return [...this.#queues.values()]
      .filter((queue) => queue.scope.account === scope.account && queue.scope.region === scope.region)
      .filter((queue) => matches(queue) && (query.after === undefined || queue.name > query.after))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .slice(0, query.limit);
  }
}

function keyOf(scope: Scope, name: string): string {
  return `${scope.account}/${scope.region}/${name}`;
}
