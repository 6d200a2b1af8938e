/**
 * Reading a queue from the store. What is read is bounded by what may be in flight, never by the backlog: its counters,
 * its delivery records (only messages that were received and not deleted have one) and the partitions it has. The log
 * itself is paged in later, by the window.
 */
import type { Counters, LogRow } from '../queue/change.ts';
import type { DedupPageRequest, DedupRow } from '../queue/deduplication.ts';
import type { DelayedMessage, DelayPageRequest } from '../queue/delay-schedule.ts';
import type { QueueLimits } from '../queue/limits.ts';
import type { LogPageRequest } from '../queue/partition-log.ts';
import { Queue } from '../queue/queue.ts';
import { type QueueRecord, queueArn, settingsOf } from '../queue/record.ts';
import {
  attemptIdOfKey,
  dedupSeqOfKey,
  delayOfKey,
  Family,
  type KeyRange,
  type Keys,
  positionOfKey,
} from '../storage/keys.ts';
import {
  decodeAttempt,
  decodeCounters,
  decodeDedupHead,
  decodeDelay,
  decodeDelivery,
  decodeMessageHead,
} from '../storage/records.ts';
import type { Row, Store } from '../storage/store.ts';

const PAGE_ROWS = 2000;
const LAST_PARTITION = 2 ** 32 - 1;

const NO_COUNTERS: Counters = { nextSeq: 1, live: 0, delayed: 0, purgedBelow: 0, reclaimedBelow: 0 };

/** A queue that has just been created. */
export function newQueue(record: QueueRecord, limits: QueueLimits, now: number): Queue {
  return new Queue(describe(record), { ...NO_COUNTERS }, 'new', now, limits);
}

/**
 * `recount`: a failed commit has left the stored counters in doubt, so they are counted anew. That reads every key of
 * the queue, and happens after a failure of the disk only.
 */
export async function loadQueue(
  record: QueueRecord,
  limits: QueueLimits,
  store: Store,
  keys: Keys,
  now: number,
  recount: boolean,
): Promise<Queue> {
  const stored = await store.get(keys.counters(record.id));
  const counters = stored === undefined ? { ...NO_COUNTERS } : decodeCounters(stored);
  if (recount) Object.assign(counters, await countRows(record.id, counters, store, keys));
  const queue = new Queue(describe(record), counters, 'stored', now, limits);

  for (const partition of await partitionsOf(record.id, store, keys)) queue.restorePartition(partition);
  for await (const rows of pages(store, keys.familyOfQueue(Family.delivery, record.id))) {
    const positions = rows.map((row) => positionOfKey(row.key));
    const messages = await store.getMany(
      positions.map(({ partition, seq }) => keys.message(record.id, partition, seq)),
    );
    rows.forEach((row, index) => {
      const message = messages[index];
      const { partition, seq } = positions[index] as { partition: number; seq: number };
      // A purge leaves deliveries behind until they are reclaimed.
      if (message !== undefined) queue.restoreReceived(logRow(partition, seq, message), decodeDelivery(row.value), now);
    });
  }
  for await (const rows of pages(store, keys.familyOfQueue(Family.attempt, record.id))) {
    const attempts = rows.map((row) => ({ id: attemptIdOfKey(row.key), attempt: decodeAttempt(row.value) }));
    attempts.sort((a, b) => a.attempt.at - b.attempt.at);
    for (const { id, attempt } of attempts) queue.restoreAttempt(id, attempt);
  }
  return queue;
}

export interface LogPage {
  rows: LogRow[];
  reachedEnd: boolean;
}

export async function readLogPage(
  queueId: number,
  request: LogPageRequest,
  store: Store,
  keys: Keys,
): Promise<LogPage> {
  const { partition, afterSeq, limit } = request;
  const { start, end } = keys.log(Family.message, queueId, partition, afterSeq + 1, Number.MAX_SAFE_INTEGER);
  const rows = await store.range({ start, end, limit });
  return {
    rows: rows.map((row) => logRow(partition, positionOfKey(row.key).seq, row.value)),
    reachedEnd: rows.length < limit,
  };
}

export interface DelayPage {
  rows: DelayedMessage[];
  reachedEnd: boolean;
}

export async function readDelayPage(
  queueId: number,
  request: DelayPageRequest,
  store: Store,
  keys: Keys,
): Promise<DelayPage> {
  const { start, end } = keys.delaysAfter(queueId, request.after.dueAt, request.after.seq);
  const rows = await store.range({ start, end, limit: request.limit });
  const positions = rows.map((row) => delayOfKey(row.key));
  // The group is in the message: a message timer on a fair queue is rare, and a second copy of the group is not free.
  const messages = await store.getMany(positions.map(({ partition, seq }) => keys.message(queueId, partition, seq)));
  return {
    rows: positions.map((position, index) => {
      const message = messages[index];
      const groupId = message === undefined ? undefined : decodeMessageHead(message).groupId;
      return { ...position, groupId, retentionFrom: decodeDelay((rows[index] as Row).value) };
    }),
    reachedEnd: rows.length < request.limit,
  };
}

export interface DedupPage {
  rows: DedupRow[];
  reachedEnd: boolean;
  /** Where the first page begins, if there are records before it. */
  expiredBelow: number | undefined;
}

export async function readDedupPage(
  queueId: number,
  { afterSeq, since, isFirst, limit }: DedupPageRequest,
  store: Store,
  keys: Keys,
): Promise<DedupPage> {
  const from = isFirst ? await firstDedupSince(queueId, afterSeq + 1, since, store, keys) : afterSeq + 1;
  const rows = await store.range({ ...keys.dedups(queueId, from, Number.MAX_SAFE_INTEGER), limit });
  const before = isFirst ? await store.range({ ...keys.dedups(queueId, 0, from), limit: 1, keysOnly: true }) : [];
  return {
    rows: rows.map(({ key, value }) => ({ seq: dedupSeqOfKey(key), ...decodeDedupHead(value) })),
    reachedEnd: rows.length < limit,
    expiredBelow: before.length > 0 ? from : undefined,
  };
}

/**
 * The first of the deduplication records that were used after `since`, or a place where there are none any more. By
 * bisection: a server that was stopped for a night may have left millions that have expired.
 */
async function firstDedupSince(
  queueId: number,
  from: number,
  since: number,
  store: Store,
  keys: Keys,
): Promise<number> {
  let low = from;
  let high = Number.MAX_SAFE_INTEGER;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const [row] = await store.range({ ...keys.dedups(queueId, middle, high), limit: 1 });
    if (row === undefined || decodeDedupHead(row.value).sentAt > since) high = middle;
    else low = dedupSeqOfKey(row.key) + 1;
  }
  return low;
}

/** Rows of a range, page after page. */
export async function* pages(store: Store, range: KeyRange, keysOnly = false): AsyncGenerator<Row[]> {
  let { start } = range;
  for (;;) {
    const rows = await store.range({ start, end: range.end, limit: PAGE_ROWS, keysOnly });
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_ROWS) return;
    start = successor((rows.at(-1) as Row).key);
  }
}

/** The partitions that have messages: one look-up each, whatever their length. */
export async function partitionsOf(queueId: number, store: Store, keys: Keys): Promise<number[]> {
  const partitions: number[] = [];
  for (let next = 0; next <= LAST_PARTITION; ) {
    const { start, end } = keys.logFromPartition(Family.message, queueId, next);
    const [row] = await store.range({ start, end, limit: 1, keysOnly: true });
    if (row === undefined) break;
    const { partition } = positionOfKey(row.key);
    partitions.push(partition);
    next = partition + 1;
  }
  return partitions;
}

/** The first key behind `key`. */
function successor(key: Uint8Array): Buffer {
  return Buffer.concat([key, Buffer.from([0])]);
}

async function countRows(queueId: number, counters: Counters, store: Store, keys: Keys): Promise<Partial<Counters>> {
  let { nextSeq } = counters;
  let live = 0;
  for await (const rows of pages(store, keys.familyOfQueue(Family.message, queueId), true)) {
    for (const row of rows) {
      const { seq } = positionOfKey(row.key);
      if (seq >= counters.purgedBelow) live++;
      nextSeq = Math.max(nextSeq, seq + 1);
    }
  }
  let delayed = 0;
  for await (const rows of pages(store, keys.familyOfQueue(Family.delay, queueId), true)) {
    for (const row of rows) if (delayOfKey(row.key).seq >= counters.purgedBelow) delayed++;
  }
  return { nextSeq, live, delayed };
}

function logRow(partition: number, seq: number, message: Uint8Array): LogRow {
  const { timing, groupId, isInline } = decodeMessageHead(message);
  const { retentionFrom, dueAt, receivesBefore, firstReceivedBefore } = timing;
  return { partition, seq, groupId, retentionFrom, dueAt, receivesBefore, firstReceivedBefore, isInline };
}

function describe(record: QueueRecord): { id: number; arn: string; settings: ReturnType<typeof settingsOf> } {
  return { id: record.id, arn: queueArn(record), settings: settingsOf(record) };
}
