/**
 * The storage port: an ordered key-value store with atomic, durable batches. It is dumb on purpose - order lives in
 * the keys, an index is one more key in the same batch - so that a store is small and one conformance suite judges it.
 */
export interface Store {
  /** Reads reject with `ReadError`. What is read is not to be written to: a store may hand out its own memory. */
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** One value per key, in order; undefined where there is none. */
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
  /** Rows with `start <= key < end` in ascending order of key (bytewise), at most `limit`. */
  range(query: RangeQuery): Promise<Row[]>;
  /**
   * Applies all operations or none. Resolves when they are durable as the store was told to understand it, and no
   * read sees them before that. Commits take effect in the order of the calls. Rejects with `CommitError`; after that
   * the store stays usable. Keys and values must stay as they are until then, afterwards they are the caller's again.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  stats(): StoreStats;
  /** Waits for commits under way, then releases everything. */
  close(): Promise<void>;
}

export interface RangeQuery {
  start: Uint8Array;
  end: Uint8Array;
  limit: number;
  /** Leave the values out (they are empty then): much cheaper where bodies are large. */
  keysOnly?: boolean;
}

export interface Row {
  key: Uint8Array;
  value: Uint8Array;
}

/** A put, or a delete where `value` is absent. Deleting a key that is not there is no error. */
export interface Operation {
  key: Uint8Array;
  value?: Uint8Array | undefined;
  /** No row has ever had this key: a hint with which a store may do less when the row is deleted soon. */
  isNew?: boolean | undefined;
}

export interface StoreStats {
  /** Bytes the store takes on disk (or in memory). */
  usedBytes: number;
  /** Bytes it may still grow by; Infinity where nobody knows a limit. */
  freeBytes: number;
}

/** What is stored cannot be read: the disk fails, or does not have what was written to it. */
export class ReadError extends Error {
  override name = 'ReadError';
}

/** What a failed commit left behind: `not-applied` is certain; `unknown` may or may not be there afterwards. */
export type CommitOutcome = 'not-applied' | 'unknown';

export class CommitError extends Error {
  override name = 'CommitError';
  readonly outcome: CommitOutcome;

  constructor(outcome: CommitOutcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}
