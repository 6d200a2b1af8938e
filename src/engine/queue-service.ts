import type { MessageContent, NewMessage } from '../queue/message.ts';
import type { QueueRecord, Scope } from '../queue/record.ts';

export { ReadError } from '../storage/store.ts';

/** What a receive needs of an AbortSignal. Making a whole one for every receive would take longer than the receive. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * What the API layer needs of the engine: the seam behind which a queue may live in this process, in another one or
 * on another node. Arguments and replies are plain data. A promise resolves only when what it says is durable.
 *
 * Every method that takes a queue id rejects with `QueueGoneError` when the queue does not exist (any more), and with
 * `StoreUnavailableError` when the store refused or may have refused the write. `ReadError`: what is stored of the queue
 * is damaged, or the disk fails. Where a queue lives elsewhere every method may also reject with `OverloadedError`, and
 * with `StoreUnavailableError` when the way there is lost. Sends and receives reject with `KeyError` when the messages of
 * the queue cannot be encrypted or decrypted: nothing was sent; what was received comes back after its visibility timeout.
 */
export interface QueueService {
  /** Answers at once where it can: every request begins with this. */
  findQueue(scope: Scope, name: string): QueueRecord | undefined | Promise<QueueRecord | undefined>;
  /** Queues of the scope in ascending order of name (code units), those after `after` only, at most `limit`. */
  listQueues(scope: Scope, query: { prefix: string; after?: string; limit: number }): Promise<QueueRecord[]>;
  /**
   * Creates a queue. When the name is taken the existing record is returned instead with `created: false`; when it was
   * deleted less than `recreateAfterMs` ago nothing is created and the reply is `deleted-recently`.
   */
  createQueue(
    queue: Omit<QueueRecord, 'id' | 'revision'>,
    recreateAfterMs: number,
  ): Promise<{ created: boolean; queue: QueueRecord } | 'deleted-recently'>;
  /** Replaces the record if its stored revision is still `record.revision`, else rejects with `RevisionConflictError`. */
  updateQueue(record: QueueRecord): Promise<QueueRecord>;
  deleteQueue(queueId: number): Promise<void>;
  /** Queues of the scope whose RedrivePolicy names `targetArn`, in order of name, those after `after`, at most `limit`. */
  deadLetterSources(scope: Scope, targetArn: string, query: { after?: string; limit: number }): Promise<QueueRecord[]>;
  counts(queueId: number): Promise<MessageCounts>;

  send(queueId: number, messages: readonly NewMessage[]): Promise<SendResult[]>;
  /**
   * Waits up to `waitMs` for the first message. `signal` ends the wait early (the client went away, the server drains):
   * the reply is then empty. `over-limit`: a standard queue has as many messages in flight as it may (short poll only).
   * Large contents are read when there is `room` for them; without one, at once.
   */
  receive(
    queueId: number,
    request: ReceiveRequest,
    signal: CancelSignal,
    room?: ContentRoom,
  ): Promise<ReceivedMessage[] | 'over-limit'>;
  /** One outcome per handle, in order. */
  deleteMessages(queueId: number, receiptHandles: readonly string[]): Promise<DeleteOutcome[]>;
  /** One outcome per entry, in order. */
  changeVisibility(queueId: number, entries: readonly VisibilityChange[]): Promise<VisibilityOutcome[]>;
  /** `in-progress`: purged less than `minIntervalMs` ago, nothing done. */
  purge(queueId: number, minIntervalMs: number): Promise<'purged' | 'in-progress'>;

  /** Starts moving what is visible in `source`. `already-running`: the source has an active task, nothing done. */
  startMoveTask(request: MoveTaskRequest): Promise<MoveTask | 'already-running'>;
  /** Newest first. */
  listMoveTasks(sourceQueueId: number, limit: number): Promise<MoveTask[]>;
  /** Asks a task to stop; it goes to CANCELLING at once and to CANCELLED when its last step is over. */
  cancelMoveTask(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'>;
}

export interface MessageCounts {
  visible: number;
  inFlight: number;
  delayed: number;
}

export interface SendResult {
  /** For a duplicate: the id of the message that was accepted first. */
  messageId: string;
  /** 20 digits, rising; FIFO queues only. For a duplicate that of the first message. */
  sequenceNumber?: string;
}

export interface ReceiveRequest {
  maxMessages: number;
  waitMs: number;
  /** Overrides the queue's visibility timeout. */
  visibilityTimeoutMs?: number;
  /** FIFO only: the same id replays the same messages. */
  attemptId?: string;
}

/** Where contents that have been read are kept until the caller has them. */
export interface ContentRoom {
  /** Asked before they are read, for as much as they may be. Resolves when there is room; undefined: there is. */
  reserve(bytes: number): Promise<void> | undefined;
  /** How much it turned out to be. */
  settle(bytes: number): void;
}

export interface ReceivedMessage extends MessageContent {
  receiptHandle: string;
  /** Epoch milliseconds. */
  sentAt: number;
  /** 1 at the first receive. */
  receiveCount: number;
  /** Epoch milliseconds. */
  firstReceivedAt: number;
  /** 20 digits; FIFO queues only. */
  sequenceNumber?: string;
}

/** `invalid`: not a handle of this server. `foreign`: a handle of another queue. `expired`: FIFO only. */
export type DeleteOutcome = 'deleted' | 'invalid' | 'foreign' | 'expired';

export interface VisibilityChange {
  receiptHandle: string;
  timeoutMs: number;
}

/** `gone`: deleted, purged or expired. `beyond-limit`: the total since the receive would pass 12 hours. */
export type VisibilityOutcome = 'changed' | 'invalid' | 'foreign' | 'expired' | 'gone' | 'beyond-limit';

export interface MoveTaskRequest {
  sourceQueueId: number;
  sourceArn: string;
  /** Absent: every message goes back to the queue it came from. */
  destinationArn?: string;
  maxMessagesPerSecond?: number;
}

export type MoveTaskStatus = 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';

export interface MoveTask {
  id: string;
  sourceArn: string;
  destinationArn?: string;
  maxMessagesPerSecond?: number;
  status: MoveTaskStatus;
  failureReason?: string;
  movedCount: number;
  /** How many there were to move when the task started. */
  toMoveCount: number;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** The queue does not exist (any more). */
export class QueueGoneError extends Error {
  override name = 'QueueGoneError';
}

/** Somebody else changed the queue between the read and the conditional update: read again and retry. */
export class RevisionConflictError extends Error {
  override name = 'RevisionConflictError';
}

/**
 * The store could not make a write durable. `outcome` says what became of it: `not-applied` is certain,
 * `unknown` means it may or may not be there after recovery.
 */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly outcome: 'not-applied' | 'unknown';
  constructor(outcome: 'not-applied' | 'unknown', message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** The queue is used more often than its quota allows: this call was not carried out. */
export class ThrottledError extends Error {
  override name = 'ThrottledError';
}

/** More is under way than may be: this call was not even begun. */
export class OverloadedError extends Error {
  override name = 'OverloadedError';
}

/** Why a key cannot be used, by the names that SQS has for it (SQS: section 1.5). */
export const KEY_FAILURES = [
  'KmsAccessDenied',
  'KmsDisabled',
  'KmsInvalidKeyUsage',
  'KmsInvalidState',
  'KmsNotFound',
  'KmsOptInRequired',
  'KmsThrottled',
] as const;

export type KeyFailure = (typeof KEY_FAILURES)[number];

/** The key of a queue cannot be used. `failure` is undefined when whoever keeps it cannot be reached. */
export class KeyError extends Error {
  override name = 'KeyError';
  readonly failure: KeyFailure | undefined;
  constructor(failure: KeyFailure | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
