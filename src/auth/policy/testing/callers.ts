import type { FederatedPrincipal, Principal, SessionPrincipal, UserPrincipal } from '../principal.ts';

/** The cast of the tests: everybody a policy can tell apart. */

export const OWNER = '111111111111';
export const STRANGER = '222222222222';
export const QUEUE = `arn:aws:sqs:us-east-1:${OWNER}:orders`;

export const BOB_ARN = `arn:aws:iam::${OWNER}:user/teams/blue/bob`;
export const WORKER_ROLE_ARN = `arn:aws:iam::${OWNER}:role/jobs/worker`;
export const WORKER_SESSION_ARN = `arn:aws:sts::${OWNER}:assumed-role/worker/run-7`;

export const root: Principal = rootOf(OWNER);
export const strangeRoot: Principal = rootOf(STRANGER);

export const bob: UserPrincipal = {
  type: 'user',
  account: OWNER,
  arn: BOB_ARN,
  name: 'bob',
  id: 'AIDABOB',
  tags: { team: 'blue', 'cost center': '42' },
};

export const strangeEve: UserPrincipal = {
  type: 'user',
  account: STRANGER,
  arn: `arn:aws:iam::${STRANGER}:user/eve`,
  name: 'eve',
  id: 'AIDAEVE',
  tags: {},
};

export const worker: SessionPrincipal = {
  type: 'assumed-role',
  account: OWNER,
  arn: WORKER_SESSION_ARN,
  roleArn: WORKER_ROLE_ARN,
  id: 'AROAWORKER:run-7',
  tags: { team: 'red' },
};

export const strangeWorker: SessionPrincipal = {
  type: 'assumed-role',
  account: STRANGER,
  arn: `arn:aws:sts::${STRANGER}:assumed-role/worker/run-7`,
  roleArn: `arn:aws:iam::${STRANGER}:role/worker`,
  id: 'AROASTRANGE:run-7',
  tags: {},
};

/** Whom bob vouches for. */
export const guest: FederatedPrincipal = {
  type: 'federated-user',
  account: OWNER,
  arn: `arn:aws:sts::${OWNER}:federated-user/guest`,
  userArn: BOB_ARN,
  id: `${OWNER}:guest`,
  tags: { team: 'green' },
};

export const topic: Principal = { type: 'service', name: 'sns.amazonaws.com' };
export const anonymous: Principal = { type: 'anonymous' };

function rootOf(account: string): Principal {
  return { type: 'root', account, arn: `arn:aws:iam::${account}:root` };
}
