import { Family, type Keys } from '../storage/keys.ts';
import { decodeJson, encodeJson } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';
import { type Agenda, oneShot } from './agenda.ts';
import type { Committer } from './committer.ts';
import { pages } from './recovery.ts';

/** How long the name of a deleted queue is remembered: longer than anyone asks (SQS: section 2.2 says 60 s). */
const REMEMBERED_MS = 120_000;

interface Tombstone {
  queueId: number;
  arn: string;
  /** Epoch milliseconds. */
  deletedAt: number;
}

/**
 * Deleted queues, for as long as it matters: until their rows have been reclaimed, so that a restart goes on with that,
 * and until their name is free again.
 */
export class Tombstones {
  readonly #keys: Keys;
  readonly #committer: Committer;
  readonly #agenda: Agenda;
  readonly #byId = new Map<number, Tombstone>();
  /** The latest deletion of a queue of that name. */
  readonly #byArn = new Map<string, Tombstone>();
  /** Those that were in the store when it was read. */
  #storedIds: number[] = [];

  constructor(keys: Keys, committer: Committer, agenda: Agenda) {
    this.#keys = keys;
    this.#committer = committer;
    this.#agenda = agenda;
  }

  deletedAt(arn: string): number | undefined {
    return this.#byArn.get(arn)?.deletedAt;
  }

  add(tombstone: Tombstone): void {
    this.#remember(tombstone);
    this.#committer.addOperations([{ key: this.#keys.tombstone(tombstone.queueId), value: encodeJson(tombstone) }]);
  }

  async read(store: Store): Promise<void> {
    this.#byId.clear();
    this.#byArn.clear();
    for await (const rows of pages(store, this.#keys.family(Family.tombstone))) {
      for (const row of rows) this.#remember(decodeJson(row.value, 'tombstone') as Tombstone);
    }
    this.#storedIds = [...this.#byId.keys()];
  }

  /**
   * Queues whose rows may be still to be reclaimed since before the store was read. One that is being deleted is not
   * among them: as long as its deletion is not durable, its rows are its messages.
   */
  storedIds(): readonly number[] {
    return this.#storedIds;
  }

  /** The rows of a deleted queue are gone: forget it as soon as its name is free. */
  noteReclaimed(queueId: number, now: number): void {
    const tombstone = this.#byId.get(queueId);
    if (tombstone === undefined) return;
    this.#agenda.set(
      oneShot(() => this.#forget(tombstone)),
      Math.max(tombstone.deletedAt + REMEMBERED_MS, now),
    );
  }

  #remember(tombstone: Tombstone): void {
    this.#byId.set(tombstone.queueId, tombstone);
    const latest = this.#byArn.get(tombstone.arn);
    if (latest === undefined || latest.deletedAt < tombstone.deletedAt) this.#byArn.set(tombstone.arn, tombstone);
  }

  #forget(tombstone: Tombstone): void {
    this.#byId.delete(tombstone.queueId);
    if (this.#byArn.get(tombstone.arn) === tombstone) this.#byArn.delete(tombstone.arn);
    this.#committer.addOperations([{ key: this.#keys.tombstone(tombstone.queueId) }]);
  }
}
