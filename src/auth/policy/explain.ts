import type { AccessRequest } from './access-request.ts';
import type { Decision, PolicyType, StatementReference } from './evaluate.ts';
import type { Principal } from './principal.ts';

const NAMES: Readonly<Record<PolicyType, string>> = {
  identity: 'identity-based policy',
  boundary: 'permissions boundary',
  session: 'session policy',
  queue: 'resource-based policy',
  endpoint: 'VPC endpoint policy',
};

/** A decision as a sentence for logs and for whoever debugs policies. */
export function explain(decision: Decision): string {
  const { outcome, decidedBy } = decision;
  if (decidedBy === 'ownership') return 'allowed: the root of the account that owns the queue needs no policy';
  if (decidedBy === 'owner-only') return 'denied: the action is for the account that owns the queue only';
  const name = NAMES[decidedBy];
  const by = decision.statement && ` by ${describe(decision.statement)} (${name})`;
  if (outcome === 'allow') return `allowed${by}`;
  if (outcome === 'explicit-deny') return `denied${by}`;
  return `denied: no ${name} allows it`;
}

/** The text of AccessDenied (SQS: section 9.5). The decision must be a denial. */
export function denialMessage({ principal, action, resource }: AccessRequest, decision: Decision): string {
  const lower = action.toLowerCase();
  const start = `User: ${callerName(principal)} is not authorized to perform: ${lower} on resource: ${resource}`;
  const { decidedBy } = decision;
  // What remains is a policy of the queue that cannot grant this, for which there is no text of its own.
  const type = decidedBy === 'ownership' || decidedBy === 'owner-only' ? 'queue' : decidedBy;
  if (decision.outcome !== 'explicit-deny') return `${start} because no ${NAMES[type]} allows the ${lower} action`;
  const article = type === 'identity' ? 'an' : 'a';
  return `${start} with an explicit deny in ${article} ${NAMES[type]}`;
}

function describe({ policy, sid, index }: StatementReference): string {
  return `statement ${sid ? `"${sid}"` : index} of "${policy}"`;
}

function callerName(principal: Principal): string {
  if (principal.type === 'anonymous') return 'anonymous';
  return principal.type === 'service' ? principal.name : principal.arn;
}
