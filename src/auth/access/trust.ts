import type { Caller } from '../identity/caller.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import type { ConditionContext } from '../policy/condition-context.ts';
import { evaluate } from '../policy/evaluate.ts';
import { requestContext } from '../policy/request-context.ts';
import type { IsTrusted } from '../sts/sts-service.ts';
import { accessOf } from './caller-policies.ts';
import { type Origin, originFacts } from './request-facts.ts';

/** What of a request to STS conditions may ask for. */
export interface StsRequestFacts {
  origin: Origin;
  region: string;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * Whether a role may be assumed. Its trust policy must allow it in any case, also within the account: identity policies
 * alone do not suffice. Where it names an account, and not the caller, the caller's own policies must allow it, too.
 */
export function trustIn(facts: StsRequestFacts): IsTrusted {
  return (trustPolicy, caller, { action, resource, conditions }) => {
    const { principal, policies } = accessOf(caller);
    const base = contextOf(caller, facts);
    const context: ConditionContext = { get: (key) => conditions.get(key) ?? base.get(key) };
    const trust = { name: 'trust policy', policy: compilePolicy(trustPolicy, 'trust') };
    const { outcome, verdicts } = evaluate({ principal, action, resource, context }, { ...policies, queue: trust });
    return outcome === 'allow' && verdicts.queue.outcome === 'allow';
  };
}

/** Whether the caller's own policies allow something that is on nobody's resource but its account's. */
export function mayCall(action: string, resource: string, caller: Caller, facts: StsRequestFacts): boolean {
  const { principal, policies } = accessOf(caller);
  return evaluate({ principal, action, resource, context: contextOf(caller, facts) }, policies).outcome === 'allow';
}

function contextOf(caller: Caller, { origin, region, now }: StsRequestFacts): ConditionContext {
  const { principal } = accessOf(caller);
  const sessionIssuedAt = caller.session?.issuedAt;
  return requestContext({ principal, now, region, sessionIssuedAt, ...originFacts(origin) });
}
