// All scenarios for a client that has one function for every action. What they are: see ../scenarios.ts.

import { BODY, errorOf, RAW, sleep } from './report.mjs';

/**
 * `call(action, input)` resolves to the output of the action; `describe(error)` is [code, HTTP status, text];
 * `errorType(error)` is the class of the error, if the client has one.
 */
export function scenariosOf({ call, describe, errorType, raw = RAW }) {
  async function createQueue(QueueName, Attributes = {}, tags = {}) {
    return (await call('CreateQueue', { QueueName, Attributes, tags })).QueueUrl;
  }

  async function receive(QueueUrl, more = {}) {
    const input = {
      QueueUrl,
      MaxNumberOfMessages: 10,
      AttributeNames: ['All'],
      MessageAttributeNames: ['All'],
      ...more,
    };
    return (await call('ReceiveMessage', input))?.Messages ?? [];
  }

  /** Visible and in flight. */
  async function left(QueueUrl) {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
    const { Attributes } = await call('GetQueueAttributes', { QueueUrl, AttributeNames });
    return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
  }

  async function arnOf(QueueUrl) {
    const { Attributes } = await call('GetQueueAttributes', { QueueUrl, AttributeNames: ['QueueArn'] });
    return Attributes.QueueArn;
  }

  return {
    async 'create-queue'() {
      const url = await createQueue('created', { VisibilityTimeout: '60' });
      const { QueueUrl: found } = await call('GetQueueUrl', { QueueName: 'created' });
      const { QueueUrls: listed } = await call('ListQueues', { QueueNamePrefix: 'creat' });
      const names = ['VisibilityTimeout', 'QueueArn'];
      const { Attributes } = await call('GetQueueAttributes', { QueueUrl: url, AttributeNames: names });
      return { url, found, listed, attributes: Attributes };
    },

    async 'send-receive-delete'() {
      const QueueUrl = await createQueue('letters');
      const sent = await call('SendMessage', { QueueUrl, MessageBody: BODY });
      const [message] = await receive(QueueUrl);
      await call('DeleteMessage', { QueueUrl, ReceiptHandle: message.ReceiptHandle });
      return {
        body: message.Body,
        sameId: message.MessageId === sent.MessageId,
        receiveCount: message.Attributes.ApproximateReceiveCount,
        left: await left(QueueUrl),
      };
    },

    async 'message-attributes'() {
      const QueueUrl = await createQueue('attributes');
      const sent = await call('SendMessage', {
        QueueUrl,
        MessageBody: 'x',
        MessageAttributes: {
          Text: { DataType: 'String', StringValue: 'Gr\u00fc\u00dfe' },
          Count: { DataType: 'Number.int', StringValue: '7' },
          Raw: { DataType: 'Binary', BinaryValue: raw },
        },
      });
      const [message] = await receive(QueueUrl);
      const { Text, Count, Raw } = message.MessageAttributes;
      const bytes = typeof Raw.BinaryValue === 'string' ? Raw.BinaryValue : base64(Raw.BinaryValue);
      return {
        Text: [Text.DataType, Text.StringValue],
        Count: [Count.DataType, Count.StringValue],
        Raw: [Raw.DataType, bytes],
        sameDigest: message.MD5OfMessageAttributes === sent.MD5OfMessageAttributes,
      };
    },

    async batch() {
      const QueueUrl = await createQueue('batches');
      const bodies = { a: 'first', b: '\uffff', c: 'third' };
      const sent = await call('SendMessageBatch', {
        QueueUrl,
        Entries: Object.entries(bodies).map(([Id, MessageBody]) => ({ Id, MessageBody })),
      });
      const messages = await receive(QueueUrl);
      const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
      Entries.push({ Id: 'x', ReceiptHandle: 'garbage' });
      const deleted = await call('DeleteMessageBatch', { QueueUrl, Entries });
      const ids = ({ Successful }) => Successful.map(({ Id }) => Id);
      const failures = ({ Failed }) => Failed.map(({ Id, Code, SenderFault }) => [Id, Code, SenderFault]);
      return {
        sent: ids(sent),
        notSent: failures(sent),
        received: messages.map(({ Body }) => Body).sort(),
        deleted: ids(deleted),
        notDeleted: failures(deleted),
      };
    },

    async 'long-poll'() {
      const QueueUrl = await createQueue('polled');
      const start = Date.now();
      const empty = await receive(QueueUrl, { WaitTimeSeconds: 1 });
      const middle = Date.now();
      const poll = receive(QueueUrl, { WaitTimeSeconds: 20 });
      await sleep(300);
      await call('SendMessage', { QueueUrl, MessageBody: 'now' });
      const [message] = await poll;
      return {
        empty: empty.length,
        waited: middle - start >= 900,
        body: message.Body,
        early: Date.now() - middle < 15_000,
      };
    },

    async visibility() {
      const QueueUrl = await createQueue('hidden');
      await call('SendMessage', { QueueUrl, MessageBody: 'x' });
      const [first] = await receive(QueueUrl, { VisibilityTimeout: 100 });
      const hidden = await receive(QueueUrl);
      await call('ChangeMessageVisibility', { QueueUrl, ReceiptHandle: first.ReceiptHandle, VisibilityTimeout: 0 });
      const [second] = await receive(QueueUrl);
      const Entries = [{ Id: '0', ReceiptHandle: second.ReceiptHandle, VisibilityTimeout: 0 }];
      await call('ChangeMessageVisibilityBatch', { QueueUrl, Entries });
      const [third] = await receive(QueueUrl);
      const receiveCounts = [first, second, third].map(({ Attributes }) => Attributes.ApproximateReceiveCount);
      return { hidden: hidden.length, receiveCounts };
    },

    async fifo() {
      const QueueUrl = await createQueue('line.fifo', { FifoQueue: 'true' });
      const send = (MessageBody) =>
        call('SendMessage', { QueueUrl, MessageBody, MessageGroupId: 'g', MessageDeduplicationId: MessageBody });
      const sent = [];
      for (const body of ['one', 'two', 'one', 'three']) sent.push(await send(body));
      const messages = await receive(QueueUrl);
      const numbers = messages.map(({ Attributes }) => BigInt(Attributes.SequenceNumber));
      return {
        bodies: messages.map(({ Body }) => Body),
        group: messages[0].Attributes.MessageGroupId,
        duplicateIsFirst: sent[2].MessageId === sent[0].MessageId,
        sequenceNumbersRise: numbers.every((number, index) => index === 0 || number > numbers[index - 1]),
        blocked: (await receive(QueueUrl)).length,
      };
    },

    async 'dead-letter'() {
      const deadUrl = await createQueue('dead');
      const deadArn = await arnOf(deadUrl);
      const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: 1 });
      const sourceUrl = await createQueue('source', { RedrivePolicy });
      await call('SendMessage', { QueueUrl: sourceUrl, MessageBody: 'poison' });
      await receive(sourceUrl, { VisibilityTimeout: 0 });
      const source = await receive(sourceUrl);
      const [dead] = await receive(deadUrl, { VisibilityTimeout: 0, WaitTimeSeconds: 20 });
      const { queueUrls: sources } = await call('ListDeadLetterSourceQueues', { QueueUrl: deadUrl });
      await call('StartMessageMoveTask', { SourceArn: deadArn });
      const [back] = await receive(sourceUrl, { WaitTimeSeconds: 20 });
      const task = await finishedTask(deadArn);
      return {
        source: source.length,
        dead: dead.Body,
        from: dead.Attributes.DeadLetterQueueSourceArn,
        sources,
        back: back.Body,
        task: task.Status,
        moved: task.ApproximateNumberOfMessagesMoved,
      };
    },

    async purge() {
      const QueueUrl = await createQueue('purged');
      for (const MessageBody of ['a', 'b', 'c']) await call('SendMessage', { QueueUrl, MessageBody });
      await receive(QueueUrl, { MaxNumberOfMessages: 1 });
      await call('PurgeQueue', { QueueUrl });
      return { left: await left(QueueUrl) };
    },

    async tags() {
      const QueueUrl = await createQueue('tagged', {}, { team: 'sales', stage: 'live' });
      await call('TagQueue', { QueueUrl, Tags: { team: 'billing', owner: 'nobody' } });
      await call('UntagQueue', { QueueUrl, TagKeys: ['owner'] });
      return { tags: (await call('ListQueueTags', { QueueUrl })).Tags };
    },

    async errors() {
      const missing = await errorOf(call('GetQueueUrl', { QueueName: 'missing' }));
      const QueueUrl = await createQueue('errors');
      const receiptHandle = await errorOf(call('DeleteMessage', { QueueUrl, ReceiptHandle: 'garbage' }));
      await call('PurgeQueue', { QueueUrl });
      const purgedTwice = await errorOf(call('PurgeQueue', { QueueUrl }));
      return {
        missingQueue: describe(missing),
        errorType: errorType?.(missing),
        receiptHandle: describe(receiptHandle),
        purgedTwice: describe(purgedTwice),
      };
    },

    async 'delete-queue'() {
      const QueueUrl = await createQueue('deleted');
      await call('DeleteQueue', { QueueUrl });
      const [gone] = describe(await errorOf(call('GetQueueUrl', { QueueName: 'deleted' })));
      return { gone, listed: (await call('ListQueues', { QueueNamePrefix: 'deleted' }))?.QueueUrls ?? [] };
    },
  };

  async function finishedTask(SourceArn) {
    for (let tries = 0; tries < 50; tries++) {
      const [task] = (await call('ListMessageMoveTasks', { SourceArn })).Results;
      if (task.Status !== 'RUNNING') return task;
      await sleep(100);
    }
    throw new Error('the message move task goes on and on');
  }
}

function base64(bytes) {
  return Buffer.from(bytes).toString('base64');
}
