import type { Platform } from '../platform/platform.ts';
import type { Store } from '../storage/store.ts';
import { StoreUnavailableError } from './queue-service.ts';

/**
 * Room that sends leave untouched, so that consumers can still delete on a full disk: a copy-on-write store needs new
 * pages for that, too. 64 MiB are two hundred times the largest commit of deletes.
 */
export const RESERVE_BYTES = 64 * 1024 * 1024;
/** How long an answer of the store is trusted: asking takes 20 us, and in this time a fast disk takes some 100 MB. */
const TRUSTED_MS = 250;

/** Refuses sends while the disk is nearly full, before the disk does it in the middle of a commit. */
export class DiskReserve {
  readonly #store: Store;
  readonly #platform: Platform;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #hasRoom = true;

  constructor(store: Store, platform: Platform) {
    this.#store = store;
    this.#platform = platform;
  }

  /** Throws `StoreUnavailableError` when there is no room for another message. */
  check(): void {
    const now = this.#platform.now();
    if (now >= this.#checkedAt + TRUSTED_MS) {
      this.#checkedAt = now;
      this.#hasRoom = this.#store.stats().freeBytes >= RESERVE_BYTES;
    }
    if (!this.#hasRoom) {
      throw new StoreUnavailableError(
        'not-applied',
        'The disk is nearly full: no messages are taken until there is room.',
      );
    }
  }
}
