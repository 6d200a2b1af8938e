export interface AdmissionLimits {
  /** Calls begun or waiting; one more is refused. */
  calls: number;
  /** Bytes of calls that have not been answered; further calls wait. The last one may pass it by its own size. */
  bytes: number;
}

/**
 * Bounds what is under way at a time. Bytes make callers wait, in the order they came, because a burst of large messages
 * passes quickly; calls are refused, because somebody who waits is a call, too.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  #calls = 0;
  #bytes = 0;
  /** What begins a call, and returns its size. */
  readonly #waiting: (() => number)[] = [];

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Runs `begin`, now or when there is room; false when there are too many calls. Each one that enters must leave. */
  enter(begin: () => number): boolean {
    if (this.#calls >= this.#limits.calls) return false;
    this.#calls++;
    if (this.#waiting.length > 0 || this.#bytes >= this.#limits.bytes) this.#waiting.push(begin);
    else this.#bytes += begin();
    return true;
  }

  /** A call of this size is over. */
  leave(size: number): void {
    this.#calls--;
    this.#bytes -= size;
    while (this.#waiting.length > 0 && this.#bytes < this.#limits.bytes) {
      const begin = this.#waiting.shift() as () => number;
      this.#bytes += begin();
    }
  }
}
