import type { Condition, Effect } from './conditions.ts';
import type { Glob } from './glob.ts';
import type { PrincipalSet } from './principal-set.ts';
import type { TextTest } from './template.ts';

/**
 * Where a policy is used. `identity`: attached to users and roles, also as permissions boundary or session policy, no
 * Principal. `queue`: the Policy attribute, Principal required, with the limits of SQS. `endpoint`: bound to a listener,
 * Principal required. `trust`: of a role, who may assume it: Principal required, and no Resource, which is the role.
 */
export type PolicyKind = 'identity' | 'queue' | 'endpoint' | 'trust';

export const POLICY_VERSIONS = ['2008-10-17', '2012-10-17'] as const;
export type PolicyVersion = (typeof POLICY_VERSIONS)[number];

/** A policy with its patterns compiled: what `compilePolicy` makes of a document. Immutable. */
export interface Policy<Kind extends PolicyKind = PolicyKind> {
  kind: Kind;
  /** The older one when the document has none. */
  version: PolicyVersion;
  id?: string;
  statements: readonly Statement[];
}

export interface Statement {
  sid?: string;
  /** Its position in the document, 0 for the first. */
  index: number;
  effect: Effect;
  /** Absent in policies of identities. A negated one, NotPrincipal, is a Deny. */
  principals?: Negatable<PrincipalSet>;
  /** Globs in lower case. */
  actions: Negatable<readonly Glob[]>;
  resources: Negatable<readonly TextTest[]>;
  conditions: readonly Condition[];
}

/** An element, or its opposite: Action and NotAction. */
export interface Negatable<Content> {
  negated: boolean;
  content: Content;
}
