import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sdk from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { actions } from '../../src/api/actions.ts';
import type { ActionInputs, ActionName, ActionOutputs } from '../../src/protocol/model/shapes.ts';
import { type JsonReply, postJson } from '../support/json-client.ts';
import { buildServer, ServerProcess } from '../support/server-process.ts';

// The built server with worker processes. Every request is a connection of its own, so that no two in a row go to the same
// worker: what one of them did all others know.

let data: string;
let server: ServerProcess;
let client: sdk.SQSClient;
const called = new Set<string>();

beforeAll(async () => {
  buildServer();
  data = await mkdtemp(join(tmpdir(), 'stanchion-wire-'));
  server = new ServerProcess(data, { flags: ['--workers', '2', '--log-level', 'debug', '--relaxed-timers'] });
  client = new sdk.SQSClient({
    endpoint: await server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
    requestHandler: { httpAgent: new Agent({ keepAlive: false }) },
  });
});
afterAll(async () => {
  client.destroy();
  await server.kill();
  await rm(data, { recursive: true });
});

async function call<Name extends ActionName>(
  action: Name,
  input: ActionInputs[Name] = {},
): Promise<ActionOutputs[Name]> {
  called.add(action);
  const commands = sdk as unknown as Record<string, new (input: object) => sdk.ListQueuesCommand>;
  const { $metadata, ...output } = await client.send(new commands[`${action}Command`]!(input));
  return output as ActionOutputs[Name];
}

async function create(QueueName: string, Attributes: Record<string, string> = {}): Promise<string> {
  return (await call('CreateQueue', { QueueName, Attributes })).QueueUrl as string;
}

async function attributesOf(QueueUrl: string): Promise<Record<string, string>> {
  const { Attributes = {} } = await call('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] });
  return Attributes as Record<string, string>;
}

it('finds, changes and lists queues', async () => {
  const QueueUrl = await create('orders');
  expect(await call('GetQueueUrl', { QueueName: 'orders' })).toEqual({ QueueUrl });
  expect(await call('ListQueues', { QueueNamePrefix: 'orders' })).toEqual({ QueueUrls: [QueueUrl] });
  for (let seconds = 1; seconds <= 5; seconds++) {
    await call('SetQueueAttributes', { QueueUrl, Attributes: { DelaySeconds: String(seconds) } });
    expect(await attributesOf(QueueUrl)).toMatchObject({ DelaySeconds: String(seconds) });
  }
  await call('TagQueue', { QueueUrl, Tags: { a: '1', b: '2' } });
  await call('UntagQueue', { QueueUrl, TagKeys: ['a'] });
  expect(await call('ListQueueTags', { QueueUrl })).toEqual({ Tags: { b: '2' } });
  await call('AddPermission', { QueueUrl, Label: 'l', AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] });
  expect(await attributesOf(QueueUrl)).toHaveProperty('Policy');
  await call('RemovePermission', { QueueUrl, Label: 'l' });
  await call('DeleteQueue', { QueueUrl });
  await expect(call('GetQueueUrl', { QueueName: 'orders' })).rejects.toThrow(sdk.QueueDoesNotExist);
  await expect(call('SendMessage', { QueueUrl, MessageBody: 'a' })).rejects.toThrow(sdk.QueueDoesNotExist);
});

it('carries messages, with all they have', async () => {
  const QueueUrl = await create('messages');
  const MessageAttributes = {
    text: { DataType: 'String', StringValue: 'ä' },
    bytes: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255) },
  };
  // The SDK itself compares the digests.
  await call('SendMessage', { QueueUrl, MessageBody: 'héllo', MessageAttributes });
  const receive = async (more: ActionInputs['ReceiveMessage'] = {}) =>
    (await call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'], ...more }))
      .Messages ?? [];
  const [message] = await receive();
  expect(message).toMatchObject({ Body: 'héllo', MessageAttributes });
  const { ReceiptHandle } = message!;
  await call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  expect(await receive()).toHaveLength(1);
  await call('DeleteMessage', { QueueUrl, ReceiptHandle });

  const large = 'x'.repeat(100_000);
  const Entries = Array.from({ length: 10 }, (_, index) => ({ Id: `${index}`, MessageBody: `${index}${large}` }));
  expect((await call('SendMessageBatch', { QueueUrl, Entries })).Successful).toHaveLength(10);
  const received = await receive();
  expect(received.map(({ Body }) => Body).toSorted()).toEqual(Entries.map(({ MessageBody }) => MessageBody));
  const handles = received.map((each, index) => ({ Id: `${index}`, ReceiptHandle: each.ReceiptHandle }));
  const hidden = handles.map((handle) => ({ ...handle, VisibilityTimeout: 60 }));
  expect((await call('ChangeMessageVisibilityBatch', { QueueUrl, Entries: hidden })).Successful).toHaveLength(10);
  expect((await call('DeleteMessageBatch', { QueueUrl, Entries: handles })).Successful).toHaveLength(10);

  await call('SendMessage', { QueueUrl, MessageBody: 'a' });
  await call('PurgeQueue', { QueueUrl });
  expect(await receive()).toEqual([]);
});

it('wakes a long poll at one worker by a send at another', async () => {
  const QueueUrl = await create('waiting');
  const polls = [1, 2, 3, 4].map(() => call('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 20 }));
  for (let index = 0; index < 4; index++) await call('SendMessage', { QueueUrl, MessageBody: String(index) });
  const bodies = (await Promise.all(polls)).flatMap(({ Messages = [] }) => Messages.map(({ Body }) => Body));
  expect(bodies.toSorted()).toEqual(['0', '1', '2', '3']);
});

it('ends a long poll whose client is gone, so that it takes no message', async () => {
  const QueueUrl = await create('abandoned');
  const impatient = new AbortController();
  const poll = client.send(new sdk.ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
    abortSignal: impatient.signal,
  });
  const failed = expect(poll).rejects.toThrow(/abort/i);
  // By now it has come to its worker, which is the next but one.
  for (let index = 0; index < 4; index++) await attributesOf(QueueUrl);
  impatient.abort();
  await failed;
  for (let index = 0; index < 4; index++) await attributesOf(QueueUrl);
  await call('SendMessage', { QueueUrl, MessageBody: 'a' });
  expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessages).toBe('1');
});

it('keeps the order and the ids of a FIFO queue', async () => {
  const QueueUrl = await create('strict.fifo', { FifoQueue: 'true' });
  const send = (body: string, id: string) =>
    call('SendMessage', { QueueUrl, MessageBody: body, MessageGroupId: 'g', MessageDeduplicationId: id });
  const first = await send('a', '1');
  expect(await send('again', '1')).toMatchObject({ MessageId: first.MessageId, SequenceNumber: first.SequenceNumber });
  await send('b', '2');
  const { Messages = [] } = await call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 });
  expect(Messages.map(({ Body }) => Body)).toEqual(['a', 'b']);
});

it('moves dead letters back', async () => {
  const dead = await create('dead');
  const { QueueArn: deadLetterTargetArn = '' } = await attributesOf(dead);
  const source = await create('source', {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }),
  });
  expect(await call('ListDeadLetterSourceQueues', { QueueUrl: dead })).toEqual({ queueUrls: [source] });
  await call('SendMessage', { QueueUrl: dead, MessageBody: 'a' });
  const { TaskHandle } = await call('StartMessageMoveTask', {
    SourceArn: deadLetterTargetArn,
    DestinationArn: (await attributesOf(source)).QueueArn,
  });
  const { Messages } = await call('ReceiveMessage', { QueueUrl: source, WaitTimeSeconds: 20 });
  expect(Messages).toMatchObject([{ Body: 'a' }]);
  const { Results } = await call('ListMessageMoveTasks', { SourceArn: deadLetterTargetArn });
  expect(Results).toMatchObject([{ SourceArn: deadLetterTargetArn, ApproximateNumberOfMessagesToMove: 1 }]);
  // Completed, or about to be.
  const cancel = call('CancelMessageMoveTask', { TaskHandle: TaskHandle ?? 'none' });
  await cancel.catch((error) => expect(error).toBeInstanceOf(sdk.SQSServiceException));
});

it('has done all that by every action there is', () => {
  expect([...called].toSorted()).toEqual(Object.keys(actions).toSorted());
});

it('answers errors as SQS does, and logs them with the worker that did', async () => {
  const reply: JsonReply = await postJson(await server.url, 'SendMessage', {
    QueueUrl: 'none',
    MessageBody: 'private',
  });
  expect(reply).toMatchObject({ status: 400, body: { __type: 'com.amazonaws.sqs#QueueDoesNotExist' } });
  // Lines of other requests may still be on their way.
  const line = await server.logsRequest(reply.headers.get('x-amzn-requestid') as string);
  expect(server.log[0]?.workers).toContain(line.worker);
  expect(line).toMatchObject({ action: 'SendMessage', code: 'AWS.SimpleQueueService.NonExistentQueue', level: 20 });
  expect(JSON.stringify(server.log)).not.toContain('private');
});

it('reports its health', async () => {
  const response = await fetch(`${await server.url}/health`);
  expect(await response.json()).toMatchObject({ status: 'ok' });
});
