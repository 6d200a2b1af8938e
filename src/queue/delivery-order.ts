import type { Entry } from './entry.ts';

/** What a visitor says of a candidate: it is taken, it has left the queue, or enough has been seen (it stays). */
export type Verdict = 'take' | 'drop' | 'stop';

/** Which message comes next: the difference between standard and FIFO queues. Knows entries in memory only. */
export interface DeliveryOrder {
  /** Entries that are ready, deliverable this moment or not. */
  readonly readyCount: number;
  /** Ready entries of one partition. */
  readyCountOf(partition: number): number;
  /** Whether an entry of this partition is in memory, ready or held. */
  holds(partition: number): boolean;
  /** Admits an entry in whatever state it is in. */
  add(entry: Entry, groupId: string | undefined, now: number): void;
  /** Ready -> held (in flight or moving; the caller sets the state first). */
  hold(entry: Entry, now: number): void;
  /** Held -> ready (the caller sets the state first). */
  release(entry: Entry, now: number): void;
  remove(entry: Entry, now: number): void;
  clear(): void;
  /** Offers deliverable entries, the next one first, until there are no more or the visitor says `stop`. */
  take(now: number, visit: (entry: Entry) => Verdict): void;
  /** Makes deliverable what has become due by `now`. */
  advance(now: number): void;
  /** When `advance` has something to do next; Infinity for never. */
  nextDueAt(): number;
  /** The message group of an entry, where it has one. */
  groupIdOf(entry: Entry): string | undefined;
}
