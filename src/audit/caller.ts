/** Who makes a call, as far as a record says it. A `Caller` of the identities fits as it is. */
export interface AuditedCaller {
  type: 'root' | 'user' | 'assumed-role' | 'federated-user' | 'anonymous';
  account: string;
  userId: string;
  arn: string;
  /** Of the user, or of the session. */
  name?: string;
  /** With a role: the role itself. */
  role?: { arn: string; id: string; name: string };
  /** Absent while nobody is asked for a signature. */
  accessKeyId?: string;
  /** With temporary credentials; epoch milliseconds. */
  session?: { issuedAt: number };
}

/** Who has signed nothing, where signatures are verified: a queue's policy may let anybody in. */
export const ANONYMOUS: AuditedCaller = { type: 'anonymous', account: 'ANONYMOUS_PRINCIPAL', userId: '', arn: '' };

const TYPES = { root: 'Root', user: 'IAMUser', 'assumed-role': 'AssumedRole', 'federated-user': 'FederatedUser' };

/** CloudTrail's userIdentity element. */
export function userIdentityOf(caller: AuditedCaller): object {
  const { type, account, userId, arn, name, role, accessKeyId, session } = caller;
  if (type === 'anonymous') return { type: 'AWSAccount', principalId: userId, accountId: account };
  return {
    type: TYPES[type],
    principalId: userId,
    arn,
    accountId: account,
    accessKeyId,
    userName: type === 'user' ? name : undefined,
    sessionContext: session && {
      sessionIssuer: role && {
        type: 'Role',
        principalId: role.id,
        arn: role.arn,
        accountId: account,
        userName: role.name,
      },
      attributes: { creationDate: isoSeconds(session.issuedAt), mfaAuthenticated: 'false' },
    },
  };
}

/** Epoch milliseconds as CloudTrail writes times: `2026-12-01T00:00:00Z`. */
export function isoSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
