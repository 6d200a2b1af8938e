/** Entries of one chunk before it is split in two. 512 keeps splices short and the list of chunks small. */
const CHUNK_ENTRIES = 512;

interface Chunk<Value> {
  keys: string[];
  values: Value[];
}

/**
 * A map in ascending order of its keys (code units): a list of sorted chunks, found by binary search. An insertion moves
 * one chunk at most.
 */
export class SortedMap<Value> {
  readonly #chunks: Chunk<Value>[] = [{ keys: [], values: [] }];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)] as Chunk<Value>;
    const index = lowerBound(chunk.keys, key);
    return chunk.keys[index] === key ? chunk.values[index] : undefined;
  }

  /** Returns what was there before. */
  set(key: string, value: Value): Value | undefined {
    const chunkIndex = this.#chunkOf(key);
    const chunk = this.#chunks[chunkIndex] as Chunk<Value>;
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] === key) {
      const previous = chunk.values[index];
      chunk.values[index] = value;
      return previous;
    }
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, value);
    this.#size++;
    if (chunk.keys.length > CHUNK_ENTRIES) {
      // Appending in order is the usual case: leave the left part nearly full.
      const at = index === chunk.keys.length - 1 ? CHUNK_ENTRIES : CHUNK_ENTRIES >> 1;
      this.#chunks.splice(chunkIndex + 1, 0, { keys: chunk.keys.splice(at), values: chunk.values.splice(at) });
    }
    return undefined;
  }

  /** Returns what was there. */
  delete(key: string): Value | undefined {
    const chunkIndex = this.#chunkOf(key);
    const chunk = this.#chunks[chunkIndex] as Chunk<Value>;
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] !== key) return undefined;
    const previous = chunk.values[index];
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    this.#size--;
    if (chunk.keys.length === 0 && this.#chunks.length > 1) this.#chunks.splice(chunkIndex, 1);
    return previous;
  }

  /** Entries with `first <= key < stop`, or to the end. The map must not be changed meanwhile. */
  *entries(first = '', stop?: string): Generator<[key: string, value: Value]> {
    let chunkIndex = this.#chunkOf(first);
    let index = lowerBound((this.#chunks[chunkIndex] as Chunk<Value>).keys, first);
    for (;;) {
      const chunk = this.#chunks[chunkIndex];
      if (chunk === undefined) return;
      const key = chunk.keys[index];
      if (key === undefined) {
        chunkIndex++;
        index = 0;
        continue;
      }
      if (stop !== undefined && key >= stop) return;
      yield [key, chunk.values[index] as Value];
      index++;
    }
  }

  /** The last chunk whose first key is not above `key`. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const firstKey = (this.#chunks[middle] as Chunk<Value>).keys[0];
      if (firstKey !== undefined && firstKey <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
