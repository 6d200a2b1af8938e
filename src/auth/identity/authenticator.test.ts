import { describe, expect, it } from 'vitest';
import { sign, withHeader } from '../../../test/support/signer.ts';
import { ACCOUNT, ALICE, directoryOf, NOW, role, testIdentities, tokensUnder, user } from '../testing/identities.ts';
import type { Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import type { Session } from './session-tokens.ts';

const WORKER = role('worker');
const SESSION: Session = {
  accessKeyId: 'ASIAWORKER',
  secret: 'secret of session',
  holder: { type: 'role', account: ACCOUNT, name: 'worker', id: WORKER.id },
  name: 'run-7',
  policy: '{"Statement":"session"}',
  tags: { team: 'of the session' },
  transitiveTagKeys: ['team'],
  sourceIdentity: 'alice',
  issuedAt: NOW,
  expiresAt: NOW + 3_600_000,
};
const tokens = tokensUnder(1);

interface Signing {
  key: string;
  secret: string;
  token?: string;
  at?: number;
}

async function callerOf(authenticator: Authenticator, { key, secret, token, at = NOW }: Signing): Promise<Caller> {
  const request = await sign(
    { method: 'POST', path: '/', body: '{}' },
    { accessKeyId: key, secretAccessKey: secret, sessionToken: token, at },
  );
  return authenticator.authenticate(request, 'sqs').caller;
}

const bySession = (session: Session, at = NOW): Signing => ({
  key: session.accessKeyId,
  secret: session.secret,
  token: tokens.issue(session),
  at,
});

const BY_ALICE: Signing = { key: 'AKIAALICE', secret: 'secret of alice' };
const UNKNOWN = { queryCode: 'InvalidClientTokenId' };

describe('a caller with a long-term access key', () => {
  it('is the user who has it, with the policies of its groups', async () => {
    expect(await callerOf(testIdentities().authenticator, BY_ALICE)).toEqual({
      type: 'user',
      account: ACCOUNT,
      arn: 'arn:aws:iam::111122223333:user/alice',
      userId: ALICE.id,
      name: 'alice',
      tags: { team: 'blue' },
      policies: {
        identity: [
          { name: 'own', document: '{"Statement":"own"}' },
          { name: 'send', document: '{"Statement":"send"}' },
        ],
        boundary: '{"Statement":"boundary"}',
      },
      accessKeyId: 'AKIAALICE',
    });
  });

  it('may be the root, whose id is the account', async () => {
    const caller = await callerOf(testIdentities().authenticator, { key: 'AKIAROOT', secret: 'secret of root' });
    expect(caller).toMatchObject({ type: 'root', arn: 'arn:aws:iam::111122223333:root', userId: ACCOUNT });
  });

  it('tells the region that the request is for', async () => {
    const request = await sign(
      { method: 'GET', path: '/' },
      { accessKeyId: 'AKIAALICE', secretAccessKey: 'secret of alice', at: NOW },
    );
    expect(testIdentities().authenticator.authenticate(request, 'sqs').region).toBe('us-east-1');
  });

  it('is refused when the key is not active', async () => {
    const accessKeys = [{ id: 'AKIAALICE', secret: 'secret of alice', active: false }];
    const { authenticator } = testIdentities(directoryOf({ users: [user('alice', { accessKeys })] }));
    await expect(callerOf(authenticator, BY_ALICE)).rejects.toMatchObject(UNKNOWN);
  });

  it('is refused with a session token, also with one of its own', async () => {
    const token = tokens.issue({ ...SESSION, accessKeyId: 'ASIAOTHER' });
    await expect(callerOf(testIdentities().authenticator, { ...BY_ALICE, token })).rejects.toMatchObject(UNKNOWN);
  });
});

describe('a caller with temporary credentials', () => {
  it('is a session of a role', async () => {
    expect(await callerOf(testIdentities().authenticator, bySession(SESSION))).toEqual({
      type: 'assumed-role',
      account: ACCOUNT,
      arn: 'arn:aws:sts::111122223333:assumed-role/worker/run-7',
      userId: `${WORKER.id}:run-7`,
      name: 'run-7',
      role: { arn: 'arn:aws:iam::111122223333:role/worker', id: WORKER.id, name: 'worker' },
      tags: { team: 'of the session', stage: 'test' },
      policies: { identity: WORKER.policies, boundary: undefined, session: ['{"Statement":"session"}'] },
      accessKeyId: 'ASIAWORKER',
      session: { issuedAt: NOW, expiresAt: SESSION.expiresAt, sourceIdentity: 'alice', transitiveTagKeys: ['team'] },
    });
  });

  it('is a user for a time', async () => {
    const holder = { type: 'user', account: ACCOUNT, name: 'alice', id: ALICE.id } as const;
    const caller = await callerOf(testIdentities().authenticator, bySession({ ...SESSION, holder, name: undefined }));
    expect(caller).toMatchObject({ type: 'user', arn: ALICE.arn, userId: ALICE.id, session: { issuedAt: NOW } });
  });

  it('is the root for a time', async () => {
    const holder = { type: 'root', account: ACCOUNT } as const;
    const caller = await callerOf(testIdentities().authenticator, bySession({ ...SESSION, holder }));
    expect(caller).toMatchObject({ type: 'root', userId: ACCOUNT, session: { issuedAt: NOW } });
  });

  it('is somebody whom a user vouches for, who may do nothing without a policy', async () => {
    const holder = { type: 'federated-user', account: ACCOUNT, name: 'alice', id: ALICE.id } as const;
    const { authenticator } = testIdentities();
    const caller = await callerOf(authenticator, bySession({ ...SESSION, holder, name: 'guest' }));
    expect(caller).toMatchObject({
      type: 'federated-user',
      arn: 'arn:aws:sts::111122223333:federated-user/guest',
      userId: `${ACCOUNT}:guest`,
      policies: { boundary: '{"Statement":"boundary"}', session: ['{"Statement":"session"}'] },
    });
    const bounded = await callerOf(authenticator, bySession({ ...SESSION, holder, name: 'guest', policy: undefined }));
    expect(bounded.policies.session).toEqual([]);
  });

  it('is known after a restart, and to other processes with the master key', async () => {
    const { authenticator } = testIdentities(directoryOf(), tokensUnder(1));
    expect((await callerOf(authenticator, bySession(SESSION))).name).toBe('run-7');
  });

  it('is unknown to a server with another master key', async () => {
    const { authenticator } = testIdentities(directoryOf(), tokensUnder(2));
    await expect(callerOf(authenticator, bySession(SESSION))).rejects.toMatchObject(UNKNOWN);
  });

  it('is refused from the moment the credentials expire', async () => {
    const { authenticator, clock } = testIdentities();
    await clock.advance(SESSION.expiresAt - NOW - 1);
    expect((await callerOf(authenticator, bySession(SESSION, clock.now()))).name).toBe('run-7');
    await clock.advance(1);
    await expect(callerOf(authenticator, bySession(SESSION, clock.now()))).rejects.toMatchObject({
      queryCode: 'ExpiredToken',
      message: 'The security token included in the request is expired',
    });
  });

  it('needs the token and the access key of one session', async () => {
    const { authenticator } = testIdentities();
    await expect(callerOf(authenticator, { ...bySession(SESSION), token: undefined })).rejects.toMatchObject(UNKNOWN);
    await expect(callerOf(authenticator, { ...bySession(SESSION), key: 'ASIAOTHER' })).rejects.toMatchObject(UNKNOWN);
    await expect(callerOf(authenticator, { ...bySession(SESSION), secret: 'guessed' })).rejects.toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
    });
  });

  it('is refused when a character of the token is changed', async () => {
    const { authenticator } = testIdentities();
    const token = tokens.issue(SESSION);
    const other = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`;
    await expect(callerOf(authenticator, { ...bySession(SESSION), token: other })).rejects.toMatchObject(UNKNOWN);
  });

  it('is gone with the role or the user, also when another one gets the name', async () => {
    const userSession = {
      ...SESSION,
      holder: { type: 'user', account: ACCOUNT, name: 'alice', id: ALICE.id },
    } as const;
    const { authenticator } = testIdentities();
    await callerOf(authenticator, bySession(SESSION));
    await callerOf(authenticator, bySession(userSession));
    authenticator.use(directoryOf({ roles: [], users: [] }));
    await expect(callerOf(authenticator, bySession(SESSION))).rejects.toMatchObject(UNKNOWN);
    await expect(callerOf(authenticator, bySession(userSession))).rejects.toMatchObject(UNKNOWN);
    authenticator.use(
      directoryOf({ roles: [role('worker', { id: 'AROAANOTHER' })], users: [user('alice', { id: 'AIDAANOTHER' })] }),
    );
    await expect(callerOf(authenticator, bySession(SESSION))).rejects.toMatchObject(UNKNOWN);
    await expect(callerOf(authenticator, bySession(userSession))).rejects.toMatchObject(UNKNOWN);
  });
});

describe('another directory', () => {
  it('counts from the next request on', async () => {
    const { authenticator } = testIdentities();
    expect((await callerOf(authenticator, BY_ALICE)).tags).toEqual({ team: 'blue' });
    authenticator.use(directoryOf({ users: [user('alice', { tags: { team: 'red' } })] }));
    expect((await callerOf(authenticator, BY_ALICE)).tags).toEqual({ team: 'red' });
    authenticator.use(directoryOf({ users: [] }));
    await expect(callerOf(authenticator, BY_ALICE)).rejects.toMatchObject(UNKNOWN);
  });

  it('cannot have an access key or a name twice', () => {
    expect(() => directoryOf({ users: [ALICE, user('bob', { accessKeys: ALICE.accessKeys })] })).toThrow('AKIAALICE');
    expect(() => directoryOf({ roles: [role('worker'), role('worker')] })).toThrow('worker');
  });
});

it('refuses what is not signed', async () => {
  const request = await sign({ method: 'GET', path: '/' }, { accessKeyId: 'A', secretAccessKey: 'b', at: NOW });
  const { authenticator } = testIdentities();
  expect(() => authenticator.authenticate(withHeader(request, 'authorization', undefined), 'sqs')).toThrow(
    'Request is missing Authentication Token',
  );
});
