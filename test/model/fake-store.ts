import assert from 'node:assert/strict';
import type {
  AttemptRecord,
  Change,
  Counters,
  DedupRecord,
  Delivery,
  LogRow,
  MessageTiming,
} from '../../src/queue/change.ts';
import type { DedupPageRequest } from '../../src/queue/deduplication.ts';
import type { DelayedMessage } from '../../src/queue/delay-schedule.ts';
import type { MessageContent } from '../../src/queue/message.ts';

export interface DedupPage {
  rows: DedupRecord[];
  reachedEnd: boolean;
  expiredBelow: number | undefined;
}

interface Place {
  queueId: number;
  partition: number;
  seq: number;
}

export interface MessageRow {
  at: Place;
  timing: MessageTiming;
  content: MessageContent;
}

export interface DeliveryRow {
  at: Place;
  delivery: Delivery;
}

const NO_COUNTERS: Counters = { nextSeq: 1, live: 0, delayed: 0, purgedBelow: 0, reclaimedBelow: 0 };

/** What is durable, as arrays: the changes of the state machine put down as they are, without keys and bytes. */
export class FakeStore {
  messages: MessageRow[] = [];
  deliveries: DeliveryRow[] = [];
  delays: { at: Place; dueAt: number; retentionFrom: number }[] = [];
  dedups: { queueId: number; record: DedupRecord }[] = [];
  attempts: { queueId: number; id: string; record: AttemptRecord }[] = [];
  #counters: { queueId: number; counters: Counters }[] = [];

  apply(change: Change): void {
    switch (change.kind) {
      case 'message.put': {
        const { at, timing, content } = change;
        this.messages.push({ at, timing, content });
        if (timing.dueAt > 0) this.delays.push({ at, dueAt: timing.dueAt, retentionFrom: timing.retentionFrom });
        return;
      }
      case 'message.delete':
        this.#deleteMessage(change.at, change.hasDelivery);
        return;
      case 'message.move': {
        const { from, at, edit } = change;
        const moved = this.messages.find((row) => isAt(row, from));
        assert.ok(moved, `what is moved is in the store: ${JSON.stringify(from)}`);
        const { content } = moved;
        this.messages.push({
          at,
          timing: { ...change.timing, sentAt: edit.keepsSentAt ? moved.timing.sentAt : change.timing.sentAt },
          content: {
            ...content,
            messageId: edit.messageId ?? content.messageId,
            deduplicationId: edit.deduplicationId === 'message-id' ? content.messageId : content.deduplicationId,
            deadLetterSourceArn: edit.deadLetterSourceArn,
          },
        });
        this.#deleteMessage(from, change.fromHasDelivery);
        return;
      }
      case 'delivery.put':
        assert.ok(
          this.messages.some((row) => isAt(row, change.at)),
          'a delivery record belongs to a message',
        );
        this.deliveries = this.deliveries.filter((row) => !isAt(row, change.at));
        this.deliveries.push({ at: change.at, delivery: change.delivery });
        return;
      case 'delay.delete':
        this.delays = this.delays.filter((row) => !(isAt(row, change.at) && row.dueAt === change.dueAt));
        return;
      case 'dedup.put':
        this.dedups.push({ queueId: change.queueId, record: change.record });
        return;
      case 'dedup.expire':
        this.dedups = this.dedups.filter(
          ({ queueId, record }) => queueId !== change.queueId || record.seq >= change.below,
        );
        return;
      case 'attempt.put':
      case 'attempt.delete': {
        const { queueId, id } = change;
        this.attempts = this.attempts.filter((row) => row.queueId !== queueId || row.id !== id);
        if (change.kind === 'attempt.put') this.attempts.push({ queueId, id, record: change.record });
        return;
      }
      case 'purge':
        return;
    }
  }

  /** Deletes what a purge has left, as the reclaimer does in the background. */
  reclaim(queueId: number, below: number): void {
    const isKept = ({ at }: { at: Place }) => at.queueId !== queueId || at.seq >= below;
    this.messages = this.messages.filter(isKept);
    this.deliveries = this.deliveries.filter(isKept);
    this.dedups = this.dedups.filter((row) => row.queueId !== queueId || row.record.seq >= below);
  }

  counters(queueId: number): Counters {
    return this.#counters.find((row) => row.queueId === queueId)?.counters ?? NO_COUNTERS;
  }

  putCounters(queueId: number, counters: Counters): void {
    this.#counters = this.#counters.filter((row) => row.queueId !== queueId);
    this.#counters.push({ queueId, counters });
    // Every commit carries the counters that fit its rows, so a crash between any two of them leaves them right.
    assert.deepEqual({ ...counters, ...this.recount(queueId) }, counters, 'the counters fit the rows');
  }

  recount(queueId: number): Pick<Counters, 'live' | 'delayed' | 'nextSeq'> {
    const { purgedBelow, nextSeq } = this.counters(queueId);
    const live = this.live(queueId);
    return {
      live: live.length,
      delayed: this.delays.filter(({ at }) => at.queueId === queueId && at.seq >= purgedBelow).length,
      nextSeq: live.reduce((next, { at }) => Math.max(next, at.seq + 1), nextSeq),
    };
  }

  /** Messages of a queue that no purge has hidden, in the order of the log. */
  live(queueId: number): MessageRow[] {
    const { purgedBelow } = this.counters(queueId);
    return this.messages
      .filter(({ at }) => at.queueId === queueId && at.seq >= purgedBelow)
      .toSorted((a, b) => a.at.seq - b.at.seq);
  }

  partitions(queueId: number): number[] {
    const ofQueue = this.messages.filter(({ at }) => at.queueId === queueId);
    return [...new Set(ofQueue.map(({ at }) => at.partition))].toSorted((a, b) => a - b);
  }

  logPage(queueId: number, partition: number, afterSeq: number, limit: number): LogRow[] {
    return this.messages
      .filter(({ at }) => at.queueId === queueId && at.partition === partition && at.seq > afterSeq)
      .toSorted((a, b) => a.at.seq - b.at.seq)
      .slice(0, limit)
      .map(logRowOf);
  }

  delayPage(queueId: number, after: { dueAt: number; seq: number }, limit: number): DelayedMessage[] {
    return this.delays
      .filter(
        ({ at, dueAt }) =>
          at.queueId === queueId && (dueAt > after.dueAt || (dueAt === after.dueAt && at.seq > after.seq)),
      )
      .toSorted((a, b) => a.dueAt - b.dueAt || a.at.seq - b.at.seq)
      .slice(0, limit)
      .map(({ at, dueAt, retentionFrom }) => ({
        dueAt,
        seq: at.seq,
        partition: at.partition,
        retentionFrom,
        groupId: this.messages.find((row) => isAt(row, at))?.content.groupId,
      }));
  }

  dedup(queueId: number, seq: number): DedupRecord | undefined {
    return this.dedups.find((row) => row.queueId === queueId && row.record.seq === seq)?.record;
  }

  dedupPage(queueId: number, { afterSeq, since, isFirst, limit }: DedupPageRequest): DedupPage {
    const ofQueue = this.dedups
      .filter((row) => row.queueId === queueId)
      .map(({ record }) => record)
      .toSorted((a, b) => a.seq - b.seq);
    const rows = ofQueue.filter(({ seq, sentAt }) => seq > afterSeq && (!isFirst || sentAt > since)).slice(0, limit);
    const first = rows[0]?.seq ?? (ofQueue.at(-1)?.seq ?? 0) + 1;
    const hasEarlier = isFirst && ofQueue.some(({ seq }) => seq < first);
    return { rows, reachedEnd: rows.length < limit, expiredBelow: hasEarlier ? first : undefined };
  }

  #deleteMessage(at: Place, hasDelivery: boolean): void {
    assert.ok(
      this.messages.some((row) => isAt(row, at)),
      `what is deleted is in the store: ${JSON.stringify(at)}`,
    );
    this.messages = this.messages.filter((row) => !isAt(row, at));
    if (hasDelivery) this.deliveries = this.deliveries.filter((row) => !isAt(row, at));
    assert.ok(!this.deliveries.some((row) => isAt(row, at)), 'no delivery record is left behind');
  }
}

export function logRowOf({ at, timing, content }: MessageRow): LogRow {
  const { retentionFrom, dueAt, receivesBefore, firstReceivedBefore } = timing;
  const { partition, seq } = at;
  return { partition, seq, groupId: content.groupId, retentionFrom, dueAt, receivesBefore, firstReceivedBefore };
}

function isAt({ at }: { at: Place }, { queueId, partition, seq }: Place): boolean {
  return at.queueId === queueId && at.partition === partition && at.seq === seq;
}
