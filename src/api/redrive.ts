import { invalidParameter, type SqsError } from '../protocol/model/errors.ts';
import { allowsRedriveFrom, queueArn, type Scope } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { findQueueByArn, parseArn } from './arn.ts';
import { REDRIVE_POLICY_BYTES_MAX, REDRIVE_RECEIVE_COUNT_MAX, REDRIVE_SOURCE_QUEUES_MAX } from './limits.ts';
import { isFifo } from './queue-type.ts';
import { parseJsonObject } from './values.ts';

/** The RedrivePolicy of a source queue and the RedriveAllowPolicy of a dead-letter queue (SQS: section 3.2). */

const PERMISSIONS = new Set(['allowAll', 'denyAll', 'byQueue']);
const ALLOW_POLICY_KEYS = new Set(['redrivePermission', 'sourceQueueArns']);

/**
 * Checks a redrive policy as far as its text goes and returns it in its stored form, without white space. A count that
 * was sent as a string stays one, since SQS returns it so.
 *
 * @throws SqsError InvalidParameterValue
 */
export function parseRedrivePolicy(text: string): string {
  const policy = parseShortObject(text);
  if (policy === undefined) {
    throw invalidParameter(
      'Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.',
    );
  }
  for (const mandatory of ['maxReceiveCount', 'deadLetterTargetArn']) {
    if (!Object.hasOwn(policy, mandatory)) {
      throw invalidRedrivePolicy(text, `Redrive policy does not contain mandatory attribute: ${mandatory}.`);
    }
  }
  if (Object.keys(policy).length > 2) {
    throw invalidRedrivePolicy(
      text,
      'Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].',
    );
  }
  const { maxReceiveCount, deadLetterTargetArn } = policy;
  if (!isReceiveCount(maxReceiveCount)) {
    const shown = typeof maxReceiveCount === 'string' ? maxReceiveCount : JSON.stringify(maxReceiveCount);
    throw invalidRedrivePolicy(
      text,
      `Invalid value for maxReceiveCount: ${shown}, valid values are from 1 to ${REDRIVE_RECEIVE_COUNT_MAX} both ` +
        'inclusive.',
    );
  }
  const arn = typeof deadLetterTargetArn === 'string' ? parseArn(deadLetterTargetArn) : undefined;
  if (arn === undefined) {
    throw invalidRedrivePolicy(text, 'Dead-letter target ARN should be fully qualified ARN.');
  }
  if (arn.service !== 'sqs') {
    throw invalidRedrivePolicy(text, 'Only SQS queues are valid resources for deadLetterTargetArn.');
  }
  return JSON.stringify(policy);
}

/**
 * Checks that the queue which a redrive policy names may be the dead-letter queue of `source`. `text` is a policy that
 * `parseRedrivePolicy` accepted, as the client wrote it.
 *
 * @throws SqsError InvalidParameterValue
 */
export async function checkDeadLetterTarget(
  text: string,
  source: { scope: Scope; name: string; fifo: boolean },
  context: Pick<ActionContext, 'scope' | 'queues'>,
): Promise<void> {
  const arn = parseArn(JSON.parse(text).deadLetterTargetArn);
  if (arn?.account !== source.scope.account) {
    throw invalidRedrivePolicy(text, 'Dead-letter target owner should be same as the source.');
  }
  const target = await findQueueByArn(arn, context);
  if (target === undefined) throw invalidRedrivePolicy(text, 'Dead letter target does not exist.');
  if (isFifo(target) !== source.fifo) {
    // SQS really ends this text with two dots.
    throw invalidRedrivePolicy(text, 'Dead-letter queue must be same type of queue as the source..');
  }
  if (!allowsRedriveFrom(target, queueArn(source))) {
    // That SQS refuses is documented, its text is not known (SQS: section 14).
    throw invalidRedrivePolicy(
      text,
      'The redrive allow policy of the dead-letter queue does not allow this queue as a source.',
    );
  }
}

/**
 * Checks a redrive allow policy and returns it in its stored form.
 *
 * @throws SqsError InvalidParameterValue
 */
export function parseRedriveAllowPolicy(text: string): string {
  const policy = parseShortObject(text);
  const permission = policy?.redrivePermission;
  if (
    policy === undefined ||
    typeof permission !== 'string' ||
    !PERMISSIONS.has(permission) ||
    !Object.keys(policy).every((key) => ALLOW_POLICY_KEYS.has(key))
  ) {
    throw unsupportedAllowPolicy();
  }

  const sources = Object.hasOwn(policy, 'sourceQueueArns') ? policy.sourceQueueArns : undefined;
  if (sources !== undefined) {
    if (!Array.isArray(sources) || !sources.every((source) => typeof source === 'string')) {
      throw unsupportedAllowPolicy();
    }
    if (permission !== 'byQueue') {
      throw invalidAllowPolicy(
        text,
        'To specify one or more source queue ARNs, you must set redrivePermission to byQueue.',
      );
    }
    if (sources.length > REDRIVE_SOURCE_QUEUES_MAX) {
      throw invalidAllowPolicy(
        text,
        `The maximum number of source queue ARNs you can specify is ${REDRIVE_SOURCE_QUEUES_MAX}.`,
      );
    }
  }
  if (permission === 'byQueue' && !sources?.length) {
    throw invalidAllowPolicy(
      text,
      'When you specify the byQueue permission type, you must also specify one or more sourceQueueArns values.',
    );
  }
  return JSON.stringify(policy);
}

function parseShortObject(text: string): Record<string, unknown> | undefined {
  return Buffer.byteLength(text) > REDRIVE_POLICY_BYTES_MAX ? undefined : parseJsonObject(text);
}

function isReceiveCount(value: unknown): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  const count = /^\d+$/.test(String(value)) ? Number(value) : 0;
  return count >= 1 && count <= REDRIVE_RECEIVE_COUNT_MAX;
}

function invalidRedrivePolicy(text: string, reason: string): SqsError {
  return invalidParameter(`Value ${text} for parameter RedrivePolicy is invalid. Reason: ${reason}`);
}

// The apostrophe in “it’s” is U+2019 in the texts of SQS, the one in “can't” is not.
const NO_ALLOW_POLICY = "Amazon SQS can't create the redrive allow policy";

function unsupportedAllowPolicy(): SqsError {
  return invalidParameter(
    `Invalid value for the parameter RedriveAllowPolicy. Reason: ${NO_ALLOW_POLICY}, as it’s in an unsupported format.`,
  );
}

function invalidAllowPolicy(text: string, reason: string): SqsError {
  return invalidParameter(
    `Value ${text} for parameter RedriveAllowPolicy is invalid. Reason: ${NO_ALLOW_POLICY}. ${reason}`,
  );
}
