import type { Policy, Role, Root, Tags, User } from './model.ts';

/** Who makes a request, as far as policies, replies and logs ask. */
export interface Caller {
  type: 'root' | 'user' | 'assumed-role' | 'federated-user';
  /** 12 digits. */
  account: string;
  /**
   * `arn:aws:iam::111122223333:user/alice`, `arn:aws:iam::111122223333:root`,
   * `arn:aws:sts::111122223333:assumed-role/worker/session`, `arn:aws:sts::111122223333:federated-user/name`
   */
  arn: string;
  /** `AIDA...`, `AROA...:session`, `111122223333:name`, and for the root the account: what SQS reports as SenderId. */
  userId: string;
  /** Of the user, or of the session. */
  name: string;
  /** With a role: the role itself, which policies name too. */
  role?: { arn: string; id: string; name: string };
  /** With a federated user: the ARN of the user who vouches for it. */
  userArn?: string;
  /** aws:PrincipalTag. */
  tags: Tags;
  policies: CallerPolicies;
  /** What has signed the request. */
  accessKeyId: string;
  /** With temporary credentials. */
  session?: {
    /** Epoch milliseconds. */
    issuedAt: number;
    expiresAt: number;
    sourceIdentity?: string;
    /** Tags that pass on to the next session. */
    transitiveTagKeys: readonly string[];
  };
}

/** All policies of the caller's side. Something is allowed when each of the three allows it; an absent one allows all. */
export interface CallerPolicies {
  /** Any of them may allow. The root needs none: everything in its account is its own. */
  identity: readonly Policy[];
  boundary?: string;
  /** Given with AssumeRole or GetFederationToken: bounds this session. An empty list allows nothing. */
  session?: readonly string[];
}

export function rootCaller(root: Root, accessKeyId: string): Caller {
  return {
    type: 'root',
    account: root.account,
    arn: root.arn,
    userId: root.account,
    name: 'root',
    tags: {},
    policies: { identity: [] },
    accessKeyId,
  };
}

export function userCaller(user: User, accessKeyId: string): Caller {
  return {
    type: 'user',
    account: user.account,
    arn: user.arn,
    userId: user.id,
    name: user.name,
    tags: user.tags,
    policies: policiesOfUser(user),
    accessKeyId,
  };
}

export function policiesOfUser(user: User): CallerPolicies {
  return {
    identity: [...user.policies, ...user.groups.flatMap((group) => group.policies)],
    boundary: user.permissionsBoundary,
  };
}

/** What a session adds to the role that it is of. */
export interface RoleSession {
  name: string;
  policy?: string;
  tags: Tags;
  transitiveTagKeys: readonly string[];
  sourceIdentity?: string;
  issuedAt: number;
  expiresAt: number;
}

export function roleCaller(role: Role, session: RoleSession, partition: string, accessKeyId: string): Caller {
  const { name, policy, tags, transitiveTagKeys, sourceIdentity, issuedAt, expiresAt } = session;
  return {
    type: 'assumed-role',
    account: role.account,
    arn: assumedRoleArn(partition, role, name),
    userId: `${role.id}:${name}`,
    name,
    role: { arn: role.arn, id: role.id, name: role.name },
    // Of two values for a key the session's counts.
    tags: { ...role.tags, ...tags },
    policies: {
      identity: role.policies,
      boundary: role.permissionsBoundary,
      session: policy === undefined ? undefined : [policy],
    },
    accessKeyId,
    session: { issuedAt, expiresAt, sourceIdentity, transitiveTagKeys },
  };
}

export function assumedRoleArn(partition: string, { account, name }: Role, session: string): string {
  return `arn:${partition}:sts::${account}:assumed-role/${name}/${session}`;
}

/** With credentials of GetSessionToken: the same caller, for a time. */
export function withSession(
  caller: Caller,
  { issuedAt, expiresAt }: Pick<RoleSession, 'issuedAt' | 'expiresAt'>,
): Caller {
  return { ...caller, session: { issuedAt, expiresAt, transitiveTagKeys: [] } };
}

/** Somebody whom a user vouches for: has of the user's permissions what the policy of the session allows; without one, none. */
export function federatedCaller(user: User, session: RoleSession, partition: string, accessKeyId: string): Caller {
  const { name, policy, tags, issuedAt, expiresAt, transitiveTagKeys } = session;
  return {
    type: 'federated-user',
    account: user.account,
    arn: federatedUserArn(partition, user.account, name),
    userId: `${user.account}:${name}`,
    name,
    userArn: user.arn,
    tags: { ...user.tags, ...tags },
    policies: { ...policiesOfUser(user), session: policy === undefined ? [] : [policy] },
    accessKeyId,
    session: { issuedAt, expiresAt, transitiveTagKeys },
  };
}

export function federatedUserArn(partition: string, account: string, name: string): string {
  return `arn:${partition}:sts::${account}:federated-user/${name}`;
}
