import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import STS from 'aws-sdk/clients/sts.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Authenticator } from '../../src/auth/identity/authenticator.ts';
import { StsService } from '../../src/auth/sts/sts-service.ts';
import { ACCOUNT, ALICE, directoryOf, tokensUnder } from '../../src/auth/testing/identities.ts';
import { realPlatform } from '../../src/platform/real.ts';
import { SqsError } from '../../src/protocol/model/errors.ts';
import { decodeStsCall, encodeStsError, encodeStsReply, isStsRequest } from '../../src/protocol/sts/sts-codec.ts';
import type { WireReply } from '../../src/protocol/wire.ts';

// The AWS SDK against the authentication and the STS actions, over HTTP: it signs, and it reads the replies.

const WORKER_ARN = 'arn:aws:iam::111122223333:role/worker';
const directory = directoryOf();
const sessionTokens = tokensUnder(1);
const platform = realPlatform();
const authenticator = new Authenticator({
  directory,
  sessionTokens,
  now: platform.now,
  isRegion: (region) => region === 'us-east-1',
});
const sts = new StsService({
  directory: () => directory,
  sessionTokens,
  platform,
  isTrusted: (_, principal, { conditions }) => principal.type === 'user' && conditions.get('sts:externalid') === 'x1',
});

let server: Server;
let endpoint: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { status, headers, body } = answer(request, await bodyOf(request));
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function answer({ method = '', url = '', rawHeaders }: IncomingMessage, body: Buffer): WireReply {
  const [path = '', query = ''] = url.split('?');
  const request = { method, path, query, rawHeaders, body };
  const isSts = isStsRequest(request);
  try {
    const { caller } = authenticator.authenticate(request, isSts ? 'sts' : 'sqs');
    // Of SQS it only matters here who was recognised.
    if (!isSts) return { status: 200, headers: {}, body: JSON.stringify({ QueueUrl: caller.arn }) };
    const call = decodeStsCall(request);
    return encodeStsReply(call.action, sts.run(call, caller), 'request-1');
  } catch (error) {
    if (error instanceof SqsError) return encodeStsError(error, 'request-1');
    throw error;
  }
}

const KEYS = { accessKeyId: 'AKIAALICE', secretAccessKey: 'secret of alice' };

interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

function stsClient(credentials: Keys): STS {
  return new STS({ endpoint, region: 'us-east-1', credentials, maxRetries: 0 });
}

function keysOf(credentials: STS.Credentials | undefined): Keys {
  if (credentials === undefined) throw new Error('There are no credentials in the reply.');
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = credentials;
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** What SQS would know of the caller: signed by the SDK v3, as a header. */
async function callerOfSqs(credentials: Keys): Promise<string | undefined> {
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: 'q' }))).QueueUrl;
  } finally {
    client.destroy();
  }
}

describe('the AWS SDK with STS', () => {
  it('learns who it is', async () => {
    const reply = await stsClient(KEYS).getCallerIdentity().promise();
    expect(reply).toMatchObject({ UserId: ALICE.id, Account: ACCOUNT, Arn: ALICE.arn });
    expect(reply.$response.requestId).toBe('request-1');
  });

  it('assumes a role, and is the session from then on', async () => {
    const before = Date.now();
    const reply = await stsClient(KEYS)
      .assumeRole({
        RoleArn: WORKER_ARN,
        RoleSessionName: 'run-7',
        ExternalId: 'x1',
        DurationSeconds: 900,
        Tags: [{ Key: 'team', Value: 'blau + grün' }],
        Policy: '{"Statement":{"Effect":"Allow","Action":"sqs:*","Resource":"*"}}',
      })
      .promise();
    expect(reply.AssumedRoleUser?.Arn).toBe('arn:aws:sts::111122223333:assumed-role/worker/run-7');
    expect(reply.PackedPolicySize).toBe(2);
    const expiresIn = (reply.Credentials?.Expiration.getTime() ?? 0) - before;
    expect(Math.abs(expiresIn - 900_000)).toBeLessThan(30_000);
    const credentials = keysOf(reply.Credentials);
    expect(await stsClient(credentials).getCallerIdentity().promise()).toMatchObject({
      UserId: reply.AssumedRoleUser?.AssumedRoleId,
      Arn: reply.AssumedRoleUser?.Arn,
    });
    expect(await callerOfSqs(credentials)).toBe(reply.AssumedRoleUser?.Arn);
  });

  it('gets a session of its user', async () => {
    const credentials = keysOf((await stsClient(KEYS).getSessionToken().promise()).Credentials);
    expect(await callerOfSqs(credentials)).toBe(ALICE.arn);
  });

  it('gets a session for somebody else', async () => {
    const reply = await stsClient(KEYS).getFederationToken({ Name: 'guest' }).promise();
    expect(reply.FederatedUser).toEqual({
      FederatedUserId: '111122223333:guest',
      Arn: 'arn:aws:sts::111122223333:federated-user/guest',
    });
    expect(await callerOfSqs(keysOf(reply.Credentials))).toBe('arn:aws:sts::111122223333:federated-user/guest');
  });

  it('is told what is wrong, with the codes that it knows', async () => {
    const assume = (input: Partial<STS.AssumeRoleRequest>) =>
      stsClient(KEYS)
        .assumeRole({ RoleArn: WORKER_ARN, RoleSessionName: 'run-7', ...input })
        .promise();
    await expect(assume({})).rejects.toMatchObject({
      code: 'AccessDenied',
      statusCode: 403,
      message: `User: ${ALICE.arn} is not authorized to perform: sts:AssumeRole on resource: ${WORKER_ARN}`,
    });
    await expect(assume({ ExternalId: 'x1', DurationSeconds: 10 })).rejects.toMatchObject({
      code: 'ValidationError',
      statusCode: 400,
    });
    await expect(
      stsClient({ ...KEYS, accessKeyId: 'AKIANOBODY' })
        .getCallerIdentity()
        .promise(),
    ).rejects.toMatchObject({
      code: 'InvalidClientTokenId',
    });
    await expect(
      stsClient({ ...KEYS, secretAccessKey: 'x' })
        .getCallerIdentity()
        .promise(),
    ).rejects.toMatchObject({
      code: 'SignatureDoesNotMatch',
    });
  });
});
