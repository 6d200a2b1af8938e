// squiss-ts, on the AWS SDK for JavaScript v3. Usage: squiss-ts.mjs URL

import { once } from 'node:events';
import { Squiss } from 'squiss-ts';
import { BODY, CREDENTIALS, errorOf, RAW, report, sleep, versionOf } from './report.mjs';

const [, , endpoint] = process.argv;

function squissOf(queueName, options = {}) {
  return new Squiss({
    queueName,
    awsConfig: { endpoint, region: 'us-east-1', credentials: CREDENTIALS },
    receiveSqsAttributes: ['All'],
    receiveAttributes: ['All'],
    deleteWaitMs: 10,
    ...options,
  });
}

async function createQueue(queueName, options) {
  const squiss = squissOf(queueName, options);
  await squiss.createQueue();
  return squiss;
}

/** The next `count` messages that `handle` makes no excuse for; `handle` deletes or releases a message. */
async function consume(squiss, count, handle = (message) => message.del()) {
  const messages = [];
  const done = new Promise((resolve, reject) => {
    squiss.on('error', reject);
    squiss.on('message', (message) => {
      messages.push(message);
      handle(message);
      if (messages.length === count) resolve();
    });
  });
  await squiss.start();
  await done;
  await squiss.stop(false, 5000);
  return messages;
}

/** Visible and in flight. */
async function left(squiss) {
  const { Attributes } = await squiss.sqs.getQueueAttributes({
    QueueUrl: await squiss.getQueueUrl(),
    AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
  });
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}

await report(versionOf('squiss-ts'), {
  async 'create-queue'() {
    const url = await squissOf('created', { visibilityTimeoutSecs: 60 }).createQueue();
    const squiss = squissOf('created');
    return { url, found: await squiss.getQueueUrl(), visibilityTimeout: await squiss.getQueueVisibilityTimeout() };
  },

  async 'send-receive-delete'() {
    const squiss = await createQueue('letters');
    const sent = await squiss.sendMessage(BODY);
    const deleted = once(squiss, 'deleted');
    const [message] = await consume(squiss, 1);
    await deleted;
    return {
      body: message.body,
      sameId: message.raw.MessageId === sent.MessageId,
      receiveCount: message.sqsAttributes.ApproximateReceiveCount,
      left: await left(squiss),
    };
  },

  async 'message-attributes'() {
    const squiss = await createQueue('attributes');
    await squiss.sendMessage('x', undefined, { Text: 'Gr\u00fc\u00dfe', Count: 7, Raw: RAW });
    const [{ attributes }] = await consume(squiss, 1);
    return { ...attributes, Raw: Buffer.from(attributes.Raw).toString('base64') };
  },

  /** More than fit in one request, and one that is refused. */
  async batch() {
    const squiss = await createQueue('batches');
    const sent = await squiss.sendMessages([...Array.from({ length: 12 }, (_, index) => `${index}`), '\uffff']);
    const messages = await consume(squiss, 12);
    return {
      sent: sent.Successful.length,
      notSent: sent.Failed.map(({ Code, SenderFault }) => [Code, SenderFault]),
      received: messages.length,
    };
  },

  async 'long-poll'() {
    const squiss = await createQueue('polled', { receiveWaitTimeSecs: 20 });
    const start = Date.now();
    const poll = consume(squiss, 1);
    await sleep(300);
    await squiss.sendMessage('now');
    const [message] = await poll;
    return { body: message.body, early: Date.now() - start < 15_000 };
  },

  async visibility() {
    const squiss = await createQueue('hidden');
    await squiss.sendMessage('x');
    const isLast = ({ sqsAttributes }) => sqsAttributes.ApproximateReceiveCount === '3';
    const messages = await consume(squiss, 3, (message) => (isLast(message) ? message.del() : message.release()));
    return { receiveCounts: messages.map(({ sqsAttributes }) => sqsAttributes.ApproximateReceiveCount) };
  },

  async purge() {
    const squiss = await createQueue('purged');
    await squiss.sendMessages(['a', 'b', 'c']);
    await squiss.purgeQueue();
    return { left: await left(squiss) };
  },

  async errors() {
    const error = await errorOf(squissOf('missing').getQueueUrl());
    return {
      missingQueue: [error.Code, error.$metadata.httpStatusCode, error.message],
      errorType: error.constructor.name,
    };
  },

  async 'delete-queue'() {
    const squiss = await createQueue('deleted');
    await squiss.deleteQueue();
    const { Code: gone } = await errorOf(squissOf('deleted').getQueueUrl());
    return { gone };
  },
});
