/**
 * One queue as a state machine: commands in, replies and changes out. No clock, no randomness, no store - the time and
 * every id are arguments, and what must become durable is returned as a list of changes.
 *
 * The life of a send: `send` takes a place in the log and returns the change that stores it; when the engine has made
 * it durable it calls `reveal`, and only then can the message be received. Everything else takes effect in memory at
 * once and is answered when its changes are durable; when they cannot be made durable the whole state is thrown away
 * and read again from the store.
 *
 * What is in memory is a window (see `PartitionLog`): the messages in flight and some thousand next ones. `wants` says
 * which pages the window would like; the engine reads them and hands them in.
 */
import { IndexedHeap } from '../collections/indexed-heap.ts';
import type {
  AttemptRecord,
  Change,
  Counters,
  DedupRecord,
  Delivery,
  LogRow,
  MessageTiming,
  MoveEdit,
  Position,
} from './change.ts';
import { Deduplication, type DedupPageRequest, type DedupRow } from './deduplication.ts';
import { type DelayedMessage, type DelayPageRequest, DelaySchedule } from './delay-schedule.ts';
import type { DeliveryOrder, Verdict } from './delivery-order.ts';
import { Entry } from './entry.ts';
import { FairOrder, partitionOfGroup, UNGROUPED_PARTITION } from './fair-order.ts';
import { GroupOrder } from './group-order.ts';
import { QUEUE_LIMITS, type QueueLimits } from './limits.ts';
import type { NewMessage } from './message.ts';
import { type LogPageRequest, PartitionLog } from './partition-log.ts';
import { ReceiveAttempts } from './receive-attempts.ts';
import type { QueueSettings } from './record.ts';
import { SendHistory } from './send-history.ts';

/** A message is in flight for 12 hours at most, however often its visibility is changed (SQS: section 5.3). */
export const VISIBILITY_TOTAL_MS = 12 * 3600_000;

export type PageRequest = LogPageRequest | DelayPageRequest | DedupPageRequest;

/** What a command leaves to do: `changes` to make durable, and `arrivals` to reveal once they are. */
export interface Effects {
  changes: Change[];
  arrivals: Arrival[];
}

/** A message that is on its way to the store. */
export interface Arrival {
  queue: Queue;
  row: LogRow;
}

/** Names one delivery of one message: what a receipt handle stands for. */
export interface Receipt {
  partition: number;
  seq: number;
  /** The receive count of that delivery. */
  receiveCount: number;
}

export interface SendOutcome {
  messageId: string;
  seq: number;
  duplicate: boolean;
}

export interface ReceiveCommand {
  maxMessages: number;
  visibilityTimeoutMs: number;
  attemptId?: string;
}

/** A received message: where its content is, and what this receive made of it. */
export interface Received extends Receipt {
  firstReceivedAt: number;
}

/** Where messages go that were received too often. Absent when the target does not exist or refuses them. */
export interface DeadLetterTarget {
  queue: Queue;
  maxReceiveCount: number;
}

export class Queue {
  readonly id: number;
  readonly isFifo: boolean;
  readonly arn: string;
  readonly #limits: QueueLimits;
  #settings: QueueSettings;
  readonly #counters: Counters;
  readonly #order: DeliveryOrder;
  readonly #logs = new Map<number, PartitionLog>();
  readonly #entries = new Map<number, Entry>();
  readonly #inFlight = new IndexedHeap<'heapIndex', Entry>('heapIndex', (a, b) => a.visibleAt < b.visibleAt);
  /** Everything in memory by age: what retention takes first. */
  readonly #byAge = new IndexedHeap<'expiryIndex', Entry>('expiryIndex', (a, b) => a.retentionFrom < b.retentionFrom);
  readonly #delays: DelaySchedule;
  readonly #deduplication: Deduplication | undefined;
  readonly #attempts = new ReceiveAttempts();
  /** FIFO: when messages came in, to count those that the queue's delay still holds back. */
  readonly #sendHistory = new SendHistory();
  /** The same for messages that were in the store when the queue was loaded, as far as they have been read. */
  readonly #sendsBeforeLoad = new SendHistory();
  /** Epoch milliseconds. */
  readonly #loadedAt: number;
  /** Sent, and not durable yet. */
  readonly #pending = new Set<number>();
  #pendingVisible = 0;
  /** With that many logs those of which nothing is known any more are forgotten. */
  #forgetLogsAt: number;
  /** Logs whose window runs low. */
  readonly #hungry = new Set<PartitionLog>();
  /** Pages asked for and not here yet. */
  readonly #loading = new Set<LogPageRequest | DelayPageRequest>();
  #effects: Effects = { changes: [], arrivals: [] };

  constructor(
    queue: { id: number; arn: string; settings: QueueSettings },
    counters: Counters,
    loaded: 'new' | 'stored',
    now: number,
    limits: QueueLimits = QUEUE_LIMITS,
  ) {
    this.#limits = limits;
    this.#forgetLogsAt = limits.idleLogsMax;
    this.id = queue.id;
    this.arn = queue.arn;
    this.#settings = queue.settings;
    this.#counters = counters;
    this.isFifo = queue.settings.fifo;
    this.#order = this.isFifo ? new GroupOrder(queue.settings.delayMs) : new FairOrder();
    this.#delays = new DelaySchedule(!this.isFifo && loaded === 'stored', limits);
    this.#deduplication = this.isFifo
      ? new Deduplication(
          queue.settings.deduplicationScope,
          loaded === 'new' ? undefined : counters.purgedBelow,
          limits.deduplicationIdsMax,
        )
      : undefined;
    this.#loadedAt = now;
  }

  // ---- commands -------------------------------------------------------------------------------------------------

  send(messages: readonly NewMessage[], now: number): SendOutcome[] {
    this.advance(now);
    const outcomes = messages.map((message) => this.#send(message, now));
    this.#deduplication?.trim(now, (seq) => this.#pending.has(seq));
    return outcomes;
  }

  #send(message: NewMessage, now: number): SendOutcome {
    const dedupId = this.#deduplication?.idOf(message);
    if (dedupId !== undefined) {
      const original = this.#deduplication?.find(dedupId, now);
      if (original !== undefined) return { messageId: original.messageId, seq: original.seq, duplicate: true };
    }
    const delayMs = this.isFifo ? 0 : (message.delayMs ?? this.#settings.delayMs);
    const timing: MessageTiming = {
      sentAt: now,
      retentionFrom: now,
      dueAt: delayMs > 0 ? now + delayMs : 0,
      receivesBefore: 0,
      firstReceivedBefore: 0,
    };
    const { at, row } = this.#admit(timing, message.groupId);
    this.#change({ kind: 'message.put', at, timing, content: message, row });
    if (dedupId !== undefined) {
      const record = (this.#deduplication as Deduplication).add(dedupId, message.messageId, at.seq, now);
      this.#change({ kind: 'dedup.put', queueId: this.id, record });
    }
    return { messageId: message.messageId, seq: at.seq, duplicate: false };
  }

  /** Whether the deduplication ids in the store have yet to be read. Nothing can be sent before that. */
  get isDedupUnread(): boolean {
    return this.#deduplication?.isUnread ?? false;
  }

  /** Sequence numbers of deduplication records in the store that a send has to be told of (`learnDedup`) to be judged. */
  dedupQuestions(messages: readonly NewMessage[], now: number): number[] {
    const seqs: number[] = [];
    const deduplication = this.#deduplication;
    if (deduplication === undefined) return seqs;
    for (const message of messages) deduplication.candidates(deduplication.idOf(message), now, seqs);
    return seqs;
  }

  /** Whether the record is of interest is not for the caller to tell. */
  learnDedup(record: DedupRecord): void {
    if (record.seq >= this.#counters.purgedBelow) this.#deduplication?.learn(record);
  }

  /**
   * `over-limit`: a standard queue with 120,000 messages in flight. `deadLetter` is where messages go instead of being
   * delivered once more than the redrive policy allows.
   */
  receive(command: ReceiveCommand, deadLetter: DeadLetterTarget | undefined, now: number): Received[] | 'over-limit' {
    this.advance(now);
    if (command.attemptId !== undefined) {
      const replayed = this.#replay(command.attemptId, command.visibilityTimeoutMs, now);
      if (replayed !== undefined) return replayed;
    }
    const room = this.#limits.inFlightMax - this.#inFlight.size;
    if (room <= 0) return this.isFifo ? [] : 'over-limit';
    const max = Math.min(command.maxMessages, room);
    const taken: Entry[] = [];
    this.#order.take(now, (entry): Verdict => {
      if (taken.length === max) return 'stop';
      if (this.#isExpired(entry, now)) {
        this.#drop(entry);
        return 'drop';
      }
      if (deadLetter !== undefined && entry.receiveCount - entry.receivesBefore >= deadLetter.maxReceiveCount) {
        this.#moveToDeadLetter(entry, deadLetter.queue, now);
        return 'drop';
      }
      entry.state = 'in-flight';
      taken.push(entry);
      return 'take';
    });
    const visibleAt = now + command.visibilityTimeoutMs;
    for (const entry of taken) this.#deliver(entry, visibleAt, now);
    if (command.attemptId !== undefined && taken.length > 0)
      this.#rememberAttempt(command.attemptId, taken, visibleAt, now);
    if (command.visibilityTimeoutMs === 0) for (const entry of taken) this.#becomeVisible(entry, now);
    this.#noteTaken(taken, max);
    return taken.map(receivedOf);
  }

  /** One outcome per receipt. `expired`: only on FIFO queues, where a handle dies with its visibility timeout. */
  delete(receipts: readonly Receipt[], now: number): ('deleted' | 'expired')[] {
    this.advance(now);
    return receipts.map((receipt) => {
      const entry = this.#entries.get(receipt.seq);
      if (entry === undefined) return 'deleted';
      if (this.isFifo && !isCurrent(entry, receipt)) return 'expired';
      this.#forget(entry, now);
      this.#deleteStored(entry);
      return 'deleted';
    });
  }

  /** `gone`: the message was deleted, has expired or was purged. `beyond-limit`: more than 12 hours in all. */
  changeVisibility(receipt: Receipt, timeoutMs: number, now: number): 'changed' | 'expired' | 'gone' | 'beyond-limit' {
    this.advance(now);
    const entry = this.#entries.get(receipt.seq);
    if (entry === undefined || entry.state === 'moving') return 'gone';
    if (this.isFifo && !isCurrent(entry, receipt)) return 'expired';
    if (timeoutMs > 0 && now + timeoutMs > entry.receivedAt + VISIBILITY_TOTAL_MS) return 'beyond-limit';
    entry.visibleAt = now + timeoutMs;
    if (entry.state === 'in-flight') {
      if (timeoutMs === 0) this.#becomeVisible(entry, now);
      else this.#inFlight.update(entry);
    } else if (timeoutMs > 0) {
      // A standard message that had become visible again is hidden once more (SQS: section 5.2).
      this.#orderHold(entry, 'in-flight', now);
      this.#inFlight.push(entry);
      this.#noteHunger(this.#log(entry.partition));
    }
    this.#change({ kind: 'delivery.put', at: this.#positionOf(entry), delivery: entry.delivery(), isFirst: false });
    return 'changed';
  }

  /** Everything sent so far is gone at once; its rows are reclaimed in the background (SQS: section 2.14). */
  purge(now: number): void {
    this.advance(now);
    const { nextSeq } = this.#counters;
    for (const id of this.#attempts.clear()) this.#change({ kind: 'attempt.delete', queueId: this.id, id });
    this.#entries.clear();
    this.#inFlight.clear();
    this.#byAge.clear();
    this.#order.clear();
    this.#logs.clear();
    this.#hungry.clear();
    this.#loading.clear();
    this.#pending.clear();
    this.#pendingVisible = 0;
    this.#sendHistory.clear();
    this.#sendsBeforeLoad.clear();
    this.#deduplication?.clear();
    if (!this.isFifo) this.#delays.restart();
    this.#counters.live = 0;
    this.#counters.delayed = 0;
    this.#counters.purgedBelow = nextSeq;
    this.#change({ kind: 'purge', queueId: this.id, below: nextSeq });
  }

  /** The rows of messages purged before `below` are gone from the store. */
  noteReclaimed(below: number): void {
    this.#counters.reclaimedBelow = Math.max(this.#counters.reclaimedBelow, below);
  }

  changeSettings(settings: QueueSettings, now: number): void {
    this.advance(now);
    this.#settings = settings;
    if (this.#order instanceof GroupOrder) this.#order.setDelay(settings.delayMs, now);
  }

  // ---- moves between queues -------------------------------------------------------------------------------------

  /** Takes up to `max` visible messages, the next ones first, for a move task. End each with `finishMove` or `returnMove`. */
  takeForMove(max: number, now: number): Entry[] {
    this.advance(now);
    const taken: Entry[] = [];
    this.#order.take(now, (entry): Verdict => {
      if (taken.length === max) return 'stop';
      if (this.#isExpired(entry, now)) {
        this.#drop(entry);
        return 'drop';
      }
      entry.state = 'moving';
      taken.push(entry);
      return 'take';
    });
    this.#noteTaken(taken, max);
    return taken;
  }

  /** Moves a taken message to `target` as a new send. False when it was deleted or purged in the meantime. */
  finishMove(entry: Entry, target: Queue, messageId: string, now: number): boolean {
    if (this.#entries.get(entry.seq) !== entry) return false;
    const timing: MessageTiming = {
      sentAt: now,
      retentionFrom: now,
      dueAt: 0,
      receivesBefore: 0,
      firstReceivedBefore: 0,
    };
    this.#move(entry, target, timing, { messageId, deadLetterSourceArn: undefined, keepsSentAt: false });
    this.#forget(entry, now);
    return true;
  }

  /** Gives a taken message back. */
  returnMove(entry: Entry, now: number): void {
    if (this.#entries.get(entry.seq) !== entry) return;
    entry.state = 'ready';
    this.#order.release(entry, now);
  }

  #moveToDeadLetter(entry: Entry, target: Queue, now: number): void {
    const timing: MessageTiming = {
      sentAt: now,
      // A standard dead-letter queue keeps counting from the first send, a FIFO one starts anew (SQS: section 5.8).
      retentionFrom: target.isFifo ? now : entry.retentionFrom,
      dueAt: 0,
      receivesBefore: entry.receiveCount,
      firstReceivedBefore: entry.firstReceivedAt,
    };
    this.#move(entry, target, timing, {
      deduplicationId: target.isFifo ? 'message-id' : undefined,
      deadLetterSourceArn: this.arn,
      keepsSentAt: true,
    });
    this.#drop(entry, 'moved');
  }

  #move(entry: Entry, target: Queue, timing: MessageTiming, edit: MoveEdit): void {
    const { at, row } = target.#admit(timing, this.#order.groupIdOf(entry), this.#effects);
    row.isInline = !entry.mayHaveBody;
    this.#change({
      kind: 'message.move',
      from: this.#positionOf(entry),
      fromHasDelivery: entry.hasDelivery,
      at,
      timing,
      edit,
    });
  }

  // ---- time -----------------------------------------------------------------------------------------------------

  /** Does everything that has become due. Every command begins with it. */
  advance(now: number): void {
    for (
      let entry = this.#inFlight.peek();
      entry !== undefined && entry.visibleAt <= now;
      entry = this.#inFlight.peek()
    ) {
      this.#becomeVisible(entry, now);
    }
    for (let due = this.#delays.popDue(now); due !== undefined; due = this.#delays.popDue(now)) {
      this.#endDelay(due, now);
    }
    this.#order.advance(now);
    this.#expire(now);
    const below = this.#deduplication?.sweep(now);
    if (below !== undefined) this.#change({ kind: 'dedup.expire', queueId: this.id, below });
    for (const id of this.#attempts.expire(now)) this.#change({ kind: 'attempt.delete', queueId: this.id, id });
  }

  /** Drops what is older than the retention period, whatever state it is in (SQS: section 5.6). */
  #expire(now: number): void {
    for (let count = 0; count < this.#limits.expiryBatch; count++) {
      const oldest = this.#byAge.peek();
      if (oldest === undefined || !this.#isExpired(oldest, now)) break;
      this.#forget(oldest, now);
      this.#deleteStored(oldest);
    }
    const newestExpired = now - this.#settings.retentionMs;
    for (let count = 0; count < this.#limits.expiryBatch; count++) {
      const delayed = this.#delays.popOlder(newestExpired);
      if (delayed === undefined) break;
      this.#endDelay(delayed, now);
    }
  }

  /** When `advance` has something to do next, in epoch milliseconds; Infinity for never. */
  nextDeadline(): number {
    return Math.min(
      this.#inFlight.peek()?.visibleAt ?? Number.POSITIVE_INFINITY,
      (this.#byAge.peek()?.retentionFrom ?? Number.POSITIVE_INFINITY) + this.#settings.retentionMs,
      this.#delays.oldestSince() + this.#settings.retentionMs,
      this.#delays.nextDueAt(),
      this.#order.nextDueAt(),
      this.#deduplication?.sweepAt ?? Number.POSITIVE_INFINITY,
    );
  }

  #endDelay(delayed: DelayedMessage, now: number): void {
    const at: Position = { queueId: this.id, partition: delayed.partition, seq: delayed.seq };
    this.#change({ kind: 'delay.delete', at, dueAt: delayed.dueAt });
    if (delayed.seq < this.#counters.purgedBelow) return;
    this.#counters.delayed--;
    const log = this.#log(delayed.partition);
    if (delayed.retentionFrom + this.#settings.retentionMs <= now) {
      this.#counters.live--;
      log.noteRemoved(delayed.seq);
      this.#change({ kind: 'message.delete', at, mayHaveBody: true, hasDelivery: false });
      return;
    }
    if (delayed.seq > log.loadedThrough) {
      // Behind the window a page will find it, and find it due.
      this.#noteHunger(log);
      return;
    }
    this.#remember(new Entry({ ...delayed, receivesBefore: 0, firstReceivedBefore: 0 }), delayed.groupId, now);
  }

  // ---- arrival and pages ----------------------------------------------------------------------------------------

  /** A message of this queue is durable: from here on it can be received. */
  reveal(row: LogRow, now: number): void {
    if (!this.#pending.delete(row.seq)) return;
    const log = this.#log(row.partition);
    const isInWindow = log.admits(row.seq, this.#hasRoom());
    if (row.dueAt > 0) {
      this.#delays.add(row);
    } else {
      this.#pendingVisible--;
      if (isInWindow) this.#remember(new Entry(row), row.groupId, now);
      else this.#noteHunger(log);
    }
  }

  /** The pages that the window would like to have, each named once. Read them after all commits made so far. */
  wants(now: number): PageRequest[] {
    const requests: (LogPageRequest | DelayPageRequest)[] = [];
    if (this.#delays.needsPage) requests.push(this.#delays.requestPage());
    // Which messages of a log are delayed is known once the first page of delays is there.
    if (!this.#delays.isUnread) {
      for (const log of this.#hungry)
        if (log.hasTail && !log.isLoading) requests.push(log.requestPage(this.#pageRows()));
      this.#hungry.clear();
    }
    for (const request of requests) this.#loading.add(request);
    const dedupPage = this.#deduplication?.requestPage(now, this.#limits.deduplicationPageRows);
    return dedupPage === undefined ? requests : [...requests, dedupPage];
  }

  /** Whether more messages may become ready without any command: a page of them is wanted or on its way. */
  get isPaging(): boolean {
    return this.#delays.isUnread || this.#delays.needsPage || this.#loading.size > 0 || this.#hungry.size > 0;
  }

  logPageLoaded(request: LogPageRequest, rows: readonly LogRow[], reachedEnd: boolean, now: number): void {
    const log = this.#logs.get(request.partition);
    // A purge has forgotten the page.
    if (!this.#loading.delete(request) || log === undefined) return;
    const removed = log.finishPage(rows.at(-1)?.seq, reachedEnd);
    for (const row of rows) {
      if (row.seq < this.#counters.purgedBelow || removed.has(row.seq)) continue;
      if (this.#entries.has(row.seq) || this.#pending.has(row.seq)) continue;
      if (row.dueAt > 0 && !this.#delays.isDone(row)) continue;
      if (this.isFifo && row.retentionFrom < this.#loadedAt) this.#sendsBeforeLoad.add(row.retentionFrom);
      this.#remember(new Entry(row), row.groupId, now);
    }
    this.#noteHunger(log);
    this.advance(now);
  }

  delayPageLoaded(request: DelayPageRequest, rows: readonly DelayedMessage[], reachedEnd: boolean, now: number): void {
    if (!this.#loading.delete(request)) return;
    this.#delays.finishPage(rows, reachedEnd, (seq) => this.#pending.has(seq));
    this.advance(now);
  }

  /** `expiredBelow`: records below this sequence number have expired. The first page says so if there are any. */
  dedupPageLoaded(
    request: DedupPageRequest,
    rows: readonly DedupRow[],
    reachedEnd: boolean,
    expiredBelow: number | undefined,
    now: number,
  ): void {
    if (this.#deduplication?.finishPage(request, rows, reachedEnd) !== true) return;
    if (expiredBelow !== undefined) this.#change({ kind: 'dedup.expire', queueId: this.id, below: expiredBelow });
    this.advance(now);
  }

  /** A partition that has messages in the store. Called once each when a queue is read from the store. */
  restorePartition(partition: number): void {
    const log = new PartitionLog(partition, Math.max(this.#counters.purgedBelow - 1, 0), true);
    this.#logs.set(partition, log);
    this.#hungry.add(log);
  }

  /** A message that has been received. All of these are in memory, see `PartitionLog`. */
  restoreReceived(row: LogRow, delivery: Delivery, now: number): void {
    if (row.seq < this.#counters.purgedBelow) return;
    const entry = new Entry(row);
    entry.receiveCount = delivery.receiveCount;
    entry.firstReceivedAt = delivery.firstReceivedAt;
    entry.receivedAt = delivery.receivedAt;
    entry.visibleAt = delivery.visibleAt;
    if (entry.visibleAt > now) entry.state = 'in-flight';
    this.#remember(entry, row.groupId, now);
    if (entry.state === 'in-flight') this.#inFlight.push(entry);
  }

  restoreAttempt(id: string, record: AttemptRecord): void {
    this.#attempts.restore(id, record);
  }

  // ---- what can be asked ----------------------------------------------------------------------------------------

  counts(now: number): { visible: number; inFlight: number; delayed: number } {
    const { live } = this.#counters;
    const inFlight = this.#inFlight.size;
    // What was received before a FIFO queue's delay was raised is not delayed, though sent a short while ago.
    const delayed = this.isFifo ? Math.min(this.#countDelayedFifo(now), live - inFlight) : this.#counters.delayed;
    const visible = Math.max(live - this.#pendingVisible - inFlight - delayed, 0);
    return { visible, inFlight, delayed };
  }

  #countDelayedFifo(now: number): number {
    const since = now - this.#settings.delayMs;
    return this.#sendHistory.countSince(since) + this.#sendsBeforeLoad.countSince(since);
  }

  get counters(): Readonly<Counters> {
    return this.#counters;
  }

  get visibilityTimeoutMs(): number {
    return this.#settings.visibilityTimeoutMs;
  }

  /** Ready messages in memory: a hint that waiting receives may be served. */
  get hasReady(): boolean {
    return this.#order.readyCount > 0;
  }

  /** Whether there are effects to take. */
  get hasEffects(): boolean {
    return this.#effects.changes.length > 0;
  }

  /** Hands over the effects of everything since the last call. */
  takeEffects(): Effects {
    const effects = this.#effects;
    this.#effects = { changes: [], arrivals: [] };
    return effects;
  }

  // ---- inside ---------------------------------------------------------------------------------------------------

  /** Gives an arriving message its place. `effects`: those of the command that brings it, which may be another queue's. */
  #admit(
    timing: MessageTiming,
    groupId: string | undefined,
    effects: Effects = this.#effects,
  ): { at: Position; row: LogRow } {
    const seq = this.#counters.nextSeq++;
    const partition = this.isFifo || groupId === undefined ? UNGROUPED_PARTITION : partitionOfGroup(groupId);
    this.#counters.live++;
    this.#pending.add(seq);
    if (timing.dueAt > 0) this.#counters.delayed++;
    else this.#pendingVisible++;
    if (this.isFifo) this.#sendHistory.add(timing.retentionFrom);
    const { retentionFrom, dueAt, receivesBefore, firstReceivedBefore } = timing;
    const row: LogRow = { seq, partition, retentionFrom, dueAt, groupId, receivesBefore, firstReceivedBefore };
    effects.arrivals.push({ queue: this, row });
    return { at: { queueId: this.id, partition, seq }, row };
  }

  #deliver(entry: Entry, visibleAt: number, now: number): void {
    const isFirst = !entry.hasDelivery;
    entry.receiveCount++;
    entry.receivedAt = now;
    entry.visibleAt = visibleAt;
    if (entry.firstReceivedAt === 0) entry.firstReceivedAt = now;
    this.#inFlight.push(entry);
    this.#change({ kind: 'delivery.put', at: this.#positionOf(entry), delivery: entry.delivery(), isFirst });
  }

  #becomeVisible(entry: Entry, now: number): void {
    this.#inFlight.remove(entry);
    entry.state = 'ready';
    this.#order.release(entry, now);
  }

  #orderHold(entry: Entry, state: 'in-flight' | 'moving', now: number): void {
    entry.state = state;
    this.#order.hold(entry, now);
  }

  /** The same messages again, with their visibility started anew; undefined if anything happened to one of them. */
  #replay(attemptId: string, visibilityTimeoutMs: number, now: number): Received[] | undefined {
    const attempt = this.#attempts.untouched(attemptId, this.#entries);
    if (attempt === undefined) return undefined;
    const visibleAt = now + visibilityTimeoutMs;
    for (const entry of attempt.entries) {
      entry.visibleAt = visibleAt;
      this.#inFlight.update(entry);
      this.#change({ kind: 'delivery.put', at: this.#positionOf(entry), delivery: entry.delivery(), isFirst: false });
    }
    this.#rememberAttempt(attemptId, attempt.entries, visibleAt, attempt.at);
    return attempt.entries.map(receivedOf);
  }

  #rememberAttempt(id: string, entries: readonly Entry[], visibleAt: number, at: number): void {
    const record = this.#attempts.remember(id, entries, visibleAt, at);
    this.#change({ kind: 'attempt.put', queueId: this.id, id, record });
  }

  #isExpired(entry: Entry, now: number): boolean {
    return entry.retentionFrom + this.#settings.retentionMs <= now;
  }

  #remember(entry: Entry, groupId: string | undefined, now: number): void {
    this.#entries.set(entry.seq, entry);
    this.#byAge.push(entry);
    this.#order.add(entry, groupId, now);
  }

  /** Takes an entry out of every collection. */
  #forget(entry: Entry, now: number): void {
    this.#order.remove(entry, now);
    this.#dropFromMemory(entry);
  }

  /** Like `#forget`, for an entry that the delivery order is about to drop by itself. */
  #drop(entry: Entry, how: 'deleted' | 'moved' = 'deleted'): void {
    this.#dropFromMemory(entry);
    if (how === 'deleted') this.#deleteStored(entry);
  }

  #dropFromMemory(entry: Entry): void {
    this.#entries.delete(entry.seq);
    this.#byAge.remove(entry);
    if (entry.state === 'in-flight') this.#inFlight.remove(entry);
    this.#counters.live--;
    const log = this.#log(entry.partition);
    log.noteRemoved(entry.seq);
    this.#noteHunger(log);
  }

  #deleteStored(entry: Entry): void {
    const { mayHaveBody, hasDelivery } = entry;
    this.#change({ kind: 'message.delete', at: this.#positionOf(entry), mayHaveBody, hasDelivery });
  }

  #hasRoom(): boolean {
    return this.#order.readyCount < this.#limits.windowReadyMax;
  }

  /** Notes the logs that messages were just taken from, and on a FIFO queue whether there were too few. */
  #noteTaken(taken: readonly Entry[], max: number): void {
    if (!this.isFifo) {
      for (const entry of taken) this.#noteHunger(this.#log(entry.partition));
    } else if (taken.length < max) {
      // Its groups are blocked: look further for an available one, up to the distance at which SQS stops looking.
      this.#noteHunger(this.#log(UNGROUPED_PARTITION), this.#limits.lookAhead);
    } else {
      this.#noteHunger(this.#log(UNGROUPED_PARTITION));
    }
  }

  #noteHunger(log: PartitionLog, low: number = Math.ceil(this.#pageRows() / 2)): void {
    if (log.hasTail && this.#order.readyCountOf(log.partition) < low) this.#hungry.add(log);
  }

  /** The window is shared by the partitions, so that its size does not follow the number of tenants. */
  #pageRows(): number {
    const { windowReadyMax, pageRowsMax, pageRowsMin } = this.#limits;
    return Math.max(Math.min(pageRowsMax, Math.ceil(windowReadyMax / Math.max(this.#logs.size, 1))), pageRowsMin);
  }

  #log(partition: number): PartitionLog {
    let log = this.#logs.get(partition);
    if (log === undefined) {
      // A partition that was not in the store begins empty; what was purged before is not looked at again.
      log = new PartitionLog(partition, Math.max(this.#counters.purgedBelow - 1, 0), false);
      if (this.#logs.size >= this.#forgetLogsAt) this.#forgetIdleLogs();
      this.#logs.set(partition, log);
    }
    return log;
  }

  /** A queue that has a new message group with every message would have a log for each of them for ever. */
  #forgetIdleLogs(): void {
    // A delayed message must find how far its log had been read.
    if (this.#counters.delayed === 0) {
      for (const [partition, log] of this.#logs) {
        if (!log.hasTail && !log.isLoading && !this.#order.holds(partition)) this.#logs.delete(partition);
      }
    }
    this.#forgetLogsAt = Math.max(2 * this.#logs.size, this.#limits.idleLogsMax);
  }

  #positionOf(entry: Entry): Position {
    return { queueId: this.id, partition: entry.partition, seq: entry.seq };
  }

  #change(change: Change): void {
    this.#effects.changes.push(change);
  }
}

/** A FIFO handle is good while its own delivery is in flight (SQS: section 6.5). */
function isCurrent(entry: Entry, receipt: Receipt): boolean {
  return entry.state === 'in-flight' && entry.receiveCount === receipt.receiveCount;
}

function receivedOf(entry: Entry): Received {
  const { partition, seq, receiveCount, firstReceivedAt } = entry;
  return { partition, seq, receiveCount, firstReceivedAt };
}
