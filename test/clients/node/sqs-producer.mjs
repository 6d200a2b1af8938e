// sqs-producer sends, sqs-consumer receives, both on the AWS SDK for JavaScript v3. Usage: sqs-producer.mjs URL

import { once } from 'node:events';
import { SQS } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';
import { Producer } from 'sqs-producer';
import { BODY, CREDENTIALS, errorOf, RAW, report, sleep, versionOf } from './report.mjs';

const [, , endpoint] = process.argv;
const sqs = new SQS({ endpoint, region: 'us-east-1', credentials: CREDENTIALS });

/** Neither of them makes queues. */
async function createQueue(QueueName, Attributes = {}) {
  return (await sqs.createQueue({ QueueName, Attributes })).QueueUrl;
}

function producerOf(queueUrl) {
  return Producer.create({ queueUrl, sqs });
}

/** Handles messages until there are `count`, and deletes them; `handle` may refuse a message by throwing. */
async function consume(queueUrl, count, handle = () => {}) {
  const messages = [];
  const consumer = Consumer.create({
    queueUrl,
    sqs,
    batchSize: 10,
    suppressFifoWarning: true,
    terminateVisibilityTimeout: true,
    messageAttributeNames: ['All'],
    messageSystemAttributeNames: ['All'],
    async handleMessage(message) {
      handle(message);
      messages.push(message);
      return message;
    },
  });
  consumer.on('processing_error', () => {});
  consumer.start();
  while (messages.length < count) await once(consumer, 'response_processed');
  const stopped = once(consumer, 'stopped');
  consumer.stop();
  await stopped;
  return messages;
}

await report(`${versionOf('sqs-producer')}, ${versionOf('sqs-consumer')}`, {
  async 'send-receive-delete'() {
    const queueUrl = await createQueue('letters');
    const producer = producerOf(queueUrl);
    const [sent] = await producer.send({ id: 'a', body: BODY });
    const [message] = await consume(queueUrl, 1);
    return {
      body: message.Body,
      sameId: message.MessageId === sent.MessageId,
      receiveCount: message.Attributes.ApproximateReceiveCount,
      left: await producer.queueSize(),
    };
  },

  async 'message-attributes'() {
    const queueUrl = await createQueue('attributes');
    const messageAttributes = {
      Text: { DataType: 'String', StringValue: 'Gr\u00fc\u00dfe' },
      Raw: { DataType: 'Binary', BinaryValue: RAW },
    };
    const [sent] = await producerOf(queueUrl).send({ id: 'a', body: 'x', messageAttributes });
    const [message] = await consume(queueUrl, 1);
    const { Text, Raw } = message.MessageAttributes;
    return {
      Text: [Text.DataType, Text.StringValue],
      Raw: [Raw.DataType, Buffer.from(Raw.BinaryValue).toString('base64')],
      sameDigest: message.MD5OfMessageAttributes === sent.MD5OfMessageAttributes,
    };
  },

  /** More than fit in one request, and one that is refused. */
  async batch() {
    const queueUrl = await createQueue('batches');
    const producer = producerOf(queueUrl);
    const sent = await producer.send(Array.from({ length: 25 }, (_, index) => `${index}`));
    const error = await errorOf(
      producer.send([
        { id: 'a', body: 'first' },
        { id: 'b', body: '\uffff' },
      ]),
    );
    return {
      sent: sent.length,
      notSent: error.failedMessages,
      received: (await consume(queueUrl, 26)).length,
    };
  },

  async 'long-poll'() {
    const queueUrl = await createQueue('polled');
    const start = Date.now();
    const poll = consume(queueUrl, 1);
    await sleep(300);
    await producerOf(queueUrl).send('now');
    const [message] = await poll;
    return { body: message.Body, early: Date.now() - start < 15_000 };
  },

  async visibility() {
    const queueUrl = await createQueue('hidden');
    await producerOf(queueUrl).send('x');
    const receiveCounts = [];
    await consume(queueUrl, 1, ({ Attributes }) => {
      receiveCounts.push(Attributes.ApproximateReceiveCount);
      if (receiveCounts.length < 3) throw new Error('not yet');
    });
    return { receiveCounts };
  },

  async fifo() {
    const queueUrl = await createQueue('line.fifo', { FifoQueue: 'true' });
    const messages = ['one', 'two', 'one', 'three'].map((body, index) => ({
      id: `${index}`,
      body,
      groupId: 'g',
      deduplicationId: body,
    }));
    const sent = await producerOf(queueUrl).send(messages);
    const bodies = (await consume(queueUrl, 3)).map(({ Body }) => Body);
    return { bodies, duplicateIsFirst: sent[2].MessageId === sent[0].MessageId };
  },

  async errors() {
    const error = await errorOf(producerOf(`${endpoint}/000000000000/missing`).send('x'));
    return {
      missingQueue: [error.Code, error.$metadata.httpStatusCode, error.message],
      errorType: error.constructor.name,
    };
  },
});
sqs.destroy();
