import { ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedRequest } from '../../src/auth/sigv4/signature-verifier.ts';
import {
  type AccessServer,
  allow,
  keysOf,
  OWNER,
  PROTOCOLS,
  type Protocol,
  policy,
  sdkFor,
  send,
  startAccessServer,
  unsignedCall,
} from '../support/access.ts';
import { headerOf, presign, type SigningOptions, sign, withHeader } from '../support/signer.ts';

// Signatures as the server judges them on the wire: what the SDK signs, and everything that is wrong with others.

const ALICE = keysOf('alice');
const MINUTE_MS = 60_000;
let server: AccessServer;

beforeAll(async () => {
  server = await startAccessServer({ [OWNER]: { users: { alice: { policies: { all: policy(allow('sqs:*')) } } } } });
});
afterAll(() => server.close());

function signed(protocol: Protocol, options: Partial<SigningOptions> = {}): Promise<SignedRequest> {
  return sign(unsignedCall(server.url, protocol, 'ListQueues', {}), { ...ALICE, at: Date.now(), ...options });
}

/** The type of AWS JSON and the code of AWS Query. */
const CODES: Record<string, [string, number]> = {
  SignatureDoesNotMatch: ['InvalidSignatureException', 403],
  InvalidClientTokenId: ['UnrecognizedClientException', 403],
  MissingAuthenticationToken: ['MissingAuthenticationTokenException', 403],
  IncompleteSignature: ['IncompleteSignatureException', 400],
};

function refusal(protocol: Protocol, code: string, message: unknown) {
  const [type, status] = CODES[code] as [string, number];
  return protocol === 'AWS JSON'
    ? { status, type: `com.amazon.coral.service#${type}`, message }
    : { status, code, message };
}

const timestamp = /\d{8}T\d{6}Z/.source;
const MISMATCH =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and ' +
  'signing method. Consult the service documentation for details.\n\nThe Canonical String for this request should have been\n';

describe('the AWS SDK', () => {
  it('is let in with its own signature', async () => {
    const client = sdkFor(server.url, ALICE);
    expect((await client.send(new ListQueuesCommand({}))).$metadata.httpStatusCode).toBe(200);
    client.destroy();
  });

  it.each([
    ['a wrong secret', { ...ALICE, secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['an unknown key', { ...ALICE, accessKeyId: 'AKIANOBODY' }, 'InvalidClientTokenId'],
    ['a token that nobody issued', { ...ALICE, sessionToken: 'AQ==' }, 'InvalidClientTokenId'],
  ])('is told of %s', async (_, credentials, code) => {
    const client = sdkFor(server.url, credentials);
    const command = new SendMessageCommand({ QueueUrl: 'q', MessageBody: 'a' });
    await expect(client.send(command)).rejects.toMatchObject({
      Code: code,
      $metadata: { httpStatusCode: 403 },
    });
    client.destroy();
  });
});

describe.each(PROTOCOLS)('a request of %s', (protocol) => {
  it('is let in when it is signed', async () => {
    expect(await send(server.url, await signed(protocol))).toMatchObject({ status: 200 });
  });

  const rows: [string, () => Promise<SignedRequest>, string, unknown][] = [
    [
      'a wrong secret',
      () => signed(protocol, { secretAccessKey: 'wrong' }),
      'SignatureDoesNotMatch',
      expect.stringContaining(MISMATCH),
    ],
    [
      'an unknown key',
      () => signed(protocol, { accessKeyId: 'AKIANOBODY' }),
      'InvalidClientTokenId',
      'The security token included in the request is invalid.',
    ],
    [
      'no signature',
      async () => withHeader(await signed(protocol), 'authorization', undefined),
      'MissingAuthenticationToken',
      'Request is missing Authentication Token',
    ],
    [
      'a clock that is late',
      () => signed(protocol, { at: Date.now() - 16 * MINUTE_MS }),
      'SignatureDoesNotMatch',
      expect.stringMatching(
        new RegExp(`^Signature expired: ${timestamp} is now earlier than ${timestamp} \\(${timestamp} - 15 min.\\)$`),
      ),
    ],
    [
      'a clock that is ahead',
      () => signed(protocol, { at: Date.now() + 6 * MINUTE_MS }),
      'SignatureDoesNotMatch',
      expect.stringMatching(
        new RegExp(
          `^Signature not yet current: ${timestamp} is still later than ${timestamp} \\(${timestamp} \\+ 5 min.\\)$`,
        ),
      ),
    ],
    [
      'another region',
      () => signed(protocol, { region: 'eu-west-1' }),
      'SignatureDoesNotMatch',
      "Credential should be scoped to a valid region, not 'eu-west-1'. ",
    ],
    [
      'another service',
      () => signed(protocol, { service: 'sns' }),
      'SignatureDoesNotMatch',
      "Credential should be scoped to correct service: 'sqs'. ",
    ],
    [
      'an altered body',
      async () => {
        const request = await signed(protocol);
        return { ...request, body: Buffer.from(protocol === 'AWS JSON' ? '{ }' : `${request.body}&MaxResults=1`) };
      },
      'SignatureDoesNotMatch',
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    ],
    [
      'an altered header',
      async () => withHeader(await signed(protocol), 'host', 'localhost:1'),
      'SignatureDoesNotMatch',
      expect.stringContaining(MISMATCH),
    ],
    [
      'SigV4a',
      async () => {
        const request = await signed(protocol);
        const value = headerOf(request, 'authorization').replace('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256');
        return withHeader(request, 'authorization', value);
      },
      'IncompleteSignature',
      'AWS4-ECDSA-P256-SHA256 (SigV4a) is not supported. Sign with AWS4-HMAC-SHA256.',
    ],
    [
      'half a signature',
      async () => withHeader(await signed(protocol), 'authorization', 'AWS4-HMAC-SHA256 Credential=a/b/c/d/e'),
      'IncompleteSignature',
      expect.stringMatching(/^Authorization header requires 'Signature' parameter\. Authorization header requires/),
    ],
  ];

  it.each(rows)('is refused with %s', async (_, make, code, message) => {
    expect(await send(server.url, await make())).toMatchObject(refusal(protocol, code, message));
  });

  it('may be presigned', async () => {
    const unsigned = unsignedCall(server.url, protocol, 'ListQueues', {});
    const at = Date.now();
    expect(await send(server.url, await presign(unsigned, { ...ALICE, at }, 60))).toMatchObject({ status: 200 });
    expect(await send(server.url, await presign(unsigned, { ...ALICE, at: at - 2 * MINUTE_MS }, 60))).toMatchObject(
      refusal(protocol, 'SignatureDoesNotMatch', expect.stringMatching(/^Signature expired: .* - 1 min\.\)$/)),
    );
  });

  it('is not let in by a query string that is signed only in part', async () => {
    const request = await presign(
      unsignedCall(server.url, protocol, 'ListQueues', {}),
      { ...ALICE, at: Date.now() },
      60,
    );
    const query = request.query.replace(/X-Amz-Signature=[^&]*&?/, '').replace(/&$/, '');
    expect(await send(server.url, { ...request, query })).toMatchObject(
      refusal(protocol, 'IncompleteSignature', expect.stringContaining("must include 'X-Amz-Signature'")),
    );
  });
});

describe('a presigned GET', () => {
  const { host } = new URL('http://127.0.0.1');
  it('may be a whole call of AWS Query', async () => {
    const query = { Action: 'ListQueues', Version: '2012-11-05' };
    const headers = { host: `${host}:${server.port}` };
    const request = await presign({ method: 'GET', path: '/', query, headers }, { ...ALICE, at: Date.now() }, 300);
    expect(await send(server.url, request)).toMatchObject({
      status: 200,
      text: expect.stringContaining('ListQueuesResult'),
    });
    const altered = { ...request, query: request.query.replace('ListQueues', 'ListQueueTags') };
    expect(await send(server.url, altered)).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
  });
});

it('health is for everybody', async () => {
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});
