export interface LogPageRequest {
  kind: 'log';
  partition: number;
  /** Rows behind this sequence. */
  afterSeq: number;
  limit: number;
}

/**
 * How much of one partition's log is in memory: the window.
 *
 * Every live message up to `loadedThrough` is in memory (or waits in the delay schedule); those behind it are in the
 * store only, except the ones that were received before a restart. While `hasTail` is false there are none behind it,
 * and new messages join the window directly. Received messages are always in memory, so that the number of delivery
 * records is bounded by the in-flight limit, however long the log.
 */
export class PartitionLog {
  readonly partition: number;
  loadedThrough: number;
  hasTail: boolean;
  #loading: { removed: Set<number>; grew: boolean } | undefined;

  constructor(partition: number, loadedThrough: number, hasTail: boolean) {
    this.partition = partition;
    this.loadedThrough = loadedThrough;
    this.hasTail = hasTail;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** A message has become durable: does it join the window, or stay in the store for now? */
  admits(seq: number, windowHasRoom: boolean): boolean {
    // A page passed over it while its commit was under way.
    if (seq <= this.loadedThrough) return true;
    if (this.#loading !== undefined) this.#loading.grew = true;
    if (this.hasTail || this.#loading !== undefined || !windowHasRoom) {
      this.hasTail = true;
      return false;
    }
    this.loadedThrough = seq;
    return true;
  }

  /** A message has left memory for good. A page read before that is durable would bring it back. */
  noteRemoved(seq: number): void {
    if (seq > this.loadedThrough) this.#loading?.removed.add(seq);
  }

  /**
   * Starts a page. The reader must first wait until all commits made so far are durable; what is removed from now on
   * is remembered here.
   */
  requestPage(limit: number): LogPageRequest {
    this.#loading = { removed: new Set(), grew: false };
    return { kind: 'log', partition: this.partition, afterSeq: this.loadedThrough, limit };
  }

  /** Ends the page: moves the window's end to `lastSeq` and tells which of its rows are gone in the meantime. */
  finishPage(lastSeq: number | undefined, reachedEnd: boolean): ReadonlySet<number> {
    const { removed, grew } = this.#loading as { removed: Set<number>; grew: boolean };
    this.#loading = undefined;
    if (lastSeq !== undefined) this.loadedThrough = lastSeq;
    this.hasTail = !reachedEnd || grew;
    return removed;
  }
}
