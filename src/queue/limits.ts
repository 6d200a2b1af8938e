/** The numbers that bound a queue: what SQS allows, and how much of it is in memory. */
export interface QueueLimits {
  /** Messages in flight at most (SQS: section 0, 5.4). */
  inFlightMax: number;
  /** How many ready messages a FIFO queue looks through for an available group (SQS: section 6.4). */
  lookAhead: number;
  /** Ready messages a window holds when producers are ahead of consumers. Enough for 400 full receives without a page. */
  windowReadyMax: number;
  /**
   * Messages a page of the log brings in. At 2 KiB each, the most that a message record holds, the largest page is
   * 2 MiB. The next page is fetched when half of one is left, so that a draining consumer does not wait for it.
   */
  pageRowsMax: number;
  pageRowsMin: number;
  /** Logs of partitions without a message that are kept; see `Queue.#forgetIdleLogs`. */
  idleLogsMax: number;
  /** Delayed messages kept in memory; the rest waits in the store's index, soonest first. */
  delaysMax: number;
  delayPageRows: number;
  /** Below this many delayed messages in memory the next page of them is fetched. */
  delaysLow: number;
  /** Deduplication ids kept in full: most resends come soon, and need no look into the store. */
  deduplicationIdsMax: number;
  /** Deduplication records read at once when a queue is opened. */
  deduplicationPageRows: number;
  /** Messages dropped for their age in one go: keeps a turn of the event loop short when a backlog expires at once. */
  expiryBatch: number;
}

/** What every server runs with. Tests narrow them, to reach each edge with a handful of messages. */
export const QUEUE_LIMITS: QueueLimits = {
  inFlightMax: 120_000,
  lookAhead: 120_000,
  windowReadyMax: 4096,
  pageRowsMax: 1024,
  pageRowsMin: 64,
  idleLogsMax: 1024,
  delaysMax: 8192,
  delayPageRows: 2048,
  delaysLow: 512,
  deduplicationIdsMax: 10_000,
  deduplicationPageRows: 4096,
  expiryBatch: 1000,
};
