/**
 * What a queue must do, told as naively as possible: one array of messages, scanned from the front for everything.
 * Written from the description of SQS, not from the state machine it judges.
 *
 * It does not foretell which of several deliverable messages a receive returns - SQS leaves that open, and a queue that
 * is still reading its backlog cannot know all of them. It is shown what was returned and says whether that is allowed.
 */
import assert from 'node:assert/strict';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface NaiveSettings {
  fifo: boolean;
  delayMs: number;
  retentionMs: number;
  visibilityTimeoutMs: number;
  deduplicationScope: 'queue' | 'messageGroup';
}

export interface NaiveMessage {
  messageId: string;
  seq: number;
  groupId?: string;
  deduplicationId?: string;
  deadLetterSourceArn?: string;
  /** The number of the commit that makes it durable. */
  commit: number;
  sentAt: number;
  retentionFrom: number;
  /** 0 without a delay of its own. */
  dueAt: number;
  receivesBefore: number;
  firstReceivedBefore: number;
  /** All receives, those in earlier queues included. */
  receiveCount: number;
  firstReceivedAt: number;
  /** 0 before the first receive in this queue. */
  receivedAt: number;
  visibleAt: number;
  /** A move task has it in its hands. */
  moving: boolean;
}

export interface Sent {
  messageId: string;
  groupId?: string;
  deduplicationId?: string;
  delayMs?: number;
}

export interface SentOutcome {
  messageId: string;
  seq: number;
  duplicate: boolean;
}

export interface Taken {
  seq: number;
  receiveCount: number;
  firstReceivedAt: number;
}

/** What a receive has moved to a dead-letter queue. */
export interface Moved {
  seq: number;
  toSeq: number;
}

/** What is true at the moment of a command, apart from the queue. */
export interface Moment {
  now: number;
  /** The number of the commit that the command's changes go into. */
  commit: number;
  /** The number of the latest commit that is durable. */
  durable: number;
}

export interface ReceiveObservation {
  max: number;
  visibilityTimeoutMs: number;
  attemptId?: string;
  deadLetter?: { target: NaiveQueue; maxReceiveCount: number };
  inFlightMax: number;
  received: readonly Taken[] | 'over-limit';
  moved: readonly Moved[];
  /** The queue says that there is nothing more to come: what it has left out must not be deliverable. */
  isComplete: boolean;
}

interface Dedup {
  key: string;
  messageId: string;
  seq: number;
  at: number;
}

interface Attempt {
  id: string;
  at: number;
  visibleAt: number;
  deliveries: { seq: number; receiveCount: number }[];
}

export class NaiveQueue {
  readonly arn: string;
  settings: NaiveSettings;
  messages: NaiveMessage[] = [];
  #dedups: Dedup[] = [];
  #attempts: Attempt[] = [];
  #lastSeq = 0;

  constructor(arn: string, settings: NaiveSettings) {
    this.arn = arn;
    this.settings = settings;
  }

  /** Everything that the store knows; settings have a store of their own. */
  clone(): NaiveQueue {
    const copy = new NaiveQueue(this.arn, this.settings);
    copy.messages = this.messages.map((message) => ({ ...message }));
    copy.#dedups = [...this.#dedups];
    copy.#attempts = [...this.#attempts];
    copy.#lastSeq = this.#lastSeq;
    return copy;
  }

  // ---- commands -------------------------------------------------------------------------------------------------

  send(sent: readonly Sent[], outcomes: readonly SentOutcome[], { now, commit }: Moment): void {
    this.expire(now);
    assert.equal(outcomes.length, sent.length);
    sent.forEach((message, index) => {
      const outcome = outcomes[index] as SentOutcome;
      const { fifo, delayMs } = this.settings;
      const original = fifo ? this.#original(message, now) : undefined;
      if (original !== undefined) {
        const { messageId, seq } = original;
        assert.deepEqual(outcome, { messageId, seq, duplicate: true }, 'a duplicate gets the reply of the original');
        return;
      }
      assert.equal(outcome.duplicate, false, `${message.messageId} is no duplicate`);
      assert.equal(outcome.messageId, message.messageId);
      if (fifo) this.#dedups.push({ key: this.#dedupKey(message), at: now, ...pick(outcome) });
      const delay = fifo ? 0 : (message.delayMs ?? delayMs);
      this.#arrive(outcome.seq, commit, {
        messageId: message.messageId,
        groupId: message.groupId,
        deduplicationId: message.deduplicationId,
        sentAt: now,
        retentionFrom: now,
        dueAt: delay > 0 ? now + delay : 0,
      });
    });
  }

  receive(observed: ReceiveObservation, moment: Moment): void {
    const { now } = moment;
    this.expire(now);
    const { received, moved, attemptId } = observed;
    const attempt = this.settings.fifo ? this.#attempts.find(({ id }) => id === attemptId) : undefined;
    if (attempt !== undefined && this.#isReplayable(attempt, now)) {
      this.#replay(attempt, observed, now);
      return;
    }
    const room = observed.inFlightMax - this.inFlight(now).length;
    if (room <= 0) {
      assert.deepEqual(received, this.settings.fifo ? [] : 'over-limit', 'the limit of messages in flight');
      assert.deepEqual(moved, []);
      return;
    }
    assert.ok(received !== 'over-limit', 'the limit of messages in flight is not reached');
    const max = Math.min(observed.max, room);
    assert.ok(received.length <= max, 'more than asked for');
    this.#checkChoice(received, observed, moment);
    const deadLetter = observed.deadLetter;
    for (const { seq, toSeq } of moved) this.#moveToDeadLetter(seq, toSeq, deadLetter?.target as NaiveQueue, moment);
    const visibleAt = now + observed.visibilityTimeoutMs;
    for (const taken of received) {
      const message = this.find(taken.seq) as NaiveMessage;
      message.receiveCount++;
      message.receivedAt = now;
      message.visibleAt = visibleAt;
      if (message.firstReceivedAt === 0) message.firstReceivedAt = now;
      assert.equal(taken.receiveCount, message.receiveCount, `receive count of ${message.messageId}`);
      assert.equal(taken.firstReceivedAt, message.firstReceivedAt, `first receive of ${message.messageId}`);
    }
    if (this.settings.fifo && attemptId !== undefined && received.length > 0) {
      this.#attempts = this.#attempts.filter(({ id }) => id !== attemptId);
      const deliveries = received.map(({ seq, receiveCount }) => ({ seq, receiveCount }));
      this.#attempts.push({ id: attemptId, at: now, visibleAt, deliveries });
    }
    if (received.length < max && observed.isComplete) {
      const left = this.deliverable(moment).filter(({ seq }) => !received.some((taken) => taken.seq === seq));
      assert.deepEqual(left.map(nameOf), [], `${received.length} of ${max} received, and these were left out`);
    }
  }

  delete(receipt: { seq: number; receiveCount: number }, outcome: 'deleted' | 'expired', { now }: Moment): void {
    this.expire(now);
    const message = this.find(receipt.seq);
    const isStale = this.settings.fifo && message !== undefined && !isCurrent(message, receipt, now);
    assert.equal(outcome, isStale ? 'expired' : 'deleted');
    if (outcome === 'deleted') this.#remove(receipt.seq);
  }

  changeVisibility(
    receipt: { seq: number; receiveCount: number },
    timeoutMs: number,
    outcome: 'changed' | 'expired' | 'gone' | 'beyond-limit',
    { now }: Moment,
  ): void {
    this.expire(now);
    const message = this.find(receipt.seq);
    if (message === undefined || message.moving) {
      assert.equal(outcome, 'gone');
    } else if (this.settings.fifo && !isCurrent(message, receipt, now)) {
      assert.equal(outcome, 'expired');
    } else if (timeoutMs > 0 && now + timeoutMs > message.receivedAt + 12 * HOUR) {
      assert.equal(outcome, 'beyond-limit');
    } else {
      assert.equal(outcome, 'changed');
      message.visibleAt = now + timeoutMs;
    }
  }

  purge(): void {
    this.messages = [];
    this.#dedups = [];
    this.#attempts = [];
  }

  takeForMove(taken: readonly { seq: number }[], max: number, isComplete: boolean, moment: Moment): void {
    this.expire(moment.now);
    assert.ok(taken.length <= max);
    this.#checkChoice(taken, { moved: [], isComplete }, moment);
    for (const { seq } of taken) (this.find(seq) as NaiveMessage).moving = true;
    if (taken.length < max && isComplete) {
      assert.deepEqual(this.deliverable(moment).map(nameOf), [], 'left out by a move task');
    }
  }

  /** `held`: what `takeForMove` gave; a message of the same place that was taken anew is another one. */
  finishMove(
    seq: number,
    toSeq: number | undefined,
    target: NaiveQueue,
    messageId: string,
    { now, commit }: Moment,
  ): void {
    this.expire(now);
    const message = this.find(seq);
    assert.equal(toSeq !== undefined, message !== undefined, `${nameOf({ seq })} is moved if it is still there`);
    if (message === undefined || toSeq === undefined) return;
    this.#remove(seq);
    const { groupId, deduplicationId } = message;
    target.#arrive(toSeq, commit, { messageId, groupId, deduplicationId, sentAt: now, retentionFrom: now, dueAt: 0 });
  }

  returnMove(seq: number): void {
    const message = this.find(seq);
    if (message !== undefined) message.moving = false;
  }

  // ---- time and restart -----------------------------------------------------------------------------------------

  expire(now: number): void {
    this.messages = this.messages.filter((message) => !this.#isExpired(message, now));
  }

  /** Nobody holds anything any more for a task. */
  restart(): void {
    for (const message of this.messages) message.moving = false;
  }

  // ---- questions ------------------------------------------------------------------------------------------------

  find(seq: number): NaiveMessage | undefined {
    return this.messages.find((message) => message.seq === seq);
  }

  inFlight(now: number): NaiveMessage[] {
    return this.messages.filter((message) => isInFlight(message, now));
  }

  attemptIds(now: number): string[] {
    return this.#attempts.filter(({ at }) => now < at + 5 * MINUTE).map(({ id }) => id);
  }

  isDelayed(message: NaiveMessage, now: number): boolean {
    if (this.settings.fifo) return message.retentionFrom + this.settings.delayMs > now;
    return message.dueAt > now;
  }

  /** What a receive may return now, in the order of the log; of FIFO groups what comes first and is not held up. */
  deliverable({ now, durable }: Pick<Moment, 'now' | 'durable'>): NaiveMessage[] {
    const blocked = new Set<string | undefined>();
    return this.messages.filter((message) => {
      const isFree =
        message.commit <= durable &&
        !message.moving &&
        !isInFlight(message, now) &&
        !this.isDelayed(message, now) &&
        !this.#isExpired(message, now);
      if (!this.settings.fifo) return isFree;
      if (!isFree) blocked.add(message.groupId);
      return !blocked.has(message.groupId);
    });
  }

  // ---- inside ---------------------------------------------------------------------------------------------------

  #arrive(
    seq: number,
    commit: number,
    message: Pick<NaiveMessage, 'messageId' | 'groupId' | 'deduplicationId' | 'sentAt' | 'retentionFrom' | 'dueAt'> &
      Partial<NaiveMessage>,
  ): void {
    assert.ok(seq > this.#lastSeq, 'sequence numbers rise');
    this.#lastSeq = seq;
    this.messages.push({
      receivesBefore: 0,
      firstReceivedBefore: 0,
      receiveCount: message.receivesBefore ?? 0,
      firstReceivedAt: message.firstReceivedBefore ?? 0,
      receivedAt: 0,
      visibleAt: 0,
      moving: false,
      ...message,
      seq,
      commit,
    });
  }

  #original(message: Sent, now: number): Dedup | undefined {
    const key = this.#dedupKey(message);
    return this.#dedups.findLast((dedup) => dedup.key === key && now < dedup.at + 5 * MINUTE);
  }

  #dedupKey({ groupId, deduplicationId }: Sent): string {
    return this.settings.deduplicationScope === 'queue'
      ? String(deduplicationId)
      : JSON.stringify([groupId, deduplicationId]);
  }

  /** Whether `taken`, in its order, is one of the choices there are. Those that were moved on the way count, too. */
  #checkChoice(
    taken: readonly { seq: number }[],
    observed: Pick<ReceiveObservation, 'moved' | 'isComplete' | 'deadLetter'>,
    moment: Moment,
  ): void {
    const free = this.deliverable(moment);
    const movedSeqs = observed.moved.map(({ seq }) => seq);
    const seqs = [...movedSeqs, ...taken.map(({ seq }) => seq)];
    assert.equal(new Set(seqs).size, seqs.length, 'a message at most once');
    for (const seq of seqs) {
      const message = free.find((candidate) => candidate.seq === seq);
      assert.ok(message, `${nameOf({ seq })} may not be delivered`);
      const isDead =
        observed.deadLetter !== undefined &&
        message.receiveCount - message.receivesBefore >= observed.deadLetter.maxReceiveCount;
      assert.equal(movedSeqs.includes(seq), isDead, `whether ${nameOf({ seq })} was received too often`);
    }
    if (!this.settings.fifo) return;
    // In each group: none is passed over, and the order is that of the log.
    for (const groupId of new Set(free.map((message) => message.groupId))) {
      const ofGroup = free.filter((message) => message.groupId === groupId).map(({ seq }) => seq);
      const used = ofGroup.filter((seq) => seqs.includes(seq));
      assert.deepEqual(used, ofGroup.slice(0, used.length), `group ${groupId} is served from its front`);
      const inOrder = taken.filter(({ seq }) => ofGroup.includes(seq)).map(({ seq }) => seq);
      assert.deepEqual(
        inOrder,
        inOrder.toSorted((a, b) => a - b),
        `group ${groupId} is served in order`,
      );
    }
    // A receive takes from one group what there is before it goes to the next.
    const groups = taken.map(({ seq }) => this.find(seq)?.groupId);
    const turns = groups.filter((groupId, index) => index === 0 || groupId !== groups[index - 1]);
    assert.equal(new Set(turns).size, turns.length, 'each group has one turn');
  }

  #replay(attempt: Attempt, { received, moved, visibilityTimeoutMs }: ReceiveObservation, now: number): void {
    const expected = attempt.deliveries.map(({ seq, receiveCount }) => {
      const message = this.find(seq) as NaiveMessage;
      message.visibleAt = now + visibilityTimeoutMs;
      return { seq, receiveCount, firstReceivedAt: message.firstReceivedAt };
    });
    assert.deepEqual(received === 'over-limit' ? received : received.map(takenOf), expected, 'a replay of the attempt');
    assert.deepEqual(moved, []);
    this.#attempts = this.#attempts.map((other) =>
      other === attempt ? { ...attempt, visibleAt: now + visibilityTimeoutMs } : other,
    );
  }

  #isReplayable(attempt: Attempt, now: number): boolean {
    if (now >= attempt.at + 5 * MINUTE) return false;
    return attempt.deliveries.every(({ seq, receiveCount }) => {
      const message = this.find(seq);
      return (
        message !== undefined &&
        isInFlight(message, now) &&
        message.receiveCount === receiveCount &&
        message.visibleAt === attempt.visibleAt
      );
    });
  }

  #moveToDeadLetter(seq: number, toSeq: number, target: NaiveQueue, { now, commit }: Moment): void {
    const message = this.find(seq) as NaiveMessage;
    this.#remove(seq);
    const { messageId, groupId, deduplicationId, sentAt, retentionFrom } = message;
    target.#arrive(toSeq, commit, {
      messageId,
      groupId,
      deduplicationId: target.settings.fifo ? messageId : deduplicationId,
      deadLetterSourceArn: this.arn,
      sentAt,
      retentionFrom: target.settings.fifo ? now : retentionFrom,
      dueAt: 0,
      receivesBefore: message.receiveCount,
      firstReceivedBefore: message.firstReceivedAt,
    });
  }

  #remove(seq: number): void {
    this.messages = this.messages.filter((message) => message.seq !== seq);
  }

  #isExpired(message: NaiveMessage, now: number): boolean {
    return message.retentionFrom + this.settings.retentionMs <= now;
  }
}

/** A message that a move task holds is in nobody's flight: it was visible when it was taken. */
function isInFlight(message: NaiveMessage, now: number): boolean {
  return message.receivedAt !== 0 && message.visibleAt > now && !message.moving;
}

function isCurrent(message: NaiveMessage, { receiveCount }: { receiveCount: number }, now: number): boolean {
  return isInFlight(message, now) && message.receiveCount === receiveCount;
}

function takenOf({ seq, receiveCount, firstReceivedAt }: Taken): Taken {
  return { seq, receiveCount, firstReceivedAt };
}

function pick({ messageId, seq }: SentOutcome): { messageId: string; seq: number } {
  return { messageId, seq };
}

function nameOf({ seq }: { seq: number }): string {
  return `message ${seq}`;
}
