import { Messages } from './messages.ts';
import type { QueueTarget, StepName } from './plan.ts';
import type { SqsInput } from './sqs-protocol.ts';
import type { SqsRequests } from './sqs-requests.ts';
import type { TimedConnection } from './timed-connection.ts';

/** One round of one connection: sends requests and resolves to the messages it has dealt with; 0: there are none. */
export type Step = (connection: TimedConnection) => Promise<number>;

/** That SQS takes in one request. */
const BATCH_BYTES_MAX = 1_048_576;
/** Of waiting a second each, before a queue counts as empty: other connections may hold every message group. */
const EMPTY_RECEIVES_MAX = 2;

/** So many messages make a batch: ten, or fewer when they are large. */
export function batchSizeOf(bodyBytes: number): number {
  return Math.max(1, Math.min(10, Math.floor(BATCH_BYTES_MAX / bodyBytes)));
}

export function stepsOn(target: QueueTarget, requests: SqsRequests): Record<StepName, Step> {
  const QueueUrl = target.url;
  const messages = new Messages(target);
  const batchSize = batchSizeOf(target.bodyBytes);

  const sendRequest = (delaySeconds?: number) =>
    requests.encode('SendMessage', { QueueUrl, ...messages.next(delaySeconds) });
  const sendTenRequest = (delaySeconds?: number) => {
    const entry = (_: unknown, index: number) => ({ Id: String(index), ...messages.next(delaySeconds) });
    return requests.encode('SendMessageBatch', { QueueUrl, Entries: Array.from({ length: batchSize }, entry) });
  };
  // Encoded once where all are alike: the load has to stay well below the cost of the server.
  const reused = (make: (delaySeconds?: number) => Buffer, delaySeconds?: number) => {
    if (!messages.areAlike) return () => make(delaySeconds);
    const request = make(delaySeconds);
    return () => request;
  };
  const nextSend = reused(sendRequest);
  const nextSendTen = reused(sendTenRequest);
  // What is to be received at once, on top of a backlog that may be delayed.
  const nextSendNow = reused(sendRequest, 0);
  const nextSendTenNow = reused(sendTenRequest, 0);
  const receiveRequests = Array.from({ length: 11 }, (_, count) =>
    requests.encode('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 1, MaxNumberOfMessages: Math.max(count, 1) }),
  );

  const receive = async (connection: TimedConnection, count: number): Promise<string[]> => {
    for (let attempt = 1; ; attempt++) {
      const reply = await connection.callEncoded('ReceiveMessage', receiveRequests[count] as Buffer);
      const handles = requests.protocol.valuesIn(reply, 'ReceiptHandle');
      if (handles.length > 0 || attempt === EMPTY_RECEIVES_MAX) return handles;
    }
  };
  const onEach = (action: string, connection: TimedConnection, handles: string[], more: SqsInput = {}) => {
    const Entries = handles.map((handle, index) => ({ Id: String(index), ReceiptHandle: handle, ...more }));
    return connection.call(action, { QueueUrl, Entries });
  };
  const receiveAndDelete: Step = async (connection) => {
    const [handle] = await receive(connection, 1);
    if (handle === undefined) return 0;
    await connection.call('DeleteMessage', { QueueUrl, ReceiptHandle: handle });
    return 1;
  };
  const receiveAndDeleteUpTo = async (connection: TimedConnection, count: number): Promise<number> => {
    const handles = await receive(connection, count);
    if (handles.length > 0) await onEach('DeleteMessageBatch', connection, handles);
    return handles.length;
  };

  return {
    send: async (connection) => {
      await connection.callEncoded('SendMessage', nextSend());
      return 1;
    },
    sendTen: async (connection) => {
      await connection.callEncoded('SendMessageBatch', nextSendTen());
      return batchSize;
    },
    receiveAndDelete,
    receiveAndDeleteTen: (connection) => receiveAndDeleteUpTo(connection, 10),
    lifecycle: async (connection) => {
      await connection.callEncoded('SendMessage', nextSendNow());
      return receiveAndDelete(connection);
    },
    lifecycleTen: async (connection) => {
      await connection.callEncoded('SendMessageBatch', nextSendTenNow());
      // A receive may give fewer; as many as were sent leave, so that the depth is the same after each step.
      for (let left = batchSize; left > 0; ) {
        const deleted = await receiveAndDeleteUpTo(connection, left);
        if (deleted === 0) return 0;
        left -= deleted;
      }
      return batchSize;
    },
    changeVisibility: async (connection) => {
      const [handle] = await receive(connection, 1);
      if (handle === undefined) return 0;
      await connection.call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle: handle, VisibilityTimeout: 0 });
      return 1;
    },
    changeVisibilityTen: async (connection) => {
      const handles = await receive(connection, 10);
      if (handles.length === 0) return 0;
      await onEach('ChangeMessageVisibilityBatch', connection, handles, { VisibilityTimeout: 0 });
      return handles.length;
    },
    getAttributes: async (connection) => {
      await connection.call('GetQueueAttributes', { QueueUrl, AttributeNames: ['All'] });
      return 1;
    },
  };
}
