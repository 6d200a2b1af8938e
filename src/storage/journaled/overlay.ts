import { SortedMap } from '../../collections/sorted-map.ts';
import { keyBytes } from '../binary-key.ts';
import type { Operation } from '../store.ts';

/** What is to be found under a key instead of what the store below has: a value, or nothing. */
export interface Change {
  /** `binaryKey` of the row's. */
  key: string;
  value: Uint8Array | undefined;
  /** The store below has no row with this key. */
  isNew: boolean;
}

/** Rows that were changed and are not in the store below yet. */
export class Overlay {
  readonly #changes = new SortedMap<Change>();

  get size(): number {
    return this.#changes.size;
  }

  /** The changes become its own. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.value !== undefined) {
        const previous = this.#changes.set(change.key, change);
        if (previous !== undefined) change.isNew = previous.isNew;
        continue;
      }
      // What the store below has never had need not be deleted there: most messages live for less than a checkpoint.
      const previous = this.#changes.delete(change.key);
      if (!previous?.isNew) this.#changes.set(change.key, change);
    }
  }

  get(key: string): Change | undefined {
    return this.#changes.get(key);
  }

  entries(first?: string, stop?: string): Generator<[key: string, change: Change]> {
    return this.#changes.entries(first, stop);
  }

  /** What is to be done to the store below, in the order of the keys. */
  *operations(): Generator<Operation> {
    for (const [key, { value }] of this.#changes.entries()) yield { key: keyBytes(key), value };
  }
}
