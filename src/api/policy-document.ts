import { compilePolicy } from '../auth/policy/compile-policy.ts';
import { PolicyError } from '../auth/policy/policy-error.ts';
import { SqsError } from '../protocol/model/errors.ts';

/** The Policy attribute as a document that permissions are added to and taken from. */
export interface PolicyDocument {
  Version?: string;
  Id?: string;
  Statement: Statement[];
}

export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  [element: string]: unknown;
}

/**
 * Checks the Policy attribute and returns it in its stored form, without white space (SQS: section 3.2).
 *
 * @throws SqsError InvalidAttributeValue for its form, OverLimit for too much of something (InvalidParameterValue when
 *   the queue is being created: the two actions of SQS differ). What exactly is wrong with it is the cause.
 */
export function parsePolicy(text: string, creating: boolean): string {
  const { error } = check(text);
  if (error === undefined) return JSON.stringify(JSON.parse(text));
  if (error.excess === undefined || error.excess.what === 'bytes') throw malformed(error);
  const { found, what, max } = error.excess;
  throw new SqsError(
    creating ? 'InvalidParameterValueException' : 'OverLimit',
    `${found} ${what} were found in the submitted policy, max allowed is ${max}`,
    { cause: error },
  );
}

/** Reads a stored policy. Trusts it: it was checked when it was set. */
export function readPolicy(text: string): PolicyDocument {
  const policy = JSON.parse(text);
  return { ...policy, Statement: Array.isArray(policy.Statement) ? policy.Statement : [policy.Statement] };
}

/**
 * The stored form of a policy that this server added to.
 *
 * @throws SqsError OverLimit; InvalidAttributeValue when what was there before is no policy, as an earlier version of
 *   this server let pass more.
 */
export function writePolicy(policy: PolicyDocument): string {
  const text = JSON.stringify(policy);
  const { error } = check(text);
  if (error === undefined) return text;
  if (error.excess === undefined) throw malformed(error);
  const { found, what, max } = error.excess;
  throw new SqsError(
    'OverLimit',
    what === 'bytes'
      ? `A policy of ${found} bytes would result, maximum allowed is ${max}.`
      : `${found} ${what[0]?.toUpperCase()}${what.slice(1)} were found, maximum allowed is ${max}.`,
    { cause: error },
  );
}

function check(text: string): { error?: PolicyError } {
  try {
    compilePolicy(text, 'queue');
    return {};
  } catch (error) {
    if (error instanceof PolicyError) return { error };
    throw error;
  }
}

function malformed(cause: PolicyError): SqsError {
  return new SqsError('InvalidAttributeValue', 'Invalid value for the parameter Policy.', { cause });
}
