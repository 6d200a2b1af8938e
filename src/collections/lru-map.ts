/** A map of bounded size: an entry too many pushes out the one that has not been used for longest. All operations O(1). */
export class LruMap<Key, Value> {
  readonly #capacity: number;
  /** Least recently used first: a `Map` keeps the order of insertion, and using an entry inserts it anew. */
  readonly #entries = new Map<Key, Value>();

  /** @throws RangeError when `capacity` is no whole number of 1 or more. */
  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`a map cannot hold ${capacity} entries`);
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
