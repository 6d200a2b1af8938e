import type { Counters } from '../../src/queue/change.ts';
import type { Commit } from '../disk.ts';
import type { DurableQueue } from './durable-image.ts';
import { actorsOf, type Records } from './evidence.ts';
import type { Step } from './operations.ts';

/** Counters are written with every commit that changes what they count, so they agree with the rows after each. */
export function checkCounters(
  { queueId, counters }: Step & { kind: 'counters' },
  commit: Commit,
  evidence: Records,
): void {
  const queue = evidence.image.queues.get(queueId);
  if (queue === undefined || queue.isGone || counters === undefined) return;
  const before = queue.counters;
  queue.counters = counters;
  applyPurge(queue, before?.purgedBelow ?? 0, counters.purgedBelow, commit, evidence);
  if (queue.inDoubt && commit.issuedStep > queue.failedStep) {
    queue.inDoubt = false;
    queue.isMiscounted = false;
  }
  if (queue.inDoubt || queue.isMiscounted) return;
  for (const difference of differences(queue, counters)) evidence.violation('counters', difference);
}

function applyPurge(queue: DurableQueue, before: number, after: number, commit: Commit, evidence: Records): void {
  if (after === before) return;
  const calls = actorsOf(evidence, queue.name, commit);
  if (!calls.some(({ name }) => name === 'PurgeQueue')) {
    evidence.violation('purge', `${queue.name} was purged below ${after}, and nobody asked for it`);
  }
  if (after < before) evidence.violation('purge', `the watermark of ${queue.name} fell from ${before} to ${after}`);
  for (const message of [...queue.live.values()]) {
    if (message.seq >= after) continue;
    evidence.image.remove(message, commit);
    queue.purged.set(message.seq, message);
  }
}

/** Where counters and rows disagree. */
export function differences(queue: DurableQueue, counters: Counters): string[] {
  const found: string[] = [];
  const live = queue.live.size;
  if (counters.live !== live) found.push(`${queue.name} counts ${counters.live} messages and has ${live}`);
  let delayed = 0;
  for (const seq of queue.delays.keys()) if (seq >= counters.purgedBelow) delayed++;
  if (counters.delayed !== delayed)
    found.push(`${queue.name} counts ${counters.delayed} delayed messages of ${delayed}`);
  if (counters.nextSeq <= queue.highestSeq) {
    found.push(`the next sequence of ${queue.name} is ${counters.nextSeq} after ${queue.highestSeq}`);
  }
  return found;
}
