import { describe, expect, it } from 'vitest';
import { invalidParameterValue } from '../support/errors.ts';
import { arnOf, overBothProtocols } from '../support/sqs.ts';

/** SQS: section 3.2 */
overBothProtocols('RedrivePolicy', (sqs) => {
  const refusal = (policy: string, reason: string) =>
    invalidParameterValue(`Value ${policy} for parameter RedrivePolicy is invalid. Reason: ${reason}`);

  const bothRefuse = async (RedrivePolicy: string, error: object) => {
    const Attributes = { RedrivePolicy };
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes })).toEqual(error);
    expect(await sqs.failure('CreateQueue', { QueueName: sqs.uniqueName(), Attributes })).toEqual(error);
  };

  it.each([
    ['a number', 7],
    ['a string', '7'],
  ])('keeps a maxReceiveCount that is %s as it is', async (_, maxReceiveCount) => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(await sqs.createQueue()), maxReceiveCount });
    const queue = await sqs.createQueue({ RedrivePolicy });
    expect(await sqs.attributes(queue, 'RedrivePolicy')).toEqual({ RedrivePolicy });
  });

  it.each([1, 1000])('takes a maxReceiveCount of %i', async (maxReceiveCount) => {
    const queue = await sqs.createQueue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(await sqs.createQueue()), maxReceiveCount });
    await sqs.setAttributes(queue, { RedrivePolicy });
    expect(await sqs.attributes(queue, 'RedrivePolicy')).toEqual({ RedrivePolicy });
  });

  it('lets a queue be its own dead-letter queue', async () => {
    const queue = await sqs.createQueue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(queue), maxReceiveCount: 3 });
    await sqs.setAttributes(queue, { RedrivePolicy });
    expect(await sqs.attributes(queue, 'RedrivePolicy')).toEqual({ RedrivePolicy });
  });

  it.each(['invalid', '[]', '7', '"text"', 'null'])('refuses %s, which is no JSON object', async (policy) => {
    await bothRefuse(
      policy,
      invalidParameterValue(
        'Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.',
      ),
    );
  });

  const target = 'arn:aws:sqs:us-east-1:000000000000:target';
  it.each([
    ['nothing in it', {}, 'Redrive policy does not contain mandatory attribute: maxReceiveCount.'],
    [
      'no maxReceiveCount',
      { deadLetterTargetArn: target },
      'Redrive policy does not contain mandatory attribute: maxReceiveCount.',
    ],
    [
      'no deadLetterTargetArn',
      { maxReceiveCount: 1 },
      'Redrive policy does not contain mandatory attribute: deadLetterTargetArn.',
    ],
    [
      'more in it',
      { deadLetterTargetArn: target, maxReceiveCount: 1, more: 1 },
      'Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].',
    ],
    ...[4023, 1001, 0, -1, 'text', '0'].map((count): [string, object, string] => [
      `a maxReceiveCount of ${count}`,
      { deadLetterTargetArn: target, maxReceiveCount: count },
      `Invalid value for maxReceiveCount: ${count}, valid values are from 1 to 1000 both inclusive.`,
    ]),
    [
      'a target that is no ARN',
      { deadLetterTargetArn: 'no-arn', maxReceiveCount: 1 },
      'Dead-letter target ARN should be fully qualified ARN.',
    ],
    [
      'a target that is no queue',
      { deadLetterTargetArn: 'arn:aws:sns:us-east-1:000000000000:topic', maxReceiveCount: 1 },
      'Only SQS queues are valid resources for deadLetterTargetArn.',
    ],
    [
      'a target that does not exist',
      { deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:unknown', maxReceiveCount: 1 },
      'Dead letter target does not exist.',
    ],
    [
      'a target of another account',
      { deadLetterTargetArn: 'arn:aws:sqs:us-east-1:111111111111:target', maxReceiveCount: 1 },
      'Dead-letter target owner should be same as the source.',
    ],
  ])('refuses a policy with %s', async (_, policy, reason) => {
    const text = JSON.stringify(policy);
    await bothRefuse(text, refusal(text, reason));
  });

  it('refuses a target of the other type', async () => {
    const standard = await sqs.createQueue();
    const fifo = await sqs.createFifoQueue();
    for (const [source, target] of [
      [standard, fifo],
      [fifo, standard],
    ] as const) {
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(target), maxReceiveCount: 1 });
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl: source, Attributes: { RedrivePolicy } })).toEqual(
        refusal(RedrivePolicy, 'Dead-letter queue must be same type of queue as the source..'),
      );
    }
  });
});

/** SQS: section 3.2 */
overBothProtocols('RedriveAllowPolicy', (sqs) => {
  const source = 'arn:aws:sqs:us-east-1:000000000000:source';
  const CANNOT = "Amazon SQS can't create the redrive allow policy";

  it.each([
    { redrivePermission: 'allowAll' },
    { redrivePermission: 'denyAll' },
    { redrivePermission: 'byQueue', sourceQueueArns: [source] },
    { redrivePermission: 'byQueue', sourceQueueArns: Array.from({ length: 10 }, (_, index) => `${source}-${index}`) },
  ])('stores $redrivePermission', async (policy) => {
    const RedriveAllowPolicy = JSON.stringify(policy);
    const queue = await sqs.createQueue({ RedriveAllowPolicy });
    expect(await sqs.attributes(queue, 'RedriveAllowPolicy')).toEqual({ RedriveAllowPolicy });
  });

  it.each([
    'invalid',
    '[]',
    '{}',
    '{"redrivePermission":"allowSome"}',
    '{"redrivePermission":1}',
    '{"redrivePermission":"byQueue","sourceQueueArns":"text"}',
    '{"redrivePermission":"allowAll","more":1}',
  ])('refuses %s, which is not in the right format', async (RedriveAllowPolicy) => {
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { RedriveAllowPolicy } })).toEqual(
      invalidParameterValue(
        `Invalid value for the parameter RedriveAllowPolicy. Reason: ${CANNOT}, as it\u2019s in an unsupported format.`,
      ),
    );
  });

  it.each([
    [
      'source queues with allowAll',
      { redrivePermission: 'allowAll', sourceQueueArns: [source] },
      `${CANNOT}. To specify one or more source queue ARNs, you must set redrivePermission to byQueue.`,
    ],
    [
      'source queues with denyAll',
      { redrivePermission: 'denyAll', sourceQueueArns: [source] },
      `${CANNOT}. To specify one or more source queue ARNs, you must set redrivePermission to byQueue.`,
    ],
    [
      'byQueue without source queues',
      { redrivePermission: 'byQueue' },
      `${CANNOT}. When you specify the byQueue permission type, you must also specify one or more sourceQueueArns ` +
        'values.',
    ],
    [
      'byQueue with an empty list of source queues',
      { redrivePermission: 'byQueue', sourceQueueArns: [] },
      `${CANNOT}. When you specify the byQueue permission type, you must also specify one or more sourceQueueArns ` +
        'values.',
    ],
    [
      'more than ten source queues',
      { redrivePermission: 'byQueue', sourceQueueArns: Array.from({ length: 11 }, (_, index) => `${source}-${index}`) },
      `${CANNOT}. The maximum number of source queue ARNs you can specify is 10.`,
    ],
  ])('refuses %s', async (_, policy, reason) => {
    const text = JSON.stringify(policy);
    const QueueUrl = await sqs.createQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl, Attributes: { RedriveAllowPolicy: text } })).toEqual(
      invalidParameterValue(`Value ${text} for parameter RedriveAllowPolicy is invalid. Reason: ${reason}`),
    );
  });

  describe('decides which queues may use a dead-letter queue', () => {
    const policyFor = (dead: string) => ({
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 1 }),
    });
    const failureOf = (dead: string) =>
      sqs.failure('CreateQueue', { QueueName: sqs.uniqueName(), Attributes: policyFor(dead) });
    // The text of a denial is not known (SQS: section 14).
    const denied = { code: 'InvalidParameterValue', status: 400 };

    it('no queue with denyAll', async () => {
      const dead = await sqs.createQueue({ RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' });
      expect(await failureOf(dead)).toMatchObject(denied);
    });

    it('every queue with allowAll', async () => {
      const dead = await sqs.createQueue({ RedriveAllowPolicy: '{"redrivePermission":"allowAll"}' });
      const source = await sqs.createQueue(policyFor(dead));
      expect(await sqs.attributes(source, 'RedrivePolicy')).toEqual(policyFor(dead));
    });

    it('the listed queues with byQueue', async () => {
      const listed = sqs.uniqueName();
      const dead = await sqs.createQueue({
        RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns: [arnOf(listed)] }),
      });
      expect(await failureOf(dead)).toMatchObject(denied);
      await sqs.createQueue(policyFor(dead), listed);
      expect(await sqs.attributes(listed, 'RedrivePolicy')).toEqual(policyFor(dead));
    });
  });
});
