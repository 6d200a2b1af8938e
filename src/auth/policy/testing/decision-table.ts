// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policy variables look like placeholders.
import type { Decision } from '../evaluate.ts';
import type { Principal } from '../principal.ts';
import {
  anonymous,
  BOB_ARN,
  guest,
  OWNER,
  QUEUE,
  root,
  STRANGER,
  strangeEve,
  strangeRoot,
  strangeWorker,
  topic,
  WORKER_ROLE_ARN,
  WORKER_SESSION_ARN,
  worker,
} from './callers.ts';

/** A request, the policies that apply, and what IAM makes of them. What is absent is bob sending to the queue. */
export interface DecisionRow {
  /** The rule the row comes from, in words. */
  rule: string;
  principal?: Principal;
  action?: string;
  resource?: string;
  /** Condition keys, in any case. */
  context?: Record<string, string | string[]>;
  identity?: Statements;
  boundary?: Statements;
  session?: Statements;
  queue?: Statements;
  endpoint?: Statements;
  /** Of all the policies; 2012-10-17 unless the row is about versions. */
  version?: string;
  expected: `${Decision['outcome']} ${Decision['decidedBy']}`;
}

type JsonObject = Record<string, unknown>;
type Statements = JsonObject[];

const allow = (more: JsonObject = {}): JsonObject => ({ Effect: 'Allow', Action: 'sqs:*', Resource: '*', ...more });
const deny = (more: JsonObject = {}): JsonObject => ({ ...allow(more), Effect: 'Deny' });
const to = (...aws: string[]) => ({ Principal: { AWS: aws } });
const everybody = { Principal: '*' };
const nothing = allow({ Action: 'sqs:NoSuchAction' });
const elsewhere = allow({ Action: 's3:GetObject' });
const rootArn = (account: string) => `arn:aws:iam::${account}:root`;

const denials: DecisionRow[] = [
  { rule: 'IAM: without a policy that allows, the answer is no', expected: 'implicit-deny identity' },
  { rule: 'IAM: an identity policy that allows suffices', identity: [allow()], expected: 'allow identity' },
  {
    rule: 'IAM: one Allow among statements that do not apply suffices',
    identity: [nothing, elsewhere, allow()],
    expected: 'allow identity',
  },
  { rule: 'IAM: an Allow of something else is none', identity: [elsewhere], expected: 'implicit-deny identity' },
  {
    rule: 'IAM: explicit deny overrides allow, in one policy, whatever the order',
    identity: [allow(), deny()],
    expected: 'explicit-deny identity',
  },
  {
    rule: 'IAM: explicit deny overrides allow, deny first',
    identity: [deny(), allow()],
    expected: 'explicit-deny identity',
  },
  {
    rule: 'IAM: a Deny that does not apply denies nothing',
    identity: [allow(), deny({ Action: 'sqs:PurgeQueue' })],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: explicit deny of the queue policy overrides the identity policy',
    identity: [allow()],
    queue: [deny(everybody)],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: explicit deny of the identity policy overrides the queue policy',
    identity: [deny()],
    queue: [allow(to(BOB_ARN))],
    expected: 'explicit-deny identity',
  },
  {
    rule: 'IAM: explicit deny of the boundary overrides all',
    identity: [allow()],
    boundary: [allow(), deny()],
    queue: [allow(to(BOB_ARN))],
    expected: 'explicit-deny boundary',
  },
  {
    rule: 'IAM: explicit deny of the session policy overrides all',
    principal: worker,
    identity: [allow()],
    session: [allow(), deny()],
    queue: [allow(to(WORKER_SESSION_ARN))],
    expected: 'explicit-deny session',
  },
  {
    rule: 'IAM: explicit deny of the endpoint policy overrides all',
    identity: [allow()],
    queue: [allow(to(BOB_ARN))],
    endpoint: [allow(everybody), deny(everybody)],
    expected: 'explicit-deny endpoint',
  },
  {
    rule: 'IAM: explicit deny binds the root of the account',
    principal: root,
    queue: [deny(everybody)],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: explicit deny of an account binds its users',
    identity: [allow()],
    queue: [deny(to(OWNER))],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: explicit deny of a role binds its sessions',
    principal: worker,
    identity: [allow()],
    queue: [deny(to(WORKER_ROLE_ARN))],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: explicit deny of a session binds it',
    principal: worker,
    identity: [allow()],
    queue: [deny(to(WORKER_SESSION_ARN))],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: explicit deny of another user binds only that one',
    identity: [allow()],
    queue: [deny(to(`arn:aws:iam::${OWNER}:user/alice`))],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: explicit deny counts where an allow is missing too',
    identity: [deny()],
    expected: 'explicit-deny identity',
  },
];

const withinAccount: DecisionRow[] = [
  { rule: 'SQS: the root of the owner needs no policy', principal: root, expected: 'allow ownership' },
  {
    rule: 'SQS: the root of the owner needs no policy where others are named',
    principal: root,
    queue: [allow(to(BOB_ARN))],
    expected: 'allow ownership',
  },
  {
    rule: 'SQS: the root of the owner, named itself',
    principal: root,
    queue: [allow(to(OWNER))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: same account, a queue policy that names the user suffices',
    queue: [allow(to(BOB_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: same account, a queue policy for everybody suffices',
    queue: [allow(everybody)],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: {"AWS": "*"} is everybody',
    queue: [allow({ Principal: { AWS: '*' } })],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: same account, either of the two suffices: the queue policy has nothing',
    identity: [allow()],
    queue: [allow(to(`arn:aws:iam::${OWNER}:user/alice`))],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: same account, a queue policy that names the account leaves it to the identity policies, which have none',
    queue: [allow(to(rootArn(OWNER)))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: an account id is its root ARN',
    queue: [allow(to(OWNER))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: same account, the account is named and the identity policy allows',
    identity: [allow()],
    queue: [allow(to(OWNER))],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: a user is named by its whole ARN with the path',
    queue: [allow(to(`arn:aws:iam::${OWNER}:user/bob`))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: principals are case-sensitive',
    queue: [allow(to(BOB_ARN.replace('bob', 'Bob')))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: one of several principals is enough',
    queue: [allow(to(STRANGER, BOB_ARN, WORKER_ROLE_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: principals of several kinds are alternatives',
    queue: [allow({ Principal: { Service: 'sns.amazonaws.com', AWS: BOB_ARN } })],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: the role ARN grants to its sessions',
    principal: worker,
    queue: [allow(to(WORKER_ROLE_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: the session ARN grants to the session',
    principal: worker,
    queue: [allow(to(WORKER_SESSION_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: the ARN of one session does not grant to another',
    principal: { ...worker, arn: `arn:aws:sts::${OWNER}:assumed-role/worker/run-8` },
    queue: [allow(to(WORKER_SESSION_ARN))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: a role policy grants to its sessions',
    principal: worker,
    identity: [allow()],
    expected: 'allow identity',
  },
  {
    rule: 'Federated principals are accepted and fit nobody',
    queue: [allow({ Principal: { Federated: 'accounts.google.com' } })],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'Canonical users are accepted and fit nobody',
    queue: [allow({ Principal: { CanonicalUser: '79a59df900b949e5' } })],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: the ARN of a federated user does not grant to a user of its name',
    queue: [allow(to(`arn:aws:sts::${OWNER}:federated-user/bob`))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: a queue policy may name a federated user itself, which its session policy does not limit',
    principal: guest,
    session: [elsewhere],
    queue: [allow(to(guest.arn))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a queue policy that names the user grants to whom it vouches for, within the session policy',
    principal: guest,
    session: [allow()],
    queue: [allow(to(BOB_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: the session policy of a federated user limits what the user was granted',
    principal: guest,
    session: [elsewhere],
    queue: [allow(to(BOB_ARN))],
    expected: 'implicit-deny session',
  },
  {
    rule: 'IAM: a federated user has what the user and its session policy both allow',
    principal: guest,
    identity: [allow()],
    session: [allow()],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: explicit deny of a user binds whom it vouches for',
    principal: guest,
    identity: [allow()],
    session: [allow()],
    queue: [deny(to(BOB_ARN))],
    expected: 'explicit-deny queue',
  },
];

const limits: DecisionRow[] = [
  {
    rule: 'IAM: a boundary that does not allow limits the identity policy',
    identity: [allow()],
    boundary: [elsewhere],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'IAM: a boundary that allows lets the identity policy through',
    identity: [allow()],
    boundary: [allow()],
    expected: 'allow identity',
  },
  { rule: 'IAM: a boundary grants nothing itself', boundary: [allow()], expected: 'implicit-deny identity' },
  {
    rule: 'IAM: a grant to the user ARN is not limited by a boundary',
    boundary: [elsewhere],
    queue: [allow(to(BOB_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a grant to everybody is one to the user, not limited by a boundary',
    boundary: [elsewhere],
    queue: [allow(everybody)],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a grant to the account does not get around a boundary',
    identity: [allow()],
    boundary: [elsewhere],
    queue: [allow(to(OWNER))],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'IAM: a grant to the role ARN is limited by the boundary of the role',
    principal: worker,
    boundary: [elsewhere],
    queue: [allow(to(WORKER_ROLE_ARN))],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'IAM: a grant to the role ARN is limited by the session policy',
    principal: worker,
    session: [elsewhere],
    queue: [allow(to(WORKER_ROLE_ARN))],
    expected: 'implicit-deny session',
  },
  {
    rule: 'IAM: a grant to the role ARN within boundary and session policy',
    principal: worker,
    boundary: [allow()],
    session: [allow()],
    queue: [allow(to(WORKER_ROLE_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a grant to the session ARN is not limited by the boundary',
    principal: worker,
    boundary: [elsewhere],
    queue: [allow(to(WORKER_SESSION_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a grant to the session ARN is not limited by the session policy',
    principal: worker,
    session: [elsewhere],
    queue: [allow(to(WORKER_SESSION_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a grant to everybody is one to the session, not limited by its policy',
    principal: worker,
    session: [elsewhere],
    queue: [allow(everybody)],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: of a grant to the role and one to the session the more direct one counts',
    principal: worker,
    session: [elsewhere],
    queue: [allow(to(WORKER_ROLE_ARN)), allow(to(OWNER)), allow(to(WORKER_SESSION_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a session policy limits the policies of the role',
    principal: worker,
    identity: [allow()],
    session: [elsewhere],
    expected: 'implicit-deny session',
  },
  {
    rule: 'IAM: a session policy that allows lets the policies of the role through',
    principal: worker,
    identity: [allow()],
    session: [allow()],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: a session policy grants nothing itself',
    principal: worker,
    session: [allow()],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: boundary and session policy must both allow',
    principal: worker,
    identity: [allow()],
    boundary: [elsewhere],
    session: [allow()],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'VPC: an endpoint policy that does not allow is a no',
    identity: [allow()],
    endpoint: [allow({ ...everybody, Action: 'sqs:ReceiveMessage' })],
    expected: 'implicit-deny endpoint',
  },
  {
    rule: 'VPC: an endpoint policy that allows lets the others decide: yes',
    identity: [allow()],
    endpoint: [allow(everybody)],
    expected: 'allow identity',
  },
  {
    rule: 'VPC: an endpoint policy grants nothing itself',
    endpoint: [allow(everybody)],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'VPC: an endpoint policy limits what a queue policy grants to the caller',
    queue: [allow(to(BOB_ARN))],
    endpoint: [allow({ ...everybody, Action: 'sqs:ReceiveMessage' })],
    expected: 'implicit-deny endpoint',
  },
  {
    rule: 'VPC: an endpoint policy binds the root of the account',
    principal: root,
    endpoint: [allow({ ...everybody, Action: 'sqs:ReceiveMessage' })],
    expected: 'implicit-deny endpoint',
  },
  {
    rule: 'VPC: an endpoint policy that names the account lets its users through',
    identity: [allow()],
    endpoint: [allow(to(OWNER))],
    expected: 'allow identity',
  },
  {
    rule: 'VPC: an endpoint policy that names another account lets nobody else through',
    identity: [allow()],
    endpoint: [allow(to(STRANGER))],
    expected: 'implicit-deny endpoint',
  },
];

const limitedRoot: DecisionRow[] = [
  {
    rule: 'A boundary limits whoever has one, the root too',
    principal: root,
    boundary: [elsewhere],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'A session policy limits whoever has one, the root too',
    principal: root,
    session: [elsewhere],
    expected: 'implicit-deny session',
  },
];

const acrossAccounts: DecisionRow[] = [
  {
    rule: 'What is no ARN is in no account, as anonymous callers are, which does not make them its owners',
    principal: anonymous,
    resource: 'orders',
    identity: [allow()],
    expected: 'implicit-deny queue',
  },
  {
    rule: 'IAM: cross account, the identity policy alone does not suffice',
    principal: strangeEve,
    identity: [allow()],
    expected: 'implicit-deny queue',
  },
  {
    rule: 'IAM: cross account, the queue policy alone does not suffice',
    principal: strangeEve,
    queue: [allow(to(strangeEve.arn))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: cross account, both suffice',
    principal: strangeEve,
    identity: [allow()],
    queue: [allow(to(strangeEve.arn))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: cross account, naming the account and an identity policy suffice',
    principal: strangeEve,
    identity: [allow()],
    queue: [allow(to(STRANGER))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: cross account, naming the account is not enough without an identity policy',
    principal: strangeEve,
    queue: [allow(to(STRANGER))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: cross account, everybody and an identity policy suffice',
    principal: strangeEve,
    identity: [allow()],
    queue: [allow(everybody)],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: cross account, naming the role and a role policy suffice',
    principal: strangeWorker,
    identity: [allow()],
    queue: [allow(to(strangeWorker.roleArn))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: cross account, naming the session does not replace the role policy',
    principal: strangeWorker,
    queue: [allow(to(strangeWorker.arn))],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'IAM: cross account, a boundary limits although the queue policy names the user',
    principal: strangeEve,
    identity: [allow()],
    boundary: [elsewhere],
    queue: [allow(to(strangeEve.arn))],
    expected: 'implicit-deny boundary',
  },
  {
    rule: 'IAM: cross account, a session policy limits although the queue policy names the session',
    principal: strangeWorker,
    identity: [allow()],
    session: [elsewhere],
    queue: [allow(to(strangeWorker.arn))],
    expected: 'implicit-deny session',
  },
  {
    rule: 'IAM: cross account, explicit deny on the own side wins',
    principal: strangeEve,
    identity: [allow(), deny()],
    queue: [allow(to(strangeEve.arn))],
    expected: 'explicit-deny identity',
  },
  {
    rule: 'IAM: cross account, explicit deny on the side of the queue wins',
    principal: strangeEve,
    identity: [allow()],
    queue: [allow(to(STRANGER)), deny(to(strangeEve.arn))],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: the root of another account needs the queue policy',
    principal: strangeRoot,
    expected: 'implicit-deny queue',
  },
  {
    rule: 'IAM: the root of another account needs nothing else',
    principal: strangeRoot,
    queue: [allow(to(STRANGER))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: the root of another account is not the root of the owner',
    principal: strangeRoot,
    queue: [allow(to(OWNER))],
    expected: 'implicit-deny queue',
  },
  {
    rule: 'IAM: cross account is told by the account in the ARN of the queue',
    resource: `arn:aws:sqs:us-east-1:${STRANGER}:orders`,
    identity: [allow()],
    expected: 'implicit-deny queue',
  },
  ...['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'].map(
    (name): DecisionRow => ({
      rule: 'SQS: can be granted to another account',
      principal: strangeEve,
      action: `sqs:${name}`,
      identity: [allow()],
      queue: [allow(to(STRANGER))],
      expected: 'allow queue',
    }),
  ),
  ...[
    'AddPermission',
    'CancelMessageMoveTask',
    'CreateQueue',
    'DeleteQueue',
    'ListMessageMoveTasks',
    'ListQueues',
    'ListQueueTags',
    'RemovePermission',
    'SetQueueAttributes',
    'StartMessageMoveTask',
    'TagQueue',
    'UntagQueue',
  ].map(
    (name): DecisionRow => ({
      rule: 'SQS: cannot be granted to another account',
      principal: strangeEve,
      action: `sqs:${name}`,
      identity: [allow()],
      queue: [allow(to(strangeEve.arn))],
      expected: 'implicit-deny owner-only',
    }),
  ),
  {
    rule: 'SQS: cannot be granted to another account, in any case of letters',
    principal: strangeRoot,
    action: 'SQS:deletequeue',
    queue: [allow(everybody)],
    expected: 'implicit-deny owner-only',
  },
  {
    rule: 'SQS: an action for the owner can be granted within the account',
    action: 'sqs:DeleteQueue',
    queue: [allow(to(BOB_ARN))],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: a service needs the queue policy',
    principal: topic,
    expected: 'implicit-deny queue',
  },
  {
    rule: 'IAM: a service is named by its name',
    principal: topic,
    queue: [allow({ Principal: { Service: 'sns.amazonaws.com' } })],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: another service is another principal',
    principal: topic,
    queue: [allow({ Principal: { Service: ['events.amazonaws.com', 's3.amazonaws.com'] } })],
    expected: 'implicit-deny queue',
  },
  { rule: 'IAM: everybody includes services', principal: topic, queue: [allow(everybody)], expected: 'allow queue' },
  {
    rule: 'SQS: SNS delivers to a queue whose policy names the topic',
    principal: topic,
    context: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:111111111111:news' },
    queue: [
      allow({
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:111111111111:news' } },
      }),
    ],
    expected: 'allow queue',
  },
  {
    rule: 'SQS: SNS does not deliver for another topic',
    principal: topic,
    context: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:222222222222:news' },
    queue: [
      allow({
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:111111111111:news' } },
      }),
    ],
    expected: 'implicit-deny queue',
  },
  {
    rule: 'SQS: a service cannot be granted what is for the owner',
    principal: topic,
    action: 'sqs:DeleteQueue',
    queue: [allow({ Principal: { Service: 'sns.amazonaws.com' } })],
    expected: 'implicit-deny owner-only',
  },
  { rule: 'SQS: without a signature, no', principal: anonymous, expected: 'implicit-deny queue' },
  {
    rule: 'SQS: everybody includes anonymous callers',
    principal: anonymous,
    queue: [allow(everybody)],
    expected: 'allow queue',
  },
  {
    rule: 'SQS: anonymous callers are in no account',
    principal: anonymous,
    queue: [allow(to(OWNER, BOB_ARN))],
    expected: 'implicit-deny queue',
  },
  {
    rule: 'SQS: an endpoint policy binds anonymous callers',
    principal: anonymous,
    queue: [allow(everybody)],
    endpoint: [allow(to(OWNER))],
    expected: 'implicit-deny endpoint',
  },
];

const spared = (...aws: string[]) => [allow(everybody), deny({ NotPrincipal: { AWS: aws } })];
const notPrincipals: DecisionRow[] = [
  {
    rule: 'IAM: NotPrincipal spares a user when the account is named as well',
    queue: spared(OWNER, BOB_ARN),
    expected: 'allow queue',
  },
  {
    rule: 'IAM: NotPrincipal with the user alone denies its account',
    queue: spared(BOB_ARN),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal with the account alone denies its users',
    queue: spared(OWNER),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal with the account spares its root',
    principal: root,
    queue: spared(OWNER),
    expected: 'allow queue',
  },
  {
    rule: 'IAM: NotPrincipal denies the root of an account that is not named',
    principal: root,
    queue: spared(STRANGER),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal spares a session when account, role and session are named',
    principal: worker,
    queue: spared(OWNER, WORKER_ROLE_ARN, WORKER_SESSION_ARN),
    expected: 'allow queue',
  },
  {
    rule: 'IAM: NotPrincipal without the session denies it',
    principal: worker,
    queue: spared(OWNER, WORKER_ROLE_ARN),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal without the role denies the session',
    principal: worker,
    queue: spared(OWNER, WORKER_SESSION_ARN),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal spares nobody who has a permissions boundary',
    boundary: [allow()],
    queue: spared(OWNER, BOB_ARN),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal spares nobody who has a permissions boundary, also in an endpoint policy',
    identity: [allow()],
    boundary: [allow()],
    endpoint: spared(OWNER, BOB_ARN),
    expected: 'explicit-deny endpoint',
  },
  {
    rule: 'IAM: NotPrincipal denies anonymous callers',
    principal: anonymous,
    queue: spared(OWNER, BOB_ARN),
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal spares a service that is named',
    principal: topic,
    queue: [allow(everybody), deny({ NotPrincipal: { Service: 'sns.amazonaws.com' } })],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: NotPrincipal denies a service that is not named',
    principal: topic,
    queue: [allow(everybody), deny({ NotPrincipal: { Service: 's3.amazonaws.com' } })],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: NotPrincipal "*" denies nobody',
    principal: anonymous,
    queue: [allow(everybody), deny({ NotPrincipal: '*' })],
    expected: 'allow queue',
  },
];

/** Whether an identity policy with this element allows bob's action on the queue. */
function elementRow(rule: string, statement: JsonObject, holds: boolean, more: Partial<DecisionRow> = {}): DecisionRow {
  return {
    rule,
    identity: [allow(statement)],
    expected: holds ? 'allow identity' : 'implicit-deny identity',
    ...more,
  };
}

const actions: DecisionRow[] = (
  [
    ['an action by its name', 'sqs:SendMessage', true],
    ['actions are not case-sensitive', 'SQS:sendmessage', true],
    ['another action is another', 'sqs:ReceiveMessage', false],
    ['the name of an action is all of it', 'sqs:Send', false],
    ['a star stands for the rest', 'sqs:Send*', true],
    ['a star stands for the beginning', 'sqs:*Message', true],
    ['a star stands for nothing as well', 'sqs:SendMessage*', true],
    ['a star in the middle', 'sqs:S*e', true],
    ['a question mark stands for one character', 'sqs:SendMessag?', true],
    ['a question mark never stands for none', 'sqs:SendMessage?', false],
    ['a star alone is every action', '*', true],
    ['all actions of another service', 's3:*', false],
    ['any of several actions', ['sqs:PurgeQueue', 'sqs:SendMessage'], true],
    ['none of several actions', ['sqs:PurgeQueue', 'sqs:ReceiveMessage'], false],
    ['batch actions are no actions of policies', 'sqs:SendMessageBatch', false],
  ] as const
).map(([rule, Action, holds]) => elementRow(`IAM: ${rule}`, { Action }, holds));

const notActions: DecisionRow[] = (
  [
    ['NotAction is every action but those named', 'sqs:PurgeQueue', true],
    ['NotAction leaves out the one named', 'sqs:SendMessage', false],
    ['NotAction leaves out those that match, in any case', 'SQS:send*', false],
    ['NotAction leaves out each of several', ['sqs:PurgeQueue', 'sqs:SendMessage'], false],
    ['NotAction reaches beyond a service', 's3:*', true],
  ] as const
).map(([rule, NotAction, holds]) => elementRow(`IAM: ${rule}`, { Action: undefined, NotAction }, holds));

const resources: DecisionRow[] = (
  [
    ['a resource by its ARN', QUEUE, true],
    ['resources are case-sensitive', QUEUE.replace('orders', 'Orders'), false],
    ['another queue', QUEUE.replace('orders', 'other'), false],
    ['a longer name is another', `${QUEUE}-2`, false],
    ['a star in the name', QUEUE.replace('orders', 'ord*'), true],
    ['a question mark in the name', QUEUE.replace('orders', 'order?'), true],
    ['a question mark for too much', QUEUE.replace('orders', 'orde?'), false],
    ['a star for the region', `arn:aws:sqs:*:${OWNER}:orders`, true],
    ['a star for the account', 'arn:aws:sqs:us-east-1:*:orders', true],
    ['a part of a region', `arn:aws:sqs:us-*-1:${OWNER}:orders`, true],
    ['a star for the partition', `arn:*:sqs:us-east-1:${OWNER}:*`, true],
    ['another region', `arn:aws:sqs:eu-*:${OWNER}:*`, false],
    ['another account', `arn:aws:sqs:us-east-1:${STRANGER}:orders`, false],
    ['another service', 'arn:aws:s3:::*', false],
    ['a star does not reach over a colon', 'arn:aws:sqs:*:orders', false],
    ['an ARN that ends early ends in stars', 'arn:aws:sqs', true],
    ['an ARN that ends early, of another region', 'arn:aws:sqs:eu-west-1', false],
    ['an ARN that ends early in a star', 'arn:aws:sqs:us-east-1:*', true],
    ['any of several resources', [`${QUEUE}-2`, QUEUE], true],
  ] as const
).map(([rule, Resource, holds]) => elementRow(`IAM: ${rule}`, { Resource }, holds));

const notResources: DecisionRow[] = (
  [
    ['NotResource is every resource but those named', `${QUEUE}-2`, true],
    ['NotResource leaves out the one named', QUEUE, false],
    ['NotResource leaves out those that match', 'arn:aws:sqs:*:*:o*', false],
    ['NotResource leaves out each of several', [`${QUEUE}-2`, QUEUE], false],
    ['NotResource "*" leaves out everything', '*', false],
  ] as const
).map(([rule, NotResource, holds]) => elementRow(`IAM: ${rule}`, { Resource: undefined, NotResource }, holds));

const unnamedQueue: DecisionRow[] = (
  [
    ['ListQueues is allowed on "*"', '*', true],
    ['ListQueues is allowed on all queues of the account', `arn:aws:sqs:*:${OWNER}:*`, true],
    ['ListQueues is not allowed on one queue', QUEUE, false],
  ] as const
).map(([rule, Resource, holds]) =>
  elementRow(`SQS: ${rule}`, { Resource }, holds, {
    action: 'sqs:ListQueues',
    resource: `arn:aws:sqs:us-east-1:${OWNER}:*`,
  }),
);

type ConditionRow = readonly [
  rule: string,
  condition: JsonObject,
  context: Record<string, string | string[]>,
  holds: boolean,
];

const key = (operator: string, ...values: unknown[]) => ({ [operator]: { 'test:Key': values } });
const is = (value: string | string[]) => ({ 'test:Key': value });
const absent = {};

const conditions: DecisionRow[] = (
  [
    ['no condition always holds', {}, absent, true],
    ['StringEquals', key('StringEquals', 'a'), is('a'), true],
    ['StringEquals is case-sensitive', key('StringEquals', 'a'), is('A'), false],
    ['several values are alternatives', key('StringEquals', 'a', 'b'), is('b'), true],
    ['none of several values', key('StringEquals', 'a', 'b'), is('c'), false],
    ['StringEquals has no wildcards', key('StringEquals', 'a*'), is('abc'), false],
    ['StringEquals takes a star as one', key('StringEquals', 'a*'), is('a*'), true],
    ['StringEquals without the key', key('StringEquals', 'a'), absent, false],
    ['StringEquals with an empty text', key('StringEquals', ''), is(''), true],
    ['keys are not case-sensitive', { StringEquals: { 'TEST:key': 'a' } }, is('a'), true],
    ['several keys must all fit', { StringEquals: { 'test:Key': 'a', 'test:Other': 'b' } }, is('a'), false],
    [
      'several keys that all fit',
      { StringEquals: { 'test:Key': 'a', 'test:Other': 'b' } },
      { ...is('a'), 'test:Other': 'b' },
      true,
    ],
    ['several operators must all hold', { ...key('StringEquals', 'a'), ...key('StringLike', 'b*') }, is('a'), false],
    ['several operators that all hold', { ...key('StringEquals', 'a'), ...key('StringLike', 'a*') }, is('a'), true],
    ['StringNotEquals', key('StringNotEquals', 'a'), is('b'), true],
    ['StringNotEquals with the value', key('StringNotEquals', 'a'), is('a'), false],
    ['negated operators: none of the values may fit', key('StringNotEquals', 'a', 'b'), is('b'), false],
    ['negated operators: none of the values fits', key('StringNotEquals', 'a', 'b'), is('c'), true],
    ['negated operators hold without the key', key('StringNotEquals', 'a'), absent, true],
    ['StringEqualsIgnoreCase', key('StringEqualsIgnoreCase', 'aB'), is('Ab'), true],
    ['StringEqualsIgnoreCase with another text', key('StringEqualsIgnoreCase', 'ab'), is('abc'), false],
    ['StringNotEqualsIgnoreCase', key('StringNotEqualsIgnoreCase', 'aB'), is('Ab'), false],
    ['StringNotEqualsIgnoreCase without the key', key('StringNotEqualsIgnoreCase', 'a'), absent, true],
    ['StringLike with a star', key('StringLike', 'a*c'), is('abbc'), true],
    ['StringLike with a star for nothing', key('StringLike', 'a*c'), is('ac'), true],
    ['StringLike with a question mark', key('StringLike', 'a?c'), is('abc'), true],
    ['StringLike is case-sensitive', key('StringLike', 'A*'), is('abc'), false],
    ['StringLike fits all of the text', key('StringLike', 'b'), is('abc'), false],
    ['StringLike: a question mark is one character beyond the basic plane', key('StringLike', 'a?c'), is('a😀c'), true],
    ['StringLike: two question marks are two characters', key('StringLike', 'a??c'), is('a😀c'), false],
    ['StringNotLike', key('StringNotLike', 'a*'), is('abc'), false],
    ['StringNotLike with another text', key('StringNotLike', 'a*'), is('bc'), true],
    ['NumericEquals', key('NumericEquals', '10'), is('10.0'), true],
    ['NumericEquals takes numbers of JSON', key('NumericEquals', 10), is('10'), true],
    ['NumericEquals with what is no number', key('NumericEquals', 10), is('ten'), false],
    ['NumericNotEquals', key('NumericNotEquals', 10), is('11'), true],
    ['NumericNotEquals without the key', key('NumericNotEquals', 10), absent, true],
    ['NumericLessThan', key('NumericLessThan', 10), is('9.5'), true],
    ['NumericLessThan at the limit', key('NumericLessThan', 10), is('10'), false],
    ['NumericLessThan compares numbers, not texts', key('NumericLessThan', 10), is('9'), true],
    ['NumericLessThanEquals', key('NumericLessThanEquals', 10), is('10'), true],
    ['NumericGreaterThan', key('NumericGreaterThan', '-2'), is('-1'), true],
    ['NumericGreaterThan at the limit', key('NumericGreaterThan', 10), is('10'), false],
    ['NumericGreaterThanEquals', key('NumericGreaterThanEquals', 10), is('10'), true],
    ['NumericGreaterThanEquals without the key', key('NumericGreaterThanEquals', 10), absent, false],
    ['DateEquals', key('DateEquals', '2026-01-31T12:00:00Z'), is('2026-01-31T13:00:00+01:00'), true],
    ['DateEquals west of Greenwich', key('DateEquals', '2026-01-31T12:00:00Z'), is('2026-01-31T06:30:00-05:30'), true],
    ['DateEquals with seconds since 1970', key('DateEquals', '2026-01-31T12:00:00Z'), is('1769860800'), true],
    ['DateNotEquals', key('DateNotEquals', '2026-01-31'), is('2026-01-31T00:00:01Z'), true],
    ['DateLessThan', key('DateLessThan', '2026-01-31'), is('2026-01-30T23:59:59Z'), true],
    ['DateLessThan at the limit', key('DateLessThan', '2026-01-31'), is('2026-01-31T00:00:00Z'), false],
    ['DateLessThanEquals', key('DateLessThanEquals', '2026'), is('2026-01-01T00:00:00Z'), true],
    ['DateGreaterThan', key('DateGreaterThan', '2026-01'), is('2026-01-01T00:00:00.5Z'), true],
    ['DateGreaterThan before', key('DateGreaterThan', '2026-01'), is('2025-12-31T23:59:59Z'), false],
    ['DateGreaterThanEquals', key('DateGreaterThanEquals', 1769860800), is('2026-01-31T12:00:00Z'), true],
    ['DateGreaterThan with what is no date', key('DateGreaterThan', '2026'), is('today'), false],
    ['Bool', key('Bool', 'true'), is('true'), true],
    ['Bool takes booleans of JSON', key('Bool', false), is('false'), true],
    ['Bool is not case-sensitive', key('Bool', 'True'), is('TRUE'), true],
    ['Bool with the other one', key('Bool', true), is('false'), false],
    ['Bool without the key', key('Bool', false), absent, false],
    ['BinaryEquals', key('BinaryEquals', 'QmFzZTY0'), is('QmFzZTY0'), true],
    ['BinaryEquals with other bytes', key('BinaryEquals', 'QmFzZTY0'), is('QmFzZTY1'), false],
    ['IpAddress in a range', key('IpAddress', '203.0.113.0/24'), is('203.0.113.77'), true],
    ['IpAddress outside of a range', key('IpAddress', '203.0.113.0/24'), is('203.0.114.1'), false],
    ['IpAddress alone', key('IpAddress', '203.0.113.7'), is('203.0.113.7'), true],
    ['IpAddress in any of several ranges', key('IpAddress', '10.0.0.0/8', '2001:db8::/32'), is('2001:db8:1::7'), true],
    ['IpAddress: IPv6 outside of a range', key('IpAddress', '2001:db8::/32'), is('2001:db9::1'), false],
    ['IpAddress: an IPv4 address is in no range of IPv6', key('IpAddress', '::/0'), is('203.0.113.7'), false],
    ['IpAddress: IPv6 in another spelling', key('IpAddress', '2001:db8::1'), is('2001:0DB8:0:0:0:0:0:1'), true],
    ['IpAddress: a mapped IPv4 address is that address', key('IpAddress', '10.0.0.0/8'), is('::ffff:10.1.2.3'), true],
    ['IpAddress: a mapped range is that range', key('IpAddress', '::ffff:10.0.0.0/104'), is('10.1.2.3'), true],
    ['IpAddress: the zone of an address does not count', key('IpAddress', 'fe80::/10'), is('fe80::1%eth0'), true],
    ['IpAddress: all of IPv4', key('IpAddress', '0.0.0.0/0'), is('255.255.255.255'), true],
    ['IpAddress with what is no address', key('IpAddress', '0.0.0.0/0'), is('localhost'), false],
    ['NotIpAddress', key('NotIpAddress', '203.0.113.0/24'), is('203.0.114.1'), true],
    ['NotIpAddress in the range', key('NotIpAddress', '203.0.113.0/24'), is('203.0.113.1'), false],
    [
      'NotIpAddress in one of several ranges',
      key('NotIpAddress', '10.0.0.0/8', '203.0.113.0/24'),
      is('10.0.0.1'),
      false,
    ],
    ['NotIpAddress without the key', key('NotIpAddress', '10.0.0.0/8'), absent, true],
    ['ArnEquals', key('ArnEquals', QUEUE), is(QUEUE), true],
    ['ArnEquals has wildcards', key('ArnEquals', 'arn:aws:sqs:*:*:ord?rs'), is(QUEUE), true],
    ['ArnLike compares part by part', key('ArnLike', 'arn:aws:sqs:*:orders'), is(QUEUE), false],
    ['ArnLike is case-sensitive', key('ArnLike', 'arn:aws:sqs:*:*:Orders'), is(QUEUE), false],
    ['ArnLike: the last part has colons', key('ArnLike', 'arn:aws:sns:*:*:news:*'), is('arn:aws:sns:r:1:news:7'), true],
    ['ArnLike: a colon in the last part', key('ArnLike', 'arn:aws:sns:*:*:news:7'), is('arn:aws:sns:r:1:news7'), false],
    ['ArnLike with an ARN that ends early', key('ArnLike', 'arn:aws:sqs'), is(QUEUE), false],
    ['ArnLike with a star alone', key('ArnLike', '*'), is(QUEUE), true],
    ['ArnLike with what is no ARN', key('ArnLike', 'arn:aws:*:*:*:*'), is('orders'), false],
    ['ArnEquals with a value that is no ARN', key('ArnEquals', 'orders'), is('orders'), false],
    ['ArnNotEquals', key('ArnNotEquals', QUEUE), is(QUEUE), false],
    ['ArnNotLike', key('ArnNotLike', 'arn:aws:sns:*:*:*'), is(QUEUE), true],
    ['ArnNotLike without the key', key('ArnNotLike', 'arn:aws:sns:*:*:*'), absent, true],
    ['Null true: the key is absent', key('Null', 'true'), absent, true],
    ['Null true: the key is there', key('Null', true), is('a'), false],
    ['Null false: the key is there', key('Null', 'false'), is('a'), true],
    ['Null false: the key is absent', key('Null', false), absent, false],
    ['Null: a key without values is absent', key('Null', true), is([]), true],
    ['Null: both always hold', key('Null', true, false), absent, true],
    ['IfExists holds without the key', key('StringEqualsIfExists', 'a'), absent, true],
    ['IfExists compares when the key is there', key('StringEqualsIfExists', 'a'), is('b'), false],
    ['IfExists fits', key('StringEqualsIfExists', 'a'), is('a'), true],
    ['BoolIfExists', key('BoolIfExists', 'true'), is('false'), false],
    ['IpAddressIfExists', key('IpAddressIfExists', '10.0.0.0/8'), absent, true],
    ['NumericLessThanIfExists', key('NumericLessThanIfExists', 3), absent, true],
    ['ForAllValues: all fit', key('ForAllValues:StringEquals', 'a', 'b'), is(['a', 'b', 'a']), true],
    ['ForAllValues: one does not', key('ForAllValues:StringEquals', 'a', 'b'), is(['a', 'c']), false],
    ['ForAllValues holds without the key', key('ForAllValues:StringEquals', 'a'), absent, true],
    ['ForAllValues holds for no values', key('ForAllValues:StringEquals', 'a'), is([]), true],
    ['ForAllValues holds for an empty text', key('ForAllValues:StringEquals', 'a'), is(''), true],
    ['ForAllValues with a single value', key('ForAllValues:StringLike', 'a*'), is('abc'), true],
    ['ForAllValues negated: none fits', key('ForAllValues:StringNotEquals', 'a', 'b'), is(['c', 'd']), true],
    ['ForAllValues negated: one fits', key('ForAllValues:StringNotEquals', 'a', 'b'), is(['c', 'a']), false],
    ['ForAnyValue: one fits', key('ForAnyValue:StringEquals', 'a', 'b'), is(['c', 'a']), true],
    ['ForAnyValue: none fits', key('ForAnyValue:StringEquals', 'a', 'b'), is(['c', 'd']), false],
    ['ForAnyValue does not hold without the key', key('ForAnyValue:StringEquals', 'a'), absent, false],
    ['ForAnyValue does not hold for no values', key('ForAnyValue:StringEquals', 'a'), is([]), false],
    ['ForAnyValue negated: one does not fit', key('ForAnyValue:StringNotEquals', 'a'), is(['a', 'b']), true],
    ['ForAnyValue negated: all fit', key('ForAnyValue:StringNotEquals', 'a', 'b'), is(['a', 'b']), false],
    ['ForAnyValue negated does not hold without the key', key('ForAnyValue:StringNotEquals', 'a'), absent, false],
    ['ForAnyValue with IfExists holds without the key', key('ForAnyValue:StringEqualsIfExists', 'a'), absent, true],
    ['many values without a set operator: one fits', key('StringEquals', 'a'), is(['b', 'a']), true],
    ['many values without a set operator, negated: one fits', key('StringNotEquals', 'a'), is(['b', 'a']), false],
    ['an empty list of values fits nothing', key('StringEquals'), is('a'), false],
    ['an empty list of values, negated', key('StringNotEquals'), is('a'), true],
  ] satisfies ConditionRow[]
).map(([rule, Condition, context, holds]) => elementRow(`IAM: ${rule}`, { Condition }, holds, { context }));

const named = { 'aws:username': 'bob', 'aws:PrincipalTag/team': 'blue', 'aws:TagKeys': ['a', 'b'] };
const bobsQueue = { resource: `arn:aws:sqs:us-east-1:${OWNER}:bob-in` };
const variables: DecisionRow[] = [
  elementRow('IAM: a variable in a resource', { Resource: 'arn:aws:sqs:*:*:${aws:username}-*' }, true, {
    context: named,
    ...bobsQueue,
  }),
  elementRow('IAM: a variable with another value', { Resource: 'arn:aws:sqs:*:*:${aws:username}-*' }, false, {
    context: { 'aws:username': 'eve' },
    ...bobsQueue,
  }),
  elementRow(
    'IAM: names of variables are not case-sensitive',
    { Resource: 'arn:aws:sqs:*:*:${AWS:UserName}-in' },
    true,
    {
      context: named,
      ...bobsQueue,
    },
  ),
  elementRow(
    'IAM: a resource with an absent variable fits nothing',
    { Resource: 'arn:aws:sqs:*:*:${aws:username}*' },
    false,
    {
      ...bobsQueue,
    },
  ),
  elementRow(
    'IAM: the default of an absent variable',
    { Resource: "arn:aws:sqs:*:*:${aws:username, 'bob'}-in" },
    true,
    {
      ...bobsQueue,
    },
  ),
  elementRow(
    'IAM: a default gives way to the value',
    { Resource: "arn:aws:sqs:*:*:${aws:username, 'bob'}-in" },
    false,
    {
      context: { 'aws:username': 'eve' },
      ...bobsQueue,
    },
  ),
  elementRow('IAM: before 2012-10-17 a variable is text', { Resource: 'arn:aws:sqs:*:*:${aws:username}-in' }, false, {
    version: '2008-10-17',
    context: named,
    ...bobsQueue,
  }),
  elementRow('A value with wildcards is literal', { Resource: 'arn:aws:sqs:*:*:${aws:username}' }, false, {
    context: { 'aws:username': '*' },
    ...bobsQueue,
  }),
  elementRow(
    'A value with colons does not move the parts of an ARN',
    { Resource: 'arn:aws:sqs:*:${test:Key}' },
    false,
    {
      context: { 'test:Key': `${OWNER}:bob-in` },
      ...bobsQueue,
    },
  ),
  elementRow('IAM: a variable of many values has none', { Resource: 'arn:aws:sqs:*:*:${aws:TagKeys}*' }, false, {
    context: { 'aws:TagKeys': ['bob'] },
    ...bobsQueue,
  }),
  elementRow(
    'A NotResource with an absent variable does not widen an Allow',
    { Resource: undefined, NotResource: 'arn:aws:sqs:*:*:${aws:username}' },
    false,
  ),
  elementRow(
    'A NotResource that does not fit whatever its absent variable is does not limit an Allow',
    { Resource: undefined, NotResource: 'arn:aws:sqs:${aws:username}:*:other' },
    true,
  ),
  elementRow(
    'IAM: a variable with an empty value is not absent',
    { Condition: key('StringEquals', "${aws:username, 'x'}") },
    false,
    { context: { 'aws:username': '', ...is('x') } },
  ),
  {
    rule: 'A NotResource with an absent variable does not narrow a Deny',
    identity: [allow(), deny({ Resource: undefined, NotResource: 'arn:aws:sqs:*:*:${aws:username}' })],
    expected: 'explicit-deny identity',
  },
  elementRow('IAM: a variable in a condition', { Condition: key('StringEquals', '${aws:PrincipalTag/team}') }, true, {
    context: { ...named, ...is('blue') },
  }),
  elementRow('IAM: a variable in a pattern', { Condition: key('StringLike', '${aws:PrincipalTag/team}-*') }, true, {
    context: { ...named, ...is('blue-7') },
  }),
  elementRow(
    'IAM: a variable regardless of case',
    { Condition: key('StringEqualsIgnoreCase', '${aws:username}') },
    true,
    {
      context: { ...named, ...is('BOB') },
    },
  ),
  elementRow(
    'IAM: an absent variable in a condition fits nothing',
    { Condition: key('StringEquals', '${aws:username}') },
    false,
    {
      context: is(''),
    },
  ),
  elementRow(
    'An absent variable in a negated condition does not widen an Allow',
    { Condition: key('StringNotEquals', '${aws:username}') },
    false,
    {
      context: is('a'),
    },
  ),
  {
    rule: 'An absent variable in a negated condition does not narrow a Deny',
    context: is('a'),
    identity: [allow(), deny({ Condition: key('StringNotEquals', '${aws:username}') })],
    expected: 'explicit-deny identity',
  },
  elementRow('IAM: a variable in ArnLike', { Condition: key('ArnLike', 'arn:aws:sns:*:*:${aws:username}-*') }, true, {
    context: { ...named, ...is('arn:aws:sns:us-east-1:1:bob-news') },
  }),
  elementRow('IAM: a variable that is a whole ARN', { Condition: key('ArnEquals', '${aws:SourceArn}') }, true, {
    context: { 'aws:SourceArn': QUEUE, ...is(QUEUE) },
  }),
  elementRow('IAM: the default may be empty', { Condition: key('StringEquals', "${aws:username, ''}") }, true, {
    context: is(''),
  }),
  elementRow('IAM: ${*} is a star', { Condition: key('StringLike', 'a${*}') }, false, { context: is('abc') }),
  elementRow('IAM: ${*} fits a star', { Condition: key('StringLike', 'a${*}') }, true, { context: is('a*') }),
  elementRow('IAM: ${?} is a question mark', { Condition: key('StringLike', '${?}${$}') }, true, { context: is('?$') }),
  elementRow('IAM: ${?} fits no other character', { Condition: key('StringLike', '${?}') }, false, {
    context: is('a'),
  }),
  elementRow('IAM: before 2012-10-17 there are no escapes', { Condition: key('StringEquals', '${*}') }, true, {
    version: '2008-10-17',
    context: is('${*}'),
  }),
  elementRow(
    'IAM: a tag key with a space',
    { Condition: key('StringEquals', '${aws:PrincipalTag/cost center}') },
    true,
    {
      context: { 'aws:PrincipalTag/cost center': '42', ...is('42') },
    },
  ),
];

const tag = { 'aws:ResourceTag/stage': 'test' };
const onTag = { Condition: { StringEquals: tag } };
const queueTags: DecisionRow[] = [
  {
    rule: 'SQS: tags of the queue are there for identity policies',
    context: tag,
    identity: [allow(onTag)],
    expected: 'allow identity',
  },
  {
    rule: 'SQS: tags of the queue are not there for queue policies',
    context: tag,
    queue: [allow({ ...everybody, ...onTag })],
    expected: 'implicit-deny identity',
  },
  {
    rule: 'SQS: tags of the request are there for queue policies',
    context: { 'aws:RequestTag/stage': 'test' },
    queue: [allow({ ...everybody, Condition: { StringEquals: { 'aws:RequestTag/stage': 'test' } } })],
    expected: 'allow queue',
  },
  {
    rule: 'IAM: requests without TLS denied',
    context: { 'aws:SecureTransport': 'false' },
    identity: [allow()],
    queue: [deny({ ...everybody, Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
    expected: 'explicit-deny queue',
  },
  {
    rule: 'IAM: requests from elsewhere denied, which from here are not',
    context: { 'aws:SourceVpce': 'internal' },
    identity: [allow()],
    queue: [deny({ ...everybody, Condition: { StringNotEquals: { 'aws:SourceVpce': 'internal' } } })],
    expected: 'allow identity',
  },
  {
    rule: 'IAM: requests from elsewhere denied, also when nobody knows from where',
    identity: [allow()],
    queue: [deny({ ...everybody, Condition: { StringNotEquals: { 'aws:SourceVpce': 'internal' } } })],
    expected: 'explicit-deny queue',
  },
];

export const DECISION_TABLE: readonly DecisionRow[] = [
  ...denials,
  ...withinAccount,
  ...limits,
  ...limitedRoot,
  ...acrossAccounts,
  ...notPrincipals,
  ...actions,
  ...notActions,
  ...resources,
  ...notResources,
  ...unnamedQueue,
  ...conditions,
  ...variables,
  ...queueTags,
];
