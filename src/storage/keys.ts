/**
 * The one place that builds and reads keys. Keys are binary and big-endian, so that bytewise order is the order of the
 * numbers in them, in LMDB as in a `bytea` column:
 *
 *   shard u16 | family u8 | ...
 *   meta      name                                     settings of the store itself
 *   queue     queue u32                                the queue record
 *   tombstone queue u32                                a deleted queue whose rows are still to be reclaimed
 *   counters  queue u32                                next sequence, counts, purge watermark
 *   message   queue u32 | partition u32 | seq u64      what was sent; small bodies inside
 *   body      queue u32 | partition u32 | seq u64      a body too large to sit in its message record
 *   delivery  queue u32 | partition u32 | seq u64      receive count and visibility deadline
 *   delay     queue u32 | due u64 | seq u64 | part. u32   delayed messages of standard queues by due time
 *   dedup     queue u32 | seq u64                      deduplication ids in the order of their use
 *   attempt   queue u32 | id                           receive attempts of FIFO queues
 *   task      queue u32 | started u64 | id             message move tasks by their source
 *
 * Message, body and delivery are families of their own, not suffixes of one key: a page of metadata must not read
 * bodies, and recovery reads deliveries only.
 */
export const Family = {
  meta: 1,
  queue: 2,
  tombstone: 3,
  counters: 4,
  message: 5,
  body: 6,
  delivery: 7,
  delay: 8,
  dedup: 9,
  attempt: 10,
  task: 11,
} as const;
export type Family = (typeof Family)[keyof typeof Family];

/** Families whose keys start with a queue id: what there is to reclaim when a queue is deleted. */
export const QUEUE_DATA_FAMILIES: readonly Family[] = [
  Family.counters,
  Family.message,
  Family.body,
  Family.delivery,
  Family.delay,
  Family.dedup,
  Family.attempt,
  Family.task,
];

const PREFIX_BYTES = 3;
const U32 = 2 ** 32;

export interface KeyRange {
  start: Uint8Array;
  end: Uint8Array;
}

/** Keys of one shard. */
export class Keys {
  readonly #shard: number;

  constructor(shard: number) {
    this.#shard = shard;
  }

  meta(name: string): Buffer {
    const text = Buffer.from(name);
    const key = this.#allocate(Family.meta, text.length);
    text.copy(key, PREFIX_BYTES);
    return key;
  }

  queue(queueId: number): Buffer {
    return this.#ofQueue(Family.queue, queueId, 0);
  }

  tombstone(queueId: number): Buffer {
    return this.#ofQueue(Family.tombstone, queueId, 0);
  }

  counters(queueId: number): Buffer {
    return this.#ofQueue(Family.counters, queueId, 0);
  }

  message(queueId: number, partition: number, seq: number): Buffer {
    return this.#inLog(Family.message, queueId, partition, seq);
  }

  body(queueId: number, partition: number, seq: number): Buffer {
    return this.#inLog(Family.body, queueId, partition, seq);
  }

  delivery(queueId: number, partition: number, seq: number): Buffer {
    return this.#inLog(Family.delivery, queueId, partition, seq);
  }

  delay(queueId: number, dueAt: number, seq: number, partition: number): Buffer {
    const key = this.#ofQueue(Family.delay, queueId, 20);
    writeU64(key, dueAt, 7);
    writeU64(key, seq, 15);
    key.writeUInt32BE(partition, 23);
    return key;
  }

  dedup(queueId: number, seq: number): Buffer {
    const key = this.#ofQueue(Family.dedup, queueId, 8);
    writeU64(key, seq, 7);
    return key;
  }

  attempt(queueId: number, id: string): Buffer {
    const text = Buffer.from(id);
    const key = this.#ofQueue(Family.attempt, queueId, text.length);
    text.copy(key, 7);
    return key;
  }

  task(queueId: number, startedAt: number, id: string): Buffer {
    const text = Buffer.from(id);
    const key = this.#ofQueue(Family.task, queueId, 8 + text.length);
    writeU64(key, startedAt, 7);
    text.copy(key, 15);
    return key;
  }

  /** Every key of a family. */
  family(family: Family): KeyRange {
    return { start: this.#allocate(family, 0), end: this.#allocate(family + 1, 0) };
  }

  /** Every key of a family that belongs to one queue. */
  familyOfQueue(family: Family, queueId: number): KeyRange {
    return { start: this.#ofQueue(family, queueId, 0), end: this.#ofQueue(family, queueId + 1, 0) };
  }

  /** Positions `fromSeq <= seq < toSeq` of one partition's log in one of the log families. */
  log(family: Family, queueId: number, partition: number, fromSeq: number, toSeq: number): KeyRange {
    return {
      start: this.#inLog(family, queueId, partition, fromSeq),
      end: this.#inLog(family, queueId, partition, toSeq),
    };
  }

  /** Everything of a log family from the start of `partition` to the end of the queue. */
  logFromPartition(family: Family, queueId: number, partition: number): KeyRange {
    return {
      start: this.#inLog(family, queueId, partition, 0),
      end: this.#ofQueue(family, queueId + 1, 0),
    };
  }

  /** Delays of a queue behind the position (`dueAt`, `seq`). */
  delaysAfter(queueId: number, dueAt: number, seq: number): KeyRange {
    return {
      start: this.delay(queueId, dueAt, seq + 1, 0),
      end: this.#ofQueue(Family.delay, queueId + 1, 0),
    };
  }

  /** Deduplication records of a queue with `fromSeq <= seq < toSeq`. */
  dedups(queueId: number, fromSeq: number, toSeq: number): KeyRange {
    return { start: this.dedup(queueId, fromSeq), end: this.dedup(queueId, toSeq) };
  }

  #inLog(family: Family, queueId: number, partition: number, seq: number): Buffer {
    const key = this.#ofQueue(family, queueId, 12);
    key.writeUInt32BE(partition, 7);
    writeU64(key, seq, 11);
    return key;
  }

  #ofQueue(family: Family, queueId: number, extraBytes: number): Buffer {
    const key = this.#allocate(family, 4 + extraBytes);
    key.writeUInt32BE(queueId, 3);
    return key;
  }

  #allocate(family: number, extraBytes: number): Buffer {
    const key = Buffer.allocUnsafe(PREFIX_BYTES + extraBytes);
    key.writeUInt16BE(this.#shard, 0);
    key[2] = family;
    return key;
  }
}

export function queueIdOfKey(key: Uint8Array): number {
  return view(key).getUint32(3);
}

/** Position of a message, body or delivery key. */
export function positionOfKey(key: Uint8Array): { partition: number; seq: number } {
  const bytes = view(key);
  return { partition: bytes.getUint32(7), seq: readU64(bytes, 11) };
}

export function dedupSeqOfKey(key: Uint8Array): number {
  return readU64(view(key), 7);
}

export function delayOfKey(key: Uint8Array): { dueAt: number; seq: number; partition: number } {
  const bytes = view(key);
  return { dueAt: readU64(bytes, 7), seq: readU64(bytes, 15), partition: bytes.getUint32(23) };
}

export function attemptIdOfKey(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset + 7, key.byteLength - 7).toString();
}

function view(key: Uint8Array): DataView {
  return new DataView(key.buffer, key.byteOffset, key.byteLength);
}

// Numbers stay below 2^53, so two halves do; BigInt would allocate on the hot path.
function writeU64(buffer: Buffer, value: number, offset: number): void {
  buffer.writeUInt32BE(Math.floor(value / U32), offset);
  buffer.writeUInt32BE(value % U32, offset + 4);
}

function readU64(bytes: DataView, offset: number): number {
  return bytes.getUint32(offset) * U32 + bytes.getUint32(offset + 4);
}
