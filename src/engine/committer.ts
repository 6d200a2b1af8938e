import type { Platform } from '../platform/platform.ts';
import type { Counters } from '../queue/change.ts';
import type { Arrival, Effects } from '../queue/queue.ts';
import type { Keys } from '../storage/keys.ts';
import { encodeCounters, type Seal } from '../storage/records.ts';
import { CommitError, type Operation, type Store } from '../storage/store.ts';
import { appendOperations, type MoveChange, moveOperations, queuesOf } from './operations.ts';
import { StoreUnavailableError } from './queue-service.ts';

/** What one commit makes durable: everything that happened in one turn of the event loop. */
interface Batch {
  operations: (Operation | MoveChange)[];
  hasMoves: boolean;
  /** Queues whose counters changed. */
  queueIds: Set<number>;
  /** Those of them whose counters it writes. */
  countedIds: number[];
  arrivals: Arrival[];
  done: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

export interface CommitterEvents {
  /** Encrypts the messages that are put to a queue; undefined where they are kept in the clear. */
  sealOf?(queueId: number): Seal | undefined;
  countersOf(queueId: number): Readonly<Counters> | undefined;
  /** The counters of these queues are durable. */
  onCounted(queueIds: readonly number[]): void;
  /** Messages are durable: they may be received. Called in the order of the commits, before anybody is told. */
  onArrivals(arrivals: readonly Arrival[]): void;
  /**
   * The store failed. Everything since then has been refused; no commit is under way any more. `queueIds`: queues whose
   * stored counters may not match their rows. Nothing is accepted until `reset`.
   */
  onFailure(error: StoreUnavailableError, queueIds: ReadonlySet<number>): void;
}

/**
 * Group commit, without a timer: what happens in one turn of the event loop becomes one batch; batches are handed to
 * the store at the end of their turn without waiting for the ones before, because a store that gathers them itself
 * commits 25,000 messages a second behind HTTP where waiting for each commit gives 19,000. Their order is kept.
 *
 * Batches share their fate with those before them: when one fails, later ones may rest on what it was to write (a
 * duplicate that was answered with the first message's id), so all of them are refused and the shard starts anew from
 * what the store holds.
 */
export class Committer {
  readonly #store: Store;
  readonly #keys: Keys;
  readonly #platform: Platform;
  readonly #events: CommitterEvents;
  #gathering: Batch | undefined;
  /** Issued, not settled; the oldest first. */
  readonly #underWay = new Set<Batch>();
  /** While a batch with moves reads what it needs, later ones queue up behind it. */
  #preparing: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: { error: StoreUnavailableError; queueIds: Set<number> } | undefined;

  constructor(store: Store, keys: Keys, platform: Platform, events: CommitterEvents) {
    this.#store = store;
    this.#keys = keys;
    this.#platform = platform;
    this.#events = events;
  }

  add({ changes, arrivals }: Effects): void {
    if (changes.length === 0) return;
    const batch = this.#batch();
    for (const change of changes) {
      for (const queueId of queuesOf(change)) batch.queueIds.add(queueId);
      if (change.kind === 'message.move') {
        batch.operations.push(change);
        batch.hasMoves = true;
      } else {
        appendOperations(change, this.#keys, batch.operations as Operation[], this.#events.sealOf);
      }
    }
    for (const arrival of arrivals) batch.arrivals.push(arrival);
  }

  addOperations(operations: readonly Operation[]): void {
    if (operations.length > 0) this.#batch().operations.push(...operations);
  }

  /** Has the counters of a queue written with the next commit. */
  touch(queueId: number): void {
    this.#batch().queueIds.add(queueId);
    // If that was refused on the spot, what was to be put right still is not.
    this.#failure?.queueIds.add(queueId);
  }

  /** Resolves when everything added so far is durable; rejects with `StoreUnavailableError`. */
  durable(): Promise<void> {
    return this.#gathering?.done ?? this.#last;
  }

  /** Resolves when everything added so far has been committed or refused. Never rejects. */
  settled(): Promise<void> {
    return this.durable().catch(() => {});
  }

  /** Accepts work again after a failure. */
  reset(): void {
    this.#failure = undefined;
    this.#last = Promise.resolve();
  }

  #batch(): Batch {
    if (this.#gathering !== undefined) return this.#gathering;
    const batch = newBatch();
    this.#gathering = batch;
    if (this.#failure === undefined) this.#platform.afterTurn(() => this.#flush());
    else this.#refuse(batch, 'not-applied');
    return batch;
  }

  #flush(): void {
    const batch = this.#gathering;
    // A failure in the same turn has taken it away.
    if (batch === undefined) return;
    this.#gathering = undefined;
    this.#last = batch.done;
    this.#underWay.add(batch);
    for (const queueId of batch.queueIds) {
      const counters = this.#events.countersOf(queueId);
      if (counters !== undefined) {
        batch.operations.push({ key: this.#keys.counters(queueId), value: encodeCounters(counters) });
        batch.countedIds.push(queueId);
      }
    }
    if (!batch.hasMoves && this.#preparing === undefined) {
      this.#issue(batch);
      return;
    }
    const prepared: Promise<void> = (this.#preparing ?? Promise.resolve())
      .then(() => this.#prepare(batch))
      .then(
        () => this.#issue(batch),
        (error: unknown) => this.#settle(batch, error),
      )
      .finally(() => {
        if (this.#preparing === prepared) this.#preparing = undefined;
      });
    this.#preparing = prepared;
  }

  async #prepare(batch: Batch): Promise<void> {
    if (!batch.hasMoves) return;
    const operations: Operation[] = [];
    for (const operation of batch.operations) {
      if (!('kind' in operation)) {
        operations.push(operation);
        continue;
      }
      const moved = await moveOperations(operation, this.#keys, this.#store);
      // It can only be missing if the store lost it; then memory is wrong about it, too.
      if (moved === undefined) throw new CommitError('not-applied', 'A message to be moved is not in the store.');
      operations.push(...moved);
    }
    batch.operations = operations;
  }

  #issue(batch: Batch): void {
    if (this.#failure !== undefined) {
      this.#settle(batch, new CommitError('not-applied', 'An earlier commit failed.'));
      return;
    }
    this.#store.commit(batch.operations as Operation[]).then(
      () => this.#settle(batch, undefined),
      (error: unknown) => this.#settle(batch, error),
    );
  }

  #settle(batch: Batch, error: unknown): void {
    this.#underWay.delete(batch);
    if (error === undefined && this.#failure === undefined) {
      this.#events.onCounted(batch.countedIds);
      this.#events.onArrivals(batch.arrivals);
      batch.resolve();
      return;
    }
    const outcome = error instanceof CommitError ? error.outcome : 'unknown';
    this.#failure ??= {
      error: new StoreUnavailableError(outcome, 'The message store cannot take writes at the moment.', {
        cause: error,
      }),
      queueIds: new Set(),
    };
    this.#refuse(batch, error === undefined ? 'unknown' : outcome);
    if (this.#gathering !== undefined) this.#refuse(this.#gathering, 'not-applied');
    if (this.#underWay.size > 0) return;
    this.#events.onFailure(this.#failure.error, this.#failure.queueIds);
  }

  #refuse(batch: Batch, outcome: 'not-applied' | 'unknown'): void {
    const failure = this.#failure as { error: StoreUnavailableError; queueIds: Set<number> };
    for (const queueId of batch.queueIds) failure.queueIds.add(queueId);
    if (batch === this.#gathering) {
      this.#gathering = undefined;
      this.#last = batch.done;
    }
    const { message, cause } = failure.error;
    batch.reject(new StoreUnavailableError(outcome, message, { cause }));
  }
}

function newBatch(): Batch {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const done = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Not everybody who adds to a batch waits for it (due work does not); a failure is reported by `onFailure`.
  done.catch(() => {});
  return { operations: [], hasMoves: false, queueIds: new Set(), countedIds: [], arrivals: [], done, resolve, reject };
}
