import { statfsSync } from 'node:fs';
import type { Operation } from '../store.ts';
import { PAGE_BYTES } from './page-format.ts';

/** What a commit may write whatever is in it: the list of free pages, branch pages, the journal of the file system. */
const COMMIT_BYTES = 64 * PAGE_BYTES;
/** Half of the free pages inside the file: the latest ones cannot be used yet, and large values need neighbours. */
const REUSABLE_SHARE = 0.5;

/**
 * Keeps commits away from the end of the disk. LMDB must not meet it: lmdb (3.5.6) writes the text of that error behind
 * the end of its buffer, and some later allocation ends the process. Asking the system takes 6 us, and there is at most
 * one commit for each turn of the event loop.
 */
export class DiskRoom {
  readonly #path: string;
  readonly #reusableBytes: () => number;
  /** What the commits under way may write. */
  #takenBytes = 0;

  /** `reusableBytes`: free pages in the data file. */
  constructor(path: string, reusableBytes: () => number) {
    this.#path = path;
    this.#reusableBytes = reusableBytes;
  }

  get freeBytes(): number {
    const { bsize, bavail } = statfsSync(this.#path);
    return bsize * bavail;
  }

  /** How much is to be given back when the commit is over; undefined when there is no room for it. */
  take(operations: readonly Operation[]): number | undefined {
    const bytes = bytesOf(operations);
    const needed = this.#takenBytes + bytes;
    const free = this.freeBytes;
    if (free < needed && free + this.#reusableBytes() * REUSABLE_SHARE < needed) return undefined;
    this.#takenBytes = needed;
    return bytes;
  }

  giveBack(bytes: number): void {
    this.#takenBytes -= bytes;
  }
}

/** At most, or nearly: a page is copied for each row that changes, and a large value has pages of its own. */
function bytesOf(operations: readonly Operation[]): number {
  let bytes = COMMIT_BYTES;
  for (const { value } of operations) bytes += PAGE_BYTES + (value === undefined ? 0 : value.length);
  return bytes;
}
