/**
 * Message move tasks: what StartMessageMoveTask starts (SQS: section 7). A task takes visible messages out of a
 * dead-letter queue step by step, at its rate, and sends them to its destination or back to where they came from. Each
 * step - the moves and the count - is one commit, so a task goes on after a restart exactly where it stood.
 *
 *   RUNNING --nothing visible is left--> COMPLETED
 *   RUNNING --cancel--> CANCELLING --the step under way is over--> CANCELLED
 *   RUNNING --a destination is missing or unknown--> FAILED
 */
import type { Platform } from '../platform/platform.ts';
import type { Entry } from '../queue/entry.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueRecord } from '../queue/record.ts';
import { Family, type Keys } from '../storage/keys.ts';
import { decodeJson, encodeJson } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import { type Agenda, oneShot } from './agenda.ts';
import type { Catalog } from './catalog.ts';
import type { Committer } from './committer.ts';
import { readDeadLetterSources } from './messages.ts';
import { type MoveTask, type MoveTaskRequest, QueueGoneError } from './queue-service.ts';
import type { QueueStates } from './queue-states.ts';
import { pages } from './recovery.ts';

/** Without a rate of its own a task moves as fast as SQS lets any task move. */
const DEFAULT_RATE = 500;
/** Steps per second at most: ten steps keep the rate even, and each is one commit. */
const STEPS_PER_SECOND = 10;
/** Finished tasks that stay listed per source: ListMessageMoveTasks shows ten at most. */
const LISTED_TASKS = 10;

const QUEUE_GONE = 'AWS.SimpleQueueService.NonExistentQueue';
const SOURCE_UNKNOWN = 'CouldNotDetermineMessageSource';

export interface MoveTaskEnvironment {
  store: Store;
  keys: Keys;
  platform: Platform;
  agenda: Agenda;
  committer: Committer;
  catalog: Catalog;
  states: QueueStates;
}

interface StoredTask extends MoveTask {
  sourceQueueId: number;
}

export class MoveTasks {
  readonly #environment: MoveTaskEnvironment;
  /** Newest first. */
  #bySource = new Map<number, StoredTask[]>();
  /** Ids of the tasks that are being stepped. */
  readonly #begun = new Set<string>();
  /** Tasks of an earlier generation are not stepped any more. */
  #generation = 0;

  constructor(environment: MoveTaskEnvironment) {
    this.#environment = environment;
  }

  async start(request: MoveTaskRequest, toMoveCount: number): Promise<MoveTask | 'already-running'> {
    const tasks = this.#bySource.get(request.sourceQueueId) ?? [];
    if (tasks.some(isActive)) return 'already-running';
    const { committer, platform, keys } = this.#environment;
    const task: StoredTask = {
      ...request,
      id: platform.uuid(),
      status: 'RUNNING',
      movedCount: 0,
      toMoveCount,
      startedAt: platform.now(),
    };
    const outlived = tasks.slice(LISTED_TASKS - 1);
    this.#bySource.set(request.sourceQueueId, [task, ...tasks.slice(0, LISTED_TASKS - 1)]);
    committer.addOperations(outlived.map((old) => ({ key: keys.task(old.sourceQueueId, old.startedAt, old.id) })));
    this.#save(task);
    const generation = this.#generation;
    await committer.durable();
    // After a recovery the task is another object, read from the store.
    if (generation === this.#generation) this.#begin(task, platform.now());
    return publicTask(task);
  }

  list(sourceQueueId: number, limit: number): MoveTask[] {
    return (this.#bySource.get(sourceQueueId) ?? []).slice(0, limit).map(publicTask);
  }

  async cancel(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'> {
    const task = this.#bySource.get(sourceQueueId)?.find(({ id }) => id === taskId);
    if (task === undefined) return 'no-such-task';
    if (task.status !== 'RUNNING') return 'not-active';
    task.status = 'CANCELLING';
    this.#save(task);
    await this.#environment.committer.durable();
    return publicTask(task);
  }

  /** Reads the tasks from the store; `resume` goes on with the active ones. */
  async read(): Promise<void> {
    const { store, keys } = this.#environment;
    this.#bySource = new Map();
    for await (const rows of pages(store, keys.family(Family.task))) {
      for (const row of rows) {
        const task = decodeJson(row.value, 'task') as StoredTask;
        // The keys of a source ascend by start.
        this.#bySource.set(task.sourceQueueId, [task, ...(this.#bySource.get(task.sourceQueueId) ?? [])]);
      }
    }
  }

  /** Goes on with the active tasks. */
  resume(): void {
    const now = this.#environment.platform.now();
    for (const tasks of this.#bySource.values()) {
      for (const task of tasks) if (isActive(task)) this.#begin(task, now);
    }
  }

  /** Ends all steps; the tasks stay as they are stored. */
  stop(): void {
    this.#generation++;
    this.#begun.clear();
  }

  /** Unless it has begun: one may have been started before the active tasks are resumed. */
  #begin(task: StoredTask, at: number): void {
    if (this.#begun.has(task.id)) return;
    this.#begun.add(task.id);
    this.#schedule(task, at);
  }

  #schedule(task: StoredTask, at: number): void {
    const generation = this.#generation;
    const step = oneShot(() => {
      // A step that fails has changed nothing durable: the shard recovers and reads the tasks again.
      if (generation === this.#generation) this.#step(task).catch(() => {});
    });
    this.#environment.agenda.set(step, at);
  }

  async #step(task: StoredTask): Promise<void> {
    const generation = this.#generation;
    const { platform } = this.#environment;
    const rate = task.maxMessagesPerSecond ?? DEFAULT_RATE;
    const stepSize = Math.max(Math.floor(rate / STEPS_PER_SECOND), 1);
    if (task.status === 'CANCELLING') return this.#finish(task, 'CANCELLED');
    const source = await this.#queue(this.#environment.catalog.get(task.sourceQueueId));
    if (generation !== this.#generation) return;
    // With the source gone nobody can list the task; its record goes with the queue's other rows.
    if (source === undefined) return;
    const startedAt = platform.now();
    const entries = source.takeForMove(stepSize, startedAt);
    this.#environment.states.absorb(source, startedAt);
    if (entries.length === 0 && !source.isPaging) return this.#finish(task, 'COMPLETED');
    const failure = await this.#move(task, source, entries);
    if (generation !== this.#generation) return;
    if (failure !== undefined) return this.#finish(task, 'FAILED', failure);
    this.#schedule(task, startedAt + (stepSize / rate) * 1000);
  }

  /** Moves what was taken, or gives it back. Returns the reason why the task cannot go on. */
  async #move(task: StoredTask, source: Queue, entries: readonly Entry[]): Promise<string | undefined> {
    const { store, keys, committer, platform, catalog, states } = this.#environment;
    const generation = this.#generation;
    const messages = await readDeadLetterSources(source.id, entries, store, keys);
    const plan: { entry: Entry; target: Queue }[] = [];
    let failure: string | undefined;
    for (const [index, entry] of entries.entries()) {
      const message = messages[index];
      // Deleted since it was taken.
      if (message === undefined) continue;
      const arn = task.destinationArn ?? message.deadLetterSourceArn;
      const target = arn === undefined || failure !== undefined ? undefined : await this.#queue(catalog.findByArn(arn));
      if (target !== undefined && target.isFifo === source.isFifo) plan.push({ entry, target });
      else failure ??= arn === undefined ? SOURCE_UNKNOWN : QUEUE_GONE;
    }
    // All that took a while. Without its source, or after a failure of the store, this step has never been.
    if (generation !== this.#generation || states.get(source.id) !== source) return undefined;
    const now = platform.now();
    const planned = new Set(plan.map(({ entry }) => entry));
    for (const entry of entries) if (!planned.has(entry)) source.returnMove(entry, now);
    for (const { entry, target } of plan) {
      if (states.get(target.id) !== target) {
        source.returnMove(entry, now);
        if (catalog.get(target.id) === undefined) failure ??= QUEUE_GONE;
      } else if (source.finishMove(entry, target, platform.uuid(), now)) {
        task.movedCount++;
      }
    }
    this.#save(task);
    this.#environment.states.absorb(source, now);
    await committer.durable();
    return failure;
  }

  /** The state of a queue; undefined when it does not exist, or is deleted while it is read. */
  async #queue(record: QueueRecord | undefined): Promise<Queue | undefined> {
    try {
      return record && (await this.#environment.states.load(record.id));
    } catch (error) {
      if (error instanceof QueueGoneError) return undefined;
      throw error;
    }
  }

  async #finish(task: StoredTask, status: 'COMPLETED' | 'CANCELLED' | 'FAILED', failureReason?: string): Promise<void> {
    task.status = status;
    task.failureReason = failureReason;
    this.#save(task);
    await this.#environment.committer.durable();
  }

  #save(task: StoredTask): void {
    const { committer, keys } = this.#environment;
    const key = keys.task(task.sourceQueueId, task.startedAt, task.id);
    committer.addOperations([{ key, value: encodeJson(task) }]);
  }
}

function isActive(task: MoveTask): boolean {
  return task.status === 'RUNNING' || task.status === 'CANCELLING';
}

function publicTask({ sourceQueueId: _, ...task }: StoredTask): MoveTask {
  return task;
}
