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
import { QUEUE_LIMITS, type QueueLimits } from '../queue/limits.ts';
import type { NewMessage } from '../queue/message.ts';
import type { Queue, Receipt } from '../queue/queue.ts';
import { type QueueRecord, queueArn, type Scope, settingsOf } from '../queue/record.ts';
import { Family, Keys, queueIdOfKey } from '../storage/keys.ts';
import { decodeCounters, decodeDedup, decodeJson, encodeJson } from '../storage/records.ts';
import type { Row, Store } from '../storage/store.ts';
import { Agenda, oneShot } from './agenda.ts';
import { Catalog } from './catalog.ts';
import { Committer } from './committer.ts';
import { type ContentEncryption, IN_THE_CLEAR } from './content-encryption.ts';
import { DiskReserve } from './disk-reserve.ts';
import { MoveTasks } from './move-tasks.ts';
import {
  type CancelSignal,
  type ContentRoom,
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
import { QueueStates } from './queue-states.ts';
import { ReceiptHandles } from './receipt-handle.ts';
import { Receiver } from './receiver.ts';
import { Reclaimer } from './reclaimer.ts';
import { pages } from './recovery.ts';
import { sequenceNumber } from './sequence-number.ts';
import type { ShardLogger } from './shard-logger.ts';
import { Tombstones } from './tombstones.ts';

export interface ShardOptions {
  store: Store;
  platform: Platform;
  logger: ShardLogger;
  /** In the clear when left out. */
  encryption?: ContentEncryption;
  /** Narrowed by the simulation, to reach each edge with a handful of messages. */
  queueLimits?: QueueLimits;
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
  readonly #encryption: ContentEncryption;
  readonly #keys = new Keys(SHARD);
  readonly #handles: ReceiptHandles;
  readonly #agenda: Agenda;
  readonly #committer: Committer;
  readonly #reclaimer: Reclaimer;
  readonly #tasks: MoveTasks;
  readonly #tombstones: Tombstones;
  readonly #diskReserve: DiskReserve;
  readonly #catalog = new Catalog();
  readonly #states: QueueStates;
  readonly #receiver: Receiver;
  #nextQueueId = 1;
  #recovering: Promise<void> | undefined;
  #loadingBusyQueues: Promise<void> | undefined;
  #isClosed = false;
  /** What goes on without anybody asking, once after a start and once after any number of recoveries. */
  readonly #backgroundWork = oneShot(() => this.#startBackgroundWork());

  constructor(
    { store, platform, logger, encryption = IN_THE_CLEAR, queueLimits = QUEUE_LIMITS }: ShardOptions,
    receiptSecret: Uint8Array,
  ) {
    this.#store = store;
    this.#encryption = encryption;
    this.#platform = platform;
    this.#logger = logger;
    this.#handles = new ReceiptHandles(receiptSecret);
    this.#agenda = new Agenda(platform);
    this.#diskReserve = new DiskReserve(store, platform);
    this.#committer = new Committer(store, this.#keys, platform, {
      sealOf: (queueId) => encryption.sealOf(this.#record(queueId)),
      countersOf: (queueId) => this.#states.get(queueId)?.counters,
      onCounted: (queueIds) => this.#states.noteCounted(queueIds),
      onArrivals: (arrivals) => this.#states.reveal(arrivals),
      onFailure: (error, queueIds) => this.#recover(error, queueIds),
    });
    this.#tombstones = new Tombstones(this.#keys, this.#committer, this.#agenda);
    this.#reclaimer = new Reclaimer(store, this.#keys, this.#committer, {
      onPurged: (queueId, below) => {
        this.#states.get(queueId)?.noteReclaimed(below);
        this.#committer.touch(queueId);
      },
      onDropped: (queueId) => this.#tombstones.noteReclaimed(queueId, platform.now()),
    });
    const parts = {
      store,
      platform,
      logger,
      keys: this.#keys,
      agenda: this.#agenda,
      catalog: this.#catalog,
      committer: this.#committer,
      reclaimer: this.#reclaimer,
      handles: this.#handles,
    };
    this.#states = new QueueStates({
      ...parts,
      queueLimits,
      serveWaiters: (runtime, queue, now) => this.#receiver.serveWaiters(runtime, queue, now),
    });
    this.#receiver = new Receiver({ ...parts, encryption, states: this.#states });
    this.#tasks = new MoveTasks({ ...parts, states: this.#states });
  }

  /** Reads what there is from the store. Queues with messages are loaded in the background, the others when used. */
  async open(): Promise<void> {
    await this.#readCatalog();
    this.#startBackgroundWork();
  }

  /** Answers open long polls, empty, and waits for the commits under way. No new long poll waits from here on. */
  async drain(): Promise<void> {
    this.#receiver.drain();
    await this.#committer.settled();
  }

  async close(): Promise<void> {
    await this.drain();
    this.#tasks.stop();
    await this.#reclaimer.stop();
    this.#agenda.close();
    this.#isClosed = true;
    await this.#states.stop();
    await this.#loadingBusyQueues;
    await this.#committer.settled();
    await this.#store.close();
  }

  // ---- catalog --------------------------------------------------------------------------------------------------

  findQueue(scope: Scope, name: string): QueueRecord | undefined | Promise<QueueRecord | undefined> {
    if (this.#recovering === undefined) return this.#catalog.find(scope, name);
    return this.#recovering.then(() => this.findQueue(scope, name));
  }

  async listQueues(scope: Scope, query: { prefix: string; after?: string; limit: number }): Promise<QueueRecord[]> {
    while (this.#recovering !== undefined) await this.#recovering;
    return this.#catalog.list(scope, query);
  }

  async deadLetterSources(
    scope: Scope,
    targetArn: string,
    query: { after?: string; limit: number },
  ): Promise<QueueRecord[]> {
    while (this.#recovering !== undefined) await this.#recovering;
    return this.#catalog.deadLetterSources(scope, targetArn, query);
  }

  async createQueue(
    queue: Omit<QueueRecord, 'id' | 'revision'>,
    recreateAfterMs: number,
  ): Promise<{ created: boolean; queue: QueueRecord } | 'deleted-recently'> {
    while (this.#recovering !== undefined) await this.#recovering;
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
    this.#states.begin(record);
    this.#committer.addOperations([
      { key: this.#keys.queue(record.id), value: encodeJson(record) },
      { key: this.#keys.meta('next-queue-id'), value: encodeJson(this.#nextQueueId) },
    ]);
    await this.#committer.durable();
    return { created: true, queue: record };
  }

  async updateQueue(record: QueueRecord): Promise<QueueRecord> {
    while (this.#recovering !== undefined) await this.#recovering;
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
    while (this.#recovering !== undefined) await this.#recovering;
    const record = this.#record(queueId);
    this.#catalog.delete(record);
    const runtime = this.#states.delete(queueId);
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

  counts(queueId: number): Promise<MessageCounts> {
    return this.#use(queueId, (queue, now) => {
      queue.advance(now);
      this.#states.absorb(queue, now);
      return queue.counts(now);
    });
  }

  send(queueId: number, messages: readonly NewMessage[]): Promise<SendResult[]> {
    return this.#apply(
      queueId,
      (queue, now) => {
        this.#diskReserve.check();
        return queue.send(messages, now).map(({ messageId, seq }) => ({
          messageId,
          sequenceNumber: queue.isFifo ? sequenceNumber(seq) : undefined,
        }));
      },
      (queue) =>
        this.#prepareKey(queueId) ??
        (this.#mayBeDuplicates(queue, messages) ? this.#findDuplicates(queue, messages) : undefined),
    );
  }

  receive(
    queueId: number,
    request: ReceiveRequest,
    signal: CancelSignal,
    room?: ContentRoom,
  ): Promise<ReceivedMessage[] | 'over-limit'> {
    const until = this.#platform.now() + request.waitMs;
    return this.#use(queueId, (queue, now) => {
      // The wait for a recovery is part of the wait.
      const waitMs = Math.max(until - now, 0);
      return this.#receiver.receive(queue, waitMs === request.waitMs ? request : { ...request, waitMs }, signal, room);
    });
  }

  deleteMessages(queueId: number, receiptHandles: readonly string[]): Promise<DeleteOutcome[]> {
    return this.#apply(queueId, (queue, now) =>
      this.#receipts(queueId, receiptHandles).map((receipt): DeleteOutcome => {
        return typeof receipt === 'string' ? receipt : (queue.delete([receipt], now)[0] as DeleteOutcome);
      }),
    );
  }

  changeVisibility(queueId: number, entries: readonly VisibilityChange[]): Promise<VisibilityOutcome[]> {
    const handles = entries.map(({ receiptHandle }) => receiptHandle);
    return this.#apply(queueId, (queue, now) =>
      this.#receipts(queueId, handles).map((receipt, index): VisibilityOutcome => {
        const { timeoutMs } = entries[index] as VisibilityChange;
        return typeof receipt === 'string' ? receipt : queue.changeVisibility(receipt, timeoutMs, now);
      }),
    );
  }

  purge(queueId: number, minIntervalMs: number): Promise<'purged' | 'in-progress'> {
    return this.#use(queueId, async (queue, now) => {
      const record = this.#record(queueId);
      if (record.purgedAt !== undefined && now < record.purgedAt + minIntervalMs) return 'in-progress';
      queue.purge(now);
      this.#replaceRecord({ ...record, purgedAt: now, revision: record.revision + 1 });
      await this.#committer.durable();
      this.#reclaimer.purged(queueId, queue.counters.purgedBelow);
      return 'purged';
    });
  }

  // ---- message move tasks ---------------------------------------------------------------------------------------

  async startMoveTask(request: MoveTaskRequest): Promise<MoveTask | 'already-running'> {
    const { visible } = await this.counts(request.sourceQueueId);
    while (this.#recovering !== undefined) await this.#recovering;
    this.#record(request.sourceQueueId);
    return this.#tasks.start(request, visible);
  }

  async listMoveTasks(sourceQueueId: number, limit: number): Promise<MoveTask[]> {
    while (this.#recovering !== undefined) await this.#recovering;
    this.#record(sourceQueueId);
    return this.#tasks.list(sourceQueueId, limit);
  }

  async cancelMoveTask(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'> {
    while (this.#recovering !== undefined) await this.#recovering;
    this.#record(sourceQueueId);
    return this.#tasks.cancel(sourceQueueId, taskId);
  }

  // ---- queues and their state -----------------------------------------------------------------------------------

  #record(queueId: number): QueueRecord {
    const record = this.#catalog.get(queueId);
    if (record === undefined) throw new QueueGoneError('The queue does not exist.');
    return record;
  }

  /**
   * Runs a command on the state of a queue; what it says is told when its changes are durable. Command, changes and the
   * wait for them are one synchronous piece: in a gap between them the state could be thrown away, and the changes with it,
   * and the wait would end all the same.
   */
  #apply<Reply>(
    queueId: number,
    command: (queue: Queue, now: number) => Reply,
    prepare?: (queue: Queue) => Promise<() => boolean> | undefined,
  ): Promise<Reply> {
    const apply = (queue: Queue, now: number): Promise<Reply> => {
      const reply = command(queue, now);
      this.#states.absorb(queue, now);
      return this.#committer.durable().then(() => reply);
    };
    return this.#use(queueId, apply, prepare);
  }

  /**
   * Calls `use` with the state of a queue, which is good until the first time that it waits for something. `prepare` is
   * called before and returns what is to be done at the very moment of use; that says `false` when it comes too late, and
   * all begins anew.
   */
  #use<Result>(
    queueId: number,
    use: (queue: Queue, now: number) => Result | Promise<Result>,
    prepare?: (queue: Queue) => Promise<() => boolean> | undefined,
  ): Promise<Result> {
    // Nearly always all is at hand. Apart from the loop, because every async function and every wait in one takes time.
    try {
      const queue = this.#usable(queueId);
      if (queue === undefined) return this.#useWhenReady(queueId, use, prepare);
      const preparing = prepare?.(queue);
      if (preparing !== undefined) return this.#useWhenReady(queueId, use, prepare, { queue, preparing });
      return Promise.resolve(use(queue, this.#platform.now()));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #useWhenReady<Result>(
    queueId: number,
    use: (queue: Queue, now: number) => Result | Promise<Result>,
    prepare: ((queue: Queue) => Promise<() => boolean> | undefined) | undefined,
    begun?: { queue: Queue; preparing: Promise<() => boolean> },
  ): Promise<Result> {
    for (let first = begun; ; first = undefined) {
      let queue = first?.queue ?? this.#usable(queueId);
      if (queue === undefined) {
        await this.#makeUsable(queueId);
        queue = this.#usable(queueId);
      }
      if (queue === undefined) continue;
      const preparing = first?.preparing ?? prepare?.(queue);
      if (preparing !== undefined) {
        const finish = await preparing;
        if (this.#usable(queueId) !== queue || !finish()) continue;
      }
      return use(queue, this.#platform.now());
    }
  }

  /** The state of a queue, if it can be used this moment: with that of the queue that its receives may move messages to. */
  #usable(queueId: number): Queue | undefined {
    if (this.#recovering !== undefined) return undefined;
    const target = this.#catalog.deadLetterTargetOf(this.#record(queueId));
    if (target !== undefined && this.#states.get(target.id) === undefined) return undefined;
    return this.#states.get(queueId);
  }

  async #makeUsable(queueId: number): Promise<void> {
    while (this.#recovering !== undefined) await this.#recovering;
    const target = this.#catalog.deadLetterTargetOf(this.#record(queueId));
    try {
      await this.#states.load(queueId);
      if (target !== undefined) await this.#states.load(target.id);
    } catch (error) {
      // During a recovery no queue seems to exist; whether this one does is asked again.
      if (!(error instanceof QueueGoneError)) throw error;
    }
  }

  #replaceRecord(record: QueueRecord): void {
    this.#catalog.set(record);
    this.#committer.addOperations([{ key: this.#keys.queue(record.id), value: encodeJson(record) }]);
    const queue = this.#states.get(record.id);
    if (queue === undefined) return;
    const now = this.#platform.now();
    queue.changeSettings(settingsOf(record), now);
    this.#states.absorb(queue, now);
  }

  #receipts(queueId: number, receiptHandles: readonly string[]): (Receipt | 'invalid' | 'foreign')[] {
    return this.#handles.decode(receiptHandles).map((decoded) => {
      if (decoded === undefined) return 'invalid';
      return decoded.queueId === queueId ? decoded.receipt : 'foreign';
    });
  }

  /** Undefined: what is sent now can be encrypted. Else all begins anew once it can, unless there is no key to be had. */
  #prepareKey(queueId: number): Promise<() => boolean> | undefined {
    const record = this.#record(queueId);
    return this.#encryption.isReady(record) ? undefined : this.#encryption.prepare(record).then(() => () => false);
  }

  #mayBeDuplicates(queue: Queue, messages: readonly NewMessage[]): boolean {
    return queue.isDedupUnread || queue.dedupQuestions(messages, this.#platform.now()).length > 0;
  }

  /**
   * Reads the records that tell whether messages are duplicates. What was found is handed over at the moment of the send,
   * as memory might let go of it again before. That is too late when there are other records to look at by then.
   */
  async #findDuplicates(queue: Queue, messages: readonly NewMessage[]): Promise<() => boolean> {
    while (queue.isDedupUnread) {
      const page = this.#states.runtime(queue.id).dedupPage;
      await page;
      // The state was thrown away, and nobody reads for it any more.
      if (this.#states.get(queue.id) !== queue) return () => false;
    }
    const asked = queue.dedupQuestions(messages, this.#platform.now());
    const rows = await this.#store.getMany(asked.map((seq) => this.#keys.dedup(queue.id, seq)));
    return () => {
      rows.forEach((row, index) => {
        if (row !== undefined) queue.learnDedup({ seq: asked[index] as number, ...decodeDedup(row) });
      });
      return (
        queue.dedupQuestions(messages, this.#platform.now()).every((seq) => asked.includes(seq)) &&
        // Meanwhile the queue may have been given another key.
        this.#encryption.isReady(this.#record(queue.id))
      );
    };
  }

  // ---- opening and recovering -----------------------------------------------------------------------------------

  async #readCatalog(): Promise<void> {
    this.#catalog.clear();
    for await (const rows of pages(this.#store, this.#keys.family(Family.queue))) {
      for (const row of rows) this.#catalog.set(decodeJson(row.value, 'queue') as QueueRecord);
    }
    const nextQueueId = await this.#store.get(this.#keys.meta('next-queue-id'));
    this.#nextQueueId = nextQueueId === undefined ? 1 : (decodeJson(nextQueueId, 'meta') as number);
    await this.#tombstones.read(this.#store);
    await this.#tasks.read();
  }

  /** Retention, delays and redrive deadlines run for queues with messages, whether or not somebody uses them. */
  async #loadBusyQueues(): Promise<void> {
    try {
      for await (const rows of pages(this.#store, this.#keys.family(Family.counters))) {
        for (const row of rows) {
          if (this.#isClosed) return;
          await this.#loadIfBusy(row);
        }
      }
      this.#states.writeCounters();
    } catch (error) {
      this.#logger.error({ err: error }, 'cannot load the queues that have messages');
    }
  }

  /** One queue that cannot be read does not keep the others from being loaded. */
  async #loadIfBusy(counters: Row): Promise<void> {
    const queueId = queueIdOfKey(counters.key);
    try {
      const { live, reclaimedBelow, purgedBelow } = decodeCounters(counters.value);
      const isBusy = live > 0 || reclaimedBelow < purgedBelow;
      if (isBusy && this.#catalog.get(queueId) !== undefined) await this.#states.load(queueId);
    } catch (error) {
      if (!this.#isClosed) this.#logger.error({ err: error, queueId }, 'cannot load a queue that has messages');
    }
  }

  #recover(error: StoreUnavailableError, queueIds: ReadonlySet<number>): void {
    this.#logger.error({ err: error }, 'the store has refused a write; reading everything again');
    this.#states.unloadAll(queueIds);
    this.#tasks.stop();
    this.#agenda.cancel(this.#backgroundWork);
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
    // What nobody asks for writes, too: with the disk still full it would fail at once and start the next recovery.
    this.#agenda.set(this.#backgroundWork, this.#platform.now() + BACKGROUND_PAUSE_MS);
  }

  #loadQueuesWaitedFor(): void {
    for (const runtime of this.#states.runtimes()) {
      const isWaitedFor = runtime.waiters.first !== undefined && this.#catalog.get(runtime.id) !== undefined;
      if (!isWaitedFor) continue;
      this.#states.load(runtime.id).catch((error: Error) => {
        // While the next recovery reads the catalog no queue seems to exist; after it the queue is loaded again.
        const isMistaken = error instanceof QueueGoneError && (this.#recovering ?? this.#catalog.get(runtime.id));
        if (!isMistaken) runtime.failWaiters(error);
      });
    }
  }

  #startBackgroundWork(): void {
    this.#loadQueuesWaitedFor();
    for (const queueId of this.#tombstones.storedIds()) this.#reclaimer.dropped(queueId);
    this.#tasks.resume();
    this.#loadingBusyQueues = this.#loadBusyQueues();
  }
}
