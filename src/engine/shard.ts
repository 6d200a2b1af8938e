/**
 * A shard: the single writer of its queues. It puts commands to the state machines, has their changes committed, and
 * then - never before - answers, reveals new messages and wakes who waits for them.
 *
 *   open ----failure of the store----> recovering ----catalog read again----> open
 *   open ----drain----> draining ----close----> closed
 *
 * Recovering: the store may or may not hold what was last written, so memory is worth nothing. Every queue is forgotten
 * and read again when it is next used; commands wait until the catalog is back; open long polls stay.
 */
import type { Platform } from '../platform/platform.ts';
import { DEDUPLICATION_INTERVAL_MS } from '../queue/deduplication.ts';
import type { NewMessage } from '../queue/message.ts';
import type { Arrival, DeadLetterTarget, PageRequest, Queue, Receipt, Received } from '../queue/queue.ts';
import { allowsRedriveFrom, type QueueRecord, queueArn, type Scope, settingsOf } from '../queue/record.ts';
import { Family, Keys, queueIdOfKey } from '../storage/keys.ts';
import { decodeCounters, decodeDedup, decodeJson, encodeJson } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import { Agenda, oneShot } from './agenda.ts';
import { Catalog } from './catalog.ts';
import { Committer } from './committer.ts';
import { readMessages } from './messages.ts';
import { MoveTasks } from './move-tasks.ts';
import { dedupMinute } from './operations.ts';
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
  type StoreUnavailableError,
  type VisibilityChange,
  type VisibilityOutcome,
} from './queue-service.ts';
import { ReceiptHandles } from './receipt-handle.ts';
import { Reclaimer } from './reclaimer.ts';
import { loadQueue, newQueue, pages, readDelayPage, readLogPage } from './recovery.ts';
import { QueueRuntime, Waiter } from './runtime.ts';
import { sequenceNumber } from './sequence-number.ts';
import { Tombstones } from './tombstones.ts';

export interface ShardLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ShardOptions {
  store: Store;
  platform: Platform;
  logger: ShardLogger;
}

/** How long after a failure of the store background work stays away from it. */
const BACKGROUND_PAUSE_MS = 1000;

/** One shard holds everything for now; the number is in every key, so that more can come. */
const SHARD = 0;

export async function openShard(options: ShardOptions): Promise<Shard> {
  const shard = new Shard(options, await receiptSecret(options.store, options.platform));
  await shard.open();
  return shard;
}

async function receiptSecret(store: Store, platform: Platform): Promise<Uint8Array> {
  const key = new Keys(SHARD).meta('receipt-secret');
  const stored = await store.get(key);
  if (stored !== undefined) return stored;
  const secret = platform.randomBytes(32);
  await store.commit([{ key, value: secret }]);
  return secret;
}

export class Shard implements QueueService {
  readonly #store: Store;
  readonly #platform: Platform;
  readonly #logger: ShardLogger;
  readonly #keys = new Keys(SHARD);
  readonly #handles: ReceiptHandles;
  readonly #agenda: Agenda;
  readonly #committer: Committer;
  readonly #reclaimer: Reclaimer;
  readonly #tasks: MoveTasks;
  readonly #tombstones: Tombstones;
  #catalog = new Catalog();
  readonly #runtimes = new Map<number, QueueRuntime>();
  #nextQueueId = 1;
  #recovering: Promise<void> | undefined;
  /** Queues whose stored counters a failed commit has left in doubt. */
  readonly #uncounted = new Set<number>();
  #isDraining = false;

  constructor({ store, platform, logger }: ShardOptions, receiptSecret: Uint8Array) {
    this.#store = store;
    this.#platform = platform;
    this.#logger = logger;
    this.#handles = new ReceiptHandles(receiptSecret);
    this.#agenda = new Agenda(platform);
    this.#committer = new Committer(store, this.#keys, platform, {
      countersOf: (queueId) => this.#runtimes.get(queueId)?.queue?.counters,
      onArrivals: (arrivals) => this.#reveal(arrivals),
      onFailure: (error, queueIds) => this.#recover(error, queueIds),
    });
    this.#tombstones = new Tombstones(this.#keys, this.#committer, this.#agenda);
    this.#reclaimer = new Reclaimer(store, this.#keys, this.#committer, {
      onPurged: (queueId, below) => {
        const queue = this.#runtimes.get(queueId)?.queue;
        if (queue === undefined) return;
        queue.noteReclaimed(below);
        this.#committer.touch(queueId);
      },
      onDropped: (queueId) => this.#tombstones.noteReclaimed(queueId, platform.now()),
    });
    this.#tasks = new MoveTasks({
      store,
      keys: this.#keys,
      platform,
      agenda: this.#agenda,
      committer: this.#committer,
      queueByArn: async (arn) => {
        const record = this.#catalog.findByArn(arn);
        return record && (await this.#load(record.id));
      },
      queueById: async (id) => (this.#catalog.get(id) === undefined ? undefined : await this.#load(id)),
      absorb: (queue) => this.#absorb(this.#runtime(queue.id), queue, platform.now()),
    });
  }

  /** Reads what there is from the store. Queues with messages are loaded in the background, the others when used. */
  async open(): Promise<void> {
    await this.#readCatalog();
    this.#startBackgroundWork();
  }

  /** Answers open long polls, empty, and waits for the commits under way. No new long poll waits from here on. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const runtime of this.#runtimes.values()) endWaiters(runtime);
    await this.#committer.settled();
  }

  async close(): Promise<void> {
    await this.drain();
    this.#tasks.stop();
    await this.#reclaimer.stop();
    this.#agenda.close();
    await this.#committer.settled();
    await this.#store.close();
  }

  // ---- catalog --------------------------------------------------------------------------------------------------

  async findQueue(scope: Scope, name: string): Promise<QueueRecord | undefined> {
    await this.#recovering;
    return this.#catalog.find(scope, name);
  }

  async listQueues(scope: Scope, query: { prefix: string; after?: string; limit: number }): Promise<QueueRecord[]> {
    await this.#recovering;
    return this.#catalog.list(scope, query);
  }

  async deadLetterSources(
    scope: Scope,
    targetArn: string,
    query: { after?: string; limit: number },
  ): Promise<QueueRecord[]> {
    await this.#recovering;
    return this.#catalog.deadLetterSources(scope, targetArn, query);
  }

  async createQueue(
    queue: Omit<QueueRecord, 'id' | 'revision'>,
    recreateAfterMs: number,
  ): Promise<{ created: boolean; queue: QueueRecord } | 'deleted-recently'> {
    await this.#recovering;
    const existing = this.#catalog.find(queue.scope, queue.name);
    if (existing !== undefined) {
      await this.#committer.durable();
      return { created: false, queue: existing };
    }
    const now = this.#platform.now();
    const deletedAt = this.#tombstones.deletedAt(queueArn(queue));
    if (deletedAt !== undefined && now < deletedAt + recreateAfterMs) return 'deleted-recently';
    const record: QueueRecord = { ...queue, id: this.#nextQueueId++, revision: 1 };
    this.#catalog.set(record);
    this.#runtime(record.id).queue = newQueue(record, now);
    this.#committer.addOperations([
      { key: this.#keys.queue(record.id), value: encodeJson(record) },
      { key: this.#keys.meta('next-queue-id'), value: encodeJson(this.#nextQueueId) },
    ]);
    await this.#committer.durable();
    return { created: true, queue: record };
  }

  async updateQueue(record: QueueRecord): Promise<QueueRecord> {
    await this.#recovering;
    const current = this.#record(record.id);
    if (current.revision !== record.revision) {
      throw new RevisionConflictError(`Queue ${record.name} was changed by somebody else.`);
    }
    const updated: QueueRecord = { ...record, revision: record.revision + 1 };
    this.#replaceRecord(updated);
    await this.#committer.durable();
    return updated;
  }

  async deleteQueue(queueId: number): Promise<void> {
    await this.#recovering;
    const record = this.#record(queueId);
    this.#catalog.delete(record);
    const runtime = this.#runtime(queueId);
    runtime.unload();
    this.#runtimes.delete(queueId);
    this.#tombstones.add({ queueId, arn: queueArn(record), deletedAt: this.#platform.now() });
    this.#committer.addOperations([{ key: this.#keys.queue(queueId) }]);
    const gone = new QueueGoneError(`Queue ${record.name} was deleted.`);
    for (let waiter = runtime.waiters.first; waiter !== undefined; waiter = runtime.waiters.first) {
      waiter.close();
      waiter.reject(gone);
    }
    await this.#committer.durable();
    this.#reclaimer.dropped(queueId);
  }

  // ---- messages -------------------------------------------------------------------------------------------------

  async counts(queueId: number): Promise<MessageCounts> {
    const queue = await this.#ready(queueId);
    const now = this.#platform.now();
    queue.advance(now);
    this.#absorb(this.#runtime(queueId), queue, now);
    return queue.counts(now);
  }

  async send(queueId: number, messages: readonly NewMessage[]): Promise<SendResult[]> {
    let queue = await this.#ready(queueId);
    while (!(await this.#knowsDuplicates(queue, messages))) queue = await this.#ready(queueId);
    const now = this.#platform.now();
    const outcomes = queue.send(messages, now);
    this.#absorb(this.#runtime(queueId), queue, now);
    await this.#committer.durable();
    return outcomes.map(({ messageId, seq }) => ({
      messageId,
      sequenceNumber: queue.isFifo ? sequenceNumber(seq) : undefined,
    }));
  }

  async receive(
    queueId: number,
    request: ReceiveRequest,
    signal: AbortSignal,
  ): Promise<ReceivedMessage[] | 'over-limit'> {
    const queue = await this.#ready(queueId);
    const runtime = this.#runtime(queueId);
    const now = this.#platform.now();
    const received = this.#tryReceive(runtime, queue, request, now);
    this.#absorb(runtime, queue, now);
    if (Array.isArray(received) && received.length > 0) return this.#answer(queue, received);
    if (received === 'over-limit' && request.waitMs === 0) return 'over-limit';
    const mayCome = received === 'loading' || queue.isPaging;
    if (signal.aborted || this.#isDraining || (request.waitMs === 0 && !mayCome)) return [];
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(runtime, request, resolve, reject);
      runtime.addWaiter(waiter, now + request.waitMs);
      signal.addEventListener('abort', () => waiter.end(), { once: true });
    });
  }

  async deleteMessages(queueId: number, receiptHandles: readonly string[]): Promise<DeleteOutcome[]> {
    const queue = await this.#ready(queueId);
    const now = this.#platform.now();
    const outcomes = receiptHandles.map((handle): DeleteOutcome => {
      const receipt = this.#decode(queueId, handle);
      return typeof receipt === 'string' ? receipt : (queue.delete([receipt], now)[0] as DeleteOutcome);
    });
    this.#absorb(this.#runtime(queueId), queue, now);
    await this.#committer.durable();
    return outcomes;
  }

  async changeVisibility(queueId: number, entries: readonly VisibilityChange[]): Promise<VisibilityOutcome[]> {
    const queue = await this.#ready(queueId);
    const now = this.#platform.now();
    const outcomes = entries.map(({ receiptHandle, timeoutMs }): VisibilityOutcome => {
      const receipt = this.#decode(queueId, receiptHandle);
      return typeof receipt === 'string' ? receipt : queue.changeVisibility(receipt, timeoutMs, now);
    });
    this.#absorb(this.#runtime(queueId), queue, now);
    await this.#committer.durable();
    return outcomes;
  }

  async purge(queueId: number, minIntervalMs: number): Promise<'purged' | 'in-progress'> {
    const queue = await this.#ready(queueId);
    const record = this.#record(queueId);
    const now = this.#platform.now();
    if (record.purgedAt !== undefined && now < record.purgedAt + minIntervalMs) return 'in-progress';
    queue.purge(now);
    this.#replaceRecord({ ...record, purgedAt: now, revision: record.revision + 1 });
    await this.#committer.durable();
    this.#reclaimer.purged(queueId, queue.counters.purgedBelow);
    return 'purged';
  }

  // ---- message move tasks ---------------------------------------------------------------------------------------

  async startMoveTask(request: MoveTaskRequest): Promise<MoveTask | 'already-running'> {
    const { visible } = await this.counts(request.sourceQueueId);
    return this.#tasks.start(request, visible);
  }

  async listMoveTasks(sourceQueueId: number, limit: number): Promise<MoveTask[]> {
    await this.#recovering;
    this.#record(sourceQueueId);
    return this.#tasks.list(sourceQueueId, limit);
  }

  async cancelMoveTask(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'> {
    await this.#recovering;
    this.#record(sourceQueueId);
    return this.#tasks.cancel(sourceQueueId, taskId);
  }

  // ---- queues and their state -----------------------------------------------------------------------------------

  #record(queueId: number): QueueRecord {
    const record = this.#catalog.get(queueId);
    if (record === undefined) throw new QueueGoneError('The queue does not exist.');
    return record;
  }

  #runtime(queueId: number): QueueRuntime {
    let runtime = this.#runtimes.get(queueId);
    if (runtime === undefined) {
      runtime = new QueueRuntime(queueId, this.#agenda, (due, now) => this.#doDueWork(due, now));
      this.#runtimes.set(queueId, runtime);
    }
    return runtime;
  }

  /**
   * The state of a queue, with that of the dead-letter queue a receive may move messages to. Good for the current turn:
   * whoever waits for something else must ask again.
   */
  async #ready(queueId: number): Promise<Queue> {
    for (;;) {
      if (this.#recovering !== undefined) await this.#recovering;
      const target = this.#deadLetterRecord(this.#record(queueId));
      const queue = this.#runtimes.get(queueId)?.queue;
      if (queue === undefined) await this.#load(queueId);
      else if (target !== undefined && this.#runtimes.get(target.id)?.queue === undefined) await this.#load(target.id);
      else return queue;
    }
  }

  #load(queueId: number): Promise<Queue> {
    const runtime = this.#runtime(queueId);
    if (runtime.queue !== undefined) return Promise.resolve(runtime.queue);
    if (runtime.loading !== undefined) return runtime.loading;
    const loading = this.#read(queueId).then(
      (queue) => {
        // A failure or a deletion came in between: what was read is worth nothing.
        if (runtime.loading !== loading)
          return this.#recovering?.then(() => this.#load(queueId)) ?? this.#load(queueId);
        runtime.loading = undefined;
        runtime.queue = queue;
        const { purgedBelow, reclaimedBelow } = queue.counters;
        if (reclaimedBelow < purgedBelow) this.#reclaimer.purged(queueId, purgedBelow);
        this.#absorb(runtime, queue, this.#platform.now());
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

  async #read(queueId: number): Promise<Queue> {
    // Commits under way may alter what is about to be read.
    await this.#committer.settled();
    const record = this.#record(queueId);
    const isUncounted = this.#uncounted.has(queueId);
    const queue = await loadQueue(record, this.#store, this.#keys, this.#platform.now(), isUncounted);
    this.#uncounted.delete(queueId);
    // An attribute may have been changed while the rows were read.
    const latest = this.#record(queueId);
    if (latest !== record) queue.changeSettings(settingsOf(latest), this.#platform.now());
    return queue;
  }

  #replaceRecord(record: QueueRecord): void {
    this.#catalog.set(record);
    this.#committer.addOperations([{ key: this.#keys.queue(record.id), value: encodeJson(record) }]);
    const runtime = this.#runtime(record.id);
    const { queue } = runtime;
    if (queue === undefined) return;
    const now = this.#platform.now();
    queue.changeSettings(settingsOf(record), now);
    this.#absorb(runtime, queue, now);
  }

  #deadLetterRecord(record: QueueRecord): QueueRecord | undefined {
    const { redrive, fifo } = settingsOf(record);
    const target = redrive && this.#catalog.findByArn(redrive.deadLetterTargetArn);
    if (target === undefined || settingsOf(target).fifo !== fifo) return undefined;
    return allowsRedriveFrom(target, queueArn(record)) ? target : undefined;
  }

  /** After every command: commits its changes, asks for the pages it wants, serves who waits, sets the agenda. */
  #absorb(runtime: QueueRuntime, queue: Queue, now: number): void {
    this.#serveWaiters(runtime, queue, now);
    this.#commitEffects(queue);
    for (const request of queue.wants()) void this.#loadPage(runtime, queue, request);
    runtime.reschedule();
  }

  #commitEffects(queue: Queue): void {
    const effects = queue.takeEffects();
    for (const change of effects.changes) {
      if (change.kind === 'dedup.expire') this.#reclaimer.dedupExpired(change.queueId, change.before);
    }
    this.#committer.add(effects);
  }

  #doDueWork(runtime: QueueRuntime, now: number): void {
    const { queue } = runtime;
    if (queue === undefined) return;
    queue.advance(now);
    this.#absorb(runtime, queue, now);
  }

  #reveal(arrivals: readonly Arrival[]): void {
    const now = this.#platform.now();
    const touched = new Set<QueueRuntime>();
    for (const { queue, row } of arrivals) {
      const runtime = this.#runtimes.get(queue.id);
      if (runtime?.queue !== queue) continue;
      queue.reveal(row, now);
      touched.add(runtime);
    }
    for (const runtime of touched) this.#absorb(runtime, runtime.queue as Queue, now);
  }

  async #loadPage(runtime: QueueRuntime, queue: Queue, request: PageRequest): Promise<void> {
    // A page must not bring back what a commit under way deletes.
    await this.#committer.settled();
    try {
      if (request.kind === 'log') {
        const { rows, reachedEnd } = await readLogPage(queue.id, request, this.#store, this.#keys);
        if (runtime.queue !== queue) return;
        queue.logPageLoaded(request, rows, reachedEnd, this.#platform.now());
      } else {
        const { rows, reachedEnd } = await readDelayPage(queue.id, request, this.#store, this.#keys);
        if (runtime.queue !== queue) return;
        queue.delayPageLoaded(request, rows, reachedEnd, this.#platform.now());
      }
    } catch (error) {
      this.#logger.error({ err: error, queueId: queue.id }, 'cannot read messages from the store');
      runtime.unload();
      failShortPolls(runtime, error as Error);
      return;
    }
    this.#absorb(runtime, queue, this.#platform.now());
  }

  // ---- receiving ------------------------------------------------------------------------------------------------

  #tryReceive(
    runtime: QueueRuntime,
    queue: Queue,
    request: ReceiveRequest,
    now: number,
  ): Received[] | 'over-limit' | 'loading' {
    const deadLetter = this.#deadLetterTarget(runtime);
    if (deadLetter === 'loading') return 'loading';
    return queue.receive(
      {
        maxMessages: request.maxMessages,
        visibilityTimeoutMs: request.visibilityTimeoutMs ?? queue.visibilityTimeoutMs,
        attemptId: queue.isFifo ? request.attemptId : undefined,
      },
      deadLetter,
      now,
    );
  }

  /** `loading`: it is being read from the store; who waits is served when it is there. */
  #deadLetterTarget(runtime: QueueRuntime): DeadLetterTarget | undefined | 'loading' {
    const record = this.#record(runtime.id);
    const target = this.#deadLetterRecord(record);
    const redrive = settingsOf(record).redrive;
    if (target === undefined || redrive === undefined) return undefined;
    const { queue } = this.#runtime(target.id);
    if (queue !== undefined) return { queue, maxReceiveCount: redrive.maxReceiveCount };
    this.#load(target.id).then(
      () => runtime.queue && this.#absorb(runtime, runtime.queue, this.#platform.now()),
      (error: unknown) => this.#logger.error({ err: error, queueId: target.id }, 'cannot load a dead-letter queue'),
    );
    return 'loading';
  }

  #serveWaiters(runtime: QueueRuntime, queue: Queue, now: number): void {
    const { waiters } = runtime;
    for (let waiter = waiters.first; waiter !== undefined && queue.hasReady; waiter = waiters.first) {
      const received = this.#tryReceive(runtime, queue, waiter.request, now);
      if (!Array.isArray(received) || received.length === 0) break;
      waiter.close();
      this.#commitEffects(queue);
      waiter.resolve(this.#answer(queue, received));
    }
    if (waiters.first === undefined || queue.isPaging) return;
    for (let waiter: Waiter | undefined = waiters.first; waiter !== undefined; ) {
      const next: Waiter | undefined = waiter.next;
      if (waiter.isShortPoll) waiter.end();
      waiter = next;
    }
  }

  /** Reads the contents while the deliveries are being committed, and hands over both. */
  async #answer(queue: Queue, received: readonly Received[]): Promise<ReceivedMessage[]> {
    const durable = this.#committer.durable();
    const [messages] = await Promise.all([readMessages(queue.id, received, this.#store, this.#keys), durable]);
    return received.flatMap((delivery, index) => {
      const message = messages[index];
      // Purged by a command that came between the receive and the read.
      if (message === undefined) return [];
      return {
        ...message.content,
        receiptHandle: this.#handles.encode(queue.id, delivery),
        sentAt: message.timing.sentAt,
        receiveCount: delivery.receiveCount,
        firstReceivedAt: delivery.firstReceivedAt,
        sequenceNumber: queue.isFifo ? sequenceNumber(delivery.seq) : undefined,
      };
    });
  }

  #decode(queueId: number, receiptHandle: string): Receipt | 'invalid' | 'foreign' {
    const decoded = this.#handles.decode(receiptHandle);
    if (decoded === undefined) return 'invalid';
    return decoded.queueId === queueId ? decoded.receipt : 'foreign';
  }

  /**
   * Looks up the deduplication ids that memory cannot answer for, see `Deduplication`. False: the state that was asked
   * is not the queue's any more.
   */
  async #knowsDuplicates(queue: Queue, messages: readonly NewMessage[]): Promise<boolean> {
    if (!queue.isFifo) return true;
    for (;;) {
      const now = this.#platform.now();
      const ids = queue.dedupQuestions(messages, now);
      if (ids.length === 0) return true;
      const askedSince = queue.dedupCompleteSince;
      const minutes: number[] = [];
      const oldest = dedupMinute(now - DEDUPLICATION_INTERVAL_MS);
      for (let minute = dedupMinute(askedSince); minute >= oldest; minute--) minutes.push(minute);
      for (const id of ids) {
        const records = await this.#store.getMany(minutes.map((minute) => this.#keys.dedup(queue.id, minute, id)));
        const newest = records.find((record) => record !== undefined);
        if (newest !== undefined) queue.learnDedup(id, decodeDedup(newest));
      }
      if (this.#runtimes.get(queue.id)?.queue !== queue) return false;
      // If memory has let go of more ids in the meantime, the question has changed.
      if (queue.dedupCompleteSince === askedSince) return true;
    }
  }

  // ---- opening and recovering -----------------------------------------------------------------------------------

  async #readCatalog(): Promise<void> {
    const catalog = new Catalog();
    for await (const rows of pages(this.#store, this.#keys.family(Family.queue))) {
      for (const row of rows) catalog.set(decodeJson(row.value, 'queue') as QueueRecord);
    }
    const nextQueueId = await this.#store.get(this.#keys.meta('next-queue-id'));
    this.#nextQueueId = nextQueueId === undefined ? 1 : (decodeJson(nextQueueId, 'meta') as number);
    this.#catalog = catalog;
    await this.#tombstones.read(this.#store);
    await this.#tasks.read();
  }

  /** Retention, delays and redrive deadlines run for queues with messages, whether or not somebody uses them. */
  async #loadBusyQueues(): Promise<void> {
    try {
      for await (const rows of pages(this.#store, this.#keys.family(Family.counters))) {
        for (const row of rows) {
          const queueId = queueIdOfKey(row.key);
          const { live, reclaimedBelow, purgedBelow } = decodeCounters(row.value);
          const isBusy = live > 0 || reclaimedBelow < purgedBelow;
          if (isBusy && this.#catalog.get(queueId) !== undefined && !this.#isDraining) await this.#load(queueId);
        }
      }
    } catch (error) {
      this.#logger.error({ err: error }, 'cannot load the queues that have messages');
    }
  }

  #recover(error: StoreUnavailableError, queueIds: ReadonlySet<number>): void {
    this.#logger.error({ err: error }, 'the store has refused a write; reading everything again');
    for (const queueId of queueIds) this.#uncounted.add(queueId);
    for (const runtime of this.#runtimes.values()) runtime.unload();
    this.#tasks.stop();
    const recovery: Promise<void> = (this.#recovering ?? Promise.resolve())
      .then(async () => {
        this.#committer.reset();
        await this.#reclaimer.stop();
        await this.#readCatalog();
      })
      .then(
        () => {
          if (this.#recovering === recovery) this.#endRecovery();
        },
        (cause: unknown) => {
          this.#logger.error({ err: cause }, 'the store cannot be read');
          throw cause;
        },
      );
    this.#recovering = recovery;
    recovery.catch(() => {});
  }

  #endRecovery(): void {
    this.#recovering = undefined;
    for (const runtime of this.#runtimes.values()) {
      const isWaitedFor = runtime.waiters.first !== undefined && this.#catalog.get(runtime.id) !== undefined;
      if (isWaitedFor) this.#load(runtime.id).catch((error: Error) => failShortPolls(runtime, error));
    }
    // Background work writes, too: with the disk still full it would fail at once and start the next recovery.
    this.#agenda.set(
      oneShot(() => this.#startBackgroundWork()),
      this.#platform.now() + BACKGROUND_PAUSE_MS,
    );
  }

  #startBackgroundWork(): void {
    for (const queueId of this.#tombstones.queueIds()) this.#reclaimer.dropped(queueId);
    this.#tasks.resume();
    void this.#loadBusyQueues();
  }
}

function endWaiters(runtime: QueueRuntime): void {
  for (let waiter = runtime.waiters.first; waiter !== undefined; waiter = runtime.waiters.first) waiter.end();
}

/** A short poll has no time of its own to end at. */
function failShortPolls(runtime: QueueRuntime, error: Error): void {
  for (let waiter = runtime.waiters.first; waiter !== undefined; ) {
    const { next } = waiter;
    if (waiter.isShortPoll) {
      waiter.close();
      waiter.reject(error);
    }
    waiter = next;
  }
}
