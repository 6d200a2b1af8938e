import { expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, sqsError } from '../support/errors.ts';
import { arnOf, overBothProtocols } from '../support/sqs.ts';

const SENDER = { AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] };

/** SQS: section 9.1 */
overBothProtocols('AddPermission', (sqs) => {
  const policyOf = async (queue: string) => {
    const { Policy } = await sqs.attributes(queue, 'Policy');
    return Policy === undefined ? undefined : JSON.parse(Policy);
  };
  const invalidAction = (action: string, reason: string) =>
    invalidParameterValue(`Value SQS:${action} for parameter ActionName is invalid. Reason: ${reason}`);

  it('adds a statement to the policy', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.call('AddPermission', { QueueUrl, Label: 'one', ...SENDER })).toEqual({});
    const first = {
      Sid: 'one',
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::111111111111:root' },
      Action: 'SQS:SendMessage',
      Resource: arnOf(QueueUrl),
    };
    expect(await policyOf(QueueUrl)).toEqual({
      Version: '2008-10-17',
      Id: `${arnOf(QueueUrl)}/SQSDefaultPolicy`,
      Statement: [first],
    });
    await sqs.call('AddPermission', {
      QueueUrl,
      Label: 'two',
      AWSAccountIds: ['111111111111', '222222222222'],
      Actions: ['ReceiveMessage', 'DeleteMessage'],
    });
    expect((await policyOf(QueueUrl)).Statement).toEqual([
      first,
      {
        Sid: 'two',
        Effect: 'Allow',
        Principal: { AWS: ['arn:aws:iam::111111111111:root', 'arn:aws:iam::222222222222:root'] },
        Action: ['SQS:ReceiveMessage', 'SQS:DeleteMessage'],
        Resource: arnOf(QueueUrl),
      },
    ]);
  });

  it('adds to the policy that is there', async () => {
    const QueueUrl = await sqs.createQueue();
    const mine = { Sid: 'mine', Effect: 'Deny', Principal: '*', Action: 'SQS:PurgeQueue', Resource: arnOf(QueueUrl) };
    await sqs.setAttributes(QueueUrl, { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [mine] }) });
    await sqs.call('AddPermission', { QueueUrl, Label: 'more', ...SENDER });
    const { Version, Statement } = await policyOf(QueueUrl);
    expect(Version).toBe('2012-10-17');
    expect(Statement).toMatchObject([mine, { Sid: 'more', Action: 'SQS:SendMessage' }]);
  });

  it.each([
    '*',
    'ChangeMessageVisibility',
    'DeleteMessage',
    'GetQueueAttributes',
    'GetQueueUrl',
    'ListDeadLetterSourceQueues',
    'PurgeQueue',
    'ReceiveMessage',
    'SendMessage',
  ])('grants %s', async (action) => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('AddPermission', { QueueUrl, Label: 'l', AWSAccountIds: ['111111111111'], Actions: [action] });
    expect((await policyOf(QueueUrl)).Statement).toMatchObject([{ Action: `SQS:${action}` }]);
  });

  it.each([
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
  ])('does not grant %s, which is for the owner', async (action) => {
    const QueueUrl = await sqs.createQueue();
    expect(
      await sqs.failure('AddPermission', { QueueUrl, Label: 'l', AWSAccountIds: ['111111111111'], Actions: [action] }),
    ).toEqual(invalidAction(action, 'Only the queue owner is allowed to invoke this action.'));
    expect(await policyOf(QueueUrl)).toBeUndefined();
  });

  it.each(['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch', 'Foobar'])(
    'does not grant %s, which is no action of a policy',
    async (action) => {
      const QueueUrl = await sqs.createQueue();
      expect(
        await sqs.failure('AddPermission', {
          QueueUrl,
          Label: 'l',
          AWSAccountIds: ['111111111111'],
          Actions: ['SendMessage', action],
        }),
      ).toEqual(invalidAction(action, 'Please refer to the appropriate WSDL for a list of valid actions.'));
    },
  );

  it('refuses a label that is taken', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('AddPermission', { QueueUrl, Label: 'taken', ...SENDER });
    expect(await sqs.failure('AddPermission', { QueueUrl, Label: 'taken', ...SENDER })).toEqual(
      invalidParameterValue('Value taken for parameter Label is invalid. Reason: Already exists.'),
    );
  });

  it('refuses a request that lacks something', async () => {
    const QueueUrl = await sqs.createQueue();
    const whole = { QueueUrl, Label: 'l', ...SENDER };
    expect(await sqs.failure('AddPermission', { ...whole, Label: undefined })).toEqual(missingParameter('Label'));
    expect(await sqs.failure('AddPermission', { ...whole, Actions: undefined })).toEqual(
      missingParameter('ActionName'),
    );
    expect(await sqs.failure('AddPermission', { ...whole, Actions: [] })).toEqual(missingParameter('ActionName'));
    expect(await sqs.failure('AddPermission', { ...whole, AWSAccountIds: undefined })).toEqual(
      missingParameter('AWSAccountIds'),
    );
    expect(await sqs.failure('AddPermission', { ...whole, AWSAccountIds: [] })).toEqual(
      invalidParameterValue('Value [] for parameter PrincipalId is invalid. Reason: Unable to verify.'),
    );
  });

  it('refuses more than seven actions', async () => {
    const QueueUrl = await sqs.createQueue();
    const actions = [
      'ChangeMessageVisibility',
      'DeleteMessage',
      'GetQueueAttributes',
      'GetQueueUrl',
      'ListDeadLetterSourceQueues',
      'PurgeQueue',
      'ReceiveMessage',
      'SendMessage',
    ];
    const input = { QueueUrl, AWSAccountIds: ['111111111111'] };
    expect(await sqs.failure('AddPermission', { ...input, Label: 'eight', Actions: actions })).toEqual(
      sqsError('OverLimit', '8 Actions were found, maximum allowed is 7.'),
    );
    expect(await sqs.call('AddPermission', { ...input, Label: 'seven', Actions: actions.slice(1) })).toEqual({});
  });

  it('refuses the 21st statement', async () => {
    const QueueUrl = await sqs.createQueue();
    for (let index = 0; index < 20; index++) {
      await sqs.call('AddPermission', { QueueUrl, Label: `l${index}`, ...SENDER });
    }
    expect(await sqs.failure('AddPermission', { QueueUrl, Label: 'l20', ...SENDER })).toEqual(
      sqsError('OverLimit', '21 Statements were found, maximum allowed is 20.'),
    );
  });
});

/** SQS: section 9.1 */
overBothProtocols('RemovePermission', (sqs) => {
  it('removes a statement, and the policy with the last one', async () => {
    const QueueUrl = await sqs.createQueue();
    await sqs.call('AddPermission', { QueueUrl, Label: 'one', ...SENDER });
    await sqs.call('AddPermission', { QueueUrl, Label: 'two', ...SENDER });
    expect(await sqs.call('RemovePermission', { QueueUrl, Label: 'one' })).toEqual({});
    const { Policy } = await sqs.attributes(QueueUrl, 'Policy');
    expect(JSON.parse(Policy!).Statement).toMatchObject([{ Sid: 'two' }]);
    await sqs.call('RemovePermission', { QueueUrl, Label: 'two' });
    expect(await sqs.attributes(QueueUrl, 'Policy')).toEqual({});
  });

  it('refuses a label that there is not', async () => {
    const QueueUrl = await sqs.createQueue();
    const notFound = invalidParameterValue("Value unknown for parameter Label is invalid. Reason: can't find label.");
    expect(await sqs.failure('RemovePermission', { QueueUrl, Label: 'unknown' })).toEqual(notFound);
    await sqs.call('AddPermission', { QueueUrl, Label: 'one', ...SENDER });
    expect(await sqs.failure('RemovePermission', { QueueUrl, Label: 'unknown' })).toEqual(notFound);
  });

  it('refuses a request without a label', async () => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('RemovePermission', { QueueUrl })).toEqual(missingParameter('Label'));
  });
});
