/**
 * Bytes of memory that many share. Who finds too few of them free waits, in order, until others have given back theirs:
 * so beyond capacity things take longer, and memory does not grow.
 *
 * What asks for more than there is at all gets it when nobody else has any: one at a time, it has to be let through.
 */
export class Room {
  readonly #capacity: number;
  #taken = 0;
  readonly #waiting = new Set<{ bytes: number; admit: () => void }>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether there was room at once. Nobody overtakes those who wait. */
  tryTake(bytes: number): boolean {
    if (this.#waiting.size > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Calls `admit` when there is room, once. Returns a function that gives up waiting. */
  wait(bytes: number, admit: () => void): () => void {
    const waiter = { bytes, admit };
    this.#waiting.add(waiter);
    return () => {
      // The one behind may need less.
      if (this.#waiting.delete(waiter)) this.#admitWaiting();
    };
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
    this.#admitWaiting();
  }

  /** Takes more than there may be: for what is there already. */
  force(bytes: number): void {
    this.#taken += bytes;
  }

  #fits(bytes: number): boolean {
    return this.#taken + bytes <= this.#capacity || this.#taken === 0;
  }

  #admitWaiting(): void {
    for (const waiter of this.#waiting) {
      if (!this.#fits(waiter.bytes)) return;
      this.#waiting.delete(waiter);
      this.#taken += waiter.bytes;
      waiter.admit();
    }
  }
}

/** What one user has of a room, to be given back at the end, however it comes. */
export class Lease {
  readonly #room: Room;
  #bytes: number;

  /** `bytes` have been taken already. */
  constructor(room: Room, bytes: number) {
    this.#room = room;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes more, if there is room. */
  tryGrow(bytes: number): boolean {
    if (!this.#room.tryTake(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** It has turned out how much it is: what was reserved beyond that is free again. */
  settle(bytes: number): void {
    const excess = this.#bytes - bytes;
    this.#bytes = bytes;
    if (excess > 0) this.#room.giveBack(excess);
    else this.#room.force(-excess);
  }

  release(): void {
    this.settle(0);
  }
}
