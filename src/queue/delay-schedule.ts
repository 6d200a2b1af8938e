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

type Scheduled = DelayedMessage & { heapIndex: number };

const START: DelayPosition = { dueAt: 0, seq: 0 };
const END: DelayPosition = { dueAt: Number.POSITIVE_INFINITY, seq: 0 };

/**
 * The messages of a standard queue whose delay has not ended: those up to `#loadedThrough` in (dueAt, seq) order are in
 * memory, later ones only in the store's delay index. Memory stays bounded with a million delayed messages.
 */
export class DelaySchedule {
  readonly #heap = new IndexedHeap<'heapIndex', Scheduled>('heapIndex', isBefore);
  readonly #limits: QueueLimits;
  #loadedThrough: DelayPosition;
  /** Everything up to here has been handed out by `popDue`. */
  #doneThrough: DelayPosition = START;
  #loading: { grew: boolean } | undefined;

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

  /** Whether a message that was sent with this due time has been handed out already (or is about to be found so). */
  isDone(position: DelayPosition): boolean {
    return !isBefore(this.#doneThrough, position);
  }

  add(message: DelayedMessage): void {
    if (this.#loading !== undefined) this.#loading.grew = true;
    if (isBefore(this.#loadedThrough, message)) return;
    this.#heap.push({ ...message, heapIndex: -1 });
    if (this.#heap.size > 2 * this.#limits.delaysMax) this.#shrink();
  }

  /** The next message whose delay has ended by `now`. */
  popDue(now: number): DelayedMessage | undefined {
    const next = this.#heap.peek();
    if (next !== undefined && next.dueAt <= now) {
      this.#heap.remove(next);
      this.#doneThrough = next;
      return next;
    }
    const upToNow = { dueAt: now, seq: Number.MAX_SAFE_INTEGER };
    this.#doneThrough = isBefore(this.#loadedThrough, upToNow) ? this.#loadedThrough : upToNow;
    return undefined;
  }

  nextDueAt(): number {
    return this.#heap.peek()?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  requestPage(): DelayPageRequest {
    this.#loading = { grew: false };
    return { kind: 'delays', after: this.#loadedThrough, limit: this.#limits.delayPageRows };
  }

  finishPage(rows: readonly DelayedMessage[], reachedEnd: boolean, isPending: (seq: number) => boolean): void {
    const { grew } = this.#loading as { grew: boolean };
    this.#loading = undefined;
    for (const row of rows) {
      // Its commit is durable but not yet told: it will be added then.
      if (!isPending(row.seq)) this.#heap.push({ ...row, heapIndex: -1 });
    }
    const last = rows.at(-1);
    if (reachedEnd && !grew) this.#loadedThrough = END;
    else if (last !== undefined) this.#loadedThrough = { dueAt: last.dueAt, seq: last.seq };
  }

  /** Forgets what is in memory and reads the index again from its start. */
  restart(): void {
    this.#heap.clear();
    this.#loadedThrough = START;
    this.#doneThrough = START;
    this.#loading = undefined;
  }

  get #hasTail(): boolean {
    return this.#loadedThrough !== END;
  }

  /** Keeps the soonest `delaysMax`. Happens once in that many additions, so its cost per addition is O(log n). */
  #shrink(): void {
    const sorted = [...this.#heap.values()].sort((a, b) => a.dueAt - b.dueAt || a.seq - b.seq);
    this.#heap.clear();
    const kept = sorted.slice(0, this.#limits.delaysMax);
    for (const message of kept) this.#heap.push(message);
    const last = kept.at(-1) as Scheduled;
    this.#loadedThrough = { dueAt: last.dueAt, seq: last.seq };
  }
}

function isBefore(a: DelayPosition, b: DelayPosition): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.seq < b.seq);
}
