/** Milliseconds. */
export interface Percentiles {
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/** Every single latency of a measurement: exact percentiles cost eight bytes per request. */
export class Latencies {
  #samples = new Float64Array(1 << 16);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    if (this.#count === this.#samples.length) {
      const grown = new Float64Array(2 * this.#count);
      grown.set(this.#samples);
      this.#samples = grown;
    }
    this.#samples[this.#count++] = ms;
  }

  percentiles(): Percentiles {
    const sorted = this.#samples.subarray(0, this.#count).sort();
    // The smallest value that at least this share of all values does not exceed.
    const at = (share: number) => sorted[Math.max(Math.ceil(share * this.#count) - 1, 0)] ?? 0;
    return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
  }
}
