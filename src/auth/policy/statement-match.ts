import type { AccessRequest } from './access-request.ts';
import { conditionHolds } from './conditions.ts';
import { matchesGlob } from './glob.ts';
import type { Statement } from './policy.ts';
import { type Grantee, granteeIn, isSpared } from './principal-set.ts';

/** A request, and what of its policies a statement of another one depends on. */
export interface MatchedRequest extends AccessRequest {
  /** In lower case. */
  action: string;
  /** Whether the caller has a permissions boundary: then no NotPrincipal spares it, as the documentation of IAM has it. */
  bounded: boolean;
}

/**
 * As whom the caller is meant when a statement applies to a request; undefined when it does not apply. A statement that
 * names no principals means the caller.
 */
export function granteeOf(statement: Statement, request: MatchedRequest): Grantee | undefined {
  const grantee = namedAs(statement, request);
  if (grantee === undefined || !coversAction(statement, request.action)) return undefined;
  if (!coversResource(statement, request)) return undefined;
  const { conditions, effect } = statement;
  return conditions.every((condition) => conditionHolds(condition, effect, request.context)) ? grantee : undefined;
}

function namedAs({ principals }: Statement, { principal, bounded }: MatchedRequest): Grantee | undefined {
  if (principals === undefined) return 'caller';
  if (principals.negated) return !bounded && isSpared(principals.content, principal) ? undefined : 'caller';
  return granteeIn(principals.content, principal);
}

function coversAction({ actions }: Statement, action: string): boolean {
  return actions.content.some((glob) => matchesGlob(glob, action)) !== actions.negated;
}

function coversResource({ resources, effect }: Statement, { resource, context }: AccessRequest): boolean {
  const results = resources.content.map((test) => test(resource, context));
  if (results.includes(true)) return !resources.negated;
  if (!resources.negated) return false;
  // Where a variable without a value leaves it open whether NotResource names the resource, an Allow must not be wider.
  return effect === 'Deny' || !results.includes(undefined);
}
