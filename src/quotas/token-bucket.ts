/** How often something may happen: so many times a second on average, and so many at once after a pause. Whole numbers. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/**
 * Counts in thousandths, because a rate per second is as many thousandths per millisecond: sums stay whole numbers, and the
 * edges exact.
 */
export class TokenBucket {
  readonly #rate: Rate;
  #thousandths: number;
  #filledAt: number;

  /** Full at first. `now` in milliseconds, here and below. */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#thousandths = rate.burst * 1000;
    this.#filledAt = now;
  }

  hasOne(now: number): boolean {
    this.#fill(now);
    return this.#thousandths >= 1000;
  }

  /** After `hasOne`, at the same time. */
  takeOne(): void {
    this.#thousandths -= 1000;
  }

  /** A full one is as good as a new one. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#thousandths === this.#rate.burst * 1000;
  }

  #fill(now: number): void {
    const gained = Math.max(now - this.#filledAt, 0) * this.#rate.perSecond;
    this.#thousandths = Math.min(this.#thousandths + gained, this.#rate.burst * 1000);
    this.#filledAt = Math.max(now, this.#filledAt);
  }
}
