import type { MessageContent } from './message.ts';

/** The times and counts that are fixed when a message enters a queue. */
export interface MessageTiming {
  /** Epoch milliseconds: the SentTimestamp attribute; kept when a message moves to a dead-letter queue. */
  sentAt: number;
  /** Epoch milliseconds: where the retention clock starts. */
  retentionFrom: number;
  /** Epoch milliseconds: when a message timer or queue delay of a standard queue ends; 0 without one. */
  dueAt: number;
  /** Receives in earlier queues: shown in ApproximateReceiveCount, not held against it by this queue's redrive policy. */
  receivesBefore: number;
  /** Epoch milliseconds of the first receive in an earlier queue; 0 when it was never received there. */
  firstReceivedBefore: number;
}

/** The mutable part of a message: what a receive or a change of visibility leaves behind. */
export interface Delivery {
  /** All receives so far, those in earlier queues included. Names the delivery: a receipt handle carries it. */
  receiveCount: number;
  /** Epoch milliseconds. */
  firstReceivedAt: number;
  /** Epoch milliseconds of the latest receive: where the 12 hours of a message in flight start. */
  receivedAt: number;
  /** Epoch milliseconds: in flight until then. */
  visibleAt: number;
}

/** Where a message is: its queue, the ordered log inside the queue, its place in the log. */
export interface Position {
  queueId: number;
  partition: number;
  /** Rises with every message of the queue and is never used again. Below 2^53. */
  seq: number;
}

/** A message as it lies in the log of its partition: what an entry is made from. */
export interface LogRow {
  seq: number;
  partition: number;
  retentionFrom: number;
  /** 0 without a delay of its own. */
  dueAt: number;
  groupId?: string;
  receivesBefore: number;
  firstReceivedBefore: number;
  /** Whether its record holds the content, too. Absent where nobody has looked. */
  isInline?: boolean;
}

/** An effect the state machine asks the engine to make durable, together with all others of the same command. */
export type Change =
  /** `row`: what memory has of it. Whoever encodes the message fills in whether it is all in one record. */
  | { kind: 'message.put'; at: Position; timing: MessageTiming; content: MessageContent; row: LogRow }
  | { kind: 'message.delete'; at: Position; mayHaveBody: boolean; hasDelivery: boolean }
  /** A message leaves one queue and enters another as one step. The content is copied by the engine, edited by `edit`. */
  | {
      kind: 'message.move';
      from: Position;
      fromHasDelivery: boolean;
      at: Position;
      timing: MessageTiming;
      edit: MoveEdit;
    }
  /** `isFirst`: there is no record of an earlier one. */
  | { kind: 'delivery.put'; at: Position; delivery: Delivery; isFirst: boolean }
  | { kind: 'delay.delete'; at: Position; dueAt: number }
  | { kind: 'dedup.put'; queueId: number; record: DedupRecord }
  /** Deduplication records below this sequence number are no longer needed. */
  | { kind: 'dedup.expire'; queueId: number; below: number }
  | { kind: 'attempt.put'; queueId: number; id: string; record: AttemptRecord }
  | { kind: 'attempt.delete'; queueId: number; id: string }
  /** Everything below the queue's purge watermark is dead. */
  | { kind: 'purge'; queueId: number; below: number };

/** What a move changes in the content of a message. */
export interface MoveEdit {
  /** Absent: the message keeps its id. */
  messageId?: string;
  /** `message-id`: the original message id becomes the deduplication id (FIFO dead-letter queues, SQS: section 6.7). */
  deduplicationId?: 'message-id';
  /** Set by a redrive policy, taken away by a move task. */
  deadLetterSourceArn: string | undefined;
  /** Whether the time it was sent first stays (SQS: section 5.8), or the timing of the move says it. */
  keepsSentAt: boolean;
}

/** Who used a deduplication id, and when. */
export interface DedupRecord {
  /** With the group, where the scope is the message group: see `Deduplication.idOf`. */
  id: string;
  hash: number;
  messageId: string;
  seq: number;
  /** Epoch milliseconds. */
  sentAt: number;
}

/** What a receive with a ReceiveRequestAttemptId returned. */
export interface AttemptRecord {
  /** Epoch milliseconds. */
  at: number;
  /** The visibility deadline that all of its messages still have if nothing happened to them. Epoch milliseconds. */
  visibleAt: number;
  /** The messages in the order they were returned, each with the receive count that names the delivery. */
  deliveries: { seq: number; receiveCount: number }[];
}

/** The counts of a queue, written with every commit that touches it. */
export interface Counters {
  nextSeq: number;
  /** Messages in the queue: visible, in flight and delayed. */
  live: number;
  /** Messages of a standard queue whose delay has not ended. */
  delayed: number;
  /** Messages with a lower sequence were purged. */
  purgedBelow: number;
  /** Rows of purged messages below this have been reclaimed. */
  reclaimedBelow: number;
}
