import type { Operation, RangeQuery, Row, Store } from '../store.ts';
import { CommitError } from '../store.ts';
import { SortedTable } from './sorted-table.ts';

/**
 * A store that lives and dies with the process: for tests, simulation and throw-away servers. Keeps the promises of the
 * port except durability, including that a commit is seen no earlier than it is acknowledged.
 */
export async function openMemoryStore(): Promise<Store> {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #table = new SortedTable();
  #lastCommit: Promise<void> = Promise.resolve();
  #closed = false;

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#table.get(key);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => this.#table.get(key));
  }

  async range(query: RangeQuery): Promise<Row[]> {
    return this.#table.range(query);
  }

  commit(operations: readonly Operation[]): Promise<void> {
    if (this.#closed) return Promise.reject(new CommitError('not-applied', 'The store is closed.'));
    // One turn later, as a disk would: whoever relies on reading a write before it is acknowledged fails here too.
    this.#lastCommit = this.#lastCommit.then(() => this.#table.apply(operations));
    return this.#lastCommit;
  }

  stats() {
    return { usedBytes: this.#table.bytes, freeBytes: Number.POSITIVE_INFINITY };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lastCommit;
  }
}
