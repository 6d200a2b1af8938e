import { arnParts } from './arn.ts';
import { PolicyError } from './policy-error.ts';
import type { FederatedPrincipal, Principal, SessionPrincipal } from './principal.ts';

/** The Principal element of a statement. */
export interface PrincipalSet {
  /** `*`: everybody, also services and anonymous callers. */
  everyone: boolean;
  /** Account ids; each stands for its root and for everybody in it. */
  accounts: ReadonlySet<string>;
  /** Of users, roles and sessions. */
  arns: ReadonlySet<string>;
  services: ReadonlySet<string>;
}

/**
 * As whom a caller is in a set. It makes a difference to what a queue policy grants: to the caller itself (as user, root,
 * session, service, or because it is everybody), to the role behind the session (or the user behind a federated user), or to the account, which may hand it on.
 */
export type Grantee = 'caller' | 'role' | 'account';

/** Principals there are none of here: nobody can sign in as one (SAML, OpenID, S3), so that these fit no caller. */
const KINDS_OF_NOBODY: ReadonlySet<string> = new Set(['Federated', 'CanonicalUser']);

const ACCOUNT_ID = /^\d{12}$/;
const SERVICE = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
const NAME = /^[\w+=,.@-]{1,64}$/;
const PATH_PIECE = /^[\x21-\x29\x2b-\x3e\x40-\x7e]*$/;

/**
 * `element`: kinds of principals with their values, or `*`.
 *
 * @throws PolicyError
 */
export function compilePrincipals(element: '*' | ReadonlyMap<string, readonly string[]>, path: string): PrincipalSet {
  const accounts = new Set<string>();
  const arns = new Set<string>();
  const services = new Set<string>();
  const everyone = { everyone: true, accounts, arns, services };
  if (element === '*') return everyone;
  let isEveryone = false;
  for (const [kind, values] of element) {
    for (const value of values) {
      if (kind === 'AWS' && value === '*') isEveryone = true;
      else if (kind === 'AWS') addAwsPrincipal(value, accounts, arns, `${path}.AWS`);
      else if (kind === 'Service') services.add(checkService(value, `${path}.Service`));
      else if (!KINDS_OF_NOBODY.has(kind)) throw new PolicyError(path, `"${kind}" is no kind of principal`);
    }
  }
  return isEveryone ? everyone : { everyone: false, accounts, arns, services };
}

/** Whether a text names an account, a user, a role or a session: what may stand as an AWS principal, except `*`. */
export function isAwsPrincipal(text: string): boolean {
  return ACCOUNT_ID.test(text) || isPrincipalArn(text);
}

/** As whom the caller is in the set, the most direct way first; undefined when it is not. */
export function granteeIn(set: PrincipalSet, principal: Principal): Grantee | undefined {
  if (set.everyone) return 'caller';
  switch (principal.type) {
    case 'root':
      return set.accounts.has(principal.account) ? 'caller' : undefined;
    case 'user':
      if (set.arns.has(principal.arn)) return 'caller';
      return set.accounts.has(principal.account) ? 'account' : undefined;
    case 'assumed-role':
    case 'federated-user':
      if (set.arns.has(principal.arn)) return 'caller';
      if (set.arns.has(issuerOf(principal))) return 'role';
      return set.accounts.has(principal.account) ? 'account' : undefined;
    case 'service':
      return set.services.has(principal.name) ? 'caller' : undefined;
    case 'anonymous':
      return undefined;
  }
}

/**
 * Whether NotPrincipal spares a caller: it must name all that the caller is, down from the account, as IAM looks at the
 * account, the role and the session one after the other.
 */
export function isSpared(set: PrincipalSet, principal: Principal): boolean {
  if (set.everyone) return true;
  switch (principal.type) {
    case 'root':
      return set.accounts.has(principal.account);
    case 'user':
      return set.accounts.has(principal.account) && set.arns.has(principal.arn);
    case 'assumed-role':
    case 'federated-user':
      return set.accounts.has(principal.account) && set.arns.has(issuerOf(principal)) && set.arns.has(principal.arn);
    case 'service':
      return set.services.has(principal.name);
    case 'anonymous':
      return false;
  }
}

/** Whose permissions a session has. */
function issuerOf(principal: SessionPrincipal | FederatedPrincipal): string {
  return principal.type === 'assumed-role' ? principal.roleArn : principal.userArn;
}

function addAwsPrincipal(text: string, accounts: Set<string>, arns: Set<string>, path: string): void {
  if (/[*?]/.test(text)) throw new PolicyError(path, `"${text}" has a wildcard, which can only stand for everybody`);
  if (!isAwsPrincipal(text)) {
    throw new PolicyError(path, `"${text}" is no account id and no ARN of an account, user, role or session`);
  }
  const [, , , , account = '', resource = ''] = arnParts(text) ?? [];
  if (account === '') accounts.add(text);
  else if (resource === 'root') accounts.add(account);
  else arns.add(text);
}

function isPrincipalArn(text: string): boolean {
  const [, partition = '', service = '', region, account = '', resource = ''] = arnParts(text) ?? [];
  if (!/^aws(-[a-z]+)*$/.test(partition) || region !== '' || !ACCOUNT_ID.test(account)) return false;
  const pieces = resource.split('/');
  const [kind] = pieces;
  if (service === 'iam') {
    if (resource === 'root') return true;
    return (
      (kind === 'user' || kind === 'role') && pieces.length > 1 && isName(pieces.at(-1)) && pieces.every(isPathPiece)
    );
  }
  if (service !== 'sts') return false;
  if (kind === 'assumed-role') return pieces.length === 3 && pieces.slice(1).every(isName);
  return kind === 'federated-user' && pieces.length === 2 && isName(pieces[1]);
}

function isName(text: string | undefined): boolean {
  return text !== undefined && NAME.test(text);
}

function isPathPiece(text: string): boolean {
  return PATH_PIECE.test(text);
}

function checkService(name: string, path: string): string {
  if (SERVICE.test(name)) return name;
  throw new PolicyError(path, `"${name}" is no name of a service, such as sns.amazonaws.com`);
}
