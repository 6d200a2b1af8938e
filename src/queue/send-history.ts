/** The longest delay a queue can have, and so how far back anyone asks (SQS: section 3.1). */
const SPAN_MS = 900_000;
/** Sends within one step are counted together: 9,000 buckets at most, and counts right to a tenth of a second. */
const STEP_MS = 100;

/** How many messages came in since a given time, within the last 15 minutes. */
export class SendHistory {
  /** Ascending in time; `#first` is the oldest that still counts. */
  #buckets: { at: number; count: number }[] = [];

  add(at: number): void {
    const last = this.#buckets.at(-1);
    if (last !== undefined && at < last.at + STEP_MS) {
      last.count++;
      return;
    }
    this.#buckets.push({ at, count: 1 });
    const oldest = this.#buckets[0] as { at: number };
    // Dropping from the front is linear, so it is done once per span, not once per send.
    if (oldest.at < at - 2 * SPAN_MS) this.#buckets = this.#buckets.filter((bucket) => bucket.at >= at - SPAN_MS);
  }

  /** Messages that came in after `since` (epoch milliseconds). */
  countSince(since: number): number {
    let count = 0;
    for (let index = this.#buckets.length - 1; index >= 0; index--) {
      const bucket = this.#buckets[index] as { at: number; count: number };
      if (bucket.at <= since) break;
      count += bucket.count;
    }
    return count;
  }

  clear(): void {
    this.#buckets = [];
  }
}
