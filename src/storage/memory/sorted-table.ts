import type { Operation, RangeQuery, Row } from '../store.ts';

/** Rows of one chunk before it is split in two. 512 keeps splices short and the list of chunks small. */
const CHUNK_ROWS = 512;

const NOTHING = new Uint8Array(0);

interface Chunk {
  /** Keys as latin1 strings: their order is bytewise order, and comparing strings is several times faster. */
  keys: string[];
  values: Uint8Array[];
}

/** A sorted map of binary keys: a list of sorted chunks, found by binary search. Insertions move one chunk at most. */
export class SortedTable {
  readonly #chunks: Chunk[] = [{ keys: [], values: [] }];
  /** Sum of the lengths of keys and values. */
  bytes = 0;

  get(key: Uint8Array): Uint8Array | undefined {
    const text = textOf(key);
    const chunk = this.#chunks[this.#chunkOf(text)] as Chunk;
    const index = lowerBound(chunk.keys, text);
    return chunk.keys[index] === text ? chunk.values[index] : undefined;
  }

  range({ start, end, limit, keysOnly = false }: RangeQuery): Row[] {
    const first = textOf(start);
    const stop = textOf(end);
    const rows: Row[] = [];
    let chunkIndex = this.#chunkOf(first);
    let index = lowerBound((this.#chunks[chunkIndex] as Chunk).keys, first);
    while (rows.length < limit) {
      const chunk = this.#chunks[chunkIndex];
      if (chunk === undefined) break;
      const key = chunk.keys[index];
      if (key === undefined) {
        chunkIndex++;
        index = 0;
        continue;
      }
      if (key >= stop) break;
      rows.push({ key: Buffer.from(key, 'latin1'), value: keysOnly ? NOTHING : (chunk.values[index] as Uint8Array) });
      index++;
    }
    return rows;
  }

  apply(operations: readonly Operation[]): void {
    for (const { key, value } of operations) {
      if (value === undefined) this.#delete(textOf(key));
      else this.#put(textOf(key), value);
    }
  }

  #put(key: string, value: Uint8Array): void {
    const chunkIndex = this.#chunkOf(key);
    const chunk = this.#chunks[chunkIndex] as Chunk;
    const index = lowerBound(chunk.keys, key);
    // A copy, as any other store would make: the caller may reuse its buffer.
    const stored = Uint8Array.from(value);
    if (chunk.keys[index] === key) {
      this.bytes += stored.length - (chunk.values[index] as Uint8Array).length;
      chunk.values[index] = stored;
      return;
    }
    chunk.keys.splice(index, 0, key);
    chunk.values.splice(index, 0, stored);
    this.bytes += key.length + stored.length;
    if (chunk.keys.length > CHUNK_ROWS) {
      // Appending in order is the usual case: leave the left part nearly full.
      const at = index === chunk.keys.length - 1 ? CHUNK_ROWS : CHUNK_ROWS >> 1;
      this.#chunks.splice(chunkIndex + 1, 0, { keys: chunk.keys.splice(at), values: chunk.values.splice(at) });
    }
  }

  #delete(key: string): void {
    const chunkIndex = this.#chunkOf(key);
    const chunk = this.#chunks[chunkIndex] as Chunk;
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] !== key) return;
    this.bytes -= key.length + (chunk.values[index] as Uint8Array).length;
    chunk.keys.splice(index, 1);
    chunk.values.splice(index, 1);
    if (chunk.keys.length === 0 && this.#chunks.length > 1) this.#chunks.splice(chunkIndex, 1);
  }

  /** The last chunk whose first key is not above `key`. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const firstKey = (this.#chunks[middle] as Chunk).keys[0];
      if (firstKey !== undefined && firstKey <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
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
