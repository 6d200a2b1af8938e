import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sdk from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../src/index.ts';
import { captureError } from '../support/errors.ts';
import { certificateFiles } from '../support/self-signed.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let directory: string;
let server: TestServer;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stanchion-audit-'));
});
afterEach(async () => {
  await server.close();
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  await rm(directory, { recursive: true });
});

async function start(options: Omit<ServerOptions, 'clock'> = {}): Promise<void> {
  server = await startTestServer({ audit: directory, ...options });
}

async function records() {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.jsonl')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')));
  // biome-ignore lint/suspicious/noExplicitAny: records of every action
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as any);
}

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const HASH = expect.stringMatching(/^[0-9a-f]{64}$/);

describe('the audit trail', () => {
  it('has a management call exactly as CloudTrail would', async () => {
    await start();
    const Attributes = { VisibilityTimeout: '45' };
    const created = await server.sdk.send(
      new sdk.CreateQueueCommand({ QueueName: 'orders', Attributes, tags: { team: 'blue' } }),
    );
    expect(await records()).toEqual([
      {
        eventVersion: '1.09',
        userIdentity: {
          type: 'Root',
          principalId: '000000000000',
          arn: 'arn:aws:iam::000000000000:root',
          accountId: '000000000000',
        },
        eventTime: '2023-11-14T22:13:20Z',
        eventSource: 'sqs.amazonaws.com',
        eventName: 'CreateQueue',
        awsRegion: 'us-east-1',
        sourceIPAddress: '127.0.0.1',
        userAgent: expect.stringContaining('aws-sdk-js/'),
        requestParameters: { queueName: 'orders', attributes: Attributes, tags: { team: 'blue' } },
        responseElements: { queueUrl: created.QueueUrl },
        requestID: created.$metadata.requestId,
        eventID: UUID,
        readOnly: false,
        eventType: 'AwsApiCall',
        managementEvent: true,
        recipientAccountId: '000000000000',
        eventCategory: 'Management',
        previousHash: '0'.repeat(64),
        hash: HASH,
      },
    ]);
  });

  it('has calls that fail, and no data events unless they are asked for', async () => {
    await start();
    const { sdk: client, query } = server;
    await captureError(client.send(new sdk.DeleteQueueCommand({ QueueUrl: 'none' })));
    await captureError(query.call('PurgeQueue', { QueueUrl: 'none' }));
    await captureError(client.send(new sdk.SendMessageCommand({ QueueUrl: 'none', MessageBody: 'a' })));
    await client.send(new sdk.ListQueuesCommand({}));
    const failure = {
      errorCode: 'AWS.SimpleQueueService.NonExistentQueue',
      errorMessage: 'The specified queue does not exist.',
      requestParameters: { queueUrl: 'none' },
      responseElements: null,
    };
    expect(await records()).toMatchObject([
      { eventName: 'DeleteQueue', ...failure },
      { eventName: 'PurgeQueue', ...failure },
    ]);
  });

  it('has data events, and no secret of any in its files', async () => {
    await start({ auditData: 'on' });
    const { sdk: client } = server;
    const { QueueUrl } = await client.send(new sdk.CreateQueueCommand({ QueueName: 'q' }));
    const sent = await client.send(
      new sdk.SendMessageCommand({
        QueueUrl,
        MessageBody: 'BODY-SECRET',
        MessageAttributes: { color: { DataType: 'String', StringValue: 'VALUE-SECRET' } },
      }),
    );
    await client.send(
      new sdk.SendMessageBatchCommand({
        QueueUrl,
        Entries: [
          {
            Id: 'a',
            MessageBody: 'BODY-SECRET 2',
            MessageAttributes: { n: { DataType: 'Number', StringValue: '424242' } },
          },
        ],
      }),
    );
    const { Messages = [] } = await client.send(new sdk.ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    const handles = Messages.map(({ ReceiptHandle }) => ReceiptHandle as string);
    await client.send(new sdk.DeleteMessageCommand({ QueueUrl, ReceiptHandle: handles[0] }));
    await captureError(client.send(new sdk.DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'HANDLE-SECRET' })));
    await client.send(
      new sdk.ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [{ Id: 'a', ReceiptHandle: handles[1], VisibilityTimeout: 5 }],
      }),
    );
    const found = await records();
    const resources = [
      { accountId: '000000000000', type: 'AWS::SQS::Queue', ARN: 'arn:aws:sqs:us-east-1:000000000000:q' },
    ];
    expect(found.slice(1)).toMatchObject([
      {
        eventName: 'SendMessage',
        eventCategory: 'Data',
        managementEvent: false,
        readOnly: false,
        resources,
        requestParameters: {
          queueUrl: QueueUrl,
          messageBody: 'HIDDEN_DUE_TO_SECURITY_REASONS',
          messageAttributes: { color: { dataType: 'String' } },
        },
        responseElements: { messageId: sent.MessageId, mD5OfMessageBody: sent.MD5OfMessageBody },
      },
      {
        eventName: 'SendMessageBatch',
        requestParameters: { entries: [{ id: 'a', messageAttributes: { n: { dataType: 'Number' } } }] },
      },
      {
        eventName: 'ReceiveMessage',
        readOnly: true,
        requestParameters: { queueUrl: QueueUrl, maxNumberOfMessages: 10 },
      },
      { eventName: 'DeleteMessage', requestParameters: { receiptHandle: 'HIDDEN_DUE_TO_SECURITY_REASONS' } },
      { eventName: 'DeleteMessage', errorCode: 'ReceiptHandleIsInvalid' },
      {
        eventName: 'ChangeMessageVisibilityBatch',
        requestParameters: { entries: [{ id: 'a', visibilityTimeout: 5 }] },
      },
    ]);
    expect(found[5]).not.toHaveProperty('errorMessage');
    expect(handles).toHaveLength(2);
    for (const name of await readdir(directory)) {
      const text = await readFile(join(directory, name), 'utf8');
      for (const secret of ['SECRET', '424242', 'Signature', ...handles]) {
        expect(text.replaceAll('HIDDEN_DUE_TO_SECURITY_REASONS', '')).not.toContain(secret);
      }
    }
  });

  it('says how a request over TLS was protected', async () => {
    const files = await certificateFiles();
    const { tlsCert, tlsKey, ca } = files;
    await start({ tlsPort: 0, tlsCert, tlsKey, auditData: 'on' });
    const client = new sdk.SQSClient({
      endpoint: server.secureUrl,
      region: 'eu-west-1',
      credentials: { accessKeyId: '111122223333', secretAccessKey: 'any' },
      requestHandler: { httpsAgent: new Agent({ ca }) },
    });
    cleanUps.push(files.remove, () => client.destroy());
    await client.send(new sdk.ListQueuesCommand({}));
    expect(await records()).toMatchObject([
      {
        eventName: 'ListQueues',
        requestParameters: null,
        resources: [{ ARN: 'arn:aws:sqs:eu-west-1:111122223333:*' }],
        recipientAccountId: '111122223333',
        tlsDetails: {
          tlsVersion: 'TLSv1.3',
          cipherSuite: expect.stringMatching(/^TLS_/),
          clientProvidedHostHeader: new URL(server.secureUrl as string).host,
        },
      },
    ]);
  });

  it('begins a file for each day, UTC', async () => {
    await start();
    await server.sdk.send(new sdk.CreateQueueCommand({ QueueName: 'a' }));
    await server.clock.advance(86_400_000);
    await server.sdk.send(new sdk.CreateQueueCommand({ QueueName: 'b' }));
    const files = (await readdir(directory)).filter((name) => name.endsWith('.jsonl'));
    expect(files.sort()).toEqual(['audit-2023-11-14.jsonl', 'audit-2023-11-15.jsonl']);
    const [first, second] = await records();
    expect(second.previousHash).toBe(first.hash);
  });

  it('has but one writer', async () => {
    await start();
    await expect(startTestServer({ audit: directory })).rejects.toThrow(
      /cannot use the audit trail in .*another server/,
    );
  });
});
