/**
 * Plays the engine for two queues, one turn at a time: commits that become durable when the test says so, pages that are
 * read at one moment and handed over at another, due work at the deadlines the queues name, and a restart at any point.
 */
import assert from 'node:assert/strict';
import type { Change, Counters, LogRow } from '../../src/queue/change.ts';
import type { DelayedMessage } from '../../src/queue/delay-schedule.ts';
import type { Entry } from '../../src/queue/entry.ts';
import type { QueueLimits } from '../../src/queue/limits.ts';
import type { NewMessage } from '../../src/queue/message.ts';
import { type Arrival, type PageRequest, Queue, type Receipt } from '../../src/queue/queue.ts';
import { type DedupPage, FakeStore, logRowOf } from './fake-store.ts';
import { type Moment, NaiveQueue, type NaiveSettings } from './naive-queue.ts';

/** The queues as the model sees them. */
export interface Model {
  queues: NaiveQueue[];
}

export interface WorldOptions {
  fifo: boolean;
  deduplicationScope: 'queue' | 'messageGroup';
  delayMs: number;
  retentionMs: number;
  limits: QueueLimits;
}

/** Where time starts. */
const START = Date.UTC(2026, 0, 1, 0, 0, 23, 457);
const QUEUES = [0, 1];
/** A queue's longest delay: how long the count of delayed FIFO messages is off after one was raised. */
const DELAY_MAX_MS = 900_000;

interface Commit {
  number: number;
  changes: Change[];
  arrivals: Arrival[];
  counters: { queueId: number; counters: Counters }[];
  /** What the model looked like when it was made: the world after a crash that it has survived. */
  model?: NaiveQueue[];
  reclaim?: { queueId: number; below: number };
}

interface Page {
  index: number;
  queue: Queue;
  request: PageRequest;
  /** Read when the engine knows that this commit is durable. */
  behind: number;
  rows?: { log: LogRow[] } | { delays: DelayedMessage[] } | { dedups: DedupPage };
}

export interface KnownReceipt extends Receipt {
  index: number;
  commit: number;
}

export function newModel({ fifo, deduplicationScope, delayMs, retentionMs }: WorldOptions): Model {
  const settings: NaiveSettings = { fifo, deduplicationScope, delayMs, retentionMs, visibilityTimeoutMs: 30_000 };
  return { queues: QUEUES.map((index) => new NaiveQueue(arnOf(index), settings)) };
}

function arnOf(index: number): string {
  return `arn:aws:sqs:us-east-1:000000000000:queue-${index}`;
}

export type Between = 'nothing' | 'read' | 'deliver';

export class World {
  readonly limits: QueueLimits;
  readonly store = new FakeStore();
  now = START;
  queues: Queue[];
  /** Where each queue's redrive policy moves messages. */
  redrive: ({ target: number; maxReceiveCount: number } | undefined)[] = [undefined, undefined];
  /** Receipts in the order of the receives. */
  receipts: KnownReceipt[] = [];
  /** What move tasks have taken. */
  held: { index: number; entry: Entry }[] = [];
  /** Until then the count of delayed messages of a FIFO queue may be too high or too low. */
  delayedIsInexactUntil = 0;
  #commits: Commit[] = [];
  #issued = 0;
  #durable = 0;
  /** The engine knows of commits up to this one that they are durable. */
  #told = 0;
  #durableModel: NaiveQueue[];
  #pages: Page[] = [];
  #messageCount = 0;

  constructor(options: WorldOptions, model: Model) {
    this.limits = options.limits;
    this.#durableModel = model.queues.map((queue) => queue.clone());
    this.queues = QUEUES.map((index) => this.#open(index, this.store.counters(idOf(index)), 'new', model));
  }

  // ---- commands -------------------------------------------------------------------------------------------------

  /** Runs a command of a queue and takes what it leaves to be committed. */
  run<T>(
    model: Model,
    index: number,
    command: (queue: Queue) => T,
  ): { result: T; moment: Moment; changes: Change[]; isPaging: boolean } {
    this.seal(model);
    const { now } = this;
    const durable = this.#durable;
    const queue = this.queue(index);
    const result = command(queue);
    const changes = this.#absorb(index);
    return { result, moment: { now, durable, commit: this.#issued }, changes, isPaging: queue.isPaging };
  }

  /** Ties the commits made since the last time to the state that the model has come to. */
  seal(model: Model): void {
    for (const commit of this.#commits) commit.model ??= model.queues.map((queue) => queue.clone());
  }

  queue(index: number): Queue {
    return this.queues[index] as Queue;
  }

  newMessageId(): string {
    this.#messageCount++;
    return `m-${this.#messageCount}`;
  }

  /** Has the store answer for the deduplication ids that the queue does not know in full. */
  answerDedup(model: Model, index: number, messages: readonly NewMessage[]): void {
    const queue = this.queue(index);
    while (queue.isDedupUnread) {
      const page = this.#pages.findIndex((other) => other.queue === queue && other.request.kind === 'dedup');
      assert.ok(page >= 0, 'ids that are not known are being read');
      this.complete(model, Number.POSITIVE_INFINITY);
      this.#read(this.#pages[page] as Page);
      this.#deliver(model, this.#pages[page] as Page);
    }
    for (const seq of queue.dedupQuestions(messages, this.now)) {
      const record = this.store.dedup(queue.id, seq);
      if (record !== undefined) queue.learnDedup(record);
    }
  }

  /** Receipts that a client has been told, the latest first. */
  knownReceipts(index: number): KnownReceipt[] {
    return this.receipts.filter((known) => known.index === index && known.commit <= this.#durable).toReversed();
  }

  reclaim(model: Model, index: number): void {
    this.seal(model);
    const { purgedBelow, reclaimedBelow } = this.queue(index).counters;
    if (reclaimedBelow === purgedBelow) return;
    this.#issue({ changes: [], arrivals: [] }, { queueId: idOf(index), below: purgedBelow });
    this.seal(model);
  }

  /**
   * Whether the window is refilled before it holds less than a receive may take. The real one is, a narrow one returns
   * less and has more the next time.
   */
  get holdsFullReceives(): boolean {
    return this.limits.pageRowsMax >= 20;
  }

  // ---- commits and pages ----------------------------------------------------------------------------------------

  /**
   * The next `count` commits become durable, one after the other. `between`: what happens to a page when the store shows
   * a commit and the engine has not been told yet.
   */
  complete(model: Model, count: number, between: Between = 'nothing'): void {
    this.seal(model);
    for (let left = count; left > 0 && this.#commits.length > 0; left--) {
      const commit = this.#applyNext();
      if (between !== 'nothing') this.readPage(0);
      if (between === 'deliver') this.deliverPage(model, 0);
      this.#told = commit.number;
      const touched = new Set<number>();
      for (const { queue, row } of commit.arrivals) {
        const index = this.queues.indexOf(queue);
        if (index < 0) continue;
        queue.reveal(row, this.now);
        touched.add(index);
      }
      if (commit.reclaim !== undefined) {
        const queue = this.queue(commit.reclaim.queueId - 1);
        queue.noteReclaimed(commit.reclaim.below);
        this.#issue({ changes: [], arrivals: [] }, undefined, [queue.id]);
      }
      for (const index of touched) this.#absorb(index);
      this.seal(model);
    }
  }

  /** Reads a page that is asked for, once the commits before it are durable. */
  readPage(pick: number): void {
    const readable = this.#pages.filter((page) => page.rows === undefined && page.behind <= this.#told);
    const page = readable[pick % readable.length];
    if (page !== undefined) this.#read(page);
  }

  #read(page: Page): void {
    const { request, queue } = page;
    switch (request.kind) {
      case 'log':
        page.rows = { log: this.store.logPage(queue.id, request.partition, request.afterSeq, request.limit) };
        return;
      case 'delays':
        page.rows = { delays: this.store.delayPage(queue.id, request.after, request.limit) };
        return;
      case 'dedup':
        page.rows ??= { dedups: this.store.dedupPage(queue.id, request) };
    }
  }

  /** Hands a page that was read to its queue. */
  deliverPage(model: Model, pick: number): void {
    const read = this.#pages.filter((page) => page.rows !== undefined);
    const page = read[pick % read.length];
    if (page !== undefined) this.#deliver(model, page);
  }

  #deliver(model: Model, page: Page): void {
    const { request, queue, rows } = page;
    if (rows === undefined) return;
    this.seal(model);
    this.#pages = this.#pages.filter((other) => other !== page);
    if (request.kind === 'dedup' && 'dedups' in rows) {
      const { rows: records, reachedEnd, expiredBelow } = rows.dedups;
      queue.dedupPageLoaded(request, records, reachedEnd, expiredBelow, this.now);
    } else if (request.kind === 'log' && 'log' in rows) {
      queue.logPageLoaded(request, rows.log, rows.log.length < request.limit, this.now);
    } else if (request.kind === 'delays' && 'delays' in rows) {
      queue.delayPageLoaded(request, rows.delays, rows.delays.length < request.limit, this.now);
    }
    this.#absorb(page.index);
    this.seal(model);
  }

  // ---- time, rest, restart --------------------------------------------------------------------------------------

  passTo(model: Model, now: number): void {
    // A queue finds its way after a restart as long as fewer messages than a page of delays became durable only after
    // their delay had ended. With pages of a few rows, none may.
    const isLate = ({ arrivals }: Commit) => arrivals.some(({ row }) => row.dueAt > 0 && row.dueAt <= now);
    if (this.limits.delayPageRows < 100 && this.#commits.some(isLate)) this.complete(model, Number.POSITIVE_INFINITY);
    this.now = Math.max(this.now, now);
  }

  /** What the agenda does: due work of every queue until none has any left. */
  doDueWork(model: Model): void {
    this.seal(model);
    for (const index of QUEUES) {
      const queue = this.queue(index);
      for (let turns = 0; queue.nextDeadline() <= this.now; turns++) {
        assert.ok(turns < 1000, 'due work comes to an end');
        queue.advance(this.now);
        this.#absorb(index);
      }
    }
    this.seal(model);
  }

  /** Everything under way comes to an end: commits, pages, due work. */
  settle(model: Model): void {
    for (let turns = 0; this.#commits.length > 0 || this.#pages.length > 0 || turns === 0; turns++) {
      assert.ok(turns < 10_000, 'the world comes to rest');
      this.complete(model, Number.POSITIVE_INFINITY);
      this.doDueWork(model);
      this.readPage(0);
      this.deliverPage(model, 0);
    }
  }

  /**
   * A crash, and the queues read again as `recovery.ts` reads them. The next `applied` commits still reach the disk,
   * but nobody is told; the others are lost.
   */
  restart(model: Model, applied: number, recount: boolean): void {
    this.seal(model);
    this.receipts = this.receipts.filter(({ commit }) => commit <= this.#durable);
    for (let left = applied; left > 0 && this.#commits.length > 0; left--) this.#applyNext();
    this.#commits = [];
    this.#durable = this.#issued;
    this.#told = this.#issued;
    this.#pages = [];
    this.held = [];
    model.queues = model.queues.map((current, index) => {
      const survived = (this.#durableModel[index] as NaiveQueue).clone();
      survived.settings = current.settings;
      survived.restart();
      return survived;
    });
    if (!this.holdsFullReceives) this.delayedIsInexactUntil = this.now + DELAY_MAX_MS;
    this.queues = QUEUES.map((index) => this.#load(index, recount, model));
    for (const index of QUEUES) this.#absorb(index);
    this.seal(model);
  }

  // ---- inside ---------------------------------------------------------------------------------------------------

  #open(index: number, counters: Counters, loaded: 'new' | 'stored', model: Model): Queue {
    const { settings } = model.queues[index] as NaiveQueue;
    return new Queue({ id: idOf(index), arn: arnOf(index), settings }, { ...counters }, loaded, this.now, this.limits);
  }

  #load(index: number, recount: boolean, model: Model): Queue {
    const queueId = idOf(index);
    const counters = this.store.counters(queueId);
    const queue = this.#open(
      index,
      recount ? { ...counters, ...this.store.recount(queueId) } : counters,
      'stored',
      model,
    );
    for (const partition of this.store.partitions(queueId)) queue.restorePartition(partition);
    for (const { at, delivery } of this.store.deliveries) {
      if (at.queueId !== queueId) continue;
      const message = this.store.messages.find((row) => row.at.queueId === queueId && row.at.seq === at.seq);
      if (message !== undefined) queue.restoreReceived(logRowOf(message), delivery, this.now);
    }
    const attempts = this.store.attempts.filter((row) => row.queueId === queueId);
    for (const { id, record } of attempts.toSorted((a, b) => a.record.at - b.record.at)) {
      queue.restoreAttempt(id, record);
    }
    return queue;
  }

  #absorb(index: number): Change[] {
    const queue = this.queue(index);
    const effects = queue.takeEffects();
    if (effects.changes.length > 0) this.#issue(effects);
    for (const request of queue.wants(this.now)) this.#pages.push({ index, queue, request, behind: this.#issued });
    return effects.changes;
  }

  #issue(
    { changes, arrivals }: { changes: Change[]; arrivals: Arrival[] },
    reclaim?: { queueId: number; below: number },
    touched: readonly number[] = [],
  ): void {
    this.#issued++;
    const queueIds = new Set([...touched, ...changes.flatMap(queueIdsOf)]);
    const counters = [...queueIds].map((queueId) => ({
      queueId,
      counters: { ...this.queue(queueId - 1).counters },
    }));
    this.#commits.push({ number: this.#issued, changes, arrivals, counters, reclaim });
  }

  #applyNext(): Commit {
    const commit = this.#commits.shift() as Commit;
    for (const change of commit.changes) this.store.apply(change);
    if (commit.reclaim !== undefined) this.store.reclaim(commit.reclaim.queueId, commit.reclaim.below);
    for (const { queueId, counters } of commit.counters) this.store.putCounters(queueId, counters);
    this.#durable = commit.number;
    this.#durableModel = commit.model as NaiveQueue[];
    return commit;
  }
}

function idOf(index: number): number {
  return index + 1;
}

function queueIdsOf(change: Change): number[] {
  if (change.kind === 'message.move') return [change.from.queueId, change.at.queueId];
  return 'at' in change ? [change.at.queueId] : [change.queueId];
}
