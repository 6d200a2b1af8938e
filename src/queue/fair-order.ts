import { fnv1a } from '../collections/fnv.ts';
import { IndexedHeap } from '../collections/indexed-heap.ts';
import { type Linked, LinkedList } from '../collections/linked-list.ts';
import type { DeliveryOrder, Verdict } from './delivery-order.ts';
import type { Entry } from './entry.ts';

/** A tenant with fewer messages in flight is never noisy (SQS: section 5.9). */
const NOISY_IN_FLIGHT = 30;
/** A tenant is noisy only above this share of all messages in flight (SQS: section 5.9). */
const NOISY_SHARE = 0.1;

/** Messages received this often without being deleted go to the back of the queue (SQS: section 5.1). */
const POISON_RECEIVES = 3;

/** Partition of the messages without a group: each its own tenant, so together never noisy. */
export const UNGROUPED_PARTITION = 0;

/**
 * The log of one tenant (MessageGroupId) of a standard queue. A partition of its own per group is what makes the queue
 * fair at any depth: a tenant with a million messages waiting fills its own log and window, not those of the others.
 */
class Lane implements Linked<Lane> {
  readonly partition: number;
  readonly groupId: string | undefined;
  readonly ready = new IndexedHeap<'heapIndex', Entry>('heapIndex', byRank);
  heldCount = 0;
  previous: Lane | undefined;
  next: Lane | undefined;

  constructor(partition: number, groupId: string | undefined) {
    this.partition = partition;
    this.groupId = groupId;
  }
}

/**
 * The order of a standard queue: tenants take turns, each in the order of its log; a noisy tenant is served when only
 * noisy ones are left. At most nine tenants can hold more than a tenth each, so passing over them is O(1).
 */
export class FairOrder implements DeliveryOrder {
  readonly #lanes = new Map<number, Lane>();
  /** Lanes with something ready; the next to be served first. */
  readonly #turns = new LinkedList<Lane>();
  /** The rank of the newest message known so far. */
  #lastRank = 0;
  /** How many messages have been put behind it: they stay in that order among themselves. */
  #latecomers = 0;
  #heldCount = 0;
  readyCount = 0;

  readyCountOf(partition: number): number {
    return this.#lanes.get(partition)?.ready.size ?? 0;
  }

  holds(partition: number): boolean {
    return this.#lanes.has(partition);
  }

  add(entry: Entry, groupId: string | undefined): void {
    this.#lastRank = Math.max(this.#lastRank, entry.seq);
    const lane = this.#lane(entry.partition, groupId);
    entry.home = lane;
    if (entry.state === 'ready') {
      this.#makeReady(lane, entry);
    } else {
      lane.heldCount++;
      this.#heldCount++;
    }
  }

  hold(entry: Entry): void {
    const lane = entry.home as Lane;
    this.#takeOut(lane, entry);
    lane.heldCount++;
    this.#heldCount++;
  }

  release(entry: Entry): void {
    const lane = entry.home as Lane;
    lane.heldCount--;
    this.#heldCount--;
    if (entry.receiveCount - entry.receivesBefore >= POISON_RECEIVES) {
      entry.rank = this.#lastRank;
      entry.turn = ++this.#latecomers;
    }
    this.#makeReady(lane, entry);
  }

  remove(entry: Entry): void {
    const lane = entry.home as Lane;
    if (entry.state === 'ready') {
      this.#takeOut(lane, entry);
    } else {
      lane.heldCount--;
      this.#heldCount--;
    }
    if (lane.heldCount === 0 && lane.ready.size === 0) this.#lanes.delete(lane.partition);
  }

  clear(): void {
    this.#lanes.clear();
    while (this.#turns.first !== undefined) this.#turns.remove(this.#turns.first);
    this.#heldCount = 0;
    this.readyCount = 0;
  }

  take(_now: number, visit: (entry: Entry) => Verdict): void {
    for (let lane = this.#nextLane(); lane !== undefined; lane = this.#nextLane()) {
      const entry = lane.ready.peek() as Entry;
      const verdict = visit(entry);
      if (verdict === 'stop') return;
      this.#takeOut(lane, entry);
      if (verdict === 'take') {
        lane.heldCount++;
        this.#heldCount++;
      } else if (lane.heldCount === 0 && lane.ready.size === 0) {
        this.#lanes.delete(lane.partition);
      }
      if (lane.ready.size > 0) {
        this.#turns.remove(lane);
        this.#turns.push(lane);
      }
    }
  }

  /** Message timers are kept apart; what is here is deliverable. */
  advance(): void {}

  nextDueAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  groupIdOf(entry: Entry): string | undefined {
    return (entry.home as Lane).groupId;
  }

  #nextLane(): Lane | undefined {
    let quietest: Lane | undefined;
    for (let lane = this.#turns.first; lane !== undefined; lane = lane.next) {
      if (!this.#isNoisy(lane)) return lane;
      if (quietest === undefined || lane.heldCount < quietest.heldCount) quietest = lane;
    }
    return quietest;
  }

  #isNoisy(lane: Lane): boolean {
    return (
      lane.partition !== UNGROUPED_PARTITION &&
      lane.heldCount >= NOISY_IN_FLIGHT &&
      lane.heldCount > this.#heldCount * NOISY_SHARE
    );
  }

  #makeReady(lane: Lane, entry: Entry): void {
    if (lane.ready.size === 0) this.#turns.push(lane);
    lane.ready.push(entry);
    this.readyCount++;
  }

  #takeOut(lane: Lane, entry: Entry): void {
    lane.ready.remove(entry);
    if (lane.ready.size === 0) this.#turns.remove(lane);
    this.readyCount--;
  }

  #lane(partition: number, groupId: string | undefined): Lane {
    let lane = this.#lanes.get(partition);
    if (lane === undefined) {
      lane = new Lane(partition, groupId);
      this.#lanes.set(partition, lane);
    }
    return lane;
  }
}

function byRank(a: Entry, b: Entry): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.turn < b.turn);
}

/** The partition of a message group. Groups that collide share a lane. */
export function partitionOfGroup(groupId: string): number {
  return fnv1a(groupId) || 1;
}
