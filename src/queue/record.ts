/** What is stored and known of a queue apart from its messages. */

/** The account and region a queue lives in. Queues of different scopes never mix. */
export interface Scope {
  /** 12 digits. */
  account: string;
  /** For example `us-east-1`. */
  region: string;
}

/**
 * A queue as the catalog holds it. Treated as immutable: a change makes a new record with the next `revision`.
 */
export interface QueueRecord {
  /** Unique in the store and never used again, also after the queue is deleted. */
  id: number;
  scope: Scope;
  name: string;
  /**
   * Every settable attribute that has a value, in its canonical wire spelling (numbers in decimal, booleans in lower
   * case, seconds), defaults included. `FifoQueue` is present, as `true`, on FIFO queues only. Unset attributes
   * (Policy, RedrivePolicy, RedriveAllowPolicy, KmsMasterKeyId, ...) are absent.
   */
  attributes: Readonly<Record<string, string>>;
  tags: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Epoch milliseconds of the last change of an attribute. */
  modifiedAt: number;
  /**
   * The scope of deduplication the queue was created with. A later change of the attribute does not change what is
   * a duplicate (SQS: section 6.3). Absent on standard queues.
   */
  deduplicationScopeInForce?: 'queue' | 'messageGroup';
  /** Epoch milliseconds of the last PurgeQueue; absent when there was none. */
  purgedAt?: number;
  /** Counts up with each change: the condition of an optimistic update. */
  revision: number;
}

/** What the state machine needs of the attributes, parsed. Milliseconds inside, seconds on the wire. */
export interface QueueSettings {
  fifo: boolean;
  delayMs: number;
  retentionMs: number;
  visibilityTimeoutMs: number;
  deduplicationScope: 'queue' | 'messageGroup';
  redrive?: RedriveSettings;
}

export interface RedriveSettings {
  deadLetterTargetArn: string;
  /** A message that has been received this often is moved instead of being delivered once more. */
  maxReceiveCount: number;
}

/** Who may name this queue as a dead-letter queue (the RedriveAllowPolicy attribute). */
export interface RedriveAllowSettings {
  permission: 'allowAll' | 'denyAll' | 'byQueue';
  sourceQueueArns: readonly string[];
}

export function queueArn(queue: { scope: Scope; name: string }): string {
  return `arn:${partitionOfRegion(queue.scope.region)}:sqs:${queue.scope.region}:${queue.scope.account}:${queue.name}`;
}

/** The AWS partition (the second part of every ARN) that a region belongs to. */
export function partitionOfRegion(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  if (region.startsWith('us-gov-')) return 'aws-us-gov';
  return 'aws';
}

const settingsByRecord = new WeakMap<QueueRecord, QueueSettings>();

/**
 * The parsed attributes of a record, parsed once: every receive asks, and records never change. Trusts them: they were
 * validated when they were set.
 */
export function settingsOf(record: QueueRecord): QueueSettings {
  let settings = settingsByRecord.get(record);
  if (settings === undefined) {
    settings = parseSettings(record);
    settingsByRecord.set(record, settings);
  }
  return settings;
}

function parseSettings(record: QueueRecord): QueueSettings {
  const { attributes } = record;
  const redrive = attributes.RedrivePolicy === undefined ? undefined : JSON.parse(attributes.RedrivePolicy);
  return {
    fifo: attributes.FifoQueue === 'true',
    delayMs: Number(attributes.DelaySeconds) * 1000,
    retentionMs: Number(attributes.MessageRetentionPeriod) * 1000,
    visibilityTimeoutMs: Number(attributes.VisibilityTimeout) * 1000,
    deduplicationScope: record.deduplicationScopeInForce ?? 'queue',
    redrive: redrive && {
      deadLetterTargetArn: redrive.deadLetterTargetArn,
      maxReceiveCount: Number(redrive.maxReceiveCount),
    },
  };
}

/** Parses the RedriveAllowPolicy of a record; without one everybody may name the queue. */
export function redriveAllowOf(record: QueueRecord): RedriveAllowSettings {
  const text = record.attributes.RedriveAllowPolicy;
  if (text === undefined) return { permission: 'allowAll', sourceQueueArns: [] };
  const policy = JSON.parse(text);
  return { permission: policy.redrivePermission, sourceQueueArns: policy.sourceQueueArns ?? [] };
}

/** Whether `source` may use `target` as its dead-letter queue as far as the target's RedriveAllowPolicy goes. */
export function allowsRedriveFrom(target: QueueRecord, sourceArn: string): boolean {
  const allow = redriveAllowOf(target);
  if (allow.permission === 'allowAll') return true;
  return allow.permission === 'byQueue' && allow.sourceQueueArns.includes(sourceArn);
}
