import { type ManualClock, manualClock } from '../../platform/manual.ts';
import { Authenticator } from '../identity/authenticator.ts';
import { IdentityDirectory } from '../identity/directory.ts';
import { derivedId } from '../identity/identity-ids.ts';
import { type Account, type Group, iamArn, type Role, rootArn, type User } from '../identity/model.ts';
import { Sealer } from '../identity/sealing.ts';
import { SessionTokens } from '../identity/session-tokens.ts';

/** Some people in one account, for tests. */

export const ACCOUNT = '111122223333';
export const NOW = Date.UTC(2026, 0, 31, 12, 0, 0, 250);

export const PRODUCERS: Group = {
  account: ACCOUNT,
  name: 'producers',
  arn: iamArn('aws', ACCOUNT, 'group', '/', 'producers'),
  id: derivedId('group', ACCOUNT, 'producers'),
  policies: [{ name: 'send', document: '{"Statement":"send"}' }],
};

export function user(name: string, overrides: Partial<User> = {}): User {
  return {
    account: ACCOUNT,
    name,
    arn: iamArn('aws', ACCOUNT, 'user', '/', name),
    id: derivedId('user', ACCOUNT, name),
    groups: [],
    policies: [],
    tags: {},
    accessKeys: [{ id: `AKIA${name.toUpperCase()}`, secret: `secret of ${name}`, active: true }],
    ...overrides,
  };
}

export function role(name: string, overrides: Partial<Role> = {}): Role {
  return {
    account: ACCOUNT,
    name,
    arn: iamArn('aws', ACCOUNT, 'role', '/', name),
    id: derivedId('role', ACCOUNT, name),
    trustPolicy: `{"Trust":"${name}"}`,
    sessionSecondsMax: 7200,
    policies: [{ name: 'work', document: '{"Statement":"work"}' }],
    tags: { team: 'of the role', stage: 'test' },
    ...overrides,
  };
}

export const ALICE = user('alice', {
  groups: [PRODUCERS],
  policies: [{ name: 'own', document: '{"Statement":"own"}' }],
  permissionsBoundary: '{"Statement":"boundary"}',
  tags: { team: 'blue' },
});

export function directoryOf(overrides: Partial<Account> = {}): IdentityDirectory {
  const account: Account = {
    id: ACCOUNT,
    root: {
      account: ACCOUNT,
      arn: rootArn('aws', ACCOUNT),
      accessKeys: [{ id: 'AKIAROOT', secret: 'secret of root', active: true }],
    },
    users: [ALICE],
    groups: [PRODUCERS],
    roles: [role('worker')],
    ...overrides,
  };
  return new IdentityDirectory('aws', [account]);
}

export function tokensUnder(masterKeyByte: number): SessionTokens {
  return new SessionTokens(new Sealer(Buffer.alloc(32, masterKeyByte), 'session-token', manualClock().randomBytes));
}

export interface TestIdentities {
  clock: ManualClock;
  authenticator: Authenticator;
}

export function testIdentities(directory = directoryOf(), sessionTokens = tokensUnder(1)): TestIdentities {
  const clock = manualClock({ startAt: NOW });
  const authenticator = new Authenticator({
    directory,
    sessionTokens,
    now: clock.now,
    isRegion: (region) => region === 'us-east-1',
  });
  return { clock, authenticator };
}
