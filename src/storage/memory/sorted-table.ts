import { SortedMap } from '../../collections/sorted-map.ts';
import { binaryKey, keyBytes } from '../binary-key.ts';
import type { Operation, RangeQuery, Row } from '../store.ts';

const NOTHING = new Uint8Array(0);

/** A sorted map of binary keys and values. */
export class SortedTable {
  readonly #rows = new SortedMap<Uint8Array>();
  /** Sum of the lengths of keys and values. */
  bytes = 0;

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(binaryKey(key));
  }

  range({ start, end, limit, keysOnly = false }: RangeQuery): Row[] {
    const rows: Row[] = [];
    for (const [key, value] of this.#rows.entries(binaryKey(start), binaryKey(end))) {
      if (rows.length === limit) break;
      rows.push({ key: keyBytes(key), value: keysOnly ? NOTHING : value });
    }
    return rows;
  }

  apply(operations: readonly Operation[]): void {
    for (const { key, value } of operations) {
      const text = binaryKey(key);
      // A copy, as any other store would make: the caller may reuse its buffer.
      const stored = value && Uint8Array.from(value);
      const previous = stored === undefined ? this.#rows.delete(text) : this.#rows.set(text, stored);
      if (stored !== undefined) this.bytes += text.length + stored.length;
      if (previous !== undefined) this.bytes -= text.length + previous.length;
    }
  }
}
