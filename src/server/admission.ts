import type { Platform } from '../platform/platform.ts';
import type { Exchange } from './exchange.ts';
import { Lease, Room } from './room.ts';

/** What a request takes besides its body: its headers, its objects, and what the server does with it. */
const REQUEST_BYTES = 4096;
/** Nearly every request is smaller. Those have a share of the room that larger ones cannot take from them. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;
const SMALL_SHARE = 0.25;
/** How long a request waits for room before it is refused. Every SDK waits longer for a reply. */
const WAIT_MS = 5_000;

/**
 * When the body of a request may be read: as soon as there is room for all of it, so that bodies half read never wait for
 * each other. Until then it stays where it is, with the client or in the buffers of the network.
 */
export class Admission {
  readonly #small: Room;
  readonly #large: Room;
  readonly #timers: Pick<Platform, 'now' | 'at'>;

  constructor(capacity: number, timers: Pick<Platform, 'now' | 'at'>) {
    this.#small = new Room(capacity * SMALL_SHARE);
    this.#large = new Room(capacity * (1 - SMALL_SHARE));
    this.#timers = timers;
  }

  /**
   * Calls `admit`, now or later, with what has been taken for it, or `refuse` when there was no room for too long. Neither,
   * when the client goes away. `bodyBytes` is undefined where the request does not say: it is taken for a small one, and
   * its lease has to grow when it is not.
   */
  enter(
    exchange: Exchange,
    bodyBytes: number | undefined,
    admit: (lease: BodyLease) => void,
    refuse: () => void,
  ): void {
    const isSmall = bodyBytes === undefined || bodyBytes <= SMALL_BODY_BYTES_MAX;
    const room = isSmall ? this.#small : this.#large;
    const bytes = REQUEST_BYTES + (bodyBytes ?? SMALL_BODY_BYTES_MAX);
    const enter = (): void => {
      const lease = new BodyLease(new Lease(room, bytes), new Lease(this.#large, 0));
      exchange.onceOver(() => lease.release());
      admit(lease);
    };
    if (room.tryTake(bytes)) {
      enter();
      return;
    }
    const giveUp = room.wait(bytes, () => {
      cancelTimer();
      enter();
    });
    const cancelTimer = this.#timers.at(this.#timers.now() + WAIT_MS, () => {
      giveUp();
      refuse();
    });
    exchange.onceOver(() => {
      cancelTimer();
      giveUp();
    });
  }
}

/** What a request has of the room for requests. */
export class BodyLease {
  readonly #first: Lease;
  readonly #more: Lease;

  constructor(first: Lease, more: Lease) {
    this.#first = first;
    this.#more = more;
  }

  /** Takes what is missing for a body of so many bytes that did not say how large it is, if there is room. */
  tryReach(bodyBytes: number): boolean {
    const missing = bodyBytes - SMALL_BODY_BYTES_MAX - this.#more.bytes;
    return missing <= 0 || this.#more.tryGrow(missing);
  }

  release(): void {
    this.#first.release();
    this.#more.release();
  }
}
