import { type Family, type KeyRange, type Keys, positionOfKey, QUEUE_DATA_FAMILIES } from '../storage/keys.ts';
import type { Operation, Row, Store } from '../storage/store.ts';
import type { Committer } from './committer.ts';
import { LOG_FAMILIES } from './operations.ts';

/** Rows deleted per commit: small enough not to delay the commits of producers and consumers between them. */
const RECLAIM_ROWS = 500;

export interface Reclaimed {
  onPurged(queueId: number, below: number): void;
  onDropped(queueId: number): void;
}

/**
 * Deletes rows that nothing refers to any more, in the background and a little at a time: what a purge or the deletion of
 * a queue has left, and expired deduplication ids. One job after the other. Every job can be cut off anywhere and begun
 * anew, so none is stored: recovery finds out what is left to do.
 */
export class Reclaimer {
  readonly #store: Store;
  readonly #keys: Keys;
  readonly #committer: Committer;
  readonly #reclaimed: Reclaimed;
  #work: Promise<void> = Promise.resolve();
  /** Jobs of an earlier generation end at their next step: the shard has been closed, or begins anew. */
  #generation = 0;

  constructor(store: Store, keys: Keys, committer: Committer, reclaimed: Reclaimed) {
    this.#store = store;
    this.#keys = keys;
    this.#committer = committer;
    this.#reclaimed = reclaimed;
  }

  /** Messages of a queue below a purge watermark, and their deduplication ids. */
  purged(queueId: number, below: number): void {
    this.#enqueue(async (isCurrent) => {
      for (const family of LOG_FAMILIES) {
        for (let partition: number | undefined = 0; partition !== undefined; ) {
          partition = await this.#nextPartition(family, queueId, partition);
          if (partition === undefined) break;
          await this.#deleteRange(this.#keys.log(family, queueId, partition, 0, below), isCurrent);
          partition = partition < 2 ** 32 - 1 ? partition + 1 : undefined;
        }
      }
      await this.#deleteRange(this.#keys.dedups(queueId, 0, below), isCurrent);
      if (isCurrent()) this.#reclaimed.onPurged(queueId, below);
    });
  }

  /** Everything of a deleted queue. */
  dropped(queueId: number): void {
    this.#enqueue(async (isCurrent) => {
      for (const family of QUEUE_DATA_FAMILIES) {
        await this.#deleteRange(this.#keys.familyOfQueue(family, queueId), isCurrent);
      }
      if (isCurrent()) this.#reclaimed.onDropped(queueId);
    });
  }

  /** Deduplication records of a queue below a sequence number. */
  dedupExpired(queueId: number, below: number): void {
    this.#enqueue((isCurrent) => this.#deleteRange(this.#keys.dedups(queueId, 0, below), isCurrent));
  }

  /** Ends the work under way at its next step and forgets the rest. */
  async stop(): Promise<void> {
    this.#generation++;
    await this.#work;
  }

  #enqueue(job: (isCurrent: () => boolean) => Promise<void>): void {
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation;
    // A failing store is reported by the committer; what was not reclaimed is found again by recovery.
    this.#work = this.#work.then(() => (isCurrent() ? job(isCurrent) : undefined)).catch(() => {});
  }

  async #deleteRange({ start, end }: KeyRange, isCurrent: () => boolean): Promise<void> {
    while (isCurrent()) {
      const rows: Row[] = await this.#store.range({ start, end, limit: RECLAIM_ROWS, keysOnly: true });
      if (rows.length > 0) {
        this.#committer.addOperations(rows.map(({ key }): Operation => ({ key })));
        await this.#committer.durable();
      }
      if (rows.length < RECLAIM_ROWS) return;
    }
  }

  async #nextPartition(family: Family, queueId: number, from: number): Promise<number | undefined> {
    const { start, end } = this.#keys.logFromPartition(family, queueId, from);
    const [row] = await this.#store.range({ start, end, limit: 1, keysOnly: true });
    return row === undefined ? undefined : positionOfKey(row.key).partition;
  }
}
