import { fnv1a } from './fnv.ts';

const FIRST_CAPACITY = 16;
/** Fuller tables have long probe chains; emptier ones waste memory. */
const LOAD_MAX = 0.6;

/**
 * A compact multimap from ids to sequence numbers: 32 bits of hash and 32 of number, 13 to 27 bytes an entry with the
 * free slots, where a `Map` of ids takes 200. It may name a sequence number that belongs to another id with the same
 * hash; it never misses one.
 */
export class IdTable {
  readonly #base: number;
  /** 0 marks a free slot. */
  #hashes = new Uint32Array(FIRST_CAPACITY);
  /** Distances from the base. */
  #offsets = new Uint32Array(FIRST_CAPACITY);
  #size = 0;

  /** `base`: the lowest sequence number it is to hold; the highest is at most 2^32 - 1 above. */
  constructor(base: number) {
    this.#base = base;
  }

  get size(): number {
    return this.#size;
  }

  add(hash: number, seq: number): void {
    if (this.#size + 1 > this.#hashes.length * LOAD_MAX) this.#grow();
    this.#insert(hash, seq - this.#base);
    this.#size++;
  }

  /** Adds the sequence numbers of ids with this hash to `found`. */
  collect(hash: number, found: number[]): void {
    const mask = this.#hashes.length - 1;
    for (let slot = hash & mask; this.#hashes[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] === hash) found.push(this.#base + (this.#offsets[slot] as number));
    }
  }

  #insert(hash: number, offset: number): void {
    const mask = this.#hashes.length - 1;
    let slot = hash & mask;
    while (this.#hashes[slot] !== 0) slot = (slot + 1) & mask;
    this.#hashes[slot] = hash;
    this.#offsets[slot] = offset;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const offsets = this.#offsets;
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#offsets = new Uint32Array(hashes.length * 2);
    for (let slot = 0; slot < hashes.length; slot++) {
      const hash = hashes[slot] as number;
      if (hash !== 0) this.#insert(hash, offsets[slot] as number);
    }
  }
}

/**
 * 32 bits, never 0. FNV-1a with a last mix, as its own low bits hardly depend on the first ones. It is
 * written to the store: another function needs another version of the record.
 */
export function hashOfId(id: string): number {
  let hash = fnv1a(id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}
