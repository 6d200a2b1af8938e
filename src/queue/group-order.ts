import { IndexedHeap } from '../collections/indexed-heap.ts';
import { type Linked, LinkedList } from '../collections/linked-list.ts';
import type { DeliveryOrder, Verdict } from './delivery-order.ts';
import type { Entry } from './entry.ts';

/** A message group: its messages in memory in the order of the log, those in flight among them. */
class Group implements Linked<Group> {
  readonly id: string;
  readonly messages = new LinkedList<Entry>();
  /** `available`: its first message can be delivered. `waiting`: not before its delay ends. `blocked`: it is in flight. */
  status: 'available' | 'waiting' | 'blocked' = 'blocked';
  heapIndex = -1;
  previous: Group | undefined;
  next: Group | undefined;

  constructor(id: string) {
    this.id = id;
  }
}

/**
 * The order of a FIFO queue (SQS: section 6.4): inside a group exactly the order of the log, and an in-flight message
 * blocks all later ones of its group (not the earlier ones). Groups take turns; one that was served goes to the back.
 */
export class GroupOrder implements DeliveryOrder {
  readonly #groups = new Map<string, Group>();
  /** Available groups; the next to be served first. */
  readonly #turns = new LinkedList<Group>();
  /** Groups whose first message is still delayed, soonest first. */
  readonly #waiting = new IndexedHeap<'heapIndex', Group>('heapIndex', byFirstSent);
  #delayMs: number;
  readyCount = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  readyCountOf(): number {
    return this.readyCount;
  }

  /** A FIFO queue has one partition, which is in use as long as the queue is. */
  holds(): boolean {
    return true;
  }

  /** The delay of a FIFO queue applies to the messages already in it, too (SQS: section 3.1). */
  setDelay(delayMs: number, now: number): void {
    if (delayMs === this.#delayMs) return;
    this.#delayMs = delayMs;
    for (const group of this.#groups.values()) this.#reconsider(group, now);
  }

  add(entry: Entry, groupId: string | undefined, now: number): void {
    const id = groupId as string;
    let group = this.#groups.get(id);
    if (group === undefined) {
      group = new Group(id);
      this.#groups.set(id, group);
    }
    entry.home = group;
    // Nearly always the last one; a page may bring messages that lie before some already here.
    let anchor = group.messages.last;
    while (anchor !== undefined && anchor.seq > entry.seq) anchor = anchor.previous;
    group.messages.insertAfter(anchor, entry);
    if (entry.state === 'ready') this.readyCount++;
    this.#reconsider(group, now);
  }

  hold(entry: Entry, now: number): void {
    this.readyCount--;
    this.#reconsider(entry.home as Group, now);
  }

  release(entry: Entry, now: number): void {
    this.readyCount++;
    this.#reconsider(entry.home as Group, now);
  }

  remove(entry: Entry, now: number): void {
    if (entry.state === 'ready') this.readyCount--;
    const group = entry.home as Group;
    group.messages.remove(entry);
    this.#reconsider(group, now);
  }

  clear(): void {
    this.#groups.clear();
    this.#waiting.clear();
    while (this.#turns.first !== undefined) this.#turns.remove(this.#turns.first);
    this.readyCount = 0;
  }

  take(now: number, visit: (entry: Entry) => Verdict): void {
    let group = this.#turns.first;
    while (group !== undefined) {
      const nextGroup: Group | undefined = group.next;
      let verdict: Verdict | undefined;
      let entry = group.messages.first;
      while (entry !== undefined && entry.state === 'ready' && this.#isDue(entry, now)) {
        const nextEntry: Entry | undefined = entry.next;
        verdict = visit(entry);
        if (verdict === 'stop') break;
        this.readyCount--;
        if (verdict === 'drop') group.messages.remove(entry);
        entry = nextEntry;
      }
      this.#reconsider(group, now);
      if (verdict === 'stop') return;
      group = nextGroup;
    }
  }

  advance(now: number): void {
    for (let group = this.#waiting.peek(); group !== undefined; group = this.#waiting.peek()) {
      if (!this.#isDue(group.messages.first as Entry, now)) return;
      this.#reconsider(group, now);
    }
  }

  nextDueAt(): number {
    const group = this.#waiting.peek();
    return group === undefined
      ? Number.POSITIVE_INFINITY
      : (group.messages.first as Entry).retentionFrom + this.#delayMs;
  }

  groupIdOf(entry: Entry): string {
    return (entry.home as Group).id;
  }

  #isDue(entry: Entry, now: number): boolean {
    return entry.retentionFrom + this.#delayMs <= now;
  }

  /** Brings a group's status in line with its first message. The only place that moves a group. */
  #reconsider(group: Group, now: number): void {
    const first = group.messages.first;
    const status =
      first === undefined || first.state !== 'ready' ? 'blocked' : this.#isDue(first, now) ? 'available' : 'waiting';
    if (status !== group.status) {
      if (group.status === 'available') this.#turns.remove(group);
      if (group.status === 'waiting') this.#waiting.remove(group);
      if (status === 'available') this.#turns.push(group);
      if (status === 'waiting') this.#waiting.push(group);
      group.status = status;
    } else if (status === 'waiting') {
      this.#waiting.update(group);
    }
    if (first === undefined) this.#groups.delete(group.id);
  }
}

function byFirstSent(a: Group, b: Group): boolean {
  return (a.messages.first as Entry).retentionFrom < (b.messages.first as Entry).retentionFrom;
}
