// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policy variables look like placeholders.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SQS_ACTIONS, type SqsAction } from '../../src/auth/policy/sqs-actions.ts';
import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';
import {
  type AccessServer,
  accessDenied,
  allow,
  call,
  deny,
  type IdentityOptions,
  keysOf,
  OWNER,
  PROTOCOLS,
  type Protocol,
  policy,
  queueArn,
  STRANGER,
  send,
  startAccessServer,
  unsignedCall,
  userArn,
} from '../support/access.ts';
import { validInputs } from '../support/valid-inputs.ts';

// Policies as they decide requests on the wire, in both protocols.

const ACTIONS = Object.keys(SQS_ACTIONS) as ActionName[];
const ROOT = keysOf('root');

/** All that an action needs. */
function permissionsOf(action: ActionName): string[] {
  const { permissions, taggingPermission }: SqsAction = SQS_ACTIONS[action];
  return [...permissions, ...(taggingPermission ? [taggingPermission] : [])].map((permission) => permission.action);
}

const users: Record<string, IdentityOptions> = {
  nobody: {},
  everything: { policies: { all: policy(allow('sqs:*')) } },
  bounded: { policies: { all: policy(allow('sqs:*')) }, permissionsBoundary: policy(allow('sqs:ReceiveMessage')) },
  'blue-only': {
    tags: { team: 'blue' },
    policies: {
      own: policy(
        allow('sqs:*', '*', { Condition: { StringEquals: { 'aws:ResourceTag/team': '${aws:PrincipalTag/team}' } } }),
        allow(['sqs:CreateQueue', 'sqs:TagQueue'], '*', {
          Condition: { StringEquals: { 'aws:RequestTag/team': '${aws:PrincipalTag/team}' } },
        }),
      ),
    },
  },
  'one-queue': { policies: { one: policy(allow('sqs:*', queueArn('visible'))) } },
};
for (const action of ACTIONS) {
  users[`only-${action}`] = { policies: { own: policy(allow(permissionsOf(action))) } };
  users[`without-${action}`] = { policies: { own: policy(allow('sqs:*'), deny(permissionsOf(action)[0] as string)) } };
}

let server: AccessServer;
let names = 0;

beforeAll(async () => {
  server = await startAccessServer({
    [OWNER]: { users },
    [STRANGER]: { users: { eve: { policies: { all: policy(allow('sqs:*')) } }, mallory: {} } },
  });
});
afterAll(() => server.close());

function as<Name extends ActionName>(
  user: string,
  action: Name,
  input: ActionInputs[Name] = {},
  protocol: Protocol = 'AWS JSON',
  account = OWNER,
) {
  return call(server.url, keysOf(user, account), protocol, action, input);
}

async function createQueue(name = `queue-${++names}`, more: ActionInputs['CreateQueue'] = {}): Promise<string> {
  const { status, text } = await call(server.url, ROOT, 'AWS JSON', 'CreateQueue', { QueueName: name, ...more });
  expect({ status, text }).toMatchObject({ status: 200 });
  return name;
}

const urlOf = (name: string, account = OWNER) => `${server.url}/${account}/${name}`;
const setPolicy = (name: string, ...statements: object[]) =>
  createQueue(name).then(() =>
    as('root', 'SetQueueAttributes', {
      QueueUrl: urlOf(name),
      Attributes: { Policy: statements.length === 0 ? '' : JSON.stringify(policy(...statements)) },
    }),
  );

const notAllowed = (arn: string, action: string, resource: string, type = 'identity-based') =>
  `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} because no ${type} policy allows the ${action} action`;

/** What the actions are tried on. */
async function inputsFor(name: string) {
  const inputs = validInputs({ url: urlOf(name), arn: queueArn(name), newName: `${name}-new` });
  return {
    ...inputs,
    GetQueueUrl: { QueueName: name },
    // A task that does not exist: what is refused then is not access.
    StartMessageMoveTask: { SourceArn: queueArn(name), DestinationArn: queueArn(`${name}-other`) },
  } satisfies { [Name in ActionName]: ActionInputs[Name] };
}

function resourceOf(action: ActionName, name: string): string {
  if (action === 'ListQueues') return queueArn('*');
  return queueArn(action === 'CreateQueue' ? `${name}-new` : name);
}

describe.each(PROTOCOLS)('every action over %s', (protocol) => {
  it.each(ACTIONS)('%s needs its permission', async (action) => {
    const name = await createQueue();
    const inputs = await inputsFor(name);
    const iamAction = (permissionsOf(action)[0] as string).toLowerCase();
    const resource = resourceOf(action, name);
    expect(await as('nobody', action, inputs[action], protocol)).toMatchObject(
      accessDenied(protocol, notAllowed(userArn('nobody'), iamAction, resource)),
    );
    const denying = `without-${action}`;
    expect(await as(denying, action, inputs[action], protocol)).toMatchObject(
      accessDenied(
        protocol,
        `User: ${userArn(denying)} is not authorized to perform: ${iamAction} on resource: ${resource} with an explicit deny in an identity-based policy`,
      ),
    );
    const reply = await as(`only-${action}`, action, inputs[action], protocol);
    expect(reply.text).not.toMatch(/AccessDenied/);
    // Either done, or refused for what the input says: it got past access control.
    expect([200, 400, 404]).toContain(reply.status);
  });

  it('is allowed to the root, without any policy', async () => {
    const name = await createQueue();
    const inputs = await inputsFor(name);
    for (const action of ACTIONS.filter((each) => each !== 'DeleteQueue')) {
      expect((await as('root', action, inputs[action], protocol)).text).not.toMatch(/AccessDenied/);
    }
  });
});

describe('permissions besides that of the action itself', () => {
  it.each(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])(
    'a move task needs %s',
    async (also) => {
      const name = await createQueue();
      await setPolicy(name, deny(also, queueArn(name), { Principal: { AWS: userArn('everything') } }));
      expect(
        await as('everything', 'StartMessageMoveTask', { SourceArn: queueArn(name), DestinationArn: queueArn('x') }),
      ).toMatchObject({ status: 403, message: expect.stringContaining(`perform: ${also.toLowerCase()} on resource`) });
    },
  );

  it('a move task needs to send to its destination', async () => {
    const [name, destination] = [await createQueue(), await createQueue()];
    await setPolicy(destination, deny('sqs:SendMessage', '*', { Principal: { AWS: OWNER } }));
    expect(
      await as('everything', 'StartMessageMoveTask', {
        SourceArn: queueArn(name),
        DestinationArn: queueArn(destination),
      }),
    ).toMatchObject({
      status: 403,
      message: `User: ${userArn('everything')} is not authorized to perform: sqs:sendmessage on resource: ${queueArn(destination)} with an explicit deny in a resource-based policy`,
    });
  });

  it('without a destination to the queues that messages came from', async () => {
    const dead = await createQueue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queueArn(dead), maxReceiveCount: 3 });
    const source = await createQueue(undefined, { Attributes: { RedrivePolicy } });
    const start = () => as('everything', 'StartMessageMoveTask', { SourceArn: queueArn(dead) });
    await setPolicy(source, deny('sqs:SendMessage', '*', { Principal: { AWS: OWNER } }));
    expect(await start()).toMatchObject({ status: 403, message: expect.stringContaining(queueArn(source)) });
    await setPolicy(source);
    expect(await start()).toMatchObject({ status: 200 });
  });

  it('a queue with tags needs TagQueue', async () => {
    const creator = 'without-TagQueue';
    expect(await as(creator, 'CreateQueue', { QueueName: 'tagged', tags: { a: 'b' } })).toMatchObject({
      status: 403,
      message: expect.stringContaining('perform: sqs:tagqueue on resource'),
    });
    expect(await as(creator, 'CreateQueue', { QueueName: 'untagged' })).toMatchObject({ status: 200 });
  });
});

describe('a queue policy', () => {
  const send_ = (user: string, name: string, account = OWNER) =>
    as(user, 'SendMessage', { QueueUrl: urlOf(name), MessageBody: 'a' }, 'AWS JSON', account);

  it('grants within the account', async () => {
    const name = await createQueue();
    await setPolicy(name, allow('sqs:SendMessage', queueArn(name), { Principal: { AWS: userArn('nobody') } }));
    expect(await send_('nobody', name)).toMatchObject({ status: 200 });
    expect(await as('nobody', 'ReceiveMessage', { QueueUrl: urlOf(name) })).toMatchObject({ status: 403 });
  });

  it.each(PROTOCOLS)('grants to other accounts, by the URL of the queue (%s)', async (protocol) => {
    const name = await createQueue();
    const eve = (action: 'SendMessage' | 'DeleteQueue', user = 'eve') =>
      as(user, action, { QueueUrl: urlOf(name), MessageBody: 'a' } as object, protocol, STRANGER);
    const arn = userArn('eve', STRANGER);
    const denied = notAllowed(arn, 'sqs:sendmessage', queueArn(name), 'resource-based');
    expect(await eve('SendMessage')).toMatchObject(accessDenied(protocol, denied));
    await setPolicy(name, allow('sqs:*', queueArn(name), { Principal: { AWS: STRANGER } }));
    expect(await eve('SendMessage')).toMatchObject({ status: 200 });
    // Both sides have to allow.
    expect(await eve('SendMessage', 'mallory')).toMatchObject({ status: 403 });
    // Not for others, whatever the policy says.
    expect(await eve('DeleteQueue')).toMatchObject({ status: 403 });
    const { text } = await as('everything', 'ReceiveMessage', {
      QueueUrl: urlOf(name),
      MessageSystemAttributeNames: ['SenderId'],
    });
    expect(JSON.parse(text).Messages[0].Attributes.SenderId).toMatch(/^AIDA/);
  });

  it('may deny what an identity policy allows', async () => {
    const name = await createQueue();
    await setPolicy(name, deny('sqs:SendMessage', '*', { Principal: '*' }));
    const message = `User: ${userArn('everything')} is not authorized to perform: sqs:sendmessage on resource: ${queueArn(name)} with an explicit deny in a resource-based policy`;
    expect(await send_('everything', name)).toMatchObject(accessDenied('AWS JSON', message));
    expect(await send_('root', name)).toMatchObject({ status: 403 });
    expect(await as('root', 'SetQueueAttributes', { QueueUrl: urlOf(name), Attributes: { Policy: '' } })).toMatchObject(
      {
        status: 200,
      },
    );
    expect(await send_('everything', name)).toMatchObject({ status: 200 });
  });

  it('that AddPermission wrote is in force, until RemovePermission', async () => {
    const name = await createQueue();
    const QueueUrl = urlOf(name);
    const add = { QueueUrl, Label: 'eve', AWSAccountIds: [STRANGER], Actions: ['SendMessage'] };
    expect(await as('root', 'AddPermission', add)).toMatchObject({ status: 200 });
    expect(await send_('eve', name, STRANGER)).toMatchObject({ status: 200 });
    expect(await as('root', 'RemovePermission', { QueueUrl, Label: 'eve' })).toMatchObject({ status: 200 });
    expect(await send_('eve', name, STRANGER)).toMatchObject({ status: 403 });
  });

  it('sees the address of the caller', async () => {
    const name = await createQueue();
    const from = (range: string) =>
      setPolicy(
        name,
        allow('sqs:SendMessage', '*', {
          Principal: { AWS: userArn('nobody') },
          Condition: { IpAddress: { 'aws:SourceIp': range }, Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    await from('127.0.0.0/8');
    expect(await send_('nobody', name)).toMatchObject({ status: 200 });
    await from('10.0.0.0/8');
    expect(await send_('nobody', name)).toMatchObject({ status: 403 });
  });

  it.each(PROTOCOLS)(
    'lets requests without a signature in only where it grants to everybody (%s)',
    async (protocol) => {
      const name = await createQueue();
      const anonymous = (QueueUrl: string) => {
        const {
          headers = {},
          body = '',
          ...rest
        } = unsignedCall(server.url, protocol, 'SendMessage', {
          QueueUrl,
          MessageBody: 'a',
        });
        return send(server.url, {
          ...rest,
          query: '',
          rawHeaders: Object.entries(headers).flat(),
          body: Buffer.from(body),
        });
      };
      const missing = { status: 403, message: 'Request is missing Authentication Token' };
      expect(await anonymous(urlOf(name))).toMatchObject(missing);
      expect(await anonymous(urlOf('no-such-queue'))).toMatchObject(missing);
      await setPolicy(name, allow('sqs:SendMessage', '*', { Principal: '*' }));
      expect(await anonymous(urlOf(name))).toMatchObject({ status: 200 });
      const { text } = await as('root', 'ReceiveMessage', { QueueUrl: urlOf(name), AttributeNames: ['SenderId'] });
      expect(JSON.parse(text).Messages[0].Attributes.SenderId).toBe('127.0.0.1');
    },
  );
});

describe('limits of identities', () => {
  it('a permissions boundary limits what identity policies allow', async () => {
    const name = await createQueue();
    expect(await as('bounded', 'ReceiveMessage', { QueueUrl: urlOf(name) })).toMatchObject({ status: 200 });
    expect(await as('bounded', 'PurgeQueue', { QueueUrl: urlOf(name) })).toMatchObject({
      status: 403,
      message: `User: ${userArn('bounded')} is not authorized to perform: sqs:purgequeue on resource: ${queueArn(name)} because no permissions boundary allows the sqs:purgequeue action`,
    });
  });

  it('tags of queue, caller and request decide', async () => {
    const blue = await createQueue(undefined, { tags: { team: 'blue' } });
    const red = await createQueue(undefined, { tags: { team: 'red' } });
    const purge = (name: string) => as('blue-only', 'PurgeQueue', { QueueUrl: urlOf(name) });
    expect(await purge(blue)).toMatchObject({ status: 200 });
    expect(await purge(red)).toMatchObject({ status: 403 });
    await as('root', 'TagQueue', { QueueUrl: urlOf(red), Tags: { team: 'blue' } });
    expect(await purge(red)).toMatchObject({ status: 200 });
    const create = (team: string) => as('blue-only', 'CreateQueue', { QueueName: `of-${team}`, tags: { team } });
    expect(await create('red')).toMatchObject({ status: 403 });
    expect(await create('blue')).toMatchObject({ status: 200 });
  });
});

describe.each(PROTOCOLS)('a denial over %s', (protocol) => {
  const ON_QUEUES = ACTIONS.filter((action) => action !== 'ListQueues' && action !== 'CreateQueue');
  const POLICIES: [string, object[]][] = [
    ['without a policy', []],
    ['with a policy for somebody else', [allow('sqs:*', '*', { Principal: { AWS: userArn('everything') } })]],
    ['with a policy against the caller', [deny('sqs:*', '*', { Principal: { AWS: [OWNER, STRANGER] } })]],
  ];

  it.each(POLICIES)('is the same for a queue that is there, %s, and for one that is not', async (_, statements) => {
    const name = await createQueue(undefined, { tags: { team: 'blue' } });
    if (statements.length > 0) await setPolicy(name, ...statements);
    const absent = `${name}-absent`;
    const [there, gone] = [await inputsFor(name), await inputsFor(absent)];
    for (const action of ON_QUEUES) {
      for (const [user, account] of [
        ['one-queue', OWNER],
        ['eve', STRANGER],
        ['mallory', STRANGER],
      ] as const) {
        const at = (inputs: typeof there) => {
          const input =
            action === 'GetQueueUrl' ? { ...inputs.GetQueueUrl, QueueOwnerAWSAccountId: OWNER } : inputs[action];
          return as(user, action, input, protocol, account);
        };
        const [reply, other] = [await at(there), await at(gone)];
        expect(reply.status).toBe(403);
        expect(other).toEqual({ ...reply, message: expect.any(String), text: expect.any(String) });
        expect(other.message?.replaceAll(absent, name)).toBe(reply.message);
      }
    }
  });

  it('is not what who may do it gets for a queue that is not there', async () => {
    expect(await as('everything', 'PurgeQueue', { QueueUrl: urlOf('absent') }, protocol)).toMatchObject({
      status: 400,
      message: expect.stringContaining('The specified queue does not exist'),
    });
  });

  it('comes before checks of parameters, and after those of form', async () => {
    const name = await createQueue();
    const QueueUrl = urlOf(name);
    expect(await as('nobody', 'SendMessage', { QueueUrl, MessageBody: '' }, protocol)).toMatchObject({ status: 403 });
    const number = { QueueUrl, MaxNumberOfMessages: 'many' as never };
    expect(await as('nobody', 'ReceiveMessage', number, protocol)).toMatchObject({ status: 400 });
  });
});
