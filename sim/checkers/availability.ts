import type { QueueLimits } from '../../src/queue/limits.ts';
import { type Call, isCall } from '../calls.ts';
import type { DurableMessage, DurableQueue } from './durable-image.ts';
import { describe, type Evidence } from './evidence.ts';
import { latest } from './message-rules.ts';

/** How long after an empty answer everything that was on its way to the disk has arrived there. */
const SETTLED_MS = 1000;

/** Messages that may be taken and not yet written at any time: a full receive of every client. */
const ON_THE_WAY_MAX = 100;

/** Who waits for a commit does so for this long before it counts as slow. */
const LATE_MS = 20;

const CHANGES: ReadonlySet<string> = new Set(['SetQueueAttributes', 'PurgeQueue', 'DeleteQueue', 'CreateQueue']);

interface Candidate {
  call: Call;
  message: DurableMessage;
  /** How many changes of it were durable when the answer was given. */
  changes: number;
}

/**
 * Nobody waits in vain: an empty answer is right only if there was no message that could be received all the while. What
 * the disk knows is enough to say so, except for what another receive had taken and not yet written: hence a second look
 * a little later.
 */
export class Availability {
  readonly #evidence: Evidence;
  readonly #slackMs: number;
  readonly #limits: QueueLimits;
  #candidates: Candidate[] = [];
  /** When commits were slow the last time. */
  lateAt = Number.NEGATIVE_INFINITY;

  /** `slackMs`: how long a message may be on its way from the disk to a waiting receive. */
  constructor(evidence: Evidence, slackMs: number, limits: QueueLimits) {
    this.#evidence = evidence;
    this.#slackMs = slackMs;
    this.#limits = limits;
  }

  onAnswer(call: Call): void {
    if (!isCall(call, 'ReceiveMessage') || call.error !== undefined || call.abort.signal.aborted) return;
    if ((call.reply?.Messages?.length ?? 0) > 0) return;
    const queue = this.#evidence.image.byName.get(call.queue);
    if (queue === undefined || this.#evidence.lastFaultStep >= (call.arrivedStep as number)) return;
    // A move task holds what it moves.
    if ([...queue.tasks.values()].some(({ endedStep }) => endedStep >= (call.arrivedStep as number))) return;
    if (queue.records.some(({ step }) => step >= (call.arrivedStep as number))) return;
    if (this.#isChanging(call)) return;
    const now = call.answeredAt as number;
    if (this.#isNearLimits(queue, now)) return;
    const isLongPoll = this.#waitedMs(call, queue) > 0;
    const since = isLongPoll ? now - this.#slackMs : Math.min(call.arrivedAt as number, now - 1);
    if (this.lateAt >= since - LATE_MS) return;
    for (const message of this.#receivable(queue, since, now)) {
      this.#candidates.push({ call: call as Call, message, changes: message.changes.length });
    }
  }

  /** A receive that is still open while the server has nothing to do. */
  checkWaiter(call: Call, now: number): void {
    const queue = this.#evidence.image.byName.get(call.queue);
    if (!isCall(call, 'ReceiveMessage') || queue === undefined || this.#isNearLimits(queue, now)) return;
    if ([...queue.tasks.values()].some(({ isActive }) => isActive)) return;
    for (const message of this.#receivable(queue, now + 1, now)) {
      this.#evidence.violation(
        'waiting-in-vain',
        `call ${call.id} on ${call.queue} waits, and there is ${describe(message)}`,
      );
    }
  }

  /** Whether the queue is being changed, purged or deleted, which is true for the server before it is on the disk. */
  #isChanging({ queue, arrivedStep }: Call): boolean {
    for (const { name, endedStep } of this.#evidence.recent.get(queue) ?? []) {
      const isOver = endedStep !== undefined && endedStep < (arrivedStep as number);
      if (!isOver && CHANGES.has(name)) return true;
    }
    return false;
  }

  /** Near its limits the server may be right to hand out nothing: it counts what is on its way to the disk, too. */
  #isNearLimits(queue: DurableQueue, now: number): boolean {
    if (queue.fifo && queue.live.size >= this.#limits.lookAhead) return true;
    let inFlight = 0;
    for (const { delivery } of queue.live.values()) if (delivery !== undefined && delivery.visibleAt > now) inFlight++;
    return inFlight + ON_THE_WAY_MAX >= this.#limits.inFlightMax;
  }

  /** `isQuiet`: nothing is on its way to the disk. */
  afterStep(now: number, isQuiet: boolean): void {
    if (!isQuiet || this.#candidates.length === 0) return;
    const isDue = ({ call }: Candidate) => (call.answeredAt as number) + SETTLED_MS <= now;
    const due = this.#candidates.filter(isDue);
    if (due.length === 0) return;
    this.#candidates = this.#candidates.filter((each) => !isDue(each));
    for (const { call, message, changes } of due) {
      if (this.#evidence.lastFaultStep >= (call.arrivedStep as number)) continue;
      if (message.gone !== undefined) continue;
      // What was on its way to the disk when the answer was given had taken the message, or hidden it.
      const next = message.changes[changes];
      if (next !== undefined && next.issuedStep <= (call.answeredStep as number)) continue;
      const taken = message.deliveries.find(({ commit }) => commit === next);
      if (taken !== undefined && taken.receivedAt <= (call.answeredAt as number)) continue;
      if (message.queue.snatchedAt >= (call.arrivedAt as number)) continue;
      this.#evidence.violation(
        'waiting-in-vain',
        `call ${call.id} on ${call.queue}, answered empty at ${call.answeredAt}, did not get ${describe(message)}`,
      );
    }
  }

  #waitedMs(call: Call<'ReceiveMessage'>, { record }: DurableQueue): number {
    const seconds = call.input.WaitTimeSeconds ?? Number(record.attributes.ReceiveMessageWaitTimeSeconds);
    return Math.min(seconds * 1000, (call.answeredAt as number) - (call.arrivedAt as number));
  }

  /** What could be received at any time from before `since` until `now`. */
  *#receivable(queue: DurableQueue, since: number, now: number): Iterable<DurableMessage> {
    const attributes = latest(queue).map((record) => record.attributes);
    const retentionMs = Math.min(...attributes.map((each) => Number(each.MessageRetentionPeriod) * 1000));
    const delayMs = queue.fifo ? Math.max(...attributes.map((each) => Number(each.DelaySeconds) * 1000)) : 0;
    const messages = queue.fifo ? [...queue.groups.values()].flatMap(([head]) => head ?? []) : queue.live.values();
    for (const message of messages) {
      const { put, timing, delivery, lastChange } = message;
      if (put.acknowledgedAt === undefined || put.acknowledgedAt >= since) continue;
      if ((lastChange.acknowledgedAt ?? Number.POSITIVE_INFINITY) >= since) continue;
      if (timing.dueAt >= since || timing.retentionFrom + delayMs >= since) continue;
      if (delivery !== undefined && delivery.visibleAt >= since) continue;
      if (queue.fifo && message.headSince >= since) continue;
      if (timing.retentionFrom + retentionMs <= now) continue;
      yield message;
    }
  }
}
