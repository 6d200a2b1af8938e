import { describe, expect, it } from 'vitest';
import { KeyError, ReadError } from '../engine/queue-service.ts';
import { manualClock } from '../platform/manual.ts';
import type { QueueRecord } from '../queue/record.ts';
import { parseEnvelope } from './envelope.ts';
import { EnvelopeEncryption } from './envelope-encryption.ts';
import type { KeyProvider } from './key-provider.ts';
import { Keyring, newKeyring } from './keyring.ts';

const PLACE = Buffer.alloc(16, 1);
const SECRET = Buffer.from('secret');

const queueWith = (attributes: Record<string, string>) => ({ name: 'orders', attributes }) as unknown as QueueRecord;
const MANAGED = queueWith({ SqsManagedSseEnabled: 'true' });
const CLEAR = queueWith({ SqsManagedSseEnabled: 'false' });
const KMS = queueWith({ KmsMasterKeyId: 'k', KmsDataKeyReusePeriodSeconds: '60', SqsManagedSseEnabled: 'false' });

function setUp({ isOn = true }: { isOn?: boolean } = {}) {
  const clock = manualClock({ startAt: 0 });
  const keyring = new Keyring(newKeyring(clock), clock);
  const calls: string[] = [];
  const state: { failure?: KeyError } = {};
  // Any key of the keyring does for the part of a remote one.
  const awsKms: KeyProvider = {
    async generateDataKey(keyId) {
      calls.push(`generate ${keyId}`);
      if (state.failure !== undefined) throw state.failure;
      return keyring.generateDataKey('alias/aws/sqs');
    },
    async unwrap(wrapped) {
      calls.push('unwrap');
      if (state.failure !== undefined) throw state.failure;
      return keyring.unwrap(wrapped);
    },
  };
  const options = { now: () => clock.now(), isOn, keyring };
  return { clock, calls, state, options, encryption: new EnvelopeEncryption({ ...options, awsKms }) };
}

describe('EnvelopeEncryption', () => {
  it('encrypts what the attributes ask for', async () => {
    const { encryption, calls } = setUp();
    expect(encryption.isReady(CLEAR)).toBe(true);
    expect(encryption.sealOf(CLEAR)).toBeUndefined();
    expect(encryption.isReady(MANAGED)).toBe(false);
    expect(() => encryption.sealOf(MANAGED)).toThrow('no data key');
    await encryption.prepare(MANAGED);
    expect(encryption.isReady(MANAGED)).toBe(true);
    const sealed = encryption.sealOf(MANAGED)!(SECRET, PLACE);
    expect(await encryption.open(sealed, PLACE)).toEqual(SECRET);
    expect(calls).toEqual([]);
  });

  it('off: encrypts nothing, and still reads what is encrypted', async () => {
    const { encryption, options } = setUp();
    await encryption.prepare(MANAGED);
    const sealed = encryption.sealOf(MANAGED)!(SECRET, PLACE);
    const off = new EnvelopeEncryption({ ...options, isOn: false });
    expect([off.isReady(KMS), off.sealOf(KMS), off.sealOf(MANAGED)]).toEqual([true, undefined, undefined]);
    expect(await off.open(sealed, PLACE)).toEqual(SECRET);
  });

  it('reuses a data key for the period of the queue, and no longer', async () => {
    const { encryption, clock, calls } = setUp();
    await Promise.all([encryption.prepare(KMS), encryption.prepare(KMS)]);
    await clock.advance(59_999);
    expect(encryption.isReady(KMS)).toBe(true);
    await clock.advance(1);
    expect(encryption.isReady(KMS)).toBe(false);
    await encryption.prepare(KMS);
    expect(calls).toEqual(['generate k', 'generate k']);
  });

  it('asks KMS once for the data key of many messages, and again after five minutes', async () => {
    const { encryption, clock, calls, state } = setUp();
    await encryption.prepare(KMS);
    const sealed = encryption.sealOf(KMS)!(SECRET, PLACE);
    for (let count = 0; count < 3; count++) expect(await encryption.open(sealed, PLACE)).toEqual(SECRET);
    expect(calls).toEqual(['generate k', 'unwrap']);
    state.failure = new KeyError('KmsDisabled', 'k is disabled.');
    await clock.advance(300_000);
    await expect(encryption.open(sealed, PLACE)).rejects.toThrow('k is disabled.');
  });

  it('fails with what KMS says, and works again when KMS does', async () => {
    const { encryption, state } = setUp();
    state.failure = new KeyError('KmsThrottled', 'Slow down.');
    await expect(encryption.prepare(KMS)).rejects.toThrow('Slow down.');
    state.failure = undefined;
    await encryption.prepare(KMS);
    expect(encryption.isReady(KMS)).toBe(true);
  });

  it('does not take an envelope of an unknown provider for its own', async () => {
    const { encryption, options } = setUp();
    await encryption.prepare(KMS);
    const sealed = encryption.sealOf(KMS)!(SECRET, PLACE);
    expect(parseEnvelope(sealed).provider).toBe(2);
    expect(() => new EnvelopeEncryption(options).open(sealed, PLACE)).toThrow(KeyError);
    sealed[1] = 9;
    expect(() => encryption.open(sealed, PLACE)).toThrow(ReadError);
  });
});
