import type { Counters, Delivery, MessageTiming } from '../../src/queue/change.ts';
import type { MessageContent } from '../../src/queue/message.ts';
import { type QueueRecord, type QueueSettings, queueArn, settingsOf } from '../../src/queue/record.ts';
import type { Commit } from '../disk.ts';

/** A receive that became durable: the receive count rose by one. */
export interface DurableDelivery {
  count: number;
  receivedAt: number;
  visibleAt: number;
  commit: Commit;
  /** Earlier messages of its group that were taken by the same commit: they must be in the same answer. */
  companions: DurableMessage[];
  /** The call whose answer brought it, once there is one. */
  answeredBy?: number;
}

/** A message that is, or was, on the disk. */
export interface DurableMessage {
  queue: DurableQueue;
  seq: number;
  partition: number;
  content: MessageContent;
  timing: MessageTiming;
  /** The commit that brought it here. */
  put: Commit;
  /** The latest commit that changed it. */
  lastChange: Commit;
  /** Every commit that changed its delivery. */
  changes: Commit[];
  /** It came from another queue, not from a producer. */
  isMoved: boolean;
  delivery: Delivery | undefined;
  deliveries: DurableDelivery[];
  /** The commit that took it away: deleted, purged, or its queue deleted. */
  gone: Commit | undefined;
  /** When it came to be the first of its group. FIFO only. */
  headSince: number;
}

export interface DurableQueue {
  id: number;
  name: string;
  arn: string;
  fifo: boolean;
  record: QueueRecord;
  settings: QueueSettings;
  /** Every record it had, and when each became durable. */
  records: { step: number; record: QueueRecord }[];
  isGone: boolean;
  counters: Counters | undefined;
  /** A failed commit has left the stored counters in doubt, until the server has written new ones. */
  inDoubt: boolean;
  /** A crash came while they were in doubt: nobody knows any more that they must be counted anew. A known weakness. */
  isMiscounted: boolean;
  /** By sequence: what can be received, now or later. */
  live: Map<number, DurableMessage>;
  /** Purged, and still on the disk. */
  purged: Map<number, DurableMessage>;
  /** FIFO: live messages by group, in order. */
  groups: Map<string, DurableMessage[]>;
  highestSeq: number;
  /** The latest send with each deduplication id. */
  deduplicated: Map<string, DurableMessage>;
  /** Rows of the delay index: due times by sequence. */
  delays: Map<number, number>;
  /** Messages moved so far, by task. */
  tasks: Map<string, { moved: number; isActive: boolean; endedStep: number }>;
  /** When a message went away the last time. */
  removedAt: number;
  /** When a message was received that went away before anybody got it: that receive may have been answered empty. */
  snatchedAt: number;
  /** The last commit that failed for it. */
  failedStep: number;
}

/** What is on the disk, as messages and queues instead of keys and values. */
export class DurableImage {
  readonly queues = new Map<number, DurableQueue>();
  /** Queues that exist, by name. */
  readonly byName = new Map<string, DurableQueue>();
  readonly byArn = new Map<string, DurableQueue>();
  /** Every message there ever was, by id, in every queue it was in. */
  readonly places = new Map<string, DurableMessage[]>();
  /** The same, where a producer put them. */
  readonly originals = new Map<string, DurableMessage>();
  /** Live messages by the send attempt that made them. */
  readonly byToken = new Map<string, Set<DurableMessage>>();

  putQueue(record: QueueRecord, step: number): DurableQueue {
    const known = this.queues.get(record.id);
    if (known !== undefined) {
      known.record = record;
      known.settings = settingsOf(record);
      known.records.push({ step, record });
      return known;
    }
    const queue: DurableQueue = {
      id: record.id,
      name: record.name,
      arn: queueArn(record),
      fifo: record.attributes.FifoQueue === 'true',
      record,
      settings: settingsOf(record),
      records: [{ step, record }],
      isGone: false,
      counters: undefined,
      inDoubt: false,
      isMiscounted: false,
      live: new Map(),
      purged: new Map(),
      groups: new Map(),
      highestSeq: 0,
      deduplicated: new Map(),
      delays: new Map(),
      tasks: new Map(),
      removedAt: 0,
      snatchedAt: 0,
      failedStep: -1,
    };
    this.queues.set(queue.id, queue);
    this.byName.set(queue.name, queue);
    this.byArn.set(queue.arn, queue);
    return queue;
  }

  dropQueue(queue: DurableQueue, commit: Commit): void {
    queue.isGone = true;
    if (this.byName.get(queue.name) === queue) this.byName.delete(queue.name);
    if (this.byArn.get(queue.arn) === queue) this.byArn.delete(queue.arn);
    for (const message of [...queue.live.values()]) this.remove(message, commit);
  }

  add(message: DurableMessage): void {
    const { queue, seq, content } = message;
    queue.live.set(seq, message);
    queue.highestSeq = Math.max(queue.highestSeq, seq);
    const places = this.places.get(content.messageId) ?? [];
    this.places.set(content.messageId, places);
    places.push(message);
    if (!message.isMoved) this.originals.set(content.messageId, message);
    const token = tokenOf(content.body);
    const same = this.byToken.get(token) ?? new Set();
    this.byToken.set(token, same.add(message));
    if (!queue.fifo) return;
    const group = queue.groups.get(content.groupId as string) ?? [];
    queue.groups.set(content.groupId as string, group);
    if (group.length === 0) message.headSince = message.put.durableAt as number;
    group.push(message);
  }

  /** Takes a live message away; its row may stay for a while. */
  remove(message: DurableMessage, commit: Commit): void {
    const { queue, seq, content } = message;
    message.gone = commit;
    queue.removedAt = commit.durableAt as number;
    const snatched = message.deliveries.findLast(({ answeredBy }) => answeredBy === undefined);
    if (snatched !== undefined) queue.snatchedAt = Math.max(queue.snatchedAt, snatched.receivedAt);
    queue.live.delete(seq);
    this.byToken.get(tokenOf(content.body))?.delete(message);
    if (!queue.fifo) return;
    const group = queue.groups.get(content.groupId as string) ?? [];
    const index = group.indexOf(message);
    if (index >= 0) group.splice(index, 1);
    if (index === 0 && group[0] !== undefined) group[0].headSince = commit.durableAt as number;
  }

  /** The queue that a queue's redrive policy moves messages to now. */
  deadLetterTargetOf(queue: DurableQueue): DurableQueue | undefined {
    const { redrive } = queue.settings;
    const target = redrive && this.byArn.get(redrive.deadLetterTargetArn);
    if (target === undefined || target.fifo !== queue.fifo) return undefined;
    const policy = target.record.attributes.RedriveAllowPolicy;
    if (policy === undefined) return target;
    const { redrivePermission, sourceQueueArns = [] } = JSON.parse(policy);
    if (redrivePermission === 'allowAll') return target;
    return redrivePermission === 'byQueue' && sourceQueueArns.includes(queue.arn) ? target : undefined;
  }
}

/** Bodies begin with the name of the attempt that sent them; the rest is filling. */
export function tokenOf(body: string): string {
  const end = body.indexOf(' ');
  return end < 0 ? body : body.slice(0, end);
}

/** What must be equal for two sends to be duplicates. */
export function deduplicationKey(queue: DurableQueue, content: { groupId?: string; deduplicationId?: string }): string {
  const id = content.deduplicationId as string;
  return queue.record.deduplicationScopeInForce === 'messageGroup' ? `${content.groupId}\n${id}` : id;
}
