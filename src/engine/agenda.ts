import { IndexedHeap } from '../collections/indexed-heap.ts';
import type { Platform } from '../platform/platform.ts';

/** Something that has to be done at a time: a queue's due work, a long poll's end, a step of a move task. */
export interface AgendaItem {
  /** Epoch milliseconds. Owned by the agenda. */
  at: number;
  heapIndex: number;
  run(now: number): void;
}

/** An item that runs once. */
export function oneShot(run: (now: number) => void): AgendaItem {
  return { at: Number.POSITIVE_INFINITY, heapIndex: -1, run };
}

/** Everything a shard has to do later, behind a single timer, whatever the number of queues, messages and waiters. */
export class Agenda {
  readonly #platform: Platform;
  readonly #items = new IndexedHeap<'heapIndex', AgendaItem>('heapIndex', (a, b) => a.at < b.at);
  #armedFor = Number.POSITIVE_INFINITY;
  #disarm: (() => void) | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Sets, moves or, with Infinity, cancels the time of an item. */
  set(item: AgendaItem, at: number): void {
    if (at === item.at && item.heapIndex >= 0) return;
    if (at === Number.POSITIVE_INFINITY) {
      this.cancel(item);
      return;
    }
    item.at = at;
    if (item.heapIndex >= 0) this.#items.update(item);
    else this.#items.push(item);
    // A timer that fires too early only looks and is set again, so it is moved forward only.
    if (at < this.#armedFor) this.#arm(at);
  }

  cancel(item: AgendaItem): void {
    // Also for one that is due this moment and waits for its turn.
    item.at = Number.POSITIVE_INFINITY;
    if (item.heapIndex >= 0) this.#items.remove(item);
  }

  close(): void {
    this.#disarm?.();
    this.#items.clear();
    this.#armedFor = Number.NEGATIVE_INFINITY;
  }

  #arm(at: number): void {
    this.#disarm?.();
    this.#armedFor = at;
    this.#disarm = this.#platform.at(at, () => this.#fire());
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#disarm = undefined;
    const now = this.#platform.now();
    const due: AgendaItem[] = [];
    for (let item = this.#items.peek(); item !== undefined && item.at <= now; item = this.#items.peek()) {
      this.#items.remove(item);
      due.push(item);
    }
    // Once each: an item that wants to run again at once gets its turn after everybody else's.
    for (const item of due) if (item.heapIndex < 0 && item.at <= now) item.run(now);
    const next = this.#items.peek();
    if (next !== undefined && next.at < this.#armedFor) this.#arm(next.at);
  }
}
