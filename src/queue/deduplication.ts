import type { DedupRecord } from './change.ts';

/** How long an id blocks its like (SQS: section 6.2). Fixed by SQS. */
export const DEDUPLICATION_INTERVAL_MS = 5 * 60_000;

/**
 * Who used which deduplication id in the last five minutes. Memory holds every id used at or after `#completeSince`;
 * an older one may still be in the store, and the engine must look there (`mustAskStore`) before a send is applied.
 */
export class Deduplication {
  readonly #scope: 'queue' | 'messageGroup';
  /** In the order of use; ids learned from the store come in out of order, which only costs them an early leave. */
  readonly #recent = new Map<string, DedupRecord>();
  #completeSince: number;
  /** Records of messages below this sequence were purged, and their ids with them (SQS: section 2.14). */
  #purgedBelow: number;
  /** Ids kept in memory, see `QueueLimits`. */
  readonly #idsMax: number;

  constructor(scope: 'queue' | 'messageGroup', completeSince: number, purgedBelow: number, idsMax: number) {
    this.#scope = scope;
    this.#completeSince = completeSince;
    this.#purgedBelow = purgedBelow;
    this.#idsMax = idsMax;
  }

  /** What must be equal for two messages to be duplicates. */
  idOf(message: { groupId?: string; deduplicationId?: string }): string {
    const id = message.deduplicationId as string;
    return this.#scope === 'queue' ? id : `${message.groupId?.length}:${message.groupId}${id}`;
  }

  find(id: string, now: number): DedupRecord | undefined {
    const record = this.#recent.get(id);
    return record !== undefined && record.sentAt > now - DEDUPLICATION_INTERVAL_MS ? record : undefined;
  }

  /** The time since when memory is complete. Ids used before that and within the interval are in the store only. */
  get completeSince(): number {
    return this.#completeSince;
  }

  mustAskStore(id: string, now: number): boolean {
    return this.#completeSince > now - DEDUPLICATION_INTERVAL_MS && this.find(id, now) === undefined;
  }

  /** Takes over what the store knows of an id. */
  learn(id: string, record: DedupRecord): void {
    if (record.seq >= this.#purgedBelow && !this.#recent.has(id)) this.#recent.set(id, record);
  }

  add(id: string, record: DedupRecord): void {
    // Deleted first, so that the map stays in the order of use.
    this.#recent.delete(id);
    this.#recent.set(id, record);
  }

  /**
   * Lets go of ids that have expired or are too many. To be called between sends, never inside one: what
   * `mustAskStore` found in memory must stay there until the send has been applied.
   */
  trim(now: number): void {
    for (const [oldestId, oldest] of this.#recent) {
      const expired = oldest.sentAt <= now - DEDUPLICATION_INTERVAL_MS;
      if (!expired && this.#recent.size <= this.#idsMax) return;
      this.#recent.delete(oldestId);
      if (!expired) this.#completeSince = Math.max(this.#completeSince, oldest.sentAt + 1);
    }
  }

  purge(below: number): void {
    this.#recent.clear();
    this.#purgedBelow = below;
  }
}
