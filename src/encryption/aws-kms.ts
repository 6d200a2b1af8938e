import { KeyError, type KeyFailure, ReadError } from '../engine/queue-service.ts';
import type { DataKey, KeyProvider } from './key-provider.ts';

/** What is used of `@aws-sdk/client-kms`, which is the operator's to install: no types of it are known here. */
interface KmsModule {
  KMSClient: new (options: object) => { send(command: unknown): Promise<KmsReply> };
  GenerateDataKeyCommand: new (input: { KeyId: string; KeySpec: 'AES_256' }) => unknown;
  DecryptCommand: new (input: { CiphertextBlob: Uint8Array }) => unknown;
}

interface KmsReply {
  Plaintext?: Uint8Array;
  CiphertextBlob?: Uint8Array;
}

/** The name is a variable, so that nothing tries to resolve a package that is not there. */
const PACKAGE: string = '@aws-sdk/client-kms';

/** Errors of KMS by name, and what SQS calls them (SQS: section 1.5). */
const FAILURES = new Map<string, KeyFailure>([
  ['AccessDeniedException', 'KmsAccessDenied'],
  ['DisabledException', 'KmsDisabled'],
  ['InvalidKeyUsageException', 'KmsInvalidKeyUsage'],
  ['KMSInvalidStateException', 'KmsInvalidState'],
  ['NotFoundException', 'KmsNotFound'],
  ['OptInRequired', 'KmsOptInRequired'],
  ['ThrottlingException', 'KmsThrottled'],
]);

/**
 * Keys of AWS KMS, with region, credentials and endpoint as the AWS SDK finds them (`AWS_REGION`,
 * `AWS_ENDPOINT_URL_KMS`, ...). Rejects when the SDK is not installed.
 *
 * No encryption context is given: what SQS gives is not known, and our own ciphertexts bind the message already.
 */
export async function openAwsKms(options: object = {}): Promise<KeyProvider> {
  const { KMSClient, GenerateDataKeyCommand, DecryptCommand } = (await import(PACKAGE)) as KmsModule;
  const client = new KMSClient(options);
  return {
    async generateDataKey(keyId): Promise<DataKey> {
      const { Plaintext, CiphertextBlob } = await ask(
        client.send(new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: 'AES_256' })),
      );
      return { key: bytesOf(Plaintext), wrapped: bytesOf(CiphertextBlob) };
    },
    async unwrap(wrapped) {
      const { Plaintext } = await ask(client.send(new DecryptCommand({ CiphertextBlob: wrapped })));
      return bytesOf(Plaintext);
    },
  };
}

async function ask(reply: Promise<KmsReply>): Promise<KmsReply> {
  try {
    return await reply;
  } catch (cause) {
    const { name, message } = cause as Error;
    if (name === 'InvalidCiphertextException') throw new ReadError('A stored data key is damaged.', { cause });
    const failure = FAILURES.get(name);
    if (failure !== undefined) throw new KeyError(failure, message, { cause });
    throw new KeyError(undefined, 'The key management service cannot be used at the moment.', { cause });
  }
}

function bytesOf(value: Uint8Array | undefined): Buffer {
  if (value === undefined) throw new KeyError(undefined, 'The key management service gave an incomplete reply.');
  return Buffer.from(value);
}
