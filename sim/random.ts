import { FNV_BASIS, fnv1a } from '../src/collections/fnv.ts';

/**
 * Random choices that a seed repeats to the bit on every machine: 32-bit integers only (xoshiro128**), no fractions.
 * Every part of a simulation draws from a stream of its own, forked by name, so that a new fault does not reshuffle the
 * workload.
 */
export class Random {
  readonly #seed: number;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number, stream = '') {
    this.#seed = hash(seed, stream);
    let state = this.#seed;
    const mix = (): number => {
      // splitmix32: spreads a seed over the whole state.
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    this.#d = mix();
  }

  /** A stream of its own for `name`, whatever has been drawn from this one. */
  fork(name: string): Random {
    return new Random(this.#seed, name);
  }

  /** 32 bits, unsigned. */
  next(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  /** From 0 up to, but not including, `count`. The bias of the remainder is of no interest here. */
  below(count: number): number {
    return this.next() % count;
  }

  /** From `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True in `perMille` of a thousand cases. */
  chance(perMille: number): boolean {
    return this.below(1000) < perMille;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }

  /** A key of `weights`, as often as its weight says. At least one weight must be positive. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new RangeError('no weight is positive');
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.next().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[this.below(4)];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

/** Of the name, begun with the seed. */
function hash(seed: number, name: string): number {
  return fnv1a(name, FNV_BASIS ^ seed) | 0;
}
