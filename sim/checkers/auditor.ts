import type { DedupRecord } from '../../src/queue/change.ts';
import { DEDUPLICATION_INTERVAL_MS } from '../../src/queue/deduplication.ts';
import type { Commit } from '../disk.ts';
import { checkCounters } from './counter-rules.ts';
import { checkDelivery, checkVisibilityChange } from './delivery-rules.ts';
import { type DurableMessage, type DurableQueue, tokenOf } from './durable-image.ts';
import { describe, type Records } from './evidence.ts';
import { checkMove, checkRemoval, checkSend, latest } from './message-rules.ts';
import { type Step, stepsOf } from './operations.ts';

/**
 * What would hurt somebody even in a commit that rests on one that failed (see `Commit.isDoomed`). The rest of what such a
 * commit leaves behind is odd, and nobody was promised anything about it.
 */
const MATTERS_ALWAYS = new Set(['lost', 'doubled', 'content', 'queue-ids', 'queue-names', 'no-such-queue']);

/**
 * Reads every commit that becomes durable and asks of each change: who was entitled to it, and is this the time? A second
 * implementation of what a queue may do, on rows instead of in memory, that knows nothing of the first.
 */
export class Auditor {
  readonly #evidence: Records;
  readonly #dedupRows = new Map<string, DedupRecord>();
  #highestQueueId = 0;
  #receiptSecret: string | undefined;
  #isDoomed = false;

  constructor(evidence: Records) {
    const { image, handles, recent } = evidence;
    this.#evidence = {
      image,
      handles,
      recent,
      weakness: (rule, text) => evidence.weakness(rule, text),
      violation: (rule, text) => {
        if (!this.#isDoomed) evidence.violation(rule, text);
        else if (MATTERS_ALWAYS.has(rule)) evidence.weakness(rule, text);
      },
    };
  }

  onDurable(commit: Commit): void {
    this.#isDoomed = commit.isDoomed === true;
    const steps = stepsOf(commit);
    const moves = new Moves(steps, this.#evidence);
    for (const step of steps) this.#apply(step, commit, moves);
    for (const step of steps) {
      if (step.kind === 'task') this.#checkTask(step, commit, moves);
    }
    for (const [queue, count] of moves.unclaimed()) {
      this.#violation('tasks-count', `${count} messages moved out of ${queue.name} that no task has counted`);
    }
    for (const step of steps) {
      if (step.kind === 'counters') checkCounters(step, commit, this.#evidence);
    }
  }

  #apply(step: Step, commit: Commit, moves: Moves): void {
    switch (step.kind) {
      case 'queue':
        this.#applyQueue(step, commit);
        return;
      case 'message':
        if (step.message === undefined) this.#applyRemoval(step, commit, moves);
        else this.#applyPut({ ...step, message: step.message }, commit, moves);
        return;
      case 'delivery':
        this.#applyDelivery(step, commit);
        return;
      case 'delay':
        this.#applyDelay(step, commit);
        return;
      case 'dedup':
        this.#applyDedup(step, commit);
        return;
      case 'meta':
        this.#applyMeta(step);
        return;
    }
  }

  #applyQueue({ queueId, record }: Step & { kind: 'queue' }, commit: Commit): void {
    const { image } = this.#evidence;
    const known = image.queues.get(queueId);
    if (record === undefined) {
      if (known !== undefined) image.dropQueue(known, commit);
      return;
    }
    if (known?.isGone) this.#violation('queue-ids', `queue ${queueId} (${record.name}) is back after its deletion`);
    if (known === undefined) {
      if (queueId <= this.#highestQueueId) this.#violation('queue-ids', `the queue id ${queueId} is used again`);
      if (image.byName.has(record.name)) this.#violation('queue-names', `there are two queues ${record.name}`);
      this.#highestQueueId = Math.max(this.#highestQueueId, queueId);
    } else if (record.revision <= known.record.revision) {
      this.#violation('revisions', `${record.name} has revision ${record.revision} after ${known.record.revision}`);
    }
    image.putQueue(record, commit.durableStep as number);
  }

  #applyPut(
    { queueId, partition, seq, message: stored }: Step & { kind: 'message' } & { message: object },
    commit: Commit,
    moves: Moves,
  ): void {
    const { image } = this.#evidence;
    const queue = image.queues.get(queueId);
    const { content, timing } = stored as NonNullable<typeof stored>;
    if (queue === undefined || queue.isGone) {
      this.#violation('no-such-queue', `${tokenOf(content.body)} was put into queue ${queueId}, which is not there`);
      return;
    }
    const message: DurableMessage = {
      queue,
      seq,
      partition,
      content,
      timing,
      put: commit,
      lastChange: commit,
      changes: [],
      isMoved: false,
      delivery: undefined,
      deliveries: [],
      gone: undefined,
      headSince: 0,
    };
    if (seq <= queue.highestSeq) {
      this.#violation('sequence', `${describe(message)} has a sequence not above ${queue.highestSeq}`);
    }
    const source = moves.sourceOf(message);
    for (const twin of image.byToken.get(tokenOf(content.body)) ?? []) {
      // A purge in the same commit is written at its end.
      const isPurged = twin.seq < moves.purgedBelow(twin.queue);
      // A body that is its own deduplication id may be sent again after a purge, while one that was moved lives on.
      const isSentAgain = source === undefined && twin.isMoved && !tokenOf(content.body).includes('~');
      if (twin !== source && !isPurged && !isSentAgain)
        this.#violation('doubled', `${describe(message)} is there already: ${describe(twin)}`);
    }
    if (source === undefined) {
      checkSend(message, moves.purgedBelow(queue), this.#evidence);
    } else {
      message.isMoved = true;
      checkMove(source, message, this.#evidence);
    }
    image.add(message);
  }

  #applyRemoval({ queueId, seq }: Step & { kind: 'message' }, commit: Commit, moves: Moves): void {
    const { image } = this.#evidence;
    const queue = image.queues.get(queueId);
    if (queue === undefined || queue.isGone) return;
    if (queue.purged.delete(seq)) return;
    const message = queue.live.get(seq);
    if (message === undefined) return;
    if (!moves.isMoved(message)) checkRemoval(message, moves.purgedBelow(queue), commit, this.#evidence);
    image.remove(message, commit);
  }

  #applyDelivery({ queueId, seq, delivery }: Step & { kind: 'delivery' }, commit: Commit): void {
    const queue = this.#evidence.image.queues.get(queueId);
    if (queue === undefined || queue.isGone || delivery === undefined) return;
    const message = queue.live.get(seq);
    if (message === undefined) {
      this.#violation('gone-is-gone', `seq ${seq} of ${queue.name}#${queueId} was delivered and is not there`);
      return;
    }
    const countBefore = message.delivery?.receiveCount ?? message.timing.receivesBefore;
    if (message.delivery !== undefined && delivery.receiveCount === countBefore) {
      checkVisibilityChange(message, delivery, commit, this.#evidence);
    } else {
      checkDelivery(message, delivery, commit, this.#evidence);
    }
    message.delivery = delivery;
    message.lastChange = commit;
    message.changes.push(commit);
  }

  #applyDelay({ queueId, seq, dueAt, isPut }: Step & { kind: 'delay' }, commit: Commit): void {
    const queue = this.#evidence.image.queues.get(queueId);
    if (queue === undefined || queue.isGone) return;
    if (isPut) {
      queue.delays.set(seq, dueAt);
      return;
    }
    const isLive = queue.live.has(seq);
    const retention = Math.min(...latest(queue).map(({ attributes }) => Number(attributes.MessageRetentionPeriod)));
    const expiresAt = (queue.live.get(seq)?.timing.retentionFrom ?? 0) + retention * 1000;
    if (isLive && Math.min(dueAt, expiresAt) > commit.issuedAt) {
      this.#violation(
        'delays',
        `the delay of seq ${seq} of ${queue.name} was ended ${dueAt - commit.issuedAt} ms early`,
      );
    }
    queue.delays.delete(seq);
  }

  #applyDedup({ queueId, seq, record }: Step & { kind: 'dedup' }, commit: Commit): void {
    const key = `${queueId}:${seq}`;
    if (record !== undefined) {
      this.#dedupRows.set(key, record);
      return;
    }
    const queue = this.#evidence.image.queues.get(queueId);
    const known = this.#dedupRows.get(key);
    this.#dedupRows.delete(key);
    if (queue === undefined || queue.isGone || known === undefined) return;
    if (known.seq < (queue.counters?.purgedBelow ?? 0)) return;
    if (known.sentAt > commit.issuedAt - DEDUPLICATION_INTERVAL_MS) {
      this.#violation(
        'deduplication',
        `a deduplication id of ${queue.name} (seq ${known.seq}) was forgotten too early`,
      );
    }
  }

  #applyMeta({ name, value }: Step & { kind: 'meta' }): void {
    if (name !== 'receipt-secret' || value === undefined) return;
    const secret = Buffer.from(value).toString('hex');
    if (this.#receiptSecret !== undefined && this.#receiptSecret !== secret) {
      this.#violation('handles', 'the secret of the receipt handles has changed');
    }
    this.#receiptSecret = secret;
  }

  #checkTask({ queueId, task }: Step & { kind: 'task' }, commit: Commit, moves: Moves): void {
    const queue = this.#evidence.image.queues.get(queueId);
    if (queue === undefined || queue.isGone) return;
    if (task === undefined) return;
    const known = queue.tasks.get(task.id);
    const moved = moves.claim(queue);
    if (task.movedCount !== (known?.moved ?? 0) + moved) {
      const text = `task ${task.id} of ${queue.name} counts ${known?.moved ?? 0}, then ${task.movedCount}`;
      this.#violation('tasks-count', `${text}, with ${moved} messages moved`);
    }
    const isActive = task.status === 'RUNNING' || task.status === 'CANCELLING';
    if (known !== undefined && !known.isActive && isActive) {
      this.#violation('tasks-end', `task ${task.id} of ${queue.name} is ${task.status} after its end`);
    }
    const endedStep = isActive ? Number.POSITIVE_INFINITY : (commit.durableStep as number);
    queue.tasks.set(task.id, { moved: task.movedCount, isActive, endedStep });
  }

  #violation(rule: string, text: string): void {
    this.#evidence.violation(rule, text);
  }
}

/** Which messages of a commit leave one queue for another: the removal and the arrival of the same content. */
class Moves {
  readonly #sources = new Map<string, DurableMessage>();
  readonly #moved = new Set<DurableMessage>();
  /** By source: messages that a move task took. */
  readonly #byTask = new Map<DurableQueue, number>();
  readonly #purgedBelow = new Map<number, number>();

  constructor(steps: readonly Step[], { image }: Records) {
    for (const step of steps) {
      if (step.kind === 'counters' && step.counters !== undefined) {
        this.#purgedBelow.set(step.queueId, step.counters.purgedBelow);
      }
      if (step.kind !== 'message' || step.message !== undefined) continue;
      const message = image.queues.get(step.queueId)?.live.get(step.seq);
      if (message !== undefined) this.#sources.set(tokenOf(message.content.body), message);
    }
  }

  sourceOf(message: DurableMessage): DurableMessage | undefined {
    const source = this.#sources.get(tokenOf(message.content.body));
    if (source === undefined) return undefined;
    this.#moved.add(source);
    if (source.content.messageId !== message.content.messageId) {
      this.#byTask.set(source.queue, (this.#byTask.get(source.queue) ?? 0) + 1);
    }
    return source;
  }

  isMoved(message: DurableMessage): boolean {
    return this.#moved.has(message);
  }

  /** The watermark after the commit, which is written at its end. */
  purgedBelow(queue: DurableQueue): number {
    return this.#purgedBelow.get(queue.id) ?? queue.counters?.purgedBelow ?? 0;
  }

  /** Messages that a task moved out of a queue; to be asked once. */
  claim(source: DurableQueue): number {
    const count = this.#byTask.get(source) ?? 0;
    this.#byTask.delete(source);
    return count;
  }

  unclaimed(): Iterable<[DurableQueue, number]> {
    return this.#byTask;
  }
}
