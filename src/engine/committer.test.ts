import { beforeEach, describe, expect, it } from 'vitest';
import type { Platform } from '../platform/platform.ts';
import type { Change, Counters } from '../queue/change.ts';
import type { MessageContent } from '../queue/message.ts';
import type { Arrival } from '../queue/queue.ts';
import { Family, Keys } from '../storage/keys.ts';
import { decodeCounters, decodeMessage, encodeMessage } from '../storage/records.ts';
import { CommitError, type Operation, type Store } from '../storage/store.ts';
import { Committer } from './committer.ts';
import { StoreUnavailableError } from './queue-service.ts';

const keys = new Keys(0);
const TIMING = { sentAt: 5, retentionFrom: 5, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 };

/** A store whose commits end when the test says so. */
class HandDrivenStore {
  readonly rows = new Map<string, Uint8Array>();
  readonly commits: { operations: readonly Operation[]; end: (error?: unknown) => void }[] = [];
  /** Reads wait for this. */
  reads: Promise<void> = Promise.resolve();

  commit(operations: readonly Operation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.commits.push({ operations, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    await this.reads;
    return this.rows.get(hex(key));
  }

  /** The keys that each commit so far puts (`+`) or deletes (`-`). */
  get keysOfCommits(): string[][] {
    return this.commits.map(({ operations }) =>
      operations.map(({ key, value }) => `${value === undefined ? '-' : '+'}${hex(key)}`),
    );
  }
}

let store: HandDrivenStore;
let committer: Committer;
let turns: (() => void)[];
let counters: Map<number, Counters>;
let events: string[];

beforeEach(() => {
  store = new HandDrivenStore();
  turns = [];
  events = [];
  counters = new Map();
  const platform = { afterTurn: (callback: () => void) => turns.push(callback) } as unknown as Platform;
  committer = new Committer(store as unknown as Store, keys, platform, {
    countersOf: (queueId) => counters.get(queueId),
    onCounted: () => {},
    onArrivals: (arrivals) => events.push(`arrivals ${arrivals.map(({ row }) => row.seq).join(',')}`),
    onFailure: (error, queueIds) => events.push(`failure ${error.outcome} of queues ${[...queueIds].join(',')}`),
  });
});

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString('hex');
}

const endTurn = () => {
  for (const callback of turns.splice(0)) callback();
};

/** Lets everything happen that waits for a promise only. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function end(commit: number, error?: unknown): Promise<void> {
  store.commits[commit]?.end(error);
  await settle();
}

const countersWith = (live: number): Counters => ({
  nextSeq: 9,
  live,
  delayed: 0,
  purgedBelow: 0,
  reclaimedBelow: 0,
});

const contentOf = (messageId: string, more: Partial<MessageContent> = {}): MessageContent => ({
  messageId,
  body: 'b',
  bodyMd5: '0'.repeat(32),
  attributes: [],
  senderId: 's',
  ...more,
});

const UUIDS = ['00000000-0000-4000-8000-000000000000', '11111111-1111-4111-8111-111111111111'] as const;

function put(queueId: number, seq: number): Change {
  return {
    kind: 'message.put',
    at: { queueId, partition: 0, seq },
    timing: TIMING,
    content: contentOf(UUIDS[0]),
    row: { ...TIMING, partition: 0, seq },
  };
}

function arrival(seq: number): Arrival {
  return { row: { seq } } as Arrival;
}

function add(seq: number, queueId = 1): void {
  committer.add({ changes: [put(queueId, seq)], arrivals: [arrival(seq)] });
}

function move(fromSeq: number, toSeq: number): Change {
  return {
    kind: 'message.move',
    from: { queueId: 1, partition: 0, seq: fromSeq },
    fromHasDelivery: true,
    at: { queueId: 2, partition: 0, seq: toSeq },
    timing: { ...TIMING, sentAt: 99, receivesBefore: 3 },
    edit: { deadLetterSourceArn: 'arn:source', keepsSentAt: true },
  };
}

/** Notes when somebody is told, and what. */
function tell(name: string, promise: Promise<void>): void {
  promise.then(
    () => events.push(`${name} durable`),
    (error: StoreUnavailableError) => events.push(`${name} ${error.outcome}`),
  );
}

const messageKey = (queueId: number, seq: number) => hex(keys.message(queueId, 0, seq));

describe('a batch', () => {
  it('is what happened in one turn', () => {
    add(1);
    add(2);
    expect(store.commits).toHaveLength(0);
    endTurn();
    add(3);
    endTurn();
    expect(store.keysOfCommits).toEqual([[`+${messageKey(1, 1)}`, `+${messageKey(1, 2)}`], [`+${messageKey(1, 3)}`]]);
  });

  it('carries the counters of its queues as they are at the end of the turn', () => {
    counters.set(1, countersWith(1));
    add(1);
    committer.touch(2);
    counters.set(1, countersWith(7));
    counters.set(2, countersWith(2));
    endTurn();
    const found = store.commits[0]?.operations.filter(({ key }) => key[2] === Family.counters) ?? [];
    expect(found.map(({ key }) => hex(key))).toEqual([hex(keys.counters(1)), hex(keys.counters(2))]);
    expect(found.map(({ value }) => decodeCounters(value as Uint8Array).live)).toEqual([7, 2]);
  });

  it('is not made for nothing', async () => {
    committer.add({ changes: [], arrivals: [] });
    committer.addOperations([]);
    endTurn();
    expect(store.commits).toHaveLength(0);
    await committer.durable();
  });

  it('takes operations of others, in their order', () => {
    add(1);
    committer.addOperations([{ key: keys.queue(7) }]);
    endTurn();
    expect(store.keysOfCommits).toEqual([[`+${messageKey(1, 1)}`, `-${hex(keys.queue(7))}`]]);
  });
});

describe('nobody is told', () => {
  it('before it is durable, and arrivals are shown first', async () => {
    add(1);
    tell('one', committer.durable());
    endTurn();
    await settle();
    expect(events).toEqual([]);
    await end(0);
    expect(events).toEqual(['arrivals 1', 'one durable']);
  });

  it('of a later batch before its own is durable, though both are under way', async () => {
    add(1);
    endTurn();
    add(2);
    tell('two', committer.durable());
    endTurn();
    expect(store.commits).toHaveLength(2);
    await end(0);
    expect(events).toEqual(['arrivals 1']);
    await end(1);
    expect(events).toEqual(['arrivals 1', 'arrivals 2', 'two durable']);
  });

  it('and who adds nothing waits for what was added before', async () => {
    add(1);
    endTurn();
    tell('reader', committer.durable());
    await settle();
    expect(events).toEqual([]);
    await end(0);
    expect(events).toEqual(['arrivals 1', 'reader durable']);
    await committer.durable();
  });
});

describe('after a failed commit', () => {
  const failed = (outcome: 'not-applied' | 'unknown') => new CommitError(outcome, 'no');

  it('all batches under way and the one that gathers are refused, each with what is known of it', async () => {
    for (const seq of [1, 2, 3]) {
      add(seq, seq);
      tell(`${seq}`, committer.durable());
      endTurn();
    }
    add(4, 4);
    tell('4', committer.durable());
    await end(0, failed('not-applied'));
    expect(events).toEqual(['1 not-applied', '4 not-applied']);
    // The second was applied all the same: nobody may rely on it, so nobody is told that it was.
    await end(1);
    expect(events).toEqual(['1 not-applied', '4 not-applied', '2 unknown']);
    await end(2, failed('unknown'));
    expect(events.slice(3).toSorted()).toEqual(['3 unknown', 'failure not-applied of queues 1,4,2,3']);
  });

  it('no message of a later batch is shown', async () => {
    add(1);
    endTurn();
    add(2);
    endTurn();
    await end(0, failed('unknown'));
    await end(1);
    expect(events).toEqual(['failure unknown of queues 1']);
  });

  it('an earlier batch is told as usual', async () => {
    add(1);
    tell('1', committer.durable());
    endTurn();
    add(2);
    tell('2', committer.durable());
    endTurn();
    await end(0);
    await end(1, failed('not-applied'));
    expect(events.toSorted()).toEqual(['1 durable', '2 not-applied', 'arrivals 1', 'failure not-applied of queues 1']);
  });

  it('everything is refused until it is reset, and accepted from then on', async () => {
    add(1);
    endTurn();
    await end(0, failed('not-applied'));
    add(2);
    tell('2', committer.durable());
    endTurn();
    await settle();
    expect(events.slice(1)).toEqual(['2 not-applied']);
    expect(store.commits).toHaveLength(1);
    committer.reset();
    await committer.durable();
    add(3);
    tell('3', committer.durable());
    endTurn();
    await end(1);
    expect(events.slice(2)).toEqual(['arrivals 3', '3 durable']);
  });

  it('an error that is none of the store counts as unknown', async () => {
    add(1);
    tell('1', committer.durable());
    endTurn();
    await end(0, new Error('surprise'));
    expect(events).toContain('1 unknown');
  });

  it('whoever only waits for the end is not bothered', async () => {
    add(1);
    const settled = committer.settled();
    endTurn();
    await end(0, failed('unknown'));
    await expect(settled).resolves.toBeUndefined();
    await expect(committer.durable()).rejects.toThrow(StoreUnavailableError);
  });
});

describe('a move', () => {
  const stored = (seq: number, content: MessageContent) => {
    const { message, body } = encodeMessage(TIMING, content);
    store.rows.set(messageKey(1, seq), message);
    if (body !== undefined) store.rows.set(hex(keys.body(1, 0, seq)), body);
  };

  it('copies the content, edits it, and deletes the original in the same commit', async () => {
    stored(1, contentOf(UUIDS[1], { groupId: 'g', body: 'x'.repeat(5000) }));
    committer.add({ changes: [move(1, 8)], arrivals: [arrival(8)] });
    endTurn();
    await settle();
    expect(store.keysOfCommits).toEqual([
      [
        `+${messageKey(2, 8)}`,
        `+${hex(keys.body(2, 0, 8))}`,
        `-${messageKey(1, 1)}`,
        `-${hex(keys.body(1, 0, 1))}`,
        `-${hex(keys.delivery(1, 0, 1))}`,
      ],
    ]);
    const [message, body] = store.commits[0]?.operations ?? [];
    expect(decodeMessage(message?.value as Uint8Array, body?.value)).toEqual({
      timing: { ...TIMING, receivesBefore: 3 },
      content: { ...contentOf(UUIDS[1], { groupId: 'g', body: 'x'.repeat(5000) }), deadLetterSourceArn: 'arn:source' },
    });
  });

  it('takes a body along that the disk has damaged, and leaves it to its receiver to hear of that', async () => {
    stored(1, contentOf(UUIDS[1], { body: 'x'.repeat(5000) }));
    const damaged = store.rows.get(hex(keys.body(1, 0, 1))) as Buffer;
    damaged[100] = 0;
    committer.add({ changes: [move(1, 8)], arrivals: [arrival(8)] });
    tell('moved', committer.durable());
    endTurn();
    await settle();
    await end(0);
    expect(events).toContain('moved durable');
    const [message, body] = store.commits[0]?.operations ?? [];
    expect(() => decodeMessage(message?.value as Uint8Array, body?.value)).toThrow('damaged');
  });

  it('keeps its place among the changes of its batch', async () => {
    stored(1, contentOf(UUIDS[1]));
    committer.add({ changes: [put(2, 7), move(1, 8), put(2, 9)], arrivals: [] });
    endTurn();
    await settle();
    const puts = store.keysOfCommits[0]?.filter((key) => key.startsWith('+'));
    expect(puts).toEqual([7, 8, 9].map((seq) => `+${messageKey(2, seq)}`));
  });

  it('is not overtaken by later batches while it reads', async () => {
    stored(1, contentOf(UUIDS[1]));
    let read!: () => void;
    store.reads = new Promise((resolve) => {
      read = resolve;
    });
    add(5);
    endTurn();
    committer.add({ changes: [move(1, 8)], arrivals: [arrival(8)] });
    endTurn();
    add(9);
    endTurn();
    await settle();
    expect(store.commits).toHaveLength(1);
    read();
    await settle();
    expect(store.keysOfCommits.map(([first]) => first)).toEqual([
      `+${messageKey(1, 5)}`,
      `+${messageKey(2, 8)}`,
      `+${messageKey(1, 9)}`,
    ]);
    for (const commit of [0, 1, 2]) await end(commit);
    expect(events).toEqual(['arrivals 5', 'arrivals 8', 'arrivals 9']);
    add(10);
    endTurn();
    expect(store.commits).toHaveLength(4);
  });

  it('of a message that the store does not have fails like a commit, and names both queues', async () => {
    committer.add({ changes: [move(1, 8)], arrivals: [arrival(8)] });
    tell('move', committer.durable());
    endTurn();
    add(9, 3);
    tell('later', committer.durable());
    endTurn();
    await settle();
    expect(store.commits).toHaveLength(0);
    expect(events.toSorted()).toEqual(['failure not-applied of queues 1,2,3', 'later not-applied', 'move not-applied']);
  });

  it('that cannot be read fails, too, with nothing written', async () => {
    store.reads = Promise.reject(new Error('broken disk'));
    store.reads.catch(() => {});
    committer.add({ changes: [move(1, 8)], arrivals: [] });
    tell('move', committer.durable());
    endTurn();
    await settle();
    expect(store.commits).toHaveLength(0);
    expect(events.toSorted()).toEqual(['failure unknown of queues 1,2', 'move unknown']);
  });
});
