import type { Linked } from '../collections/linked-list.ts';
import type { Delivery, LogRow } from './change.ts';

/**
 * A message in memory: numbers only, whatever its body weighs.
 *
 *   ready ----take----> in-flight ----deadline, or visibility set to 0----> ready
 *   ready ----move----> moving ----move refused----> ready        (a move task holds it while its move is committed)
 *   any   ----delete, move, expiry, purge----> gone
 */
export class Entry implements Linked<Entry> {
  readonly seq: number;
  readonly partition: number;
  /** Epoch milliseconds: where its retention starts; on FIFO queues its delay too. */
  readonly retentionFrom: number;
  /** Whether its content may be in a record of its own, to be deleted with it. */
  readonly mayHaveBody: boolean;
  /** Receives in earlier queues. */
  readonly receivesBefore: number;
  /** Receives so far, those in earlier queues included. */
  receiveCount: number;
  /** Epoch milliseconds; 0 before the first receive. */
  firstReceivedAt: number;
  /** Epoch milliseconds of the latest receive; 0 before the first one. */
  receivedAt = 0;
  /** Epoch milliseconds; meaningful once received. */
  visibleAt = 0;
  state: 'ready' | 'in-flight' | 'moving' = 'ready';

  /** Bookkeeping of the collections it is in. */
  rank: number;
  /** Its place among entries of the same rank; 0 for the message whose sequence is that rank. */
  turn = 0;
  /** The lane or group that the delivery order files it under. */
  home: unknown;
  heapIndex = -1;
  expiryIndex = -1;
  previous: Entry | undefined;
  next: Entry | undefined;

  constructor(row: LogRow) {
    this.seq = row.seq;
    this.partition = row.partition;
    this.retentionFrom = row.retentionFrom;
    this.mayHaveBody = row.isInline !== true;
    this.receivesBefore = row.receivesBefore;
    this.receiveCount = row.receivesBefore;
    this.firstReceivedAt = row.firstReceivedBefore;
    this.rank = row.seq;
  }

  /** Whether a delivery record of it is (or is about to be) in the store. */
  get hasDelivery(): boolean {
    return this.receivedAt !== 0;
  }

  delivery(): Delivery {
    return {
      receiveCount: this.receiveCount,
      firstReceivedAt: this.firstReceivedAt,
      receivedAt: this.receivedAt,
      visibleAt: this.visibleAt,
    };
  }
}
