import type { Caller } from '../identity/caller.ts';
import type { Policy } from '../identity/model.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import type { ApplicablePolicies, AttachedPolicy } from '../policy/evaluate.ts';
import type { Principal } from '../policy/principal.ts';
import { principalOf } from './principal-of.ts';

/** What access control needs of a caller, ready to be evaluated. */
export interface CallerAccess {
  principal: Principal;
  policies: Pick<ApplicablePolicies, 'identity' | 'boundary' | 'session'>;
}

/** Users of a group have its policies in common: compiled once, for as long as the directory lives that they are from. */
const attachedPolicies = new WeakMap<Policy, AttachedPolicy<'identity'>>();
const accessOfCallers = new WeakMap<Caller, CallerAccess>();

/**
 * Compiled once for each caller, which is the same object for all its requests.
 *
 * @throws PolicyError for a text that is no policy: none such gets into a directory or into a session.
 */
export function accessOf(caller: Caller): CallerAccess {
  let access = accessOfCallers.get(caller);
  if (access === undefined) {
    const { identity, boundary, session } = caller.policies;
    access = {
      principal: principalOf(caller),
      policies: {
        identity: identity.map(attached),
        boundary: boundary === undefined ? undefined : compiled('permissions boundary', boundary),
        session: session?.map((document) => compiled('session policy', document)),
      },
    };
    accessOfCallers.set(caller, access);
  }
  return access;
}

function attached(policy: Policy): AttachedPolicy<'identity'> {
  let found = attachedPolicies.get(policy);
  if (found === undefined) {
    found = compiled(policy.name, policy.document);
    attachedPolicies.set(policy, found);
  }
  return found;
}

function compiled(name: string, document: string): AttachedPolicy<'identity'> {
  return { name, policy: compilePolicy(document, 'identity') };
}
