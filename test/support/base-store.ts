import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Operation, RangeQuery, Store } from '../../src/storage/store.ts';

/** Rows in hexadecimal digits: keys in order of the bytes. */
export type Rows = ReadonlyMap<string, string>;

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function afterOperations(rows: Rows, operations: readonly Operation[]): Rows {
  const changed = new Map(rows);
  for (const { key, value } of operations) {
    if (value === undefined) changed.delete(hex(key));
    else changed.set(hex(key), hex(value));
  }
  return changed;
}

/** A store below a journal: in memory, outlives its owner, and commits when the test lets it. */
export class BaseStore implements Store {
  rows: Rows = new Map();
  /** Commits under way, in their order. */
  readonly underWay: (readonly Operation[])[] = [];
  /** Waited for before a commit is applied; may reject. */
  onCommit: (operations: readonly Operation[]) => Promise<void> = async () => {};
  /** Waited for before a range is read. */
  onRange: () => Promise<void> | undefined = () => undefined;
  onApplied: () => void = () => {};
  freeBytes = Number.POSITIVE_INFINITY;
  readonly #memory: Store;
  #last: Promise<void> = Promise.resolve();

  private constructor(memory: Store) {
    this.#memory = memory;
  }

  static async with(rows: Rows = new Map()): Promise<BaseStore> {
    const base = new BaseStore(await openMemoryStore());
    const operations = Array.from(rows, ([key, value]) => ({
      key: Buffer.from(key, 'hex'),
      value: Buffer.from(value, 'hex'),
    }));
    await base.commit(operations);
    return base;
  }

  get(key: Uint8Array) {
    return this.#memory.get(key);
  }

  getMany(keys: readonly Uint8Array[]) {
    return this.#memory.getMany(keys);
  }

  range(query: RangeQuery) {
    const waiting = this.onRange();
    return waiting === undefined ? this.#memory.range(query) : waiting.then(() => this.#memory.range(query));
  }

  commit(operations: readonly Operation[]): Promise<void> {
    const commit = this.#last.then(() => this.#apply(operations));
    this.#last = commit.catch(() => {});
    return commit;
  }

  async #apply(operations: readonly Operation[]): Promise<void> {
    this.underWay.push(operations);
    try {
      await this.onCommit(operations);
      await this.#memory.commit(operations);
      this.rows = afterOperations(this.rows, operations);
    } finally {
      this.underWay.shift();
    }
    this.onApplied();
  }

  stats() {
    return { usedBytes: this.#memory.stats().usedBytes, freeBytes: this.freeBytes };
  }

  async close(): Promise<void> {}
}
