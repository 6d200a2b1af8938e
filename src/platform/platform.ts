/**
 * The only home of ambient effects: wall clock, randomness, ids and timers. Everything else receives a `Platform`,
 * so that a test or a simulation can replace all of them at once.
 */
export interface Platform {
  /** Wall-clock time in milliseconds since the epoch. Never goes backwards within one process. */
  now(): number;
  /** A fresh random (version 4) UUID in lower case. */
  uuid(): string;
  /** `length` cryptographically random bytes. */
  randomBytes(length: number): Uint8Array;
  /**
   * Runs `callback` once when `now()` has reached `at` (epoch milliseconds), not before. Returns a function that
   * cancels it. A time in the past runs on a later turn of the event loop, never inside this call.
   */
  at(at: number, callback: () => void): () => void;
  /** Runs `callback` after the current turn's work, before the next timers: the boundary of a group commit. */
  afterTurn(callback: () => void): void;
}
