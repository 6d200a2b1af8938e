import type { Platform } from '../platform/platform.ts';
import type { QueueLimits } from '../queue/limits.ts';
import type { Arrival, PageRequest, Queue } from '../queue/queue.ts';
import { type QueueRecord, settingsOf } from '../queue/record.ts';
import type { Keys } from '../storage/keys.ts';
import type { Store } from '../storage/store.ts';
import type { Agenda } from './agenda.ts';
import type { Catalog } from './catalog.ts';
import type { Committer } from './committer.ts';
import { QueueGoneError } from './queue-service.ts';
import type { Reclaimer } from './reclaimer.ts';
import { loadQueue, newQueue, readDedupPage, readDelayPage, readLogPage } from './recovery.ts';
import { QueueRuntime } from './runtime.ts';
import type { ShardLogger } from './shard-logger.ts';

export interface QueueStatesEnvironment {
  store: Store;
  keys: Keys;
  platform: Platform;
  logger: ShardLogger;
  agenda: Agenda;
  catalog: Catalog;
  committer: Committer;
  reclaimer: Reclaimer;
  queueLimits: QueueLimits;
  /** Offers what has become available to open receives. */
  serveWaiters(runtime: QueueRuntime, queue: Queue, now: number): void;
}

/**
 * The states of a shard's queues: read from the store when first used, fed with the pages they want, and drained of the
 * effects they have.
 */
export class QueueStates {
  readonly #environment: QueueStatesEnvironment;
  readonly #runtimes = new Map<number, QueueRuntime>();
  /** Queues whose stored counters a failed commit has left in doubt, until new ones are stored. */
  readonly #uncounted = new Set<number>();
  /** Everything that reads from the store at the moment. */
  readonly #reading = new Set<Promise<unknown>>();
  #isStopped = false;

  constructor(environment: QueueStatesEnvironment) {
    this.#environment = environment;
  }

  /** The state of a queue, if it is loaded. */
  get(queueId: number): Queue | undefined {
    return this.#runtimes.get(queueId)?.queue;
  }

  runtime(queueId: number): QueueRuntime {
    let runtime = this.#runtimes.get(queueId);
    if (runtime === undefined) {
      runtime = new QueueRuntime(queueId, this.#environment.agenda, (due, now) => this.#doDueWork(due, now));
      this.#runtimes.set(queueId, runtime);
    }
    return runtime;
  }

  runtimes(): IterableIterator<QueueRuntime> {
    return this.#runtimes.values();
  }

  /** Begins the state of a queue that has just been created. */
  begin(record: QueueRecord): void {
    this.runtime(record.id).queue = newQueue(record, this.#environment.queueLimits, this.#environment.platform.now());
  }

  /** Forgets a deleted queue; the caller answers its waiters. */
  delete(queueId: number): QueueRuntime {
    const runtime = this.runtime(queueId);
    runtime.unload();
    this.#runtimes.delete(queueId);
    return runtime;
  }

  /** After a failure of the store: memory is worth nothing, and neither are the stored counters of `uncounted`. */
  unloadAll(uncounted: ReadonlySet<number>): void {
    for (const queueId of uncounted) this.#uncounted.add(queueId);
    for (const runtime of this.#runtimes.values()) runtime.unload();
  }

  /** Forgets every state and reads no more. Resolves when nothing is being read any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.unloadAll(new Set());
    while (this.#reading.size > 0) await Promise.allSettled(this.#reading);
  }

  /** The counters of these queues are stored, and right. */
  noteCounted(queueIds: readonly number[]): void {
    for (const queueId of queueIds) this.#uncounted.delete(queueId);
  }

  /** Has right counters stored where they are in doubt. Not at once when a queue is read: a full disk would refuse them. */
  writeCounters(): void {
    for (const queueId of this.#uncounted) {
      if (this.get(queueId) !== undefined) this.#environment.committer.touch(queueId);
    }
  }

  /** Rejects with `QueueGoneError` when there is no such queue (any more). */
  load(queueId: number): Promise<Queue> {
    const runtime = this.runtime(queueId);
    if (runtime.queue !== undefined) return Promise.resolve(runtime.queue);
    if (runtime.loading !== undefined) return runtime.loading;
    if (this.#isStopped) return Promise.reject(new Error('The shard is closed.'));
    const isUncounted = this.#uncounted.has(queueId);
    const loading = this.#whileReading(this.#read(queueId, isUncounted)).then(
      (queue) => {
        // A failure or a deletion came in between: what was read is worth nothing.
        if (runtime.loading !== loading) return this.load(queueId);
        runtime.loading = undefined;
        runtime.queue = queue;
        const { purgedBelow, reclaimedBelow } = queue.counters;
        if (reclaimedBelow < purgedBelow) this.#environment.reclaimer.purged(queueId, purgedBelow);
        this.absorb(queue, this.#environment.platform.now());
        return queue;
      },
      (error: unknown) => {
        if (runtime.loading === loading) runtime.loading = undefined;
        throw error;
      },
    );
    runtime.loading = loading;
    return loading;
  }

  #whileReading<Result>(reading: Promise<Result>): Promise<Result> {
    this.#reading.add(reading);
    const end = () => this.#reading.delete(reading);
    reading.then(end, end);
    return reading;
  }

  async #read(queueId: number, isUncounted: boolean): Promise<Queue> {
    const { store, keys, platform, committer, queueLimits } = this.#environment;
    // Commits under way may alter what is about to be read.
    await committer.settled();
    const record = this.#record(queueId);
    const queue = await loadQueue(record, queueLimits, store, keys, platform.now(), isUncounted);
    // An attribute may have been changed while the rows were read.
    const latest = this.#record(queueId);
    if (latest !== record) queue.changeSettings(settingsOf(latest), platform.now());
    return queue;
  }

  #record(queueId: number): QueueRecord {
    const record = this.#environment.catalog.get(queueId);
    if (record === undefined) throw new QueueGoneError('The queue does not exist.');
    return record;
  }

  /** After every command: serves who waits, commits the effects, asks for the pages wanted, sets the agenda. */
  absorb(queue: Queue, now: number): void {
    const runtime = this.#runtimes.get(queue.id);
    // The queue was deleted, or its state thrown away, while somebody waited for something else.
    if (runtime?.queue !== queue) return;
    this.#environment.serveWaiters(runtime, queue, now);
    this.commitEffects(queue);
    for (const request of queue.wants(now)) {
      const loaded = this.#whileReading(this.#loadPage(runtime, queue, request));
      if (request.kind === 'dedup') runtime.dedupPage = loaded;
    }
    runtime.reschedule();
  }

  commitEffects(queue: Queue): void {
    const effects = queue.takeEffects();
    for (const change of effects.changes) {
      if (change.kind === 'dedup.expire') this.#environment.reclaimer.dedupExpired(change.queueId, change.below);
    }
    this.#environment.committer.add(effects);
  }

  /** Messages are durable: from here on they can be received. */
  reveal(arrivals: readonly Arrival[]): void {
    const now = this.#environment.platform.now();
    const touched = new Set<Queue>();
    for (const { queue, row } of arrivals) {
      if (this.get(queue.id) !== queue) continue;
      queue.reveal(row, now);
      touched.add(queue);
    }
    for (const queue of touched) this.absorb(queue, now);
  }

  #doDueWork({ queue }: QueueRuntime, now: number): void {
    if (queue === undefined) return;
    queue.advance(now);
    this.absorb(queue, now);
  }

  async #loadPage(runtime: QueueRuntime, queue: Queue, request: PageRequest): Promise<void> {
    const { store, keys, platform, committer, logger } = this.#environment;
    // A store that answers at once would keep the event loop from all else until the last page of many.
    await new Promise<void>((resolve) => platform.afterTurn(resolve));
    // A page must not bring back what a commit under way deletes.
    await committer.settled();
    if (runtime.queue !== queue) return;
    try {
      if (request.kind === 'dedup') {
        const { rows, reachedEnd, expiredBelow } = await readDedupPage(queue.id, request, store, keys);
        if (runtime.queue !== queue) return;
        queue.dedupPageLoaded(request, rows, reachedEnd, expiredBelow, platform.now());
      } else if (request.kind === 'log') {
        const { rows, reachedEnd } = await readLogPage(queue.id, request, store, keys);
        if (runtime.queue !== queue) return;
        queue.logPageLoaded(request, rows, reachedEnd, platform.now());
      } else {
        const { rows, reachedEnd } = await readDelayPage(queue.id, request, store, keys);
        if (runtime.queue !== queue) return;
        queue.delayPageLoaded(request, rows, reachedEnd, platform.now());
      }
    } catch (error) {
      logger.error({ err: error, queueId: queue.id }, 'cannot read messages from the store');
      runtime.unload();
      runtime.failWaiters(error as Error);
      return;
    }
    this.absorb(queue, platform.now());
  }
}
