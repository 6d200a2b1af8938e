import { compilePolicy } from '../compile-policy.ts';
import type { ConditionContext } from '../condition-context.ts';
import type { ApplicablePolicies, AttachedPolicy } from '../evaluate.ts';
import type { PolicyKind } from '../policy.ts';

/** Statements of each type of policy that applies, as they stand in documents. */
export type Documents = { [Type in keyof ApplicablePolicies]: readonly object[] };

export function attached<Kind extends PolicyKind>(
  name: string,
  kind: Kind,
  statements: readonly object[],
  version = '2012-10-17',
): AttachedPolicy<Kind> {
  return { name, policy: compilePolicy(JSON.stringify({ Version: version, Statement: statements }), kind) };
}

/** The policies of documents, each named by its type. */
export function policiesOf(documents: Documents, version?: string): ApplicablePolicies {
  const { identity, boundary, session, queue, endpoint } = documents;
  return {
    ...(identity && { identity: [attached('identity', 'identity', identity, version)] }),
    ...(boundary && { boundary: attached('boundary', 'identity', boundary, version) }),
    ...(session && { session: [attached('session', 'identity', session, version)] }),
    ...(queue && { queue: attached('queue', 'queue', queue, version) }),
    ...(endpoint && { endpoint: attached('endpoint', 'endpoint', endpoint, version) }),
  };
}

/** Condition keys in any case. */
export function contextOf(values: Readonly<Record<string, string | string[]>> = {}): ConditionContext {
  return new Map(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));
}
