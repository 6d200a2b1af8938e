import type { Platform } from '../src/platform/platform.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';

/** The platform of one life of a server: virtual time, seeded ids. Dies with it: timers of a crashed server never fire. */
export class SimulatedPlatform implements Platform {
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #timers = new Set<() => void>();
  #endOfTurn: (() => void)[] = [];
  #isDead = false;

  constructor(schedule: Schedule, random: Random) {
    this.#schedule = schedule;
    this.#random = random;
  }

  now(): number {
    return this.#schedule.now;
  }

  uuid(): string {
    return this.#random.uuid();
  }

  randomBytes(length: number): Uint8Array {
    return this.#random.bytes(length);
  }

  at(at: number, callback: () => void): () => void {
    if (this.#isDead) return () => {};
    const cancel = this.#schedule.at(at, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  afterTurn(callback: () => void): void {
    if (!this.#isDead) this.#endOfTurn.push(callback);
  }

  /** What waits for the end of the turn has its turn now. False when there was nothing. */
  endTurn(): boolean {
    const callbacks = this.#endOfTurn;
    this.#endOfTurn = [];
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }

  kill(): void {
    this.#isDead = true;
    this.#endOfTurn = [];
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
