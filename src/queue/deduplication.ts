import { hashOfId, IdTable } from '../collections/id-table.ts';
import type { DedupRecord } from './change.ts';

/** How long an id blocks its like (SQS: section 6.2). Fixed by SQS. */
export const DEDUPLICATION_INTERVAL_MS = 5 * 60_000;

/** How often expired records are swept out of the store: rare enough to be cheap, often enough to stay small. */
const SWEEP_INTERVAL_MS = 2 * DEDUPLICATION_INTERVAL_MS;

/** Ids are forgotten by the minute, or in groups of this many: a larger table would take long to grow. */
const GENERATION_MS = 60_000;
const GENERATION_IDS = 300_000;

/** Records of the interval that are still in the store when a queue is opened are read in pages. */
export interface DedupPageRequest {
  kind: 'dedup';
  /** The first page begins behind this sequence number with the first record used after `since` (epoch milliseconds). */
  afterSeq: number;
  since: number;
  isFirst: boolean;
  limit: number;
}

/** What memory needs of a record. */
export type DedupRow = Pick<DedupRecord, 'hash' | 'seq' | 'sentAt'>;

interface Generation {
  /** Epoch milliseconds of its first and latest use of an id. */
  firstAt: number;
  lastAt: number;
  lastSeq: number;
  table: IdTable;
}

/**
 * Who used which deduplication id in the last five minutes. A queue that takes 10,000 messages a second uses three
 * million in that time, so memory keeps the latest ones in full, and of all others a hash and the place of their record:
 * `candidates` names the records that may be of the same id, and the engine reads them before a send is applied. An id
 * that is new - nearly every one - has none, and costs no read.
 *
 * The records lie in the store in the order of use: written at the end, expired at the front. Keyed by id instead, each
 * would touch a page of its own, which halved the sends that a FIFO queue took.
 */
export class Deduplication {
  readonly #scope: 'queue' | 'messageGroup';
  /** Ids kept in full, see `QueueLimits`. */
  readonly #recentMax: number;
  /** Nearly in the order of use: records learned from the store come in late, which only makes them leave late. */
  readonly #recent = new Map<string, DedupRecord>();
  /** The oldest first. */
  #generations: Generation[] = [];
  /** Records below this sequence number have expired and are still to be swept out of the store. */
  #expiredBelow: number | undefined;
  #sweepAt = Number.POSITIVE_INFINITY;
  /** Records in the store up to this one are known; undefined when all are. */
  #readThrough: number | undefined;
  #hasBegun = false;
  #reading: DedupPageRequest | undefined;

  /** `readFrom`: where the records in the store begin that memory does not know; undefined for a new queue. */
  constructor(scope: 'queue' | 'messageGroup', readFrom: number | undefined, recentMax: number) {
    this.#scope = scope;
    this.#recentMax = recentMax;
    this.#readThrough = readFrom === undefined ? undefined : readFrom - 1;
  }

  /** What must be equal for two messages to be duplicates. */
  idOf(message: { groupId?: string; deduplicationId?: string }): string {
    const id = message.deduplicationId as string;
    return this.#scope === 'queue' ? id : `${message.groupId?.length}:${message.groupId}${id}`;
  }

  // ---- uses of ids ----------------------------------------------------------------------------------------------

  /** The latest use of an id within the interval, if it is known in full. */
  find(id: string, now: number): DedupRecord | undefined {
    const record = this.#recent.get(id);
    return record !== undefined && record.sentAt > now - DEDUPLICATION_INTERVAL_MS ? record : undefined;
  }

  /** Adds the sequence numbers of records in the store that may be uses of this id within the interval. */
  candidates(id: string, now: number, found: number[]): void {
    if (this.find(id, now) !== undefined) return;
    let hash: number | undefined;
    for (const { lastAt, table } of this.#generations) {
      if (lastAt <= now - DEDUPLICATION_INTERVAL_MS) continue;
      hash ??= hashOfId(id);
      table.collect(hash, found);
    }
  }

  /** Takes over a record that was found in the store. */
  learn(record: DedupRecord): void {
    const known = this.#recent.get(record.id);
    if (known === undefined || known.seq < record.seq) this.#recent.set(record.id, record);
  }

  add(id: string, messageId: string, seq: number, sentAt: number): DedupRecord {
    const record: DedupRecord = { id, hash: hashOfId(id), messageId, seq, sentAt };
    // Deleted first, so that the map stays in the order of use.
    this.#recent.delete(id);
    this.#recent.set(id, record);
    this.#note(record);
    return record;
  }

  /**
   * Lets go of ids that have expired or are too many. To be called between sends, never inside one: what a send has
   * learned or added must stay until it is over. `isPending`: whether the record of a sequence number may not be in the
   * store yet.
   */
  trim(now: number, isPending: (seq: number) => boolean): void {
    for (const [id, { seq, sentAt }] of this.#recent) {
      const isExpired = sentAt <= now - DEDUPLICATION_INTERVAL_MS;
      if ((!isExpired && this.#recent.size <= this.#recentMax) || isPending(seq)) break;
      this.#recent.delete(id);
    }
    this.#forget(now);
  }

  #note({ hash, seq, sentAt }: DedupRow): void {
    let generation = this.#generations.at(-1);
    if (
      generation === undefined ||
      sentAt >= generation.firstAt + GENERATION_MS ||
      generation.table.size >= GENERATION_IDS
    ) {
      generation = { firstAt: sentAt, lastAt: sentAt, lastSeq: seq, table: new IdTable(seq) };
      this.#generations.push(generation);
    }
    generation.table.add(hash, seq);
    generation.lastAt = Math.max(generation.lastAt, sentAt);
    generation.lastSeq = seq;
    if (this.#sweepAt === Number.POSITIVE_INFINITY) this.#sweepAt = sentAt + SWEEP_INTERVAL_MS;
  }

  // ---- time -----------------------------------------------------------------------------------------------------

  /** When the time for it has come: records below the returned sequence number can go. */
  sweep(now: number): number | undefined {
    if (now < this.#sweepAt) return undefined;
    this.#forget(now);
    this.#sweepAt = this.#generations.length > 0 ? now + SWEEP_INTERVAL_MS : Number.POSITIVE_INFINITY;
    const below = this.#expiredBelow;
    this.#expiredBelow = undefined;
    return below;
  }

  /** When `sweep` has something to do next, in epoch milliseconds; Infinity for never. */
  get sweepAt(): number {
    return this.#sweepAt;
  }

  #forget(now: number): void {
    for (let oldest = this.#generations[0]; oldest !== undefined; oldest = this.#generations[0]) {
      if (oldest.lastAt > now - DEDUPLICATION_INTERVAL_MS) return;
      this.#expiredBelow = oldest.lastSeq + 1;
      this.#generations.shift();
    }
  }

  /** PurgeQueue forgets all ids (SQS: section 2.14). */
  clear(): void {
    this.#recent.clear();
    this.#generations = [];
    this.#expiredBelow = undefined;
    this.#sweepAt = Number.POSITIVE_INFINITY;
    this.#readThrough = undefined;
    this.#reading = undefined;
  }

  // ---- opening --------------------------------------------------------------------------------------------------

  /** Whether there may be records in the store that memory does not know of. Nothing can be sent until then. */
  get isUnread(): boolean {
    return this.#readThrough !== undefined;
  }

  /** The page to be read next, unless it is being read. */
  requestPage(now: number, limit: number): DedupPageRequest | undefined {
    if (this.#readThrough === undefined || this.#reading !== undefined) return undefined;
    const since = now - DEDUPLICATION_INTERVAL_MS;
    this.#reading = { kind: 'dedup', afterSeq: this.#readThrough, since, isFirst: !this.#hasBegun, limit };
    return this.#reading;
  }

  /** Rows in ascending order of sequence number. False: a purge has forgotten the page. */
  finishPage(request: DedupPageRequest, rows: readonly DedupRow[], reachedEnd: boolean): boolean {
    if (this.#reading !== request) return false;
    this.#reading = undefined;
    for (const row of rows) this.#note(row);
    this.#hasBegun = true;
    this.#readThrough = reachedEnd ? undefined : (rows.at(-1)?.seq ?? this.#readThrough);
    return true;
  }
}
