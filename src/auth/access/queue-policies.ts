import type { QueueRecord } from '../../queue/record.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import type { AttachedPolicy } from '../policy/evaluate.ts';
import { PolicyError } from '../policy/policy-error.ts';

/** By record: a change of the queue makes another one. */
const policies = new WeakMap<QueueRecord, AttachedPolicy<'queue'> | 'none'>();

/**
 * In place of a policy that means nothing, stored before policies were checked: it may have been meant to keep somebody
 * out, so nobody gets in until it has been set anew, for which its owner needs these actions.
 */
const UNREADABLE: AttachedPolicy<'queue'> = {
  name: 'unreadable queue policy',
  policy: compilePolicy(
    JSON.stringify({
      Version: '2012-10-17',
      Statement: {
        Sid: 'PolicyCannotBeRead',
        Effect: 'Deny',
        Principal: '*',
        NotAction: ['sqs:GetQueueAttributes', 'sqs:SetQueueAttributes', 'sqs:RemovePermission', 'sqs:GetQueueUrl'],
        Resource: '*',
      },
    }),
    'queue',
  ),
};

/** The Policy attribute of a queue, compiled once for each record. */
export function queuePolicyOf(queue: QueueRecord): AttachedPolicy<'queue'> | undefined {
  let policy = policies.get(queue);
  if (policy === undefined) {
    const { Policy: text } = queue.attributes;
    policy = text === undefined ? 'none' : compiled(text);
    policies.set(queue, policy);
  }
  return policy === 'none' ? undefined : policy;
}

function compiled(text: string): AttachedPolicy<'queue'> {
  try {
    return { name: 'queue policy', policy: compilePolicy(text, 'queue') };
  } catch (error) {
    if (error instanceof PolicyError) return UNREADABLE;
    throw error;
  }
}
