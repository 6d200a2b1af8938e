import { isDeepStrictEqual } from 'node:util';
import { SqsError } from '../protocol/model/errors.ts';
import {
  DELAY_SECONDS_MAX,
  KMS_KEY_ID_LENGTH_MAX,
  MESSAGE_BYTES_MAX,
  VISIBILITY_TIMEOUT_SECONDS_MAX,
  WAIT_TIME_SECONDS_MAX,
} from './limits.ts';
import { parsePolicy } from './policy-document.ts';
import { parseRedriveAllowPolicy, parseRedrivePolicy } from './redrive.ts';
import { invalidAttributeValue, parseBoolean, parseInteger, unknownAttribute } from './values.ts';

/** The attributes of a queue that can be set: what is valid, what they are without being set, what excludes what. */

type Attributes = Readonly<Record<string, string>>;

/**
 * Attributes that a request sets, in the order of the request and in canonical spelling. The empty string takes an
 * attribute away.
 */
export type AttributeChanges = ReadonlyMap<string, string>;

interface Rule {
  /** Returns the canonical spelling. @throws SqsError */
  parse(value: string, creating: boolean): string;
  /** The empty string is allowed and takes the attribute away. */
  removable?: true;
  fifoOnly?: true;
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['DelaySeconds', integer('DelaySeconds', 0, DELAY_SECONDS_MAX)],
  ['MaximumMessageSize', integer('MaximumMessageSize', 1024, MESSAGE_BYTES_MAX)],
  ['MessageRetentionPeriod', integer('MessageRetentionPeriod', 60, 1_209_600)],
  ['ReceiveMessageWaitTimeSeconds', integer('ReceiveMessageWaitTimeSeconds', 0, WAIT_TIME_SECONDS_MAX)],
  ['VisibilityTimeout', integer('VisibilityTimeout', 0, VISIBILITY_TIMEOUT_SECONDS_MAX)],
  ['Policy', { parse: parsePolicy, removable: true }],
  ['RedrivePolicy', { parse: parseRedrivePolicy, removable: true }],
  ['RedriveAllowPolicy', { parse: parseRedriveAllowPolicy, removable: true }],
  ['KmsMasterKeyId', { parse: parseKeyId, removable: true }],
  ['KmsDataKeyReusePeriodSeconds', { ...integer('KmsDataKeyReusePeriodSeconds', 60, 86_400), removable: true }],
  ['SqsManagedSseEnabled', boolean('SqsManagedSseEnabled')],
  ['FifoQueue', { parse: parseFifoQueue, fifoOnly: true }],
  ['ContentBasedDeduplication', { ...boolean('ContentBasedDeduplication'), fifoOnly: true }],
  ['DeduplicationScope', { ...oneOf('DeduplicationScope', 'queue', 'messageGroup'), fifoOnly: true }],
  ['FifoThroughputLimit', { ...oneOf('FifoThroughputLimit', 'perQueue', 'perMessageGroupId'), fifoOnly: true }],
]);

const DEFAULTS: Attributes = {
  DelaySeconds: '0',
  MaximumMessageSize: String(MESSAGE_BYTES_MAX),
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
  SqsManagedSseEnabled: 'true',
};

const FIFO_DEFAULTS: Attributes = {
  FifoQueue: 'true',
  ContentBasedDeduplication: 'false',
  DeduplicationScope: 'queue',
  FifoThroughputLimit: 'perQueue',
};

/** In force as long as it was never set. It is shown with a key only and therefore no default of every queue. */
export const KMS_REUSE_SECONDS_DEFAULT = '300';

export const SETTABLE_ATTRIBUTES: readonly string[] = [...RULES.keys()];

/**
 * Checks the attributes of a CreateQueue or SetQueueAttributes request, names first (SQS: section 3). FifoQueue must
 * have been checked against the queue's name before when the queue is being created. Whether the target of a redrive
 * policy exists is not checked.
 *
 * @throws SqsError InvalidAttributeName, InvalidAttributeValue, InvalidParameterValue or OverLimit.
 */
export function parseAttributes(requested: Attributes, queue: { fifo: boolean; creating: boolean }): AttributeChanges {
  const rules = Object.entries(requested).map(([name, value]) => ({ name, value, rule: ruleOf(name, queue.fifo) }));
  const changes = new Map<string, string>();
  for (const { name, value, rule } of rules) {
    changes.set(name, value === '' && rule.removable ? '' : rule.parse(value, queue.creating));
  }
  if (changes.get('KmsMasterKeyId') && changes.get('SqsManagedSseEnabled') === 'true') {
    throw new SqsError(
      'InvalidAttributeName',
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  }
  return changes;
}

export function newQueueAttributes(fifo: boolean, changes: AttributeChanges): Attributes {
  return changeAttributes(fifo ? { ...DEFAULTS, ...FIFO_DEFAULTS } : DEFAULTS, changes);
}

/**
 * The attributes of a queue after a change.
 *
 * @throws SqsError InvalidAttributeValue when the result would not fit together.
 */
export function changeAttributes(current: Attributes, changes: AttributeChanges): Attributes {
  const changed: Record<string, string> = { ...current };
  for (const [name, value] of changes) {
    if (value === '') delete changed[name];
    else changed[name] = value;
  }
  // One kind of encryption turns the other off. Taking the key away does not turn that back on (SQS: section 3.3).
  if (changes.get('KmsMasterKeyId')) changed.SqsManagedSseEnabled = 'false';
  else if (changes.get('SqsManagedSseEnabled') === 'true') delete changed.KmsMasterKeyId;

  if (changed.FifoThroughputLimit === 'perMessageGroupId' && changed.DeduplicationScope !== 'messageGroup') {
    throw new SqsError(
      'InvalidAttributeValue',
      'The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup',
    );
  }
  return changed;
}

/**
 * The first attribute of a repeated CreateQueue that the queue has another value of. Attributes that the request leaves
 * out, or empty, are not compared (SQS: section 2.1).
 */
export function firstDifference(current: Attributes, requested: AttributeChanges): string | undefined {
  for (const [name, value] of requested) {
    if (value !== '' && !isSameValue(name, value, currentValue(current, name))) return name;
  }
  return undefined;
}

function currentValue(current: Attributes, name: string): string | undefined {
  return current[name] ?? (name === 'KmsDataKeyReusePeriodSeconds' ? KMS_REUSE_SECONDS_DEFAULT : undefined);
}

function isSameValue(name: string, a: string, b: string | undefined): boolean {
  if (a === b) return true;
  if (b === undefined) return false;
  if (name === 'RedrivePolicy') {
    const [left, right] = [JSON.parse(a), JSON.parse(b)];
    return (
      left.deadLetterTargetArn === right.deadLetterTargetArn &&
      Number(left.maxReceiveCount) === Number(right.maxReceiveCount)
    );
  }
  return name.endsWith('Policy') && isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
}

function ruleOf(name: string, fifo: boolean): Rule {
  const rule = RULES.get(name);
  if (rule === undefined) throw unknownAttribute(name);
  if (!rule.fifoOnly || fifo) return rule;
  if (name === 'DeduplicationScope' || name === 'FifoThroughputLimit') {
    throw new SqsError('InvalidAttributeName', `You can specify the ${name} only when FifoQueue is set to true.`);
  }
  throw unknownAttribute(name);
}

function integer(name: string, min: number, max: number): Rule {
  return { parse: (value) => String(parseInteger(name, value, min, max)) };
}

function boolean(name: string): Rule {
  return { parse: (value) => String(parseBoolean(name, value)) };
}

function oneOf(name: string, ...values: string[]): Rule {
  return {
    parse(value) {
      if (values.includes(value)) return value;
      throw invalidAttributeValue(name);
    },
  };
}

/** Whether there is such a key is not checked: in SQS that shows when a message is sent (SQS: section 3.3). */
function parseKeyId(value: string): string {
  if (value.length <= KMS_KEY_ID_LENGTH_MAX) return value;
  throw invalidAttributeValue('KmsMasterKeyId');
}

/** On a FIFO queue: that it is one can be said again, but not be changed (SQS: section 2.6). */
function parseFifoQueue(value: string): string {
  if (parseBoolean('FifoQueue', value)) return 'true';
  throw invalidAttributeValue('FifoQueue', 'Modifying queue type is not supported.');
}
