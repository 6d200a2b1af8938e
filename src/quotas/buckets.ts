import { type Rate, TokenBucket } from './token-bucket.ts';

/**
 * Buckets by name, made when they are first used. Those that have filled up again are dropped, the longest unused first: two
 * looks for each use keep up with one new bucket at each use. Should as many as `max` be in use, the longest unused one goes
 * although it is not full, so that memory stays bounded; who used it gets a little more than he should.
 */
export class Buckets {
  readonly #max: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#buckets.size;
  }

  get(name: string, rate: Rate, now: number): TokenBucket {
    const found = this.#buckets.get(name);
    if (found !== undefined) this.#buckets.delete(name);
    const bucket = found ?? new TokenBucket(rate, now);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  /** After each use of so many of them, when what is to be taken of them has been. */
  tidy(used: number, now: number): void {
    let looks = 2 * used;
    for (const [name, bucket] of this.#buckets) {
      if (looks-- === 0) return;
      if (bucket.isFull(now) || this.#buckets.size > this.#max) this.#buckets.delete(name);
      else return;
    }
  }
}
