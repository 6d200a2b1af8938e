import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';

const OWNER = '111122223333';
const STRANGER = '444455556666';
const version = '2012-10-17';
const allow = (Sid: string, more: object) => ({ Sid, Effect: 'Allow', Action: 'sqs:SendMessage', ...more });
const policy = (...Statement: object[]) => ({ Version: version, Statement });

const INSIDE = { Resource: '*', Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } };

const TRUST = { Effect: 'Allow', Principal: { AWS: OWNER }, Action: 'sts:AssumeRole' };

const PEOPLE = {
  version: 1,
  accounts: {
    [OWNER]: {
      users: {
        alice: { policies: { send: policy(allow('SendOrders', { Resource: 'arn:aws:sqs:*:*:orders' })) } },
        bob: {
          policies: { all: policy({ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }) },
          permissionsBoundary: policy({
            Sid: 'BlueOnly',
            Effect: 'Deny',
            Action: '*',
            Resource: '*',
            Condition: { StringNotEquals: { 'aws:ResourceTag/team': 'blue' } },
          }),
        },
      },
      roles: {
        worker: { trustPolicy: policy(TRUST), policies: { send: policy(allow('FromInside', INSIDE)) } },
      },
    },
    [STRANGER]: { users: { eve: { policies: { send: policy(allow('Any', { Resource: '*' })) } } } },
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stanchion-policy-'));
  await writeFile(join(folder, 'identity.yaml'), JSON.stringify(PEOPLE), { mode: 0o600 });
  const open = policy({ ...allow('Partners', { Resource: '*' }), Principal: { AWS: STRANGER } });
  await writeFile(join(folder, 'queue.json'), JSON.stringify(open));
});
afterAll(() => rm(folder, { recursive: true }));

const explain = (...args: string[]) =>
  runCommand(folder, ['policy', 'explain', '--account', OWNER, '--queue', 'orders', ...args]);

describe('stanchion policy explain', () => {
  it('names the statement that decides, and what each type of policy says', async () => {
    expect(await explain('--as', 'alice', '--action', 'SendMessage')).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        `sqs:SendMessage on arn:aws:sqs:us-east-1:${OWNER}:orders`,
        'allowed by statement "SendOrders" of "send" (identity-based policy)',
        '  identity: allowed by statement "SendOrders" of "send"',
        '  boundary: there is none',
        '  session: there is none',
        '  queue: there is none',
        '  endpoint: there is none',
        '',
      ].join('\n'),
    });
  });

  it.each<[string, number, string, string[]]>([
    [
      'what nobody allows',
      2,
      'denied: no identity-based policy allows it',
      ['--as', 'alice', '--action', 'sqs:ReceiveMessage'],
    ],
    [
      'a tag that is missing',
      2,
      'denied by statement "BlueOnly" of "permissions boundary"',
      ['--as', 'bob', '--action', 'SendMessage'],
    ],
    [
      'an address',
      0,
      'allowed by statement "FromInside"',
      ['--as', 'role/worker', '--action', 'SendMessage', '--source-ip', '10.1.2.3'],
    ],
    [
      'another address',
      2,
      'denied: no identity-based policy allows it',
      ['--as', 'role/worker', '--action', 'SendMessage', '--source-ip', '192.0.2.1'],
    ],
    [
      'another account, not let in',
      2,
      'denied: no resource-based policy allows it',
      ['--as', `${STRANGER}:eve`, '--action', 'SendMessage', '--queue', `${OWNER}:orders`],
    ],
    [
      'another account, let in',
      0,
      'allowed by statement "Partners" of "queue policy"',
      ['--as', `${STRANGER}:eve`, '--action', 'SendMessage', '--queue-policy', 'queue.json'],
    ],
    ['nobody', 2, 'denied: no resource-based policy allows it', ['--as', 'anonymous', '--action', 'SendMessage']],
  ])('decides about %s', async (_, code, text, args) => {
    const answer = await explain(...args);
    expect(answer).toMatchObject({ code, stderr: '' });
    expect(answer.stdout.split('\n')[1]).toContain(text);
  });

  it.each<[string, string, string[]]>([
    [
      'somebody who is not there',
      `there is no carol in account ${OWNER}`,
      ['--as', 'carol', '--action', 'SendMessage'],
    ],
    [
      'an action that policies do not have',
      'sqs:SendMessageBatch is no action that policies know; SendMessageBatch needs sqs:SendMessage',
      ['--as', 'alice', '--action', 'SendMessageBatch'],
    ],
  ])('says so of %s', async (_, text, args) => {
    expect(await explain(...args)).toEqual({ code: 1, stdout: '', stderr: `stanchion: ${text}\n` });
  });
});
