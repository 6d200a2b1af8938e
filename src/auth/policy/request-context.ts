import type { ConditionContext } from './condition-context.ts';
import type { Principal } from './principal.ts';

/** What a server knows of a request and of the queue; what is absent gives no condition key. */
export interface RequestFacts {
  principal: Principal;
  /** Epoch milliseconds: when the request came in. */
  now: number;
  /** Whether it came over TLS. */
  secure: boolean;
  region: string;
  /** IPv4 or IPv6, without a port. */
  sourceIp?: string;
  userAgent?: string;
  referer?: string;
  /** The endpoint, here the listener, that it came in by. */
  endpointId?: string;
  vpcId?: string;
  /** When the credentials are those of a session: epoch milliseconds of its begin, and of its MFA if there was any. */
  sessionIssuedAt?: number;
  mfaAuthenticatedAt?: number;
  /** For which resource, and of which account, a service acts: the topic that is delivered to the queue. */
  sourceArn?: string;
  sourceAccount?: string;
  /** Of the caller's account. */
  organizationId?: string;
  /** Of the account that owns the queue; absent for an action without a queue. */
  resourceAccount?: string;
  resourceTags?: Readonly<Record<string, string>>;
  /** Of CreateQueue and TagQueue. */
  requestTags?: Readonly<Record<string, string>>;
  /** Of CreateQueue, TagQueue and UntagQueue. */
  tagKeys?: readonly string[];
}

/** The condition keys that this server has values for, as the documentation spells them (SQS: section 9.4). */
export const CONDITION_KEYS = {
  currentTime: 'aws:CurrentTime',
  epochTime: 'aws:EpochTime',
  secureTransport: 'aws:SecureTransport',
  sourceIp: 'aws:SourceIp',
  userAgent: 'aws:UserAgent',
  referer: 'aws:Referer',
  sourceVpce: 'aws:SourceVpce',
  sourceVpc: 'aws:SourceVpc',
  requestedRegion: 'aws:RequestedRegion',
  tokenIssueTime: 'aws:TokenIssueTime',
  multiFactorAuthPresent: 'aws:MultiFactorAuthPresent',
  multiFactorAuthAge: 'aws:MultiFactorAuthAge',
  sourceArn: 'aws:SourceArn',
  sourceAccount: 'aws:SourceAccount',
  principalArn: 'aws:PrincipalArn',
  principalAccount: 'aws:PrincipalAccount',
  principalType: 'aws:PrincipalType',
  principalOrgId: 'aws:PrincipalOrgID',
  principalIsAwsService: 'aws:PrincipalIsAWSService',
  principalServiceName: 'aws:PrincipalServiceName',
  userId: 'aws:userid',
  userName: 'aws:username',
  resourceAccount: 'aws:ResourceAccount',
  tagKeys: 'aws:TagKeys',
  /** These three end in the key of a tag. */
  principalTag: 'aws:PrincipalTag/',
  resourceTag: 'aws:ResourceTag/',
  requestTag: 'aws:RequestTag/',
} as const;

type Values = Map<string, string | readonly string[]>;

const PRINCIPAL_TYPES: Readonly<Record<Principal['type'], string | undefined>> = {
  root: 'Account',
  user: 'User',
  'assumed-role': 'AssumedRole',
  'federated-user': 'FederatedUser',
  anonymous: 'Anonymous',
  service: undefined,
};

/** The condition keys of a request. */
export function requestContext(facts: RequestFacts): ConditionContext {
  const values: Values = new Map();
  const set = (key: string, value: string | readonly string[] | undefined) => {
    if (value !== undefined) values.set(key.toLowerCase(), value);
  };
  set(CONDITION_KEYS.currentTime, isoSeconds(facts.now));
  set(CONDITION_KEYS.epochTime, String(Math.floor(facts.now / 1000)));
  set(CONDITION_KEYS.secureTransport, String(facts.secure));
  set(CONDITION_KEYS.requestedRegion, facts.region);
  set(CONDITION_KEYS.sourceIp, facts.sourceIp);
  set(CONDITION_KEYS.userAgent, facts.userAgent);
  set(CONDITION_KEYS.referer, facts.referer);
  set(CONDITION_KEYS.sourceVpce, facts.endpointId);
  set(CONDITION_KEYS.sourceVpc, facts.vpcId);
  set(CONDITION_KEYS.sourceArn, facts.sourceArn);
  set(CONDITION_KEYS.sourceAccount, facts.sourceAccount);
  set(CONDITION_KEYS.principalOrgId, facts.organizationId);
  set(CONDITION_KEYS.resourceAccount, facts.resourceAccount);
  set(CONDITION_KEYS.tagKeys, facts.tagKeys);
  setSession(set, facts);
  setPrincipal(set, facts.principal);
  setTags(set, CONDITION_KEYS.resourceTag, facts.resourceTags);
  setTags(set, CONDITION_KEYS.requestTag, facts.requestTags);
  return values;
}

type Set = (key: string, value: string | readonly string[] | undefined) => void;

/** Long-lived keys have none of these: conditions on MFA need `BoolIfExists`, as the documentation says. */
function setSession(set: Set, { now, sessionIssuedAt, mfaAuthenticatedAt }: RequestFacts): void {
  if (sessionIssuedAt === undefined) return;
  set(CONDITION_KEYS.tokenIssueTime, isoSeconds(sessionIssuedAt));
  set(CONDITION_KEYS.multiFactorAuthPresent, String(mfaAuthenticatedAt !== undefined));
  if (mfaAuthenticatedAt === undefined) return;
  set(CONDITION_KEYS.multiFactorAuthAge, String(Math.floor((now - mfaAuthenticatedAt) / 1000)));
}

function setPrincipal(set: Set, principal: Principal): void {
  set(CONDITION_KEYS.principalType, PRINCIPAL_TYPES[principal.type]);
  set(CONDITION_KEYS.principalIsAwsService, String(principal.type === 'service'));
  switch (principal.type) {
    case 'root':
      set(CONDITION_KEYS.principalArn, principal.arn);
      set(CONDITION_KEYS.principalAccount, principal.account);
      set(CONDITION_KEYS.userId, principal.account);
      break;
    case 'user':
      set(CONDITION_KEYS.principalArn, principal.arn);
      set(CONDITION_KEYS.principalAccount, principal.account);
      set(CONDITION_KEYS.userId, principal.id);
      set(CONDITION_KEYS.userName, principal.name);
      setTags(set, CONDITION_KEYS.principalTag, principal.tags);
      break;
    case 'assumed-role':
      set(CONDITION_KEYS.principalArn, principal.roleArn);
      set(CONDITION_KEYS.principalAccount, principal.account);
      set(CONDITION_KEYS.userId, principal.id);
      setTags(set, CONDITION_KEYS.principalTag, principal.tags);
      break;
    case 'federated-user':
      set(CONDITION_KEYS.principalArn, principal.arn);
      set(CONDITION_KEYS.principalAccount, principal.account);
      set(CONDITION_KEYS.userId, principal.id);
      setTags(set, CONDITION_KEYS.principalTag, principal.tags);
      break;
    case 'service':
      set(CONDITION_KEYS.principalServiceName, principal.name);
      break;
    case 'anonymous':
      set(CONDITION_KEYS.userId, 'anonymous');
      break;
  }
}

function setTags(set: Set, prefix: string, tags: Readonly<Record<string, string>> = {}): void {
  for (const [key, value] of Object.entries(tags)) set(`${prefix}${key}`, value);
}

function isoSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
