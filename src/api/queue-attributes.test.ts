import { describe, expect, it } from 'vitest';
import { changeAttributes, firstDifference, newQueueAttributes, parseAttributes } from './queue-attributes.ts';
import { errorOf } from './testing/context.ts';

const DLQ = 'arn:aws:sqs:us-east-1:000000000000:dlq';

function parse(requested: Record<string, string>, fifo = false, creating = false) {
  return Object.fromEntries(parseAttributes(requested, { fifo, creating }));
}

function created(requested: Record<string, string>, fifo = false) {
  return newQueueAttributes(fifo, parseAttributes(requested, { fifo, creating: true }));
}

function changed(current: Readonly<Record<string, string>>, requested: Record<string, string>, fifo = false) {
  return changeAttributes(current, parseAttributes(requested, { fifo, creating: false }));
}

describe('values of attributes', () => {
  it.each([
    ['DelaySeconds', 0, 900],
    ['MaximumMessageSize', 1024, 1_048_576],
    ['MessageRetentionPeriod', 60, 1_209_600],
    ['ReceiveMessageWaitTimeSeconds', 0, 20],
    ['VisibilityTimeout', 0, 43_200],
    ['KmsDataKeyReusePeriodSeconds', 60, 86_400],
  ])('%s is a number from %i to %i', async (name, min, max) => {
    expect(parse({ [name]: String(min) })).toEqual({ [name]: String(min) });
    expect(parse({ [name]: `00${max}` })).toEqual({ [name]: String(max) });
    for (const value of [String(min - 1), String(max + 1), '-1', '1e2', '60.5', ' 60', 'abc', '٣', '9'.repeat(400)]) {
      expect(await errorOf(() => parse({ [name]: value }))).toBe(
        `InvalidAttributeValue: Invalid value for the parameter ${name}.`,
      );
    }
  });

  it.each(['SqsManagedSseEnabled', 'ContentBasedDeduplication'])('%s is a boolean in any case', async (name) => {
    expect(parse({ [name]: 'True' }, true)).toEqual({ [name]: 'true' });
    expect(parse({ [name]: 'FALSE' }, true)).toEqual({ [name]: 'false' });
    for (const value of ['', 'yes', '1']) {
      expect(await errorOf(() => parse({ [name]: value }, true))).toBe(
        `InvalidAttributeValue: Invalid value for the parameter ${name}.`,
      );
    }
  });

  it.each([
    ['DeduplicationScope', ['queue', 'messageGroup']],
    ['FifoThroughputLimit', ['perQueue', 'perMessageGroupId']],
  ])('%s is one of %j', async (name, values) => {
    for (const value of values) expect(parse({ [name]: value }, true)).toEqual({ [name]: value });
    for (const value of ['', 'Queue', 'constructor']) {
      expect(await errorOf(() => parse({ [name]: value }, true))).toBe(
        `InvalidAttributeValue: Invalid value for the parameter ${name}.`,
      );
    }
  });

  it.each(['DelaySeconds', 'MaximumMessageSize', 'MessageRetentionPeriod', 'VisibilityTimeout'])(
    '%s cannot be taken away',
    async (name) => {
      expect(await errorOf(() => parse({ [name]: '' }))).toBe(
        `InvalidAttributeValue: Invalid value for the parameter ${name}.`,
      );
    },
  );

  it('a key id is free text of bounded length', async () => {
    expect(parse({ KmsMasterKeyId: 'testKeyId' })).toEqual({ KmsMasterKeyId: 'testKeyId' });
    expect(await errorOf(() => parse({ KmsMasterKeyId: 'x'.repeat(2049) }))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter KmsMasterKeyId.',
    );
  });
});

describe('names of attributes', () => {
  it.each([
    'Foobar',
    '',
    'QueueArn',
    'CreatedTimestamp',
    'ApproximateNumberOfMessages',
    'All',
    'constructor',
    '__proto__',
    'delaySeconds',
  ])('%j cannot be set', async (name) => {
    const requested = Object.fromEntries([
      ['DelaySeconds', 'bad'],
      [name, 'x'],
    ]);
    expect(await errorOf(() => parse(requested))).toBe(`InvalidAttributeName: Unknown Attribute ${name}.`);
  });

  it.each([
    ['FifoQueue', 'Unknown Attribute FifoQueue.'],
    ['ContentBasedDeduplication', 'Unknown Attribute ContentBasedDeduplication.'],
    ['DeduplicationScope', 'You can specify the DeduplicationScope only when FifoQueue is set to true.'],
    ['FifoThroughputLimit', 'You can specify the FifoThroughputLimit only when FifoQueue is set to true.'],
  ])('%s is for FIFO queues', async (name, message) => {
    expect(await errorOf(() => parse({ [name]: 'true' }))).toBe(`InvalidAttributeName: ${message}`);
  });

  it('FifoQueue can be repeated but not changed', async () => {
    expect(parse({ FifoQueue: 'True' }, true)).toEqual({ FifoQueue: 'true' });
    expect(await errorOf(() => parse({ FifoQueue: 'false' }, true))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
    );
  });
});

describe('a new queue', () => {
  it('has the defaults', () => {
    expect(created({})).toEqual({
      DelaySeconds: '0',
      MaximumMessageSize: '1048576',
      MessageRetentionPeriod: '345600',
      ReceiveMessageWaitTimeSeconds: '0',
      VisibilityTimeout: '30',
      SqsManagedSseEnabled: 'true',
    });
    expect(created({ FifoQueue: 'true', VisibilityTimeout: '5' }, true)).toMatchObject({
      VisibilityTimeout: '5',
      FifoQueue: 'true',
      ContentBasedDeduplication: 'false',
      DeduplicationScope: 'queue',
      FifoThroughputLimit: 'perQueue',
    });
  });

  it('has no attribute that came empty', () => {
    const empty = { Policy: '', RedrivePolicy: '', RedriveAllowPolicy: '', KmsMasterKeyId: '' };
    expect(created(empty)).toEqual(created({}));
  });
});

describe('throughput limit and deduplication scope', () => {
  const ERROR =
    'InvalidAttributeValue: The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup';

  it('go together in the result of a change', async () => {
    const fifo = created({ FifoQueue: 'true' }, true);
    expect(await errorOf(() => changed(fifo, { FifoThroughputLimit: 'perMessageGroupId' }, true))).toBe(ERROR);
    const scoped = changed(fifo, { DeduplicationScope: 'messageGroup' }, true);
    const high = changed(scoped, { FifoThroughputLimit: 'perMessageGroupId' }, true);
    expect(high.FifoThroughputLimit).toBe('perMessageGroupId');
    expect(await errorOf(() => changed(high, { DeduplicationScope: 'queue' }, true))).toBe(ERROR);
    expect(changed(high, { DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' }, true)).toEqual(fifo);
  });
});

describe('encryption', () => {
  it('by a key turns the managed one off, for good', () => {
    const keyed = changed(created({}), { KmsMasterKeyId: 'k', KmsDataKeyReusePeriodSeconds: '6000' });
    expect(keyed).toMatchObject({
      KmsMasterKeyId: 'k',
      KmsDataKeyReusePeriodSeconds: '6000',
      SqsManagedSseEnabled: 'false',
    });
    const keyless = changed(keyed, { KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '' });
    expect(keyless).toEqual({ ...created({}), SqsManagedSseEnabled: 'false' });
    expect(changed(keyed, { SqsManagedSseEnabled: 'true' })).not.toHaveProperty('KmsMasterKeyId');
    expect(changed(keyed, { SqsManagedSseEnabled: 'false' })).toEqual(keyed);
  });

  it('is of one kind at a time', async () => {
    expect(await errorOf(() => parse({ KmsMasterKeyId: 'k', SqsManagedSseEnabled: 'True' }))).toBe(
      'InvalidAttributeName: You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
    expect(created({ KmsMasterKeyId: 'k', SqsManagedSseEnabled: 'false' }).KmsMasterKeyId).toBe('k');
    expect(created({ KmsMasterKeyId: '', SqsManagedSseEnabled: 'true' }).SqsManagedSseEnabled).toBe('true');
  });
});

describe('creating a queue again', () => {
  const difference = (current: Readonly<Record<string, string>>, requested: Record<string, string>, fifo = false) =>
    firstDifference(current, parseAttributes(requested, { fifo, creating: true }));

  it('compares what is in the request only', () => {
    const current = created({ VisibilityTimeout: '60', DelaySeconds: '5' });
    expect(difference(current, {})).toBeUndefined();
    expect(difference(current, { VisibilityTimeout: '060', MaximumMessageSize: '1048576' })).toBeUndefined();
    expect(difference(current, { VisibilityTimeout: '61' })).toBe('VisibilityTimeout');
    expect(difference(current, { DelaySeconds: '6', VisibilityTimeout: '61' })).toBe('DelaySeconds');
    expect(difference(current, { Policy: '', KmsMasterKeyId: '' })).toBeUndefined();
    expect(difference(current, { KmsMasterKeyId: 'k' })).toBe('KmsMasterKeyId');
    expect(difference(current, { KmsDataKeyReusePeriodSeconds: '300' })).toBeUndefined();
    expect(difference(current, { KmsDataKeyReusePeriodSeconds: '301' })).toBe('KmsDataKeyReusePeriodSeconds');
  });

  it('compares FIFO attributes', () => {
    const current = created({ FifoQueue: 'True' }, true);
    expect(difference(current, { FifoQueue: 'true', ContentBasedDeduplication: 'False' }, true)).toBeUndefined();
    expect(difference(current, { FifoQueue: 'True', ContentBasedDeduplication: 'True' }, true)).toBe(
      'ContentBasedDeduplication',
    );
  });

  it('compares documents by what they say', () => {
    const policy = (count: unknown) => JSON.stringify({ deadLetterTargetArn: DLQ, maxReceiveCount: count });
    const current = created({
      RedrivePolicy: policy(5),
      RedriveAllowPolicy: '{"redrivePermission":"byQueue","sourceQueueArns":["a"]}',
    });
    expect(difference(current, { RedrivePolicy: `{"maxReceiveCount":"5","deadLetterTargetArn":"${DLQ}"}` })).toBe(
      undefined,
    );
    expect(difference(current, { RedrivePolicy: policy(6) })).toBe('RedrivePolicy');
    expect(
      difference(current, { RedriveAllowPolicy: '{ "sourceQueueArns": ["a"], "redrivePermission": "byQueue" }' }),
    ).toBeUndefined();
    expect(difference(current, { RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' })).toBe('RedriveAllowPolicy');
  });
});
