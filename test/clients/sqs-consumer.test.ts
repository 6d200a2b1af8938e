import { once } from 'node:events';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Consumer, type ConsumerOptions } from 'sqs-consumer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../../src/platform/manual.ts';
import { type RunningServer, startServer } from '../../src/server/start.ts';
import { arrivalOf } from '../support/arrivals.ts';
import { gate } from '../support/gate.ts';

// sqs-consumer as its users run it, on the AWS SDK for JavaScript v3. The server's clock stands still unless a test moves
// it, so that a message which comes back does so for the reason that the test is about.

let clock: ManualClock;
let server: RunningServer;
let sqs: SQSClient;
const consumers: Consumer[] = [];

beforeEach(async () => {
  clock = manualClock();
  server = await startServer({ store: 'memory', port: 0, clock });
  sqs = new SQSClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  });
});

afterEach(async () => {
  for (const consumer of consumers.splice(0)) {
    // What it was doing is cut off.
    consumer.on('error', () => {});
    consumer.stop({ abort: true });
  }
  sqs.destroy();
  await server.close();
});

async function createQueue(name = 'jobs', attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return QueueUrl!;
}

async function send(queueUrl: string, body: string, groupId?: string): Promise<void> {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: groupId && body,
    }),
  );
}

/** A started consumer. Errors that a test does not listen for fail it through the `error` event. */
function consume(queueUrl: string, options: Partial<ConsumerOptions>): Consumer {
  const consumer = Consumer.create({
    queueUrl,
    sqs,
    messageSystemAttributeNames: ['All'],
    suppressFifoWarning: true,
    ...options,
  });
  consumers.push(consumer);
  consumer.start();
  return consumer;
}

/** Collects what a consumer hands to its handler; `until(n)` resolves with the first `n`. */
function inbox() {
  const messages: Message[] = [];
  const waiting: { count: number; resolve: (messages: Message[]) => void }[] = [];
  return {
    messages,
    add(message: Message) {
      messages.push(message);
      for (const waiter of waiting) if (messages.length === waiter.count) waiter.resolve([...messages]);
    },
    until(count: number): Promise<Message[]> {
      if (messages.length >= count) return Promise.resolve(messages.slice(0, count));
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
  };
}

function bodies(messages: readonly Message[]): (string | undefined)[] {
  return messages.map(({ Body }) => Body);
}

function receiveCounts(messages: readonly Message[]): (string | undefined)[] {
  return messages.map(({ Attributes }) => Attributes?.ApproximateReceiveCount);
}

async function counts(queueUrl: string): Promise<[visible: number, inFlight: number]> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
  );
  return [Number(Attributes.ApproximateNumberOfMessages), Number(Attributes.ApproximateNumberOfMessagesNotVisible)];
}

describe('sqs-consumer', () => {
  it('deletes a message that its handler has processed', async () => {
    const queueUrl = await createQueue();
    await send(queueUrl, 'work');
    const handled = inbox();
    const consumer = consume(queueUrl, {
      async handleMessage(message) {
        handled.add(message);
        return message;
      },
    });
    await once(consumer, 'message_processed');
    expect(bodies(handled.messages)).toEqual(['work']);
    expect(await counts(queueUrl)).toEqual([0, 0]);
  });

  it('leaves a message whose handler failed, and gets it again after the visibility timeout', async () => {
    const queueUrl = await createQueue('jobs', { VisibilityTimeout: '30' });
    await send(queueUrl, 'work');
    const handled = inbox();
    const consumer = consume(queueUrl, {
      async handleMessage(message) {
        handled.add(message);
        if (handled.messages.length === 1) throw new Error('not today');
        return message;
      },
    });
    await once(consumer, 'processing_error');
    expect(await counts(queueUrl)).toEqual([0, 1]);
    await clock.advance(29_999);
    expect(await counts(queueUrl)).toEqual([0, 1]);

    const processed = once(consumer, 'message_processed');
    await clock.advance(1);
    await processed;
    expect(bodies(handled.messages)).toEqual(['work', 'work']);
    expect(receiveCounts(handled.messages)).toEqual(['1', '2']);
    expect(await counts(queueUrl)).toEqual([0, 0]);
  });

  it('leaves a message that its handler does not acknowledge', async () => {
    const queueUrl = await createQueue();
    await send(queueUrl, 'work');
    const consumer = consume(queueUrl, { handleMessage: async () => undefined });
    await once(consumer, 'response_processed');
    expect(await counts(queueUrl)).toEqual([0, 1]);
  });

  it('gives a message back at once with terminateVisibilityTimeout', async () => {
    const queueUrl = await createQueue();
    await send(queueUrl, 'work');
    const handled = inbox();
    const consumer = consume(queueUrl, {
      terminateVisibilityTimeout: true,
      async handleMessage(message) {
        handled.add(message);
        if (handled.messages.length < 3) throw new Error('not today');
        return message;
      },
    });
    // The clock stands still: only the change of the visibility can have brought it back.
    await once(consumer, 'message_processed');
    expect(receiveCounts(handled.messages)).toEqual(['1', '2', '3']);
  });

  it('gives a message back after the delay that terminateVisibilityTimeout computes', async () => {
    const queueUrl = await createQueue();
    await send(queueUrl, 'work');
    const handled = inbox();
    const consumer = consume(queueUrl, {
      terminateVisibilityTimeout: ([message]) => 5 * Number(message?.Attributes?.ApproximateReceiveCount),
      async handleMessage(message) {
        handled.add(message);
        if (handled.messages.length === 1) throw new Error('not today');
        return message;
      },
    });
    await once(consumer, 'response_processed');
    await clock.advance(4999);
    expect(await counts(queueUrl)).toEqual([0, 1]);
    const processed = once(consumer, 'message_processed');
    await clock.advance(1);
    await processed;
    expect(receiveCounts(handled.messages)).toEqual(['1', '2']);
  });

  it('deletes exactly the messages of a batch that its handler acknowledges', async () => {
    const queueUrl = await createQueue();
    const entries = Array.from({ length: 10 }, (_, index) => ({ Id: `${index}`, MessageBody: `${index}` }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
    const batches: Message[][] = [];
    const consumer = consume(queueUrl, {
      batchSize: 10,
      async handleMessageBatch(messages) {
        batches.push(messages);
        return messages.filter(({ Body }) => Number(Body) % 2 === 0);
      },
    });
    await once(consumer, 'response_processed');
    expect(batches).toHaveLength(1);
    expect(bodies(batches[0]!).sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(await counts(queueUrl)).toEqual([0, 5]);
  });

  it('gives a whole batch back when its handler fails', async () => {
    const queueUrl = await createQueue();
    const entries = ['a', 'b', 'c'].map((body) => ({ Id: body, MessageBody: body }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
    const batches: Message[][] = [];
    const consumer = consume(queueUrl, {
      batchSize: 10,
      terminateVisibilityTimeout: true,
      async handleMessageBatch(messages) {
        batches.push(messages);
        if (batches.length === 1) throw new Error('not today');
        return messages;
      },
    });
    consumer.on('error', () => {});
    const processed = inbox();
    consumer.on('message_processed', processed.add);
    await processed.until(3);
    expect(await counts(queueUrl)).toEqual([0, 0]);
    expect(bodies(batches[0]!).sort()).toEqual(['a', 'b', 'c']);
    expect(receiveCounts(batches.slice(1).flat())).toEqual(['2', '2', '2']);
  });

  it('moves a message that fails too often to the dead-letter queue', async () => {
    const deadUrl = await createQueue('dead');
    const queueUrl = await createQueue('jobs', {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dead',
        maxReceiveCount: 2,
      }),
    });
    await send(queueUrl, 'poison');
    const handled = inbox();
    consume(queueUrl, {
      terminateVisibilityTimeout: true,
      async handleMessage(message) {
        handled.add(message);
        throw new Error('never');
      },
    });
    const dead = inbox();
    const undertaker = consume(deadUrl, {
      async handleMessage(message) {
        dead.add(message);
        return message;
      },
    });
    await once(undertaker, 'message_processed');
    expect(receiveCounts(handled.messages)).toEqual(['1', '2']);
    expect(bodies(dead.messages)).toEqual(['poison']);
  });

  it('processes a FIFO queue in the order of each group, also when a handler fails', async () => {
    const queueUrl = await createQueue('jobs.fifo', { FifoQueue: 'true' });
    for (const body of ['a1', 'b1', 'a2', 'b2', 'a3']) await send(queueUrl, body, body[0]);
    const done = inbox();
    let failures = 0;
    consume(queueUrl, {
      terminateVisibilityTimeout: true,
      async handleMessage(message) {
        if (message.Body === 'a2' && failures++ < 2) throw new Error('not yet');
        done.add(message);
        return message;
      },
    });
    const order = bodies(await done.until(5));
    expect(order.filter((body) => body?.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(order.filter((body) => body?.startsWith('b'))).toEqual(['b1', 'b2']);
    expect(failures).toBe(3);
  });

  it('gets a message that arrives during a long poll, without polling again', async () => {
    const queueUrl = await createQueue();
    let polls = 0;
    const handled = inbox();
    const polling = arrivalOf('ReceiveMessage');
    consume(queueUrl, {
      waitTimeSeconds: 20,
      async preReceiveMessageCallback() {
        polls++;
      },
      async handleMessage(message) {
        handled.add(message);
        return message;
      },
    });
    await polling;
    await send(queueUrl, 'work');
    expect(bodies(await handled.until(1))).toEqual(['work']);
    expect(polls).toBe(1);
  });

  it('polls again when a long poll ends empty', async () => {
    const queueUrl = await createQueue('jobs', { ReceiveMessageWaitTimeSeconds: '20' });
    const handled = inbox();
    const consumer = consume(queueUrl, {
      waitTimeSeconds: 0,
      async handleMessage(message) {
        handled.add(message);
        return message;
      },
    });
    // An explicit 0 is a short poll whatever the queue says, so this ends while the clock stands still.
    await once(consumer, 'empty');
    await once(consumer, 'empty');
    await send(queueUrl, 'work');
    expect(bodies(await handled.until(1))).toEqual(['work']);
  });

  it('stops gracefully: the handler finishes and its message is deleted', async () => {
    const queueUrl = await createQueue();
    await send(queueUrl, 'work');
    await send(queueUrl, 'left alone');
    const entered = gate();
    const release = gate();
    const consumer = consume(queueUrl, {
      pollingCompleteWaitTimeMs: 30_000,
      async handleMessage(message) {
        entered.open();
        await release.passed;
        return message;
      },
    });
    await entered.passed;
    const stopped = once(consumer, 'stopped');
    consumer.stop();
    release.open();
    await stopped;
    expect(await counts(queueUrl)).toEqual([1, 0]);
  });

  it('loses nothing to a long poll that its consumer has given up', async () => {
    const queueUrl = await createQueue();
    const failures: Error[] = [];
    const polling = arrivalOf('ReceiveMessage');
    const consumer = consume(queueUrl, { handleMessage: async (message) => message });
    consumer.on('error', (error) => void failures.push(error));
    await polling;
    const gaveUp = once(consumer, 'error');
    consumer.stop({ abort: true });
    await gaveUp;
    // By the replies to these the server has seen the connection close.
    await counts(queueUrl);
    await counts(queueUrl);
    await send(queueUrl, 'work');
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MessageSystemAttributeNames: ['All'] }),
    );
    expect(bodies(Messages)).toEqual(['work']);
    expect(receiveCounts(Messages)).toEqual(['1']);
    expect(failures).toHaveLength(1);
  });

  it('is told at once when the server stops during its long poll', async () => {
    const queueUrl = await createQueue();
    const polling = arrivalOf('ReceiveMessage');
    const consumer = consume(queueUrl, { handleMessage: async (message) => message });
    await polling;
    const answered = once(consumer, 'empty');
    await server.close();
    await answered;
  });
});
