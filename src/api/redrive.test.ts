import { describe, expect, it } from 'vitest';
import { parseRedriveAllowPolicy, parseRedrivePolicy } from './redrive.ts';
import { errorOf, testApi } from './testing/context.ts';

const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
const policy = (content: object) => JSON.stringify(content);

describe('RedrivePolicy', () => {
  it.each([
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 5 }],
    [{ maxReceiveCount: '1000', deadLetterTargetArn: arn('dlq') }],
  ])('keeps types and order of %j', (content) => {
    expect(parseRedrivePolicy(JSON.stringify(content, null, 2))).toBe(policy(content));
  });

  it.each(['x', '', '5', 'null', '[]', '"text"', '{', `{"maxReceiveCount":${'['.repeat(9000)}`])(
    '%j is no JSON map',
    async (text) => {
      expect(await errorOf(() => parseRedrivePolicy(text))).toBe(
        'InvalidParameterValueException: Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.',
      );
    },
  );

  const count = (value: unknown) =>
    `Invalid value for maxReceiveCount: ${value}, valid values are from 1 to 1000 both inclusive.`;
  it.each<[object, string]>([
    [{}, 'Redrive policy does not contain mandatory attribute: maxReceiveCount.'],
    [{ deadLetterTargetArn: arn('dlq') }, 'Redrive policy does not contain mandatory attribute: maxReceiveCount.'],
    [{ maxReceiveCount: 1 }, 'Redrive policy does not contain mandatory attribute: deadLetterTargetArn.'],
    [
      { deadLetterTargetArn: arn('dlq'), maxReceiveCount: 1, more: 1 },
      'Only following attributes are supported: [maxReceiveCount, deadLetterTargetArn].',
    ],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 4023 }, count(4023)],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 0 }, count(0)],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: -1 }, count(-1)],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 1.5 }, count(1.5)],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 'five' }, count('five')],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: null }, count('null')],
    [{ deadLetterTargetArn: arn('dlq'), maxReceiveCount: [1] }, count('[1]')],
    [{ deadLetterTargetArn: 'dlq', maxReceiveCount: 1 }, 'Dead-letter target ARN should be fully qualified ARN.'],
    [{ deadLetterTargetArn: 5, maxReceiveCount: 1 }, 'Dead-letter target ARN should be fully qualified ARN.'],
    [
      { deadLetterTargetArn: 'arn:aws:sns:us-east-1:000000000000:dlq', maxReceiveCount: 1 },
      'Only SQS queues are valid resources for deadLetterTargetArn.',
    ],
  ])('%j is refused', async (content, reason) => {
    const text = policy(content);
    expect(await errorOf(() => parseRedrivePolicy(text))).toBe(
      `InvalidParameterValueException: Value ${text} for parameter RedrivePolicy is invalid. Reason: ${reason}`,
    );
  });

  it('needs a target that fits and allows it', async () => {
    const api = testApi();
    await api.run('CreateQueue', { QueueName: 'source' });
    await api.run('CreateQueue', { QueueName: 'dlq' });
    await api.run('CreateQueue', { QueueName: 'dlq.fifo', Attributes: { FifoQueue: 'true' } });
    const set = (deadLetterTargetArn: string) =>
      api.run('SetQueueAttributes', {
        QueueUrl: 'source',
        Attributes: { RedrivePolicy: policy({ deadLetterTargetArn, maxReceiveCount: 3 }) },
      });
    const allow = (RedriveAllowPolicy: string) =>
      api.run('SetQueueAttributes', { QueueUrl: 'dlq', Attributes: { RedriveAllowPolicy } });
    const refusal = (target: string, reason: string) =>
      `InvalidParameterValueException: Value ${policy({ deadLetterTargetArn: target, maxReceiveCount: 3 })} for parameter RedrivePolicy is invalid. Reason: ${reason}`;

    await set(arn('dlq'));
    await set(arn('source'));

    const foreign = 'arn:aws:sqs:us-east-1:123456789012:dlq';
    expect(await errorOf(() => set(foreign))).toBe(
      refusal(foreign, 'Dead-letter target owner should be same as the source.'),
    );
    for (const target of [arn('none'), 'arn:aws:sqs:eu-west-1:000000000000:dlq', arn('a b')]) {
      expect(await errorOf(() => set(target))).toBe(refusal(target, 'Dead letter target does not exist.'));
    }
    expect(await errorOf(() => set(arn('dlq.fifo')))).toBe(
      refusal(arn('dlq.fifo'), 'Dead-letter queue must be same type of queue as the source..'),
    );

    const denied = refusal(
      arn('dlq'),
      'The redrive allow policy of the dead-letter queue does not allow this queue as a source.',
    );
    await allow('{"redrivePermission":"denyAll"}');
    expect(await errorOf(() => set(arn('dlq')))).toBe(denied);
    await allow(policy({ redrivePermission: 'byQueue', sourceQueueArns: [arn('other')] }));
    expect(await errorOf(() => set(arn('dlq')))).toBe(denied);
    await allow(policy({ redrivePermission: 'byQueue', sourceQueueArns: [arn('source')] }));
    await set(arn('dlq'));
    await allow('{"redrivePermission":"allowAll"}');
    await set(arn('dlq'));
  });
});

describe('RedriveAllowPolicy', () => {
  it.each([
    { redrivePermission: 'allowAll' },
    { redrivePermission: 'denyAll' },
    { redrivePermission: 'byQueue', sourceQueueArns: Array.from({ length: 10 }, (_, i) => arn(`q${i}`)) },
  ])('may be %j', (content) => {
    expect(parseRedriveAllowPolicy(JSON.stringify(content, null, 1))).toBe(policy(content));
  });

  it.each([
    'x',
    '[]',
    '{}',
    '{"redrivePermission":"ALL"}',
    '{"redrivePermission":"constructor"}',
    '{"redrivePermission":5}',
    '{"redrivePermission":"allowAll","more":1}',
    '{"redrivePermission":"byQueue","sourceQueueArns":"a"}',
    '{"redrivePermission":"byQueue","sourceQueueArns":[5]}',
    `{"redrivePermission":"byQueue","sourceQueueArns":["${'x'.repeat(9000)}"]}`,
  ])('may not be %s', async (text) => {
    expect(await errorOf(() => parseRedriveAllowPolicy(text))).toBe(
      "InvalidParameterValueException: Invalid value for the parameter RedriveAllowPolicy. Reason: Amazon SQS can't create the redrive allow policy, as it’s in an unsupported format.",
    );
  });

  it.each<[object, string]>([
    [
      { redrivePermission: 'denyAll', sourceQueueArns: ['a'] },
      'To specify one or more source queue ARNs, you must set redrivePermission to byQueue.',
    ],
    [
      { redrivePermission: 'byQueue' },
      'When you specify the byQueue permission type, you must also specify one or more sourceQueueArns values.',
    ],
    [
      { redrivePermission: 'byQueue', sourceQueueArns: [] },
      'When you specify the byQueue permission type, you must also specify one or more sourceQueueArns values.',
    ],
    [
      { redrivePermission: 'byQueue', sourceQueueArns: Array(11).fill('a') },
      'The maximum number of source queue ARNs you can specify is 10.',
    ],
  ])('may not be %j', async (content, reason) => {
    const text = policy(content);
    expect(await errorOf(() => parseRedriveAllowPolicy(text))).toBe(
      `InvalidParameterValueException: Value ${text} for parameter RedriveAllowPolicy is invalid. Reason: Amazon SQS can't create the redrive allow policy. ${reason}`,
    );
  });
});
