/** Who makes a request, as far as policies can tell callers apart. */
export type Principal =
  | RootPrincipal
  | UserPrincipal
  | SessionPrincipal
  | FederatedPrincipal
  | ServicePrincipal
  | AnonymousPrincipal;

/** The owner of an account. */
export interface RootPrincipal {
  type: 'root';
  /** 12 digits. */
  account: string;
  /** `arn:aws:iam::123456789012:root` */
  arn: string;
}

export interface UserPrincipal {
  type: 'user';
  account: string;
  /** With the path: `arn:aws:iam::123456789012:user/teams/blue/bob`. */
  arn: string;
  /** Without the path. */
  name: string;
  /** Unique for all time: `AIDA...`. */
  id: string;
  tags: Readonly<Record<string, string>>;
}

/** A session of a role that somebody has assumed. */
export interface SessionPrincipal {
  type: 'assumed-role';
  account: string;
  /** Of the session: `arn:aws:sts::123456789012:assumed-role/worker/run-7`. */
  arn: string;
  /** Of the role, with the path: `arn:aws:iam::123456789012:role/jobs/worker`. */
  roleArn: string;
  /** The id of the role and the name of the session: `AROA...:run-7`. */
  id: string;
  /** Tags of the role and of the session, which win. */
  tags: Readonly<Record<string, string>>;
}

/** Somebody whom a user vouches for, by GetFederationToken. */
export interface FederatedPrincipal {
  type: 'federated-user';
  account: string;
  /** `arn:aws:sts::123456789012:federated-user/guest` */
  arn: string;
  /** Of the user, with the path: policies that name it mean the federated user, too. */
  userArn: string;
  /** `123456789012:guest` */
  id: string;
  /** Tags of the user and of the session, which win. */
  tags: Readonly<Record<string, string>>;
}

/** A service that acts for itself, such as `sns.amazonaws.com`. */
export interface ServicePrincipal {
  type: 'service';
  name: string;
}

/** A request without a signature. */
export interface AnonymousPrincipal {
  type: 'anonymous';
}

/** The account of a caller; undefined for services and anonymous callers, which are in none. */
export function accountOf(principal: Principal): string | undefined {
  return 'account' in principal ? principal.account : undefined;
}
