import { describe, expect, it } from 'vitest';
import { withoutPermission, withPermission } from './permissions.ts';
import { errorOf, testApi } from './testing/context.ts';

const ARN = 'arn:aws:sqs:us-east-1:000000000000:orders';
const GRANT = { QueueUrl: 'orders', Label: 'l', AWSAccountIds: ['123456789012'], Actions: ['ReceiveMessage'] };
const INVALID = 'InvalidParameterValueException: Value';

async function withQueue() {
  const api = testApi();
  await api.run('CreateQueue', { QueueName: 'orders' });
  const policy = async () => {
    const text = (await api.record('orders')).attributes.Policy;
    return text === undefined ? undefined : JSON.parse(text);
  };
  return { ...api, policy };
}

describe('AddPermission', () => {
  it('writes and extends the default policy', async () => {
    const { run, policy, record } = await withQueue();
    await run('AddPermission', GRANT);
    const first = {
      Sid: 'l',
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::123456789012:root' },
      Action: 'SQS:ReceiveMessage',
      Resource: ARN,
    };
    const head = { Version: '2008-10-17', Id: `${ARN}/SQSDefaultPolicy` };
    expect((await record('orders')).attributes.Policy).toBe(JSON.stringify({ ...head, Statement: [first] }));

    const user = 'arn:aws:iam::123456789012:user/bob';
    await run('AddPermission', {
      ...GRANT,
      Label: 'm',
      AWSAccountIds: ['210987654321', user],
      Actions: ['SendMessage', '*'],
    });
    expect((await policy()).Statement).toEqual([
      first,
      {
        Sid: 'm',
        Effect: 'Allow',
        Principal: { AWS: ['arn:aws:iam::210987654321:root', user] },
        Action: ['SQS:SendMessage', 'SQS:*'],
        Resource: ARN,
      },
    ]);
  });

  it('keeps what a policy had before', async () => {
    const { run, policy } = await withQueue();
    const own = { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: ARN };
    await run('SetQueueAttributes', {
      QueueUrl: 'orders',
      Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: own }) },
    });
    await run('AddPermission', GRANT);
    expect(await policy()).toMatchObject({ Version: '2012-10-17', Statement: [own, { Sid: 'l' }] });
  });

  const label = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.';
  it.each<[object, string]>([
    [{ Label: undefined }, 'MissingRequiredParameterException: The request must contain the parameter Label.'],
    [{ Label: '' }, 'MissingRequiredParameterException: The request must contain the parameter Label.'],
    [{ Label: 'a b' }, `${INVALID} a b for parameter Label is invalid. Reason: ${label}`],
    [{ Label: 'x'.repeat(81) }, `${INVALID} ${'x'.repeat(81)} for parameter Label is invalid. Reason: ${label}`],
    [{ Actions: undefined }, 'MissingRequiredParameterException: The request must contain the parameter ActionName.'],
    [{ Actions: [] }, 'MissingRequiredParameterException: The request must contain the parameter ActionName.'],
    [{ Actions: Array(8).fill('SendMessage') }, 'OverLimit: 8 Actions were found, maximum allowed is 7.'],
    [
      { AWSAccountIds: undefined },
      'MissingRequiredParameterException: The request must contain the parameter AWSAccountIds.',
    ],
    [{ AWSAccountIds: [] }, `${INVALID} [] for parameter PrincipalId is invalid. Reason: Unable to verify.`],
    [
      { AWSAccountIds: ['123456789012', 'bob', '5'] },
      `${INVALID} [bob, 5] for parameter PrincipalId is invalid. Reason: Unable to verify.`,
    ],
    [
      { AWSAccountIds: ['arn:aws:iam::123456789012:user/*'] },
      `${INVALID} [arn:aws:iam::123456789012:user/*] for parameter PrincipalId is invalid. Reason: Unable to verify.`,
    ],
    ...['constructor', 'SendMessageBatch', 'sendMessage', ''].map((action): [object, string] => [
      { Actions: ['SendMessage', action] },
      `${INVALID} SQS:${action} for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions.`,
    ]),
    ...['CreateQueue', 'SetQueueAttributes', 'UntagQueue'].map((action): [object, string] => [
      { Actions: [action] },
      `${INVALID} SQS:${action} for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action.`,
    ]),
  ])('refuses %j', async (change, error) => {
    const { run, policy } = await withQueue();
    expect(await errorOf(() => run('AddPermission', { ...GRANT, ...change }))).toBe(error);
    expect(await policy()).toBeUndefined();
  });

  it('refuses a label that is taken and a statement too many', async () => {
    const { run } = await withQueue();
    for (let i = 1; i <= 20; i += 1) await run('AddPermission', { ...GRANT, Label: `l${i}` });
    expect(await errorOf(() => run('AddPermission', { ...GRANT, Label: 'l7' }))).toBe(
      `${INVALID} l7 for parameter Label is invalid. Reason: Already exists.`,
    );
    expect(await errorOf(() => run('AddPermission', GRANT))).toBe(
      'OverLimit: 21 Statements were found, maximum allowed is 20.',
    );
  });

  it('refuses a policy that would become too large', async () => {
    const { run } = await withQueue();
    const users = Array.from({ length: 25 }, (_, i) => `arn:aws:iam::123456789012:user/${'x'.repeat(200)}/u${i}`);
    await run('AddPermission', { ...GRANT, AWSAccountIds: users });
    expect(await errorOf(() => run('AddPermission', { ...GRANT, Label: 'm', AWSAccountIds: users }))).toMatch(
      /^OverLimit: A policy of \d+ bytes would result, maximum allowed is 8192\.$/,
    );
  });
});

describe('a stored policy that is none to this version', () => {
  const OLD = { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:user/*' }, Action: '*', Resource: '*' };

  async function withOldPolicy(...statements: object[]) {
    const api = await withQueue();
    const record = await api.record('orders');
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    return { ...api, queue: { ...record, attributes: { ...record.attributes, Policy } } };
  }

  it('is not added to', async () => {
    const { queue } = await withOldPolicy(OLD);
    const permission = { label: 'l', accounts: ['123456789012'], actions: ['SendMessage'] };
    expect(await errorOf(() => withPermission(queue, permission))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter Policy.',
    );
  });

  it('can be taken from', async () => {
    const { queue } = await withOldPolicy(OLD, { ...OLD, Sid: 'old' });
    expect(JSON.parse(withoutPermission(queue, 'old') as string).Statement).toEqual([OLD]);
  });
});

describe('RemovePermission', () => {
  it('removes the statement, and the policy with the last one', async () => {
    const { run, policy } = await withQueue();
    await run('AddPermission', GRANT);
    await run('AddPermission', { ...GRANT, Label: 'm' });
    await run('RemovePermission', { QueueUrl: 'orders', Label: 'l' });
    expect((await policy()).Statement).toMatchObject([{ Sid: 'm' }]);
    await run('RemovePermission', { QueueUrl: 'orders', Label: 'm' });
    expect(await policy()).toBeUndefined();
  });

  it('needs a label that is there', async () => {
    const { run } = await withQueue();
    const remove = (Label?: string) => errorOf(() => run('RemovePermission', { QueueUrl: 'orders', Label }));
    expect(await remove()).toBe('MissingRequiredParameterException: The request must contain the parameter Label.');
    expect(await remove('l')).toBe(`${INVALID} l for parameter Label is invalid. Reason: can't find label.`);
    await run('AddPermission', GRANT);
    expect(await remove('m')).toBe(`${INVALID} m for parameter Label is invalid. Reason: can't find label.`);
  });
});
