import type { ContentEncryption } from '../engine/content-encryption.ts';
import { KeyError, ReadError } from '../engine/queue-service.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { Seal } from '../storage/records.ts';
import { openEnvelope, Provider, type ProviderId, parseEnvelope, Sealer } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';
import { SSE_SQS_KEY } from './keyring.ts';

export interface EnvelopeEncryptionOptions {
  /** Epoch milliseconds. */
  now(): number;
  /** Off: new messages are kept in the clear whatever the attributes say; encrypted ones are still read. */
  isOn: boolean;
  keyring: KeyProvider;
  /** Keeps the keys that `KmsMasterKeyId` names. The keyring does when it is left out. */
  awsKms?: KeyProvider;
}

/** The default of `KmsDataKeyReusePeriodSeconds` (SQS: section 3.1). */
const REUSE_MS_DEFAULT = 300_000;

/** Unwrapped data keys in memory, 32 bytes each: a backlog of weeks has a few thousand of them. */
const UNWRAPPED_KEYS_MAX = 10_000;

interface CurrentKey {
  sealer: Sealer;
  seal: Seal;
  /** Epoch milliseconds. */
  madeAt: number;
}

/**
 * Encrypts what the attributes of a queue ask for: `KmsMasterKeyId` with that key, else `SqsManagedSseEnabled` with the
 * key of SSE-SQS (SQS: section 3.3). Queues with the same key share a data key. It is replaced by the first send that
 * finds it older than the reuse period of its queue, so there are no timers.
 */
export class EnvelopeEncryption implements ContentEncryption {
  readonly #options: EnvelopeEncryptionOptions;
  readonly #current = new Map<string, CurrentKey>();
  /** By key id: all who wait for a new data key wait for the same one. */
  readonly #fetching = new Map<string, Promise<void>>();
  /** By wrapped key; the least recently unwrapped first. */
  readonly #unwrapped = new Map<string, { key: Buffer; at: number }>();

  constructor(options: EnvelopeEncryptionOptions) {
    this.#options = options;
  }

  isReady(queue: QueueRecord): boolean {
    const keyId = this.#keyIdOf(queue);
    if (keyId === undefined) return true;
    const current = this.#current.get(keyId);
    if (current === undefined || current.sealer.isWornOut) return false;
    return this.#options.now() < current.madeAt + reuseMsOf(queue);
  }

  async prepare(queue: QueueRecord): Promise<void> {
    const keyId = this.#keyIdOf(queue);
    if (keyId === undefined) return;
    let fetching = this.#fetching.get(keyId);
    if (fetching === undefined) {
      fetching = this.#fetch(keyId).finally(() => this.#fetching.delete(keyId));
      this.#fetching.set(keyId, fetching);
    }
    await fetching;
  }

  sealOf(queue: QueueRecord): Seal | undefined {
    const keyId = this.#keyIdOf(queue);
    if (keyId === undefined) return undefined;
    const current = this.#current.get(keyId);
    // Better an error than a message in the clear.
    if (current === undefined) throw new Error(`There is no data key for the messages of queue ${queue.name}.`);
    return current.seal;
  }

  open(sealed: Buffer, boundTo: Buffer): Buffer | Promise<Buffer> {
    const envelope = parseEnvelope(sealed);
    const name = envelope.header.toString('latin1');
    const known = this.#unwrapped.get(name);
    if (known !== undefined && this.#options.now() < known.at + REUSE_MS_DEFAULT) {
      return openEnvelope(envelope, known.key, boundTo);
    }
    const unwrapped = this.#provider(envelope.provider).unwrap(envelope.wrapped);
    if (!(unwrapped instanceof Promise)) {
      this.#remember(name, unwrapped);
      return openEnvelope(envelope, unwrapped, boundTo);
    }
    return unwrapped.then((key) => {
      this.#remember(name, key);
      return openEnvelope(envelope, key, boundTo);
    });
  }

  async #fetch(keyId: string): Promise<void> {
    const provider = this.#providerIdOf(keyId);
    const sealer = new Sealer(provider, await this.#provider(provider).generateDataKey(keyId));
    this.#current.set(keyId, {
      sealer,
      seal: (content, boundTo) => sealer.seal(content, boundTo),
      madeAt: this.#options.now(),
    });
  }

  #remember(name: string, key: Buffer): void {
    this.#unwrapped.delete(name);
    this.#unwrapped.set(name, { key, at: this.#options.now() });
    if (this.#unwrapped.size <= UNWRAPPED_KEYS_MAX) return;
    for (const oldest of this.#unwrapped.keys()) {
      this.#unwrapped.delete(oldest);
      return;
    }
  }

  #keyIdOf({ attributes }: QueueRecord): string | undefined {
    if (!this.#options.isOn) return undefined;
    return attributes.KmsMasterKeyId ?? (attributes.SqsManagedSseEnabled === 'true' ? SSE_SQS_KEY : undefined);
  }

  #providerIdOf(keyId: string): ProviderId {
    return keyId === SSE_SQS_KEY || this.#options.awsKms === undefined ? Provider.keyring : Provider.awsKms;
  }

  #provider(id: number): KeyProvider {
    if (id === Provider.keyring) return this.#options.keyring;
    if (id !== Provider.awsKms) throw new ReadError(`Stored content is encrypted with a key of unknown kind ${id}.`);
    if (this.#options.awsKms !== undefined) return this.#options.awsKms;
    throw new KeyError('KmsAccessDenied', 'The message was encrypted with a key of AWS KMS, which is not configured');
  }
}

function reuseMsOf({ attributes }: QueueRecord): number {
  if (attributes.KmsMasterKeyId === undefined || attributes.KmsDataKeyReusePeriodSeconds === undefined) {
    return REUSE_MS_DEFAULT;
  }
  return Number(attributes.KmsDataKeyReusePeriodSeconds) * 1000;
}
