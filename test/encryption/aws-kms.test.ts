import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningServer, startServer } from '../../src/index.ts';
import { postJson } from '../support/json-client.ts';

/** Speaks GenerateDataKey and Decrypt, as far as they are used; the key `k` exists. */
class FakeKms {
  readonly calls: string[] = [];
  /** What it answers with instead: the name of an error and the HTTP status. */
  failure: [string, number] | undefined;
  readonly #keys = new Map<string, string>();
  readonly server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const action = String(request.headers['x-amz-target']).replace('TrentService.', '');
      this.calls.push(action);
      const [status, reply] = this.failure
        ? [this.failure[1], { __type: this.failure[0], message: 'as KMS says' }]
        : [200, this.#answer(action, JSON.parse(text))];
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(reply));
    });
  });

  #answer(action: string, input: { KeyId?: string; KeySpec?: string; CiphertextBlob?: string }): object {
    if (action === 'Decrypt') return { Plaintext: this.#keys.get(input.CiphertextBlob as string) };
    expect([action, input]).toEqual(['GenerateDataKey', { KeyId: 'k', KeySpec: 'AES_256' }]);
    const blob = randomBytes(184).toString('base64');
    this.#keys.set(blob, randomBytes(32).toString('base64'));
    return { CiphertextBlob: blob, Plaintext: this.#keys.get(blob) };
  }
}

let kms: FakeKms;
let server: RunningServer;
let queue: string;

const call = (action: string, input: object) => postJson(server.url, action, input);
const send = (body: string) => call('SendMessage', { QueueUrl: queue, MessageBody: body });
const receive = () => call('ReceiveMessage', { QueueUrl: queue });

beforeAll(async () => {
  kms = new FakeKms();
  await new Promise<void>((resolve) => kms.server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', `http://127.0.0.1:${(kms.server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  kms.server.closeAllConnections();
  await new Promise((resolve) => kms.server.close(resolve));
});
beforeEach(async () => {
  await server?.close();
  kms.failure = undefined;
  kms.calls.length = 0;
  server = await startServer({ port: 0, store: 'memory', kms: 'aws' });
  const attributes = { KmsMasterKeyId: 'k', VisibilityTimeout: '0' };
  queue = (await call('CreateQueue', { QueueName: 'orders', Attributes: attributes })).body.QueueUrl;
});

describe('a queue with a key of AWS KMS', () => {
  it('asks for one data key for many messages', async () => {
    for (const body of ['1', '2', '3']) expect((await send(body)).status).toBe(200);
    for (let count = 0; count < 3; count++) expect((await receive()).body.Messages).toHaveLength(1);
    expect(kms.calls).toEqual(['GenerateDataKey', 'Decrypt']);
  });

  it.each([
    ['AccessDeniedException', 400, 'KmsAccessDenied', 400, 'KMS.AccessDeniedException'],
    ['DisabledException', 400, 'KmsDisabled', 400, 'KMS.DisabledException'],
    ['InvalidKeyUsageException', 400, 'KmsInvalidKeyUsage', 400, 'KMS.InvalidKeyUsageException'],
    ['KMSInvalidStateException', 400, 'KmsInvalidState', 400, 'KMS.InvalidStateException'],
    ['NotFoundException', 400, 'KmsNotFound', 400, 'KMS.NotFoundException'],
    ['OptInRequired', 403, 'KmsOptInRequired', 403, 'KMS.OptInRequired'],
    ['ThrottlingException', 400, 'KmsThrottled', 400, 'KMS.ThrottlingException'],
  ])('answers %s of KMS as SQS does, on send and receive', async (name, kmsStatus, shape, status, code) => {
    const expected = { status, body: { __type: `com.amazonaws.sqs#${shape}`, message: 'as KMS says' } };
    kms.failure = [name, kmsStatus];
    const refused = await send('refused');
    expect(refused).toMatchObject(expected);
    expect(refused.headers.get('x-amzn-query-error')).toBe(`${code};Sender`);
    kms.failure = undefined;
    expect((await send('kept')).status).toBe(200);
    kms.failure = [name, kmsStatus];
    expect(await receive()).toMatchObject(expected);
    kms.failure = undefined;
    // What was refused is not there, and what could not be read is not lost.
    expect((await receive()).body.Messages).toMatchObject([{ Body: 'kept' }]);
  });

  it('is not available while KMS cannot be reached', async () => {
    kms.failure = ['KMSInternalException', 500];
    expect(await send('x')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('key management') },
    });
  });
});
