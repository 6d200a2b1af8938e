import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import STS from 'aws-sdk/clients/sts.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AccessServer,
  allow,
  deny,
  type Keys,
  keysOf,
  OWNER,
  policy,
  queueArn,
  REGION,
  roleArn,
  STRANGER,
  sdkFor,
  startAccessServer,
  userArn,
} from '../support/access.ts';

// Temporary credentials, from the SDK's call of STS to what they may do with queues.

let server: AccessServer;
let queue: string;

const trust = (AWS: string, more: object = {}) =>
  policy({ Effect: 'Allow', Principal: { AWS }, Action: ['sts:AssumeRole', 'sts:TagSession'], ...more });

beforeAll(async () => {
  server = await startAccessServer({
    [OWNER]: {
      users: {
        alice: {},
        bob: { policies: { roles: policy(allow('sts:AssumeRole', roleArn('by-account'))) } },
        lender: { policies: { all: policy(allow('sqs:*'), allow('sts:GetFederationToken')) } },
        denied: { policies: { no: policy(deny('sts:AssumeRole', '*')) } },
        sender: { policies: { send: policy(allow('sqs:SendMessage')) } },
      },
      roles: {
        worker: { trustPolicy: trust(userArn('alice')), policies: { all: policy(allow('sqs:*')) } },
        'by-account': { trustPolicy: trust(OWNER), policies: { all: policy(allow('sqs:*')) } },
        'by-partner': {
          trustPolicy: trust(STRANGER, { Condition: { StringEquals: { 'sts:ExternalId': 'x1' } } }),
          policies: { all: policy(allow('sqs:SendMessage')) },
        },
        'of-nobody': { trustPolicy: trust(userArn('somebody-else')), policies: {} },
        'by-address': {
          trustPolicy: trust(userArn('alice'), { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }),
        },
        tagged: {
          trustPolicy: trust(userArn('alice')),
          policies: {
            own: policy(
              allow('sqs:*', '*', {
                // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable
                Condition: { StringEquals: { 'aws:ResourceTag/team': '${aws:PrincipalTag/team}' } },
              }),
            ),
          },
        },
      },
    },
    [STRANGER]: { users: { partner: { policies: { roles: policy(allow('sts:AssumeRole')) } } } },
  });
  const client = sdkFor(server.url, keysOf('root'));
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'orders', tags: { team: 'blue' } }));
  queue = QueueUrl as string;
  client.destroy();
});
afterAll(() => server.close());

function sts(credentials: Keys): STS {
  return new STS({ endpoint: server.url, region: REGION, credentials, maxRetries: 0 });
}

async function assume(as: Keys, role: string, more: Partial<STS.AssumeRoleRequest> = {}): Promise<Keys> {
  const request = { RoleArn: roleArn(role), RoleSessionName: 'run-7', ...more };
  return keysIn((await sts(as).assumeRole(request).promise()).Credentials);
}

function keysIn(credentials: STS.Credentials | undefined): Keys {
  if (credentials === undefined) throw new Error('There are no credentials in the reply.');
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = credentials;
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** What a caller may do with the queue. */
async function permissionsOf(credentials: Keys): Promise<string[]> {
  const client = sdkFor(server.url, credentials);
  const attempts = {
    send: () => client.send(new SendMessageCommand({ QueueUrl: queue, MessageBody: 'a' })),
    receive: () => client.send(new ReceiveMessageCommand({ QueueUrl: queue })),
    purge: () => client.send(new PurgeQueueCommand({ QueueUrl: queue })),
    look: () => client.send(new GetQueueAttributesCommand({ QueueUrl: queue })),
  };
  const allowed: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      allowed.push(name);
    } catch (error) {
      expect(error).toMatchObject({ Code: 'AccessDenied' });
    }
  }
  client.destroy();
  return allowed;
}

const EVERYTHING = ['send', 'receive', 'purge', 'look'];

describe('AssumeRole', () => {
  it('gives what the role may do', async () => {
    expect(await permissionsOf(keysOf('alice'))).toEqual([]);
    expect(await permissionsOf(await assume(keysOf('alice'), 'worker'))).toEqual(EVERYTHING);
  });

  it('is limited by the session policy', async () => {
    const Policy = JSON.stringify(policy(allow('sqs:SendMessage', queueArn('orders'))));
    expect(await permissionsOf(await assume(keysOf('alice'), 'worker', { Policy }))).toEqual(['send']);
  });

  it('sends under the id of the session', async () => {
    const client = sdkFor(server.url, await assume(keysOf('alice'), 'worker'));
    await client.send(new SendMessageCommand({ QueueUrl: queue, MessageBody: 'mine' }));
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queue,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['SenderId'],
      }),
    );
    expect(Messages.find(({ Body }) => Body === 'mine')?.Attributes?.SenderId).toMatch(/^AROA[A-Z0-9]+:run-7$/);
    client.destroy();
  });

  it('brings tags that policies ask for', async () => {
    const withTeam = (Value: string) => assume(keysOf('alice'), 'tagged', { Tags: [{ Key: 'team', Value }] });
    expect(await permissionsOf(await withTeam('blue'))).toEqual(EVERYTHING);
    expect(await permissionsOf(await withTeam('red'))).toEqual([]);
  });

  it('leaves it to the account, where the role does', async () => {
    expect(await permissionsOf(await assume(keysOf('bob'), 'by-account'))).toEqual(EVERYTHING);
    await expect(assume(keysOf('alice'), 'by-account')).rejects.toMatchObject({ code: 'AccessDenied' });
    await expect(assume(keysOf('denied'), 'by-account')).rejects.toMatchObject({ code: 'AccessDenied' });
  });

  it('works across accounts, when both sides allow', async () => {
    const partner = keysOf('partner', STRANGER);
    expect(await permissionsOf(await assume(partner, 'by-partner', { ExternalId: 'x1' }))).toEqual(['send']);
    await expect(assume(partner, 'by-partner')).rejects.toMatchObject({ code: 'AccessDenied' });
    await expect(assume(keysOf('root', STRANGER), 'by-partner', { ExternalId: 'x1' })).rejects.toMatchObject({
      code: 'AccessDenied',
    });
  });

  it.each(['of-nobody', 'by-address', 'no-such-role'])('is refused for %s in the same words', async (role) => {
    await expect(assume(keysOf('alice'), role)).rejects.toMatchObject({
      code: 'AccessDenied',
      message: `User: ${userArn('alice')} is not authorized to perform: sts:AssumeRole on resource: ${roleArn(role)}`,
    });
  });
});

describe('the other credentials of STS', () => {
  it('GetSessionToken gives what its user has', async () => {
    const { Credentials } = await sts(keysOf('sender')).getSessionToken().promise();
    expect(await permissionsOf(keysIn(Credentials))).toEqual(['send']);
  });

  it('GetFederationToken gives what both the user and the policy allow, and needs a permission', async () => {
    const Policy = JSON.stringify(policy(allow('sqs:ReceiveMessage')));
    const of = (user: string, more: object = {}) =>
      sts(keysOf(user))
        .getFederationToken({ Name: 'guest', ...more })
        .promise();
    expect(await permissionsOf(keysIn((await of('lender', { Policy })).Credentials))).toEqual(['receive']);
    expect(await permissionsOf(keysIn((await of('lender')).Credentials))).toEqual([]);
    await expect(of('sender')).rejects.toMatchObject({
      code: 'AccessDenied',
      message: `User: ${userArn('sender')} is not authorized to perform: sts:GetFederationToken on resource: arn:aws:sts::${OWNER}:federated-user/guest`,
    });
  });

  it('GetCallerIdentity needs no permission, but a signature', async () => {
    expect(await sts(keysOf('alice')).getCallerIdentity().promise()).toMatchObject({ Arn: userArn('alice') });
    const wrong = { ...keysOf('alice'), secretAccessKey: 'wrong' };
    await expect(sts(wrong).getCallerIdentity().promise()).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' });
  });
});
