import { randomBytes, randomUUID } from 'node:crypto';
import type { Platform } from './platform.ts';

/** `setTimeout` fires at once for delays above 2^31 - 1 ms (24.8 days), so longer waits are taken in steps. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The real clock, randomness and timers of this machine. */
export function realPlatform(): Platform {
  let latest = 0;
  const now = (): number => {
    // The wall clock may be set back; deadlines and send times must not follow it.
    latest = Math.max(latest, Date.now());
    return latest;
  };
  return {
    now,
    uuid: randomUUID,
    randomBytes,
    afterTurn: setImmediate,
    at(at, callback) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        // setTimeout may fire a millisecond early by the wall clock: hence the second look.
        timer = setTimeout(
          () => (now() >= at ? callback() : arm()),
          Math.min(Math.max(at - now(), 0), LONGEST_TIMEOUT_MS),
        );
      };
      arm();
      return () => clearTimeout(timer);
    },
  };
}
