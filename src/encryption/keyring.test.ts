import { describe, expect, it } from 'vitest';
import { KeyError, ReadError } from '../engine/queue-service.ts';
import { realPlatform } from '../platform/real.ts';
import { Keyring, keyNameOf, newKeyring, rotated, SSE_SQS_KEY, withKey } from './keyring.ts';

const platform = realPlatform();
const content = newKeyring(platform);
const keyring = new Keyring(content, platform);

describe('a keyring', () => {
  it('wraps data keys that it can unwrap', () => {
    const { key, wrapped } = keyring.generateDataKey(SSE_SQS_KEY);
    expect(key).toHaveLength(32);
    expect(wrapped.includes(key)).toBe(false);
    expect(keyring.unwrap(wrapped)).toEqual(key);
  });

  it('has the key that AWS has in every account, and those that were added, by name or ARN', () => {
    expect(() => keyring.generateDataKey('alias/aws/sqs')).not.toThrow();
    expect(() => keyring.generateDataKey('alias/orders')).toThrow(KeyError);
    const larger = new Keyring(withKey(content, 'alias/orders', platform)!, platform);
    expect(() => larger.generateDataKey('arn:aws:kms:eu-west-1:123456789012:alias/orders')).not.toThrow();
    expect(withKey(content, 'alias/aws/sqs', platform)).toBeUndefined();
  });

  it.each([
    ['arn:aws:kms:us-east-1:000000000000:key/1234', '1234'],
    ['arn:aws:kms:us-east-1:000000000000:alias/a:b', 'alias/a:b'],
    ['alias/aws/sqs', 'alias/aws/sqs'],
    ['1234', '1234'],
  ])('knows %s as %s', (keyId, name) => expect(keyNameOf(keyId)).toBe(name));

  it('decrypts with old versions after a rotation, and encrypts with the new one', () => {
    const old = keyring.generateDataKey(SSE_SQS_KEY);
    const newer = new Keyring(rotated(content, SSE_SQS_KEY, platform)!, platform);
    expect(newer.unwrap(old.wrapped)).toEqual(old.key);
    expect(() => keyring.unwrap(newer.generateDataKey(SSE_SQS_KEY).wrapped)).toThrow(KeyError);
    expect(rotated(content, 'alias/none', platform)).toBeUndefined();
  });

  it('refuses what was changed', () => {
    const { wrapped } = keyring.generateDataKey(SSE_SQS_KEY);
    for (let index = 8; index < wrapped.length; index++) {
      const changed = Buffer.from(wrapped);
      changed[index] = (changed[index] as number) ^ 1;
      expect(() => keyring.unwrap(changed)).toThrow(ReadError);
    }
    expect(() => keyring.unwrap(wrapped.subarray(1))).toThrow(ReadError);
  });
});
