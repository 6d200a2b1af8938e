/**
 * Faults that somebody could make, as changes of one source file each: what the simulation is for is to notice them. The
 * text must be found exactly once, so that a fault does not quietly come to nothing when the source changes.
 */
export interface Mutant {
  name: string;
  /** A world that notices it. When it does not any more, after a change of the simulation, the test looks for another. */
  seed: number;
  /** Below the root of the project. */
  file: string;
  /** Each text, and what it becomes. */
  edits: [string, string][];
}

const QUEUE = 'src/queue/queue.ts';
const SHARD = 'src/engine/shard.ts';
const COMMITTER = 'src/engine/committer.ts';
const RECOVERY = 'src/engine/recovery.ts';
const STATES = 'src/engine/queue-states.ts';
const RECEIVER = 'src/engine/receiver.ts';
const OPERATIONS = 'src/engine/operations.ts';
const GROUPS = 'src/queue/group-order.ts';

export const MUTANTS: readonly Mutant[] = [
  // ---- durability and the order of commits
  {
    name: 'a command is acknowledged before it is durable',
    seed: 1,
    file: SHARD,
    edits: [['      return this.#committer.durable().then(() => reply);', '      return Promise.resolve(reply);']],
  },
  {
    name: 'a message is revealed before it is durable',
    seed: 1,
    file: STATES,
    edits: [
      [
        '    this.#environment.committer.add(effects);',
        '    this.#environment.committer.add(effects);\n    this.reveal(effects.arrivals);',
      ],
    ],
  },
  {
    name: 'a receive is answered without being written',
    seed: 1,
    file: QUEUE,
    edits: [
      [
        "    this.#inFlight.push(entry);\n    this.#change({ kind: 'delivery.put', at: this.#positionOf(entry), delivery: entry.delivery(), isFirst });",
        '    this.#inFlight.push(entry);',
      ],
    ],
  },
  {
    name: 'a commit is acknowledged although one before it failed',
    seed: 28,
    file: COMMITTER,
    edits: [['if (error === undefined && this.#failure === undefined) {', 'if (error === undefined) {']],
  },
  {
    name: 'memory is kept after a failed commit',
    seed: 4,
    file: STATES,
    edits: [['    for (const runtime of this.#runtimes.values()) runtime.unload();\n', '']],
  },
  {
    name: 'counters are not written with every commit',
    seed: 1,
    file: COMMITTER,
    edits: [
      [
        '      if (counters !== undefined) {',
        '      if (counters !== undefined && batch.operations.length % 2 === 0) {',
      ],
    ],
  },
  {
    name: 'counters are not counted anew after a failed commit',
    seed: 29,
    file: RECOVERY,
    edits: [['  if (recount) Object.assign', '  if (recount && false) Object.assign']],
  },
  {
    name: 'a delete leaves the count as it was',
    seed: 1,
    file: QUEUE,
    edits: [
      [
        '    this.#counters.live--;\n    const log = this.#log(entry.partition);',
        '    const log = this.#log(entry.partition);',
      ],
    ],
  },
  {
    name: 'a delete leaves the row where it was',
    seed: 1,
    file: QUEUE,
    edits: [
      [
        "      this.#forget(entry, now);\n      this.#deleteStored(entry);\n      return 'deleted';",
        "      this.#forget(entry, now);\n      return 'deleted';",
      ],
    ],
  },
  {
    name: 'a changed attribute is not written',
    seed: 2,
    file: SHARD,
    edits: [
      [
        '    this.#catalog.set(record);\n    this.#committer.addOperations([{ key: this.#keys.queue(record.id), value: encodeJson(record) }]);',
        '    this.#catalog.set(record);',
      ],
    ],
  },
  {
    name: 'a queue id is used again',
    seed: 1,
    file: SHARD,
    edits: [['id: this.#nextQueueId++, revision: 1', 'id: this.#nextQueueId, revision: 1']],
  },

  // ---- deduplication and sequence numbers
  {
    name: 'a delete forgets deduplication ids',
    seed: 10,
    file: QUEUE,
    edits: [
      [
        "      this.#deleteStored(entry);\n      return 'deleted';",
        "      this.#deleteStored(entry);\n      this.#deduplication?.clear();\n      return 'deleted';",
      ],
    ],
  },
  {
    name: 'a restart forgets deduplication ids',
    seed: 4,
    file: QUEUE,
    edits: [["loaded === 'new' ? undefined : counters.purgedBelow", 'undefined']],
  },
  {
    name: 'deduplication ids are swept out of the store too early',
    seed: 4,
    file: 'src/queue/deduplication.ts',
    edits: [['      if (oldest.lastAt > now - DEDUPLICATION_INTERVAL_MS) return;\n', '']],
  },
  {
    name: 'a sequence number is used again after a restart',
    seed: 1,
    file: RECOVERY,
    edits: [
      [
        '{ ...NO_COUNTERS } : decodeCounters(stored);',
        '{ ...NO_COUNTERS } : { ...decodeCounters(stored), nextSeq: Math.max(decodeCounters(stored).nextSeq - 1, 1) };',
      ],
    ],
  },

  // ---- order, visibility and handles
  {
    name: 'a group is released while its first message is in flight',
    seed: 3,
    file: GROUPS,
    edits: [
      [
        '      let entry = group.messages.first;\n',
        "      let entry = group.messages.first;\n      while (entry?.state === 'in-flight') entry = entry.next;\n",
      ],
      [
        '    const first = group.messages.first;\n    const status',
        '    let first = group.messages.first;\n' +
          "    while (first?.state === 'in-flight' && first.next?.state === 'ready' && this.#isDue(first.next, now)) {\n" +
          '      first = first.next;\n' +
          '    }\n' +
          '    const status',
      ],
    ],
  },
  {
    name: 'a changed visibility timeout is not written',
    seed: 1,
    file: QUEUE,
    edits: [
      [
        "    this.#change({ kind: 'delivery.put', at: this.#positionOf(entry), delivery: entry.delivery(), isFirst: false });\n    return 'changed';",
        "    return 'changed';",
      ],
    ],
  },
  {
    name: 'a restart makes every message visible',
    seed: 1,
    file: QUEUE,
    edits: [["    if (entry.visibleAt > now) entry.state = 'in-flight';\n", '']],
  },
  {
    name: 'a restart loses receive counts',
    seed: 1,
    file: QUEUE,
    edits: [['    entry.receiveCount = delivery.receiveCount;\n', '    entry.receiveCount = 1;\n']],
  },
  {
    name: 'a stale handle deletes a FIFO message',
    seed: 2,
    file: QUEUE,
    edits: [
      [
        "      if (this.isFifo && !isCurrent(entry, receipt)) return 'expired';\n      this.#forget",
        '      this.#forget',
      ],
    ],
  },
  {
    name: 'a handle of another queue is taken',
    seed: 1,
    file: SHARD,
    edits: [["return decoded.queueId === queueId ? decoded.receipt : 'foreign';", 'return decoded.receipt;']],
  },

  // ---- waiting
  {
    name: 'only the first waiter is woken',
    seed: 70,
    file: RECEIVER,
    edits: [
      [
        '      waiter.resolve(this.#answer(queue, received, waiter.room));\n',
        '      waiter.resolve(this.#answer(queue, received, waiter.room));\n      break;\n',
      ],
    ],
  },
  {
    name: 'the end of a visibility timeout wakes nobody',
    seed: 6,
    file: QUEUE,
    edits: [['      this.#inFlight.peek()?.visibleAt ?? Number.POSITIVE_INFINITY,\n', '']],
  },
  {
    name: 'a long poll ends late',
    seed: 1,
    file: 'src/engine/runtime.ts',
    edits: [['this.#agenda.set(waiter, until)', 'this.#agenda.set(waiter, until + 30_000)']],
  },
  {
    name: 'a short poll that waits for a page is forgotten',
    seed: 7,
    file: RECEIVER,
    edits: [['    if (!queue.isPaging) runtime.endShortPolls();\n', '']],
  },
  {
    name: 'messages beyond the window are forgotten',
    seed: 2,
    file: 'src/queue/partition-log.ts',
    edits: [['      this.hasTail = true;\n      return false;', '      return false;']],
  },
  {
    name: 'a page brings back what was deleted while it was read',
    seed: 4,
    file: QUEUE,
    edits: [['row.seq < this.#counters.purgedBelow || removed.has(row.seq)', 'row.seq < this.#counters.purgedBelow']],
  },
  {
    name: 'a page is read before the commits under way',
    seed: 1,
    file: STATES,
    edits: [
      [
        '    // A page must not bring back what a commit under way deletes.\n    await committer.settled();\n',
        '    void committer;\n',
      ],
    ],
  },

  // ---- purge, retention, delay
  {
    name: 'a purge misses the messages in flight',
    seed: 5,
    file: QUEUE,
    edits: [['    this.#entries.clear();\n    this.#inFlight.clear();\n    this.#byAge', '    this.#byAge']],
  },
  {
    name: 'a purge keeps deduplication ids',
    seed: 19,
    file: QUEUE,
    edits: [['    this.#deduplication?.clear();\n', '']],
  },
  {
    name: 'a purge takes the next message, too',
    seed: 2,
    file: QUEUE,
    edits: [['    this.#counters.purgedBelow = nextSeq;', '    this.#counters.purgedBelow = nextSeq + 1;']],
  },
  {
    name: 'retention spares what is in flight',
    seed: 1,
    file: QUEUE,
    edits: [
      [
        'if (oldest === undefined || !this.#isExpired(oldest, now)) break;',
        "if (oldest === undefined || oldest.state === 'in-flight' || !this.#isExpired(oldest, now)) break;",
      ],
    ],
  },
  {
    name: 'a restart ends every delay',
    seed: 1,
    file: QUEUE,
    edits: [['      if (row.dueAt > 0 && !this.#delays.isDone(row)) continue;\n', '']],
  },

  // ---- dead-letter queues and move tasks
  {
    name: 'a move to a dead-letter queue is two commits',
    seed: 1,
    file: COMMITTER,
    edits: [
      [
        '    this.#store.commit(batch.operations as Operation[]).then(',
        '    const first = batch.hasMoves ? 1 : 0;\n' +
          '    if (first > 0) this.#store.commit((batch.operations as Operation[]).slice(0, first)).catch(() => {});\n' +
          '    this.#store.commit((batch.operations as Operation[]).slice(first)).then(',
      ],
    ],
  },
  {
    name: 'a message is moved one receive too early',
    seed: 1,
    file: QUEUE,
    edits: [['>= deadLetter.maxReceiveCount', '>= deadLetter.maxReceiveCount - 1']],
  },
  {
    name: 'a message is moved one receive too late',
    seed: 1,
    file: QUEUE,
    edits: [['>= deadLetter.maxReceiveCount', '> deadLetter.maxReceiveCount']],
  },
  {
    name: 'a moved message stays where it was',
    seed: 1,
    file: OPERATIONS,
    edits: [
      ["  appendOperations({ kind: 'message.delete', at: from, mayHaveBody, hasDelivery }, keys, operations);\n", ''],
    ],
  },
  {
    name: 'the retention of a dead-letter message begins anew',
    seed: 1,
    file: QUEUE,
    edits: [['retentionFrom: target.isFifo ? now : entry.retentionFrom,', 'retentionFrom: now,']],
  },
  {
    name: 'a move task does not count what it moves',
    seed: 7,
    file: 'src/engine/move-tasks.ts',
    edits: [['        task.movedCount++;\n', '']],
  },
  {
    name: 'a move task does not give back what it cannot move',
    seed: 200,
    file: 'src/engine/move-tasks.ts',
    edits: [['    for (const entry of entries) if (!planned.has(entry)) source.returnMove(entry, now);\n', '']],
  },
];
