/**
 * What the clients of a crash test did and saw. Times are milliseconds of the clients' monotonic clock: the server
 * carried out a request at some moment between `askedAt` and `answeredAt`. A request whose answer was lost (there is no
 * `answeredAt`) may have been carried out or not.
 *
 * A message is known by its body, which no other message has.
 */
export interface Request {
  askedAt: number;
  answeredAt?: number;
}

export interface Send extends Request {
  queue: string;
  body: string;
  delayMs: number;
  group?: string;
  /** Of the message in its group: what was sent first has the lower number. */
  position?: number;
  deduplicationId?: string;
  /** From the answer. */
  messageId?: string;
  sequenceNumber?: string;
}

export interface Receive extends Request {
  queue: string;
  visibilityMs: number;
  /** In the order of the answer; empty when the answer was lost. */
  deliveries: Delivery[];
  /** How often the server had been killed before. */
  kills: number;
}

export interface Delivery {
  body: string;
  messageId: string;
  receiveCount: number;
  sequenceNumber?: string;
  deadLetterSource?: string;
}

export interface Delete extends Request {
  queue: string;
  body: string;
  /** The receive that gave the handle. */
  receive: Receive;
  /** From the answer. */
  outcome?: 'deleted' | 'expired';
  kills: number;
}

export interface VisibilityChange extends Request {
  queue: string;
  body: string;
  timeoutMs: number;
  /** From the answer. */
  outcome?: 'changed' | 'refused';
}

export interface QueueTraits {
  fifo: boolean;
  /** High throughput: an id counts inside its group only. */
  deduplicatesByGroup?: boolean;
  deadLetter?: { queue: string; maxReceiveCount: number };
}

export class History {
  readonly queues: Readonly<Record<string, QueueTraits>>;
  readonly sends: Send[] = [];
  readonly receives: Receive[] = [];
  readonly deletes: Delete[] = [];
  readonly changes: VisibilityChange[] = [];

  constructor(queues: Readonly<Record<string, QueueTraits>>) {
    this.queues = queues;
  }
}

export function isAnswered<Event extends Request>(event: Event): event is Event & { answeredAt: number } {
  return event.answeredAt !== undefined;
}
