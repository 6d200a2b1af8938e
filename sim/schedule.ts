import { IndexedHeap } from '../src/collections/indexed-heap.ts';

interface Event {
  at: number;
  /** Breaks ties: what was scheduled first happens first. */
  order: number;
  heapIndex: number;
  run: () => void;
}

/** The only clock of a simulation and everything that is going to happen in it. Time jumps from event to event. */
export class Schedule {
  /** Epoch milliseconds. */
  now: number;
  readonly #events = new IndexedHeap<'heapIndex', Event>('heapIndex', isBefore);
  #order = 0;

  constructor(startAt: number) {
    this.now = startAt;
  }

  /** Runs `run` when time has reached `at`. Returns what cancels it. */
  at(at: number, run: () => void): () => void {
    const event: Event = { at, order: this.#order++, heapIndex: -1, run };
    this.#events.push(event);
    return () => {
      if (event.heapIndex >= 0) this.#events.remove(event);
    };
  }

  after(delayMs: number, run: () => void): () => void {
    return this.at(this.now + delayMs, run);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Infinity when nothing is going to happen. */
  nextAt(): number {
    return this.#events.peek()?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Lets the next event happen, and time with it. */
  runNext(): void {
    const event = this.#events.pop();
    if (event === undefined) return;
    this.now = Math.max(this.now, event.at);
    event.run();
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
