import { randomBytes, randomUUID } from 'node:crypto';
import type { Platform } from './platform.ts';

/**
 * A platform whose time stands still until it is told to move: tests jump over a visibility timeout instead of sitting
 * through it. Ids and randomness are real.
 */
export interface ManualClock extends Platform {
  /**
   * Moves time on by `ms` milliseconds. Every timer due on the way fires in order of its deadline, with `now()` at that
   * deadline, and the work it sets off gets turns of the event loop before time moves again. Calls queue up behind each
   * other. Resolves when time has arrived and that work has come to rest; work that waits for a disk or a socket is
   * not waited for, so use it with the memory store.
   *
   * @throws RangeError when `ms` is negative or not a finite number.
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  callback: () => void;
}

/**
 * How many turns of the event loop to give after each timer, and how many at most while callbacks of `afterTurn` keep
 * asking for more. A commit of the memory store and its reply take a handful.
 */
const TURNS_MIN = 8;
const TURNS_MAX = 1000;

/** `startAt` (epoch milliseconds) is where time stands at first; the wall clock's present when left out. */
export function manualClock(options: { startAt?: number } = {}): ManualClock {
  let now = options.startAt ?? Date.now();
  let pendingAfterTurns = 0;
  let lastAdvance: Promise<void> = Promise.resolve();
  /** In order of deadline, then of arrival. A shard has one timer and a long poll one, so inserting by shift is fine. */
  const timers: Timer[] = [];

  const fireNext = (until: number): boolean => {
    const timer = timers[0];
    if (timer === undefined || timer.at > until) return false;
    timers.shift();
    now = Math.max(now, timer.at);
    timer.callback();
    return true;
  };

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS_MIN || (pendingAfterTurns > 0 && turn < TURNS_MAX); turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const advanceTo = async (target: number): Promise<void> => {
    await settle();
    while (fireNext(target)) await settle();
    now = target;
  };

  return {
    now: () => now,
    uuid: randomUUID,
    randomBytes,
    at(at, callback) {
      const timer = { at, callback };
      timers.splice(firstAfter(timers, at), 0, timer);
      // Already due: the port promises a later turn, and nobody may ever advance the clock again.
      if (at <= now) setImmediate(() => fireNext(now));
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    afterTurn(callback) {
      pendingAfterTurns++;
      setImmediate(() => {
        pendingAfterTurns--;
        callback();
      });
    },
    async advance(ms) {
      if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`cannot advance the clock by ${ms} ms`);
      const previous = lastAdvance;
      const mine = previous.then(() => advanceTo(now + ms));
      // A timer that throws fails its own advance only, not the ones queued behind it.
      lastAdvance = mine.catch(() => {});
      await mine;
    },
  };
}

/** Where a timer for `at` goes: behind all that are due no later. */
function firstAfter(timers: readonly Timer[], at: number): number {
  let index = timers.length;
  while (index > 0 && timers[index - 1]!.at > at) index--;
  return index;
}
