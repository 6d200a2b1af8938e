import type { QueueLimits } from '../../src/queue/limits.ts';
import { Family, queueIdOfKey } from '../../src/storage/keys.ts';
import { type Call, isCall } from '../calls.ts';
import type { Commit } from '../disk.ts';
import { Answers } from './answers.ts';
import { Auditor } from './auditor.ts';
import { Availability } from './availability.ts';
import { differences } from './counter-rules.ts';
import { DurableImage, type DurableQueue } from './durable-image.ts';
import { describe, type Evidence, type Receipt } from './evidence.ts';
import { Existence } from './existence.ts';

/** Errors that a correct client never sees, whatever happens to the server. */
const DEFECTS = new Set(['InternalFailure', 'SerializationException', 'UnknownOperationException']);

/** How long after a fault the server may still refuse service because of it. */
const RECOVERY_MS = 5000;

export interface CheckerOptions {
  /** How long a message may be on its way from the disk to somebody who waits. */
  slackMs: number;
  limits: QueueLimits;
  onViolation(rule: string, text: string): void;
  onWeakness(rule: string, text: string): void;
}

/** All checkers, fed with what clients asked and heard and with what became durable. None looks into the server. */
export class Checkers implements Evidence {
  readonly image = new DurableImage();
  readonly handles = new Map<string, Receipt>();
  readonly recent = new Map<string, Set<Call>>();
  lastFaultStep = -1;
  lastFaultAt = Number.NEGATIVE_INFINITY;
  #lateAt = Number.NEGATIVE_INFINITY;
  readonly #options: CheckerOptions;
  readonly #auditor: Auditor;
  readonly #answers: Answers;
  readonly #existence: Existence;
  readonly #availability: Availability;
  /** Receives by queue that may have counted without anybody knowing: their answer was lost or an error. */
  readonly #unansweredReceives = new Map<string, Call[]>();

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#auditor = new Auditor(this);
    this.#answers = new Answers(this);
    this.#existence = new Existence(this);
    this.#availability = new Availability(this, options.slackMs, options.limits);
  }

  violation(rule: string, text: string): void {
    this.#options.onViolation(rule, text);
  }

  weakness(rule: string, text: string): void {
    this.#options.onWeakness(rule, text);
  }

  onArrival(call: Call): void {
    const recent = this.recent.get(call.queue) ?? new Set();
    this.recent.set(call.queue, recent.add(call));
    this.#answers.onArrival(call);
    this.#existence.onArrival(call);
  }

  onAnswer(call: Call): void {
    this.#checkPunctuality(call);
    this.#answers.onAnswer(call);
    this.#availability.onAnswer(call);
    this.#onEnd(call);
    const { error } = call;
    if (error === undefined) return;
    if (DEFECTS.has(error.shape)) this.violation('defect', `${call.name} ${call.id}: ${error.message}`);
    if (error.shape === 'ServiceUnavailable' && this.lastFaultAt < (call.arrivedAt as number) - RECOVERY_MS) {
      this.violation('unavailable', `${call.name} ${call.id} was refused without a reason: ${error.message}`);
    }
  }

  /** Whatever happens, an answer comes when its wait is over and the server has recovered. */
  #checkPunctuality(call: Call): void {
    const waitMs = isCall(call, 'ReceiveMessage') ? (call.input.WaitTimeSeconds ?? 20) * 1000 : 0;
    const due = Math.max((call.arrivedAt as number) + waitMs, this.lastFaultAt, this.#lateAt) + RECOVERY_MS;
    const lateMs = (call.answeredAt as number) - due;
    if (lateMs > 0) this.violation('late', `${call.name} ${call.id} is answered ${lateMs} ms late`);
  }

  /** The server was killed over it. */
  onLost(call: Call): void {
    this.#onEnd(call);
  }

  onFault(step: number, at: number): void {
    this.lastFaultStep = step;
    this.lastFaultAt = at;
  }

  /** Commits are slow, so nobody can count on a message arriving in time. */
  onLate(at: number): void {
    this.#lateAt = at;
    this.#availability.lateAt = at;
  }

  onDurable(commit: Commit): void {
    this.#auditor.onDurable(commit);
  }

  onFailed(commit: Commit, step: number): void {
    for (const { key } of commit.operations) {
      if (key[2] !== Family.counters) continue;
      const queue = this.image.queues.get(queueIdOfKey(key));
      if (queue === undefined) continue;
      queue.inDoubt = true;
      queue.failedStep = step;
    }
  }

  afterStep(step: number, now: number, isQuiet: boolean): void {
    this.#availability.afterStep(now, isQuiet);
    // Whatever ended in this step may have acted in it; earlier ones are of no interest any more.
    for (const calls of this.recent.values()) {
      for (const call of calls)
        if (call.endedStep !== undefined && call.endedStep < step && isQuiet) calls.delete(call);
    }
  }

  /** Nothing is under way: nobody may be waiting for what is there. */
  beforeIdle(now: number): void {
    if (this.lastFaultAt + RECOVERY_MS > now) return;
    for (const calls of this.recent.values()) {
      for (const call of calls) if (call.endedStep === undefined) this.#availability.checkWaiter(call, now);
    }
  }

  onCrash(): void {
    for (const queue of this.image.queues.values()) {
      if (queue.inDoubt) queue.isMiscounted = true;
      queue.inDoubt = false;
    }
  }

  /** With nobody asking anything and nothing on its way, the counters are the rows. */
  checkAtRest(now: number): void {
    for (const queue of this.image.queues.values()) {
      if (!queue.isGone) this.#checkRetention(queue, now);
      if (queue.isGone || queue.counters === undefined || queue.isMiscounted) continue;
      for (const difference of differences(queue, queue.counters)) this.violation('counters', `at rest, ${difference}`);
    }
  }

  /** The counts that the API shows, with nothing going on: those of the rows. */
  checkCounts({ id, queue: name, reply, answeredAt }: Call<'GetQueueAttributes'>): void {
    const queue = this.image.byName.get(name);
    // Move tasks go on at rest.
    if (queue === undefined || queue.isMiscounted || [...this.image.queues.values()].some(isMoving)) return;
    const now = answeredAt as number;
    // Retention goes on at rest, too.
    if (queue.removedAt > now - RECOVERY_MS) return;
    const rows = [...queue.live.values()];
    const inFlight = rows.filter(({ delivery }) => delivery !== undefined && delivery.visibleAt > now).length;
    const shown = (attribute: string) => Number(reply?.Attributes?.[`ApproximateNumberOfMessages${attribute}`]);
    const total = shown('') + shown('NotVisible') + shown('Delayed');
    if (shown('NotVisible') === inFlight && total === rows.length) return;
    const text = `${id} shows ${shown('NotVisible')} in flight of ${total} on ${name}`;
    this.violation('counters', `${text}, and there are ${inFlight} of ${rows.length}`);
  }

  /** What was received is in the server's memory, and so it goes away in time, whatever state it is in. */
  #checkRetention(queue: DurableQueue, now: number): void {
    for (const message of queue.live.values()) {
      const expiredAt = message.timing.retentionFrom + queue.settings.retentionMs;
      if (message.delivery === undefined || expiredAt + RECOVERY_MS > now) continue;
      this.violation('retention', `${describe(message)} is still there, ${now - expiredAt} ms too long`);
    }
  }

  /** Every receive that counted reached somebody, or was lost together with its call. */
  checkReceiveCounts(): void {
    for (const message of [...this.image.places.values()].flat()) {
      for (const delivery of message.deliveries) {
        if (delivery.answeredBy !== undefined) continue;
        const { issuedStep } = delivery.commit;
        const isExplained = this.#unansweredReceives.get(message.queue.name)?.some((call) => {
          if ((call.arrivedStep as number) > issuedStep || (call.endedStep as number) < issuedStep) return false;
          const isGone = message.gone !== undefined && message.gone.issuedStep <= (call.endedStep as number);
          return isGone || call.answeredAt === undefined || call.error !== undefined;
        });
        if (isExplained) continue;
        this.violation('receive-count', `receive ${delivery.count} of ${describe(message)} reached nobody`);
      }
    }
  }

  #onEnd(call: Call): void {
    this.#existence.onEnd(call);
    if (isCall(call, 'ReceiveMessage')) {
      const calls = this.#unansweredReceives.get(call.queue) ?? [];
      this.#unansweredReceives.set(call.queue, calls);
      calls.push(call as Call);
    }
  }
}

function isMoving({ tasks }: DurableQueue): boolean {
  return [...tasks.values()].some(({ isActive }) => isActive);
}
