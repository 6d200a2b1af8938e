import { describe, expect, it } from 'vitest';
import { sign } from '../../../test/support/signer.ts';
import type { AssumeRoleInput, StsCall, StsCredentials } from '../../protocol/sts/sts-shapes.ts';
import { type Caller, rootCaller, userCaller } from '../identity/caller.ts';
import { ACCOUNT, ALICE, directoryOf, NOW, role, testIdentities, tokensUnder } from '../testing/identities.ts';
import { StsService, type TrustContext } from './sts-service.ts';

const ALICE_CALLER = userCaller(ALICE, 'AKIAALICE');
const ROOT_CALLER = rootCaller({ account: ACCOUNT, arn: 'arn:aws:iam::111122223333:root', accessKeys: [] }, 'AKIAROOT');
const WORKER = role('worker');
const REQUEST: AssumeRoleInput = { RoleArn: WORKER.arn, RoleSessionName: 'run-7' };
const HOUR_MS = 3_600_000;

interface Question {
  trustPolicy: string;
  principal: Caller;
  context: TrustContext;
}

function service(answer: (question: Question) => boolean = () => true) {
  const directory = directoryOf({
    roles: [WORKER, role('night', { arn: 'arn:aws:iam::111122223333:role/jobs/night' })],
  });
  const sessionTokens = tokensUnder(1);
  const { clock, authenticator } = testIdentities(directory, sessionTokens);
  const questions: Question[] = [];
  const sts = new StsService({
    directory: () => directory,
    sessionTokens,
    platform: clock,
    isTrusted: (trustPolicy, principal, context) => {
      questions.push({ trustPolicy, principal, context });
      return answer({ trustPolicy, principal, context });
    },
  });
  /** Who the credentials are taken for. */
  const callerWith = async (credentials: StsCredentials): Promise<Caller> => {
    const options = {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
      at: clock.now(),
    };
    return authenticator.authenticate(await sign({ method: 'POST', path: '/' }, options), 'sqs').caller;
  };
  const refusal = (call: StsCall, caller: Caller = ALICE_CALLER): unknown => {
    try {
      return { accepted: sts.run(call, caller) };
    } catch (error) {
      return error;
    }
  };
  return { sts, clock, questions, callerWith, refusal };
}

const denied = (message: string) => ({ queryCode: 'AccessDenied', httpStatus: 403, message });
const invalid = (message: string) => ({ queryCode: 'ValidationError', httpStatus: 400, message });
const violation = (text: string) => invalid(`1 validation error detected: Value ${text}`);

describe('AssumeRole', () => {
  it('gives credentials of a session', async () => {
    const { sts, callerWith } = service();
    const reply = sts.assumeRole(REQUEST, ALICE_CALLER);
    expect(reply).toEqual({
      Credentials: {
        AccessKeyId: expect.stringMatching(/^ASIA[A-Z2-7]{16}$/),
        SecretAccessKey: expect.stringMatching(/^[\w+/]{40}$/),
        SessionToken: expect.any(String),
        Expiration: '2026-01-31T13:00:00Z',
      },
      AssumedRoleUser: {
        AssumedRoleId: `${WORKER.id}:run-7`,
        Arn: 'arn:aws:sts::111122223333:assumed-role/worker/run-7',
      },
    });
    expect(await callerWith(reply.Credentials)).toMatchObject({
      type: 'assumed-role',
      arn: reply.AssumedRoleUser.Arn,
      userId: reply.AssumedRoleUser.AssumedRoleId,
      session: { issuedAt: NOW, expiresAt: NOW - 250 + HOUR_MS },
    });
  });

  it('asks the trust policy, with what the request says', () => {
    const { sts, questions } = service();
    const tags = [
      { Key: 'Team', Value: 'blue' },
      { Key: 'empty', Value: '' },
    ];
    sts.assumeRole(
      { ...REQUEST, ExternalId: 'x:1', SourceIdentity: 'alice', Tags: tags, TransitiveTagKeys: ['Team'] },
      ALICE_CALLER,
    );
    expect(questions.map(({ context }) => context.action)).toEqual([
      'sts:AssumeRole',
      'sts:TagSession',
      'sts:SetSourceIdentity',
    ]);
    expect(questions[0]).toMatchObject({ trustPolicy: '{"Trust":"worker"}', principal: ALICE_CALLER });
    expect(questions[0]?.context.resource).toBe(WORKER.arn);
    expect(Object.fromEntries(questions[0]?.context.conditions ?? [])).toEqual({
      'sts:rolesessionname': 'run-7',
      'sts:externalid': 'x:1',
      'sts:sourceidentity': 'alice',
      'sts:transitivetagkeys': ['Team'],
      'aws:tagkeys': ['Team', 'empty'],
      'aws:requesttag/team': 'blue',
      'aws:requesttag/empty': '',
    });
  });

  it('is denied when the trust policy does not allow one of these', () => {
    const arn = WORKER.arn;
    const tagged = { ...REQUEST, Tags: [{ Key: 'a', Value: 'b' }] };
    expect(service(() => false).refusal({ action: 'AssumeRole', input: REQUEST })).toMatchObject(
      denied(`User: ${ALICE.arn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`),
    );
    const withoutTags = service(({ context }) => context.action === 'sts:AssumeRole');
    expect(withoutTags.refusal({ action: 'AssumeRole', input: tagged })).toMatchObject(
      denied(`User: ${ALICE.arn} is not authorized to perform: sts:TagSession on resource: ${arn}`),
    );
    expect(withoutTags.refusal({ action: 'AssumeRole', input: REQUEST })).toHaveProperty('accepted');
  });

  it.each([
    'arn:aws:iam::111122223333:role/nobody',
    'arn:aws:iam::999999999999:role/worker',
    'arn:aws-cn:iam::111122223333:role/worker',
    'arn:aws:iam::111122223333:role/some/path/worker',
    'arn:aws:iam::111122223333:user/worker',
    'what a strange role this is',
  ])('is denied in the same words for %s, which does not exist', (RoleArn) => {
    const { refusal, questions } = service();
    expect(refusal({ action: 'AssumeRole', input: { ...REQUEST, RoleArn } })).toMatchObject(
      denied(`User: ${ALICE.arn} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`),
    );
    expect(questions).toEqual([]);
  });

  it('finds a role with a path', () => {
    const { sts } = service();
    const reply = sts.assumeRole({ ...REQUEST, RoleArn: 'arn:aws:iam::111122223333:role/jobs/night' }, ALICE_CALLER);
    expect(reply.AssumedRoleUser.Arn).toBe('arn:aws:sts::111122223333:assumed-role/night/run-7');
  });

  it('is not for the root', () => {
    expect(service().refusal({ action: 'AssumeRole', input: REQUEST }, ROOT_CALLER)).toMatchObject(
      denied('Roles may not be assumed by root accounts.'),
    );
  });

  it('is not for somebody whom a user vouches for', async () => {
    const { sts, callerWith, refusal } = service();
    const guest = await callerWith(sts.getFederationToken({ Name: 'guest' }, ALICE_CALLER).Credentials);
    expect(refusal({ action: 'AssumeRole', input: REQUEST }, guest)).toMatchObject(
      denied('Cannot call AssumeRole with the credentials of a federated user'),
    );
  });

  it('lasts as long as is asked for, and as the role allows', () => {
    const { sts, refusal } = service();
    const expiry = (DurationSeconds: number) =>
      sts.assumeRole({ ...REQUEST, DurationSeconds }, ALICE_CALLER).Credentials.Expiration;
    expect(expiry(900)).toBe('2026-01-31T12:15:00Z');
    expect(expiry(7200)).toBe('2026-01-31T14:00:00Z');
    expect(refusal({ action: 'AssumeRole', input: { ...REQUEST, DurationSeconds: 7201 } })).toMatchObject(
      invalid('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.'),
    );
  });

  it('bounds the session by the policy given, and tells how much room that takes', async () => {
    const { sts, callerWith } = service();
    const Policy = '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}';
    const reply = sts.assumeRole({ ...REQUEST, Policy, Tags: [{ Key: 'team', Value: 'blue' }] }, ALICE_CALLER);
    expect(reply.PackedPolicySize).toBe(3);
    expect(await callerWith(reply.Credentials)).toMatchObject({
      policies: { identity: WORKER.policies, session: [Policy] },
      tags: { team: 'blue', stage: 'test' },
    });
  });

  it('hands on transitive tags and the source identity through a chain of roles', async () => {
    const { sts, callerWith, refusal } = service();
    const Tags = [
      { Key: 'team', Value: 'blue' },
      { Key: 'once', Value: '1' },
    ];
    const first = sts.assumeRole(
      { ...REQUEST, Tags, TransitiveTagKeys: ['team'], SourceIdentity: 'alice' },
      ALICE_CALLER,
    );
    const worker = await callerWith(first.Credentials);
    const night = { RoleArn: 'arn:aws:iam::111122223333:role/jobs/night', RoleSessionName: 'second' };
    const second = sts.assumeRole(night, worker);
    expect(second.SourceIdentity).toBe('alice');
    expect(await callerWith(second.Credentials)).toMatchObject({
      tags: { team: 'blue', stage: 'test' },
      session: { sourceIdentity: 'alice', transitiveTagKeys: ['team'] },
    });
    expect((await callerWith(second.Credentials)).tags).not.toHaveProperty('once');

    const call = (input: AssumeRoleInput): StsCall => ({ action: 'AssumeRole', input: { ...night, ...input } });
    expect(refusal(call({ DurationSeconds: 3601 }), worker)).toMatchObject(
      invalid('The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.'),
    );
    expect(refusal(call({ Tags: [{ Key: 'TEAM', Value: 'red' }] }), worker)).toMatchObject(
      denied('The session tag team is transitive and cannot be set again.'),
    );
    expect(refusal(call({ SourceIdentity: 'bob' }), worker)).toMatchObject(
      denied('The source identity of a session cannot be changed.'),
    );
  });

  it.each<[string, AssumeRoleInput, object]>([
    [
      'no role',
      { RoleArn: undefined },
      violation("null at 'roleArn' failed to satisfy constraint: Member must not be null"),
    ],
    [
      'a role that is too short',
      { RoleArn: 'worker' },
      violation(
        "'worker' at 'roleArn' failed to satisfy constraint: Member must have length greater than or equal to 20",
      ),
    ],
    [
      'no session name',
      { RoleSessionName: undefined },
      violation("null at 'roleSessionName' failed to satisfy constraint: Member must not be null"),
    ],
    [
      'a session name with a slash',
      { RoleSessionName: 'a/b' },
      violation(
        "'a/b' at 'roleSessionName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*",
      ),
    ],
    [
      'a long session name',
      { RoleSessionName: 'a'.repeat(65) },
      violation(
        `'${'a'.repeat(65)}' at 'roleSessionName' failed to satisfy constraint: Member must have length less than or equal to 64`,
      ),
    ],
    [
      'a short session',
      { DurationSeconds: 899 },
      violation(
        "'899' at 'durationSeconds' failed to satisfy constraint: Member must have value greater than or equal to 900",
      ),
    ],
    [
      'a long session',
      { DurationSeconds: 43_201 },
      violation(
        "'43201' at 'durationSeconds' failed to satisfy constraint: Member must have value less than or equal to 43200",
      ),
    ],
    ['a short external id', { ExternalId: 'x' }, { queryCode: 'ValidationError' }],
    ['a policy that is no JSON', { Policy: '{' }, { queryCode: 'MalformedPolicyDocument', httpStatus: 400 }],
    ['a policy that is no object', { Policy: '[]' }, { queryCode: 'MalformedPolicyDocument' }],
    [
      'a policy that means nothing',
      { Policy: '{"Statement":{"Effect":"Maybe","Action":"*","Resource":"*"}}' },
      {
        queryCode: 'MalformedPolicyDocument',
        message: 'Syntax errors in policy: Statement[0].Effect: must be Allow or Deny',
      },
    ],
    ['a long policy', { Policy: `{"a":"${'x'.repeat(2048)}"}` }, { queryCode: 'ValidationError' }],
    [
      'a device',
      { SerialNumber: 'arn:aws:iam::111122223333:mfa/alice', TokenCode: '123456' },
      { queryCode: 'AccessDenied' },
    ],
    [
      'managed policies',
      { PolicyArns: [{ arn: 'arn:aws:iam::aws:policy/AdministratorAccess' }] },
      { queryCode: 'ValidationError' },
    ],
    [
      'contexts',
      { ProvidedContexts: [{ ProviderArn: 'arn:aws:iam::aws:contextProvider/IdentityCenter' }] },
      { queryCode: 'ValidationError' },
    ],
    ['a tag without a key', { Tags: [{ Value: 'x' }] }, { queryCode: 'ValidationError' }],
    ['a tag of AWS', { Tags: [{ Key: 'aws:x', Value: 'x' }] }, { queryCode: 'ValidationError' }],
    [
      'a tag twice',
      {
        Tags: [
          { Key: 'a', Value: '1' },
          { Key: 'A', Value: '2' },
        ],
      },
      invalid('Duplicate tag keys found. Please note that Tag keys are case insensitive.'),
    ],
    [
      'too many tags',
      { Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `k${index}`, Value: '' })) },
      { queryCode: 'ValidationError' },
    ],
    [
      'tags that are too large together',
      { Tags: Array.from({ length: 20 }, (_, index) => ({ Key: `k${index}`, Value: 'x'.repeat(256) })) },
      { queryCode: 'PackedPolicyTooLarge', httpStatus: 400 },
    ],
    ['a transitive tag that is not there', { TransitiveTagKeys: ['team'] }, { queryCode: 'ValidationError' }],
  ])('refuses %s', (_, input, expected) => {
    expect(service().refusal({ action: 'AssumeRole', input: { ...REQUEST, ...input } })).toMatchObject(expected);
  });
});

describe('GetSessionToken', () => {
  it('gives a user credentials for 12 hours, or for as long as is asked for', async () => {
    const { sts, callerWith } = service();
    const { Credentials } = sts.getSessionToken({}, ALICE_CALLER);
    expect(Credentials.Expiration).toBe('2026-02-01T00:00:00Z');
    expect(await callerWith(Credentials)).toEqual({
      ...ALICE_CALLER,
      accessKeyId: Credentials.AccessKeyId,
      session: { issuedAt: NOW, expiresAt: NOW - 250 + 12 * HOUR_MS, transitiveTagKeys: [] },
    });
    expect(sts.getSessionToken({ DurationSeconds: 129_600 }, ALICE_CALLER).Credentials.Expiration).toBe(
      '2026-02-02T00:00:00Z',
    );
  });

  it('gives the root an hour at most', async () => {
    const { sts, callerWith } = service();
    const { Credentials } = sts.getSessionToken({ DurationSeconds: 7200 }, ROOT_CALLER);
    expect(Credentials.Expiration).toBe('2026-01-31T13:00:00Z');
    expect((await callerWith(Credentials)).type).toBe('root');
  });

  it('is not for sessions', async () => {
    const { sts, callerWith, refusal } = service();
    const session = await callerWith(sts.getSessionToken({}, ALICE_CALLER).Credentials);
    const worker = await callerWith(sts.assumeRole(REQUEST, ALICE_CALLER).Credentials);
    for (const caller of [session, worker]) {
      expect(refusal({ action: 'GetSessionToken', input: {} }, caller)).toMatchObject(
        denied('Cannot call GetSessionToken with session credentials'),
      );
    }
  });

  it.each([899, 129_601])('refuses %i seconds', (DurationSeconds) => {
    expect(service().refusal({ action: 'GetSessionToken', input: { DurationSeconds } })).toMatchObject({
      queryCode: 'ValidationError',
    });
  });
});

describe('GetFederationToken', () => {
  it('gives credentials to whom the user names', async () => {
    const { sts, callerWith } = service();
    const reply = sts.getFederationToken(
      { Name: 'guest', Policy: '{"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}}', DurationSeconds: 900 },
      ALICE_CALLER,
    );
    expect(reply).toMatchObject({
      Credentials: { Expiration: '2026-01-31T12:15:00Z' },
      FederatedUser: { FederatedUserId: '111122223333:guest', Arn: 'arn:aws:sts::111122223333:federated-user/guest' },
      PackedPolicySize: 2,
    });
    expect(await callerWith(reply.Credentials)).toMatchObject({
      type: 'federated-user',
      arn: reply.FederatedUser.Arn,
      userId: reply.FederatedUser.FederatedUserId,
      policies: { session: ['{"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}}'] },
    });
  });

  it('is for users only', async () => {
    const { sts, callerWith, refusal } = service();
    const call: StsCall = { action: 'GetFederationToken', input: { Name: 'guest' } };
    const session = await callerWith(sts.getSessionToken({}, ALICE_CALLER).Credentials);
    expect(refusal(call, session)).toMatchObject(denied('Cannot call GetFederationToken with session credentials'));
    expect(refusal(call, ROOT_CALLER)).toMatchObject({ queryCode: 'AccessDenied' });
  });
});

describe('GetCallerIdentity', () => {
  it('tells everybody who he is', async () => {
    const { sts, callerWith } = service();
    const identityOf = (caller: Caller) => sts.run({ action: 'GetCallerIdentity', input: {} }, caller);
    expect(identityOf(ALICE_CALLER)).toEqual({ UserId: ALICE.id, Account: ACCOUNT, Arn: ALICE.arn });
    expect(identityOf(ROOT_CALLER)).toEqual({
      UserId: ACCOUNT,
      Account: ACCOUNT,
      Arn: 'arn:aws:iam::111122223333:root',
    });
    const { Credentials, AssumedRoleUser } = sts.assumeRole(REQUEST, ALICE_CALLER);
    expect(identityOf(await callerWith(Credentials))).toEqual({
      UserId: AssumedRoleUser.AssumedRoleId,
      Account: ACCOUNT,
      Arn: AssumedRoleUser.Arn,
    });
  });
});
