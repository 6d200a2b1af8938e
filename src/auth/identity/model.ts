/**
 * Who there is. Policies are carried as the texts they were written as: what they mean is for the policy evaluator.
 */

/** A JSON document with a name. */
export interface Policy {
  name: string;
  document: string;
}

export type Tags = Readonly<Record<string, string>>;

export interface AccessKey {
  /** `AKIA...` */
  id: string;
  secret: string;
  /** A key that is not active is kept, and refused like one that nobody has. */
  active: boolean;
}

export interface Group {
  account: string;
  name: string;
  arn: string;
  /** `AGPA...` */
  id: string;
  policies: readonly Policy[];
}

export interface User {
  account: string;
  name: string;
  arn: string;
  /** `AIDA...` */
  id: string;
  groups: readonly Group[];
  /** Attached to the user itself, without those of its groups. */
  policies: readonly Policy[];
  /** What bounds the policies, as a JSON document. Absent: nothing. */
  permissionsBoundary?: string;
  tags: Tags;
  accessKeys: readonly AccessKey[];
}

export interface Role {
  account: string;
  name: string;
  arn: string;
  /** `AROA...` */
  id: string;
  /** Who may assume it, as a JSON document. */
  trustPolicy: string;
  /** The longest session, in seconds. */
  sessionSecondsMax: number;
  policies: readonly Policy[];
  permissionsBoundary?: string;
  tags: Tags;
}

/** The owner of everything in an account. No policy of its own says so. */
export interface Root {
  account: string;
  arn: string;
  accessKeys: readonly AccessKey[];
}

export interface Account {
  /** 12 digits. */
  id: string;
  root: Root;
  users: readonly User[];
  groups: readonly Group[];
  roles: readonly Role[];
}

/** `path`: `/` or `/teams/blue/`. The partition is that of the server's region. */
export function iamArn(
  partition: string,
  account: string,
  kind: 'user' | 'group' | 'role',
  path: string,
  name: string,
): string {
  return `arn:${partition}:iam::${account}:${kind}${path}${name}`;
}

export function rootArn(partition: string, account: string): string {
  return `arn:${partition}:iam::${account}:root`;
}
