import { describe, expect, it } from 'vitest';
import {
  allowsRedriveFrom,
  partitionOfRegion,
  type QueueRecord,
  queueArn,
  redriveAllowOf,
  settingsOf,
} from './record.ts';

function recordWith(attributes: Record<string, string>, more: Partial<QueueRecord> = {}): QueueRecord {
  return {
    id: 1,
    scope: { account: '000000000000', region: 'us-east-1' },
    name: 'orders',
    attributes: { DelaySeconds: '0', MessageRetentionPeriod: '345600', VisibilityTimeout: '30', ...attributes },
    tags: {},
    createdAt: 0,
    modifiedAt: 0,
    revision: 1,
    ...more,
  };
}

const arnOf = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

describe('an ARN', () => {
  it.each([
    ['us-east-1', 'aws'],
    ['eu-central-1', 'aws'],
    ['cn-north-1', 'aws-cn'],
    ['us-gov-west-1', 'aws-us-gov'],
  ])('of region %s belongs to partition %s', (region, partition) => {
    expect(partitionOfRegion(region)).toBe(partition);
    const scope = { account: '123456789012', region };
    expect(queueArn({ scope, name: 'q' })).toBe(`arn:${partition}:sqs:${region}:123456789012:q`);
  });
});

describe('settings', () => {
  it('are milliseconds', () => {
    expect(settingsOf(recordWith({ DelaySeconds: '5' }))).toEqual({
      fifo: false,
      delayMs: 5000,
      retentionMs: 345_600_000,
      visibilityTimeoutMs: 30_000,
      deduplicationScope: 'queue',
      redrive: undefined,
    });
  });

  it('take the scope of deduplication that is in force, whatever the attribute says now', () => {
    const record = recordWith(
      { FifoQueue: 'true', DeduplicationScope: 'queue' },
      { deduplicationScopeInForce: 'messageGroup' },
    );
    expect(settingsOf(record)).toMatchObject({ fifo: true, deduplicationScope: 'messageGroup' });
  });

  it.each([3, '3'])('read a maxReceiveCount of %j', (maxReceiveCount) => {
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf('dead'), maxReceiveCount });
    expect(settingsOf(recordWith({ RedrivePolicy })).redrive).toEqual({
      deadLetterTargetArn: arnOf('dead'),
      maxReceiveCount: 3,
    });
  });
});

describe('the redrive allow policy', () => {
  const withPolicy = (policy: object) => recordWith({ RedriveAllowPolicy: JSON.stringify(policy) });

  it('allows everybody when there is none', () => {
    expect(redriveAllowOf(recordWith({}))).toEqual({ permission: 'allowAll', sourceQueueArns: [] });
    expect(allowsRedriveFrom(recordWith({}), arnOf('a'))).toBe(true);
  });

  it.each([
    [{ redrivePermission: 'allowAll' }, true],
    [{ redrivePermission: 'denyAll' }, false],
    [{ redrivePermission: 'byQueue', sourceQueueArns: [arnOf('b')] }, false],
    [{ redrivePermission: 'byQueue', sourceQueueArns: [arnOf('b'), arnOf('a')] }, true],
  ])('%j lets queue a in: %s', (policy, expected) => {
    expect(allowsRedriveFrom(withPolicy(policy), arnOf('a'))).toBe(expected);
  });
});
