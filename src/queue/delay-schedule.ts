import { IndexedHeap } from '../collections/indexed-heap.ts';
import type { QueueLimits } from './limits.ts';

export interface DelayPageRequest {
  kind: 'delays';
  /** Rows behind this position, in the order of (dueAt, seq). */
  after: DelayPosition;
  limit: number;
}

export interface DelayPosition {
  /** Epoch milliseconds. */
  dueAt: number;
  seq: number;
}

export interface DelayedMessage extends DelayPosition {
  partition: number;
  retentionFrom: number;
  groupId?: string;
}

type Scheduled = DelayedMessage & { heapIndex: number; expiryIndex: number };

const START: DelayPosition = { dueAt: 0, seq: 0 };
const END: DelayPosition = { dueAt: Number.POSITIVE_INFINITY, seq: 0 };

/**
 * The messages of a standard queue whose delay has not ended: those up to `#loadedThrough` in (dueAt, seq) order are in
 * memory, later ones only in the store's delay index. Memory stays bounded with a million delayed messages.
 */
export class DelaySchedule {
  readonly #heap = new IndexedHeap<'heapIndex', Scheduled>('heapIndex', isBefore);
  /** The same messages by age: a retention period may end before a delay does. */
  readonly #byAge = new IndexedHeap<'expiryIndex', Scheduled>('expiryIndex', isOlder);
  readonly #limits: QueueLimits;
  #loadedThrough: DelayPosition;
  /** The sequences of what is in the heap. */
  readonly #seqs = new Set<number>();
  /** While a page is on its way: what was added behind `#loadedThrough`. The page may or may not have it. */
  #loading: DelayedMessage[] | undefined;

  /** A queue that comes from the store has an index to read first; a new one has none. */
  constructor(fromStore: boolean, limits: QueueLimits) {
    this.#limits = limits;
    this.#loadedThrough = fromStore ? START : END;
  }

  /** Whether the first page is still to come: until then nobody knows which messages are delayed. */
  get isUnread(): boolean {
    return this.#loadedThrough === START;
  }

  get needsPage(): boolean {
    return this.#hasTail && this.#loading === undefined && this.#heap.size < this.#limits.delaysLow;
  }

  /** Whether `popDue` has handed out a message of this position, in this life of the server or an earlier one. */
  isDone(position: DelayPosition): boolean {
    return !isBefore(this.#loadedThrough, position) && !this.#seqs.has(position.seq);
  }

  add(message: DelayedMessage): void {
    if (isBefore(this.#loadedThrough, message)) {
      this.#loading?.push(message);
      return;
    }
    this.#push(message);
    // Not while a page is on its way: it begins where memory ended.
    if (this.#heap.size > 2 * this.#limits.delaysMax && this.#loading === undefined) this.#shrink();
  }

  /** The next message whose delay has ended by `now`. */
  popDue(now: number): DelayedMessage | undefined {
    const next = this.#heap.peek();
    if (next === undefined || next.dueAt > now) return undefined;
    this.#remove(next);
    return next;
  }

  /** The next message that came in at or before `time` (epoch milliseconds), for retention to drop. */
  popOlder(time: number): DelayedMessage | undefined {
    const oldest = this.#byAge.peek();
    if (oldest === undefined || oldest.retentionFrom > time) return undefined;
    this.#remove(oldest);
    return oldest;
  }

  /** When the oldest message in memory came in, in epoch milliseconds; Infinity when there is none. */
  oldestSince(): number {
    return this.#byAge.peek()?.retentionFrom ?? Number.POSITIVE_INFINITY;
  }

  nextDueAt(): number {
    return this.#heap.peek()?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  requestPage(): DelayPageRequest {
    this.#loading = [];
    return { kind: 'delays', after: this.#loadedThrough, limit: this.#limits.delayPageRows };
  }

  finishPage(rows: readonly DelayedMessage[], reachedEnd: boolean, isPending: (seq: number) => boolean): void {
    const added = this.#loading as DelayedMessage[];
    this.#loading = undefined;
    const last = rows.at(-1);
    if (reachedEnd && added.length === 0) this.#loadedThrough = END;
    else if (last !== undefined) this.#loadedThrough = { dueAt: last.dueAt, seq: last.seq };
    for (const row of rows) {
      // Its commit is durable but not yet told: it will be added then.
      if (!isPending(row.seq)) this.#push(row);
    }
    // The order of the index is not that of the commits: one may have come in before the page's end and after its read.
    for (const message of added) if (!isBefore(this.#loadedThrough, message)) this.#push(message);
  }

  /** Forgets what is in memory and reads the index again from its start. */
  restart(): void {
    this.#clear();
    this.#loadedThrough = START;
    this.#loading = undefined;
  }

  get #hasTail(): boolean {
    return this.#loadedThrough !== END;
  }

  #push(message: DelayedMessage): void {
    if (this.#seqs.has(message.seq)) return;
    this.#seqs.add(message.seq);
    const scheduled: Scheduled = { ...message, heapIndex: -1, expiryIndex: -1 };
    this.#heap.push(scheduled);
    this.#byAge.push(scheduled);
  }

  #remove(message: Scheduled): void {
    this.#heap.remove(message);
    this.#byAge.remove(message);
    this.#seqs.delete(message.seq);
  }

  #clear(): void {
    this.#heap.clear();
    this.#byAge.clear();
    this.#seqs.clear();
  }

  /** Keeps the soonest `delaysMax`. Happens once in that many additions, so its cost per addition is O(log n). */
  #shrink(): void {
    const sorted = [...this.#heap.values()].sort((a, b) => a.dueAt - b.dueAt || a.seq - b.seq);
    this.#clear();
    const kept = sorted.slice(0, this.#limits.delaysMax);
    for (const message of kept) this.#push(message);
    const last = kept.at(-1) as Scheduled;
    this.#loadedThrough = { dueAt: last.dueAt, seq: last.seq };
  }
}

function isBefore(a: DelayPosition, b: DelayPosition): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.seq < b.seq);
}

function isOlder(a: DelayedMessage, b: DelayedMessage): boolean {
  return a.retentionFrom < b.retentionFrom;
}
