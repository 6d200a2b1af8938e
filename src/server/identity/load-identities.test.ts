import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sealer } from '../../auth/identity/sealing.ts';
import { ConfigError } from '../start-error.ts';
import { loadIdentities } from './load-identities.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-identities-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sealer = new Sealer(Buffer.alloc(32, 1), 'secret-access-key', randomBytes);

async function load(text: string, env: Record<string, string> = {}, partition = 'aws') {
  const path = join(folder, 'identity.yaml');
  await writeFile(path, text);
  return loadIdentities(path, { sealer, env, partition });
}

async function problemsOf(text: string): Promise<string[]> {
  const error = await load(text).catch((caught: unknown) => caught);
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${error}`);
  const place = ` (${join(folder, 'identity.yaml')})`;
  return error.problems.map((problem) => problem.replace(place, ''));
}

const TRUST = 'trustPolicy: {Statement: {Effect: Allow, Principal: "*", Action: "sts:AssumeRole"}}';
const inAccount = (text: string) => `version: 1\naccounts:\n  "111122223333":\n    ${text}\n`;

describe('loadIdentities', () => {
  it('reads all that can be declared', async () => {
    const directory = await load(
      `
version: 1
accounts:
  "111122223333":
    root:
      accessKeys: [{id: AKIAROOT, secret: {env: ROOT_SECRET}}]
    groups:
      producers:
        id: AGPA234567890123
        policies: {send: {Version: "2012-10-17", Statement: {Effect: Allow, Action: "sqs:*", Resource: "*"}}}
    users:
      alice:
        id: AIDA234567890123
        path: /teams/blue/
        groups: [producers]
        policies: {own: '{"Statement": {"Effect":"Allow","Action":"sqs:*","Resource":"*"}}'}
        permissionsBoundary: {Statement: {Effect: Allow, Action: "sqs:*", Resource: "*"}}
        tags: {team: blue, number: 7, yes: true}
        accessKeys:
          - {id: AKIAALICE, secret: {sealed: ${sealer.seal('of alice', 'AKIAALICE')}}}
          - {id: AKIAOLD, secret: {env: ROOT_SECRET}, active: false}
      bob:
    roles:
      worker:
        trustPolicy: {Statement: {Effect: Allow, Principal: "*", Action: "sts:AssumeRole"}}
        sessionSecondsMax: 7200
        path: /jobs/
        tags: {stage: test}
`,
      { ROOT_SECRET: 'of root' },
    );
    expect(directory.findKey('AKIAROOT')).toMatchObject({
      key: { secret: 'of root', active: true },
      holder: { type: 'root', root: { arn: 'arn:aws:iam::111122223333:root' } },
    });
    expect(directory.findUser('111122223333', 'alice')).toEqual({
      account: '111122223333',
      name: 'alice',
      arn: 'arn:aws:iam::111122223333:user/teams/blue/alice',
      id: 'AIDA234567890123',
      groups: [
        {
          account: '111122223333',
          name: 'producers',
          arn: 'arn:aws:iam::111122223333:group/producers',
          id: 'AGPA234567890123',
          policies: [
            {
              name: 'send',
              document: '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sqs:*","Resource":"*"}}',
            },
          ],
        },
      ],
      policies: [{ name: 'own', document: '{"Statement": {"Effect":"Allow","Action":"sqs:*","Resource":"*"}}' }],
      permissionsBoundary: '{"Statement":{"Effect":"Allow","Action":"sqs:*","Resource":"*"}}',
      tags: { team: 'blue', number: '7', yes: 'true' },
      accessKeys: [
        { id: 'AKIAALICE', secret: 'of alice', active: true },
        { id: 'AKIAOLD', secret: 'of root', active: false },
      ],
    });
    expect(directory.findRole('111122223333', 'worker')).toMatchObject({
      arn: 'arn:aws:iam::111122223333:role/jobs/worker',
      trustPolicy: '{"Statement":{"Effect":"Allow","Principal":"*","Action":"sts:AssumeRole"}}',
      sessionSecondsMax: 7200,
      tags: { stage: 'test' },
    });
    expect(directory.findUser('111122223333', 'bob')).toMatchObject({ groups: [], accessKeys: [] });
  });

  it('gives who has no id the same one each time, and another one to another name', async () => {
    const text = inAccount('users: {alice: , bob: }');
    const idsIn = (directory: Awaited<ReturnType<typeof load>>) => directory.accounts[0]?.users.map(({ id }) => id);
    const first = idsIn(await load(text));
    expect(first?.[0]).toMatch(/^AIDA[A-Z2-7]{17}$/);
    expect(first?.[0]).not.toBe(first?.[1]);
    expect(idsIn(await load(text))).toEqual(first);
  });

  it('names the partition of its region', async () => {
    const directory = await load(inAccount('users: {alice: }'), {}, 'aws-cn');
    expect(directory.findUser('111122223333', 'alice')?.arn).toBe('arn:aws-cn:iam::111122223333:user/alice');
  });

  it('reads JSON, and a file without accounts', async () => {
    const directory = await load('{"version": 1, "accounts": {"111122223333": {"users": {"alice": {}}}}}');
    expect(directory.findUser('111122223333', 'alice')?.name).toBe('alice');
    expect((await load('version: 1')).accounts).toEqual([]);
  });

  it.each<[string, string, string[]]>([
    ['nothing', '', ['the file must be a map with version and accounts']],
    ['another version', 'version: 2', ['version must be 1']],
    ['what it does not know', 'version: 1\nusers: {}', ['users is not a setting']],
    ['an account of other than 12 digits', 'version: 1\naccounts: {42: }', ['accounts.42 must be 12 digits in quotes']],
    [
      'a secret as it is',
      inAccount('users: {alice: {accessKeys: [{id: AKIAALICE, secret: hush}]}}'),
      [
        'accounts.111122223333.users.alice.accessKeys.0.secret must be {env: NAME} or {sealed: TEXT}; a secret itself does not belong into the file',
      ],
    ],
    [
      'a group that is not there',
      inAccount('users: {alice: {groups: [admins]}}'),
      ['accounts.111122223333.users.alice.groups names admins, which accounts.111122223333.groups has not'],
    ],
    [
      'an access key of two',
      inAccount(
        'users: {a: {accessKeys: [{id: AKIA, secret: {env: A}}]}, b: {accessKeys: [{id: AKIA, secret: {env: A}}]}}',
      ),
      ['accounts.111122223333.users.b.accessKeys has the id AKIA, which accounts.111122223333.users.a.accessKeys has'],
    ],
    [
      'an id of two',
      inAccount(`roles: {a: {id: AROA234567890123, ${TRUST}}, b: {id: AROA234567890123, ${TRUST}}}`),
      ['accounts.111122223333.roles.b has the id AROA234567890123, which accounts.111122223333.roles.a has'],
    ],
    [
      'an id of another kind',
      inAccount('users: {a: {id: AROA234567890123}}'),
      ['accounts.111122223333.users.a.id must be AIDA and capital letters or digits'],
    ],
    [
      'a policy that is no JSON, and a role nobody may assume',
      inAccount('roles: {a: {policies: {p: "Allow all"}}}'),
      [
        'accounts.111122223333.roles.a.trustPolicy must be a policy: an object, or its JSON as a text',
        'accounts.111122223333.roles.a.policies.p is no policy (is not valid JSON)',
      ],
    ],
    [
      'policies that mean nothing',
      inAccount('roles: {a: {trustPolicy: {Statement: []}, policies: {p: {Statement: {Effect: Maybe}}}}}'),
      [
        'accounts.111122223333.roles.a.trustPolicy is no policy (Statement: must have at least one statement)',
        'accounts.111122223333.roles.a.policies.p is no policy (Statement[0].Effect: must be Allow or Deny)',
      ],
    ],
    [
      'a session that is too long',
      inAccount(`roles: {a: {${TRUST}, sessionSecondsMax: 43201}}`),
      ['accounts.111122223333.roles.a.sessionSecondsMax must be a whole number of seconds from 3600 to 43200'],
    ],
    [
      'a variable that is not set',
      inAccount('root: {accessKeys: [{id: AKIAROOT, secret: {env: NOWHERE}}]}'),
      ['the secret of the access key AKIAROOT is to be in NOWHERE, which is not set'],
    ],
    [
      'the sealed secret of another access key',
      inAccount(`root: {accessKeys: [{id: AKIAROOT, secret: {sealed: "${sealer.seal('x', 'AKIAALICE')}"}}]}`),
      ['the secret of the access key AKIAROOT was sealed for another one, or under another key file'],
    ],
  ])('refuses %s', async (_, text, problems) => {
    expect((await problemsOf(text)).toSorted()).toEqual(problems.toSorted());
  });

  it('refuses what is no YAML, telling the place but not what stands there', async () => {
    const [problem] = await problemsOf('version: 1\naccounts: {"hush": [\n');
    expect(problem).toMatch(/^the identity file .* cannot be parsed: .*at line 3/);
    expect(problem).not.toContain('hush');
  });

  it('refuses a file that is not there', async () => {
    const sources = { sealer, env: {}, partition: 'aws' };
    await expect(loadIdentities('/nowhere/identity.yaml', sources)).rejects.toThrow(
      'cannot read the identity file /nowhere/identity.yaml: there is no such file',
    );
  });
});
