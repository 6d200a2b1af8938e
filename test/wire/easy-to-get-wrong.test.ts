import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, queueDoesNotExist, sqsError } from '../support/errors.ts';
import { postJson } from '../support/json-client.ts';
import { arnOf, nameOf, overBothProtocols, type Sqs, useSqs } from '../support/sqs.ts';

// What servers like this one get wrong most often (SQS: section 13), one test or more for each of its points.
//
// Not here, because they belong to parts that this server does not have yet:
//   69  that an expired signature is SignatureDoesNotMatch: signatures are not verified yet;
//   70  the wording of AccessDenied: nobody is denied anything yet;
//   72  that aws:ResourceTag is no key for queue policies: policies are stored, not evaluated yet.
// Point 79 is about AWS Lambda alone, which is a client of SQS.

const MIB = 1_048_576;
const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

overBothProtocols('easy to get wrong: errors', (sqs) => {
  it('13.1 a missing queue has another text in each protocol', async () => {
    expect(await sqs.failure('GetQueueUrl', { QueueName: 'missing' })).toEqual(queueDoesNotExist(sqs.protocol));
    expect(await sqs.failure('SendMessage', { QueueUrl: 'missing', MessageBody: 'x' })).toEqual(
      queueDoesNotExist(sqs.protocol),
    );
  });

  it('13.2 a missing queue is HTTP status 400', async () => {
    expect((await sqs.failure('GetQueueUrl', { QueueName: 'missing' })).status).toBe(400);
  });

  it('13.5 PurgeQueueInProgress and OverLimit are HTTP status 403', async () => {
    const queue = await sqs.createQueue();
    await sqs.call('PurgeQueue', { QueueUrl: queue });
    expect(await sqs.failure('PurgeQueue', { QueueUrl: queue })).toEqual({
      ...sqsError(
        'PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${nameOf(queue)} is allowed every 60 seconds.`,
      ),
      status: 403,
    });
    const Actions = Array.from({ length: 8 }, () => 'SendMessage');
    const overLimit = await sqs.failure('AddPermission', {
      QueueUrl: queue,
      Label: 'many',
      AWSAccountIds: ['111111111111'],
      Actions,
    });
    expect(overLimit).toEqual({
      ...sqsError('OverLimit', '8 Actions were found, maximum allowed is 7.'),
      status: 403,
    });
  });

  it('13.6 ReceiptHandleIsInvalid is HTTP status 404', async () => {
    const queue = await sqs.createQueue();
    const expected = {
      ...sqsError('ReceiptHandleIsInvalid', 'The input receipt handle "garbage" is not a valid receipt handle.'),
      status: 404,
    };
    expect(await sqs.failure('DeleteMessage', { QueueUrl: queue, ReceiptHandle: 'garbage' })).toEqual(expected);
    expect(
      await sqs.failure('ChangeMessageVisibility', {
        QueueUrl: queue,
        ReceiptHandle: 'garbage',
        VisibilityTimeout: 1,
      }),
    ).toEqual(expected);
  });

  it('13.7 ResourceNotFoundException is HTTP status 404', async () => {
    const missing = 'arn:aws:sqs:us-east-1:000000000000:missing';
    const { dead } = await sqs.createQueueWithDeadLetters(1);
    const notFound = (parameter: string) => ({
      ...sqsError(
        'ResourceNotFoundException',
        `The resource that you specified for the ${parameter} parameter doesn't exist.`,
      ),
      status: 404,
    });
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: missing })).toEqual(notFound('SourceArn'));
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn: missing })).toEqual(
      notFound('DestinationArn'),
    );
  });

  it('13.8 the code of QueueNameExists is QueueAlreadyExists', async () => {
    const queue = await sqs.createQueue({ DelaySeconds: '1' });
    const error = await sqs.failure('CreateQueue', { QueueName: nameOf(queue), Attributes: { DelaySeconds: '2' } });
    expect(error).toEqual(
      sqsError(
        'QueueNameExists',
        'A queue already exists with the same name and a different value for attribute DelaySeconds',
      ),
    );
    expect(error.code).toBe('QueueAlreadyExists');
  });

  it('13.45 nothing ever answers MessageNotInflight', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const handle = await sqs.receiveHandle(queue, { VisibilityTimeout: 0 });
    // Not in flight: hidden again (point 42).
    await sqs.changeVisibility(queue, handle, 30);
    await sqs.changeVisibility(queue, handle, 0);
    await sqs.changeVisibility(queue, handle, 0);
    await sqs.delete(queue, handle);
    const { code } = await sqs.failure('ChangeMessageVisibility', {
      QueueUrl: queue,
      ReceiptHandle: handle,
      VisibilityTimeout: 0,
    });
    expect(code).toBe('InvalidParameterValue');
  });

  it('13.78 deleting a queue that does not exist is an error', async () => {
    expect(await sqs.failure('DeleteQueue', { QueueUrl: `${sqs.server.url}/000000000000/missing` })).toEqual(
      queueDoesNotExist(sqs.protocol),
    );
    const queue = await sqs.createQueue();
    await sqs.call('DeleteQueue', { QueueUrl: queue });
    expect(await sqs.failure('DeleteQueue', { QueueUrl: queue })).toEqual(queueDoesNotExist(sqs.protocol));
  });
});

overBothProtocols('easy to get wrong: sizes and contents', (sqs) => {
  const batchTooLong = (bytes: number) =>
    sqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than 1048576 bytes. You have sent ${bytes} bytes.`,
    );

  it('13.9 a message may have 1 MiB, and that is the default', async () => {
    const queue = await sqs.createQueue();
    expect(await sqs.attributes(queue, 'MaximumMessageSize')).toEqual({ MaximumMessageSize: '1048576' });
    await sqs.send(queue, 'x'.repeat(MIB));
    expect(await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: 'x'.repeat(MIB + 1) })).toEqual(
      invalidParameterValue('One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.'),
    );
    const [message] = await sqs.receive(queue);
    expect(message?.Body?.length).toBe(MIB);
  });

  it('13.10 a message of exactly MaximumMessageSize passes', async () => {
    const queue = await sqs.createQueue({ MaximumMessageSize: '1024' });
    await sqs.send(queue, 'x'.repeat(1024));
    // In bytes, not in characters.
    await sqs.send(queue, 'ü'.repeat(512));
    const tooLong = invalidParameterValue(
      'One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.',
    );
    expect(await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: 'x'.repeat(1025) })).toEqual(tooLong);
    expect(await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: 'ü'.repeat(513) })).toEqual(tooLong);
  });

  it('13.11 names, types and values of attributes count into the size, system attributes do not', async () => {
    const queue = await sqs.createQueue({ MaximumMessageSize: '1024' });
    const MessageAttributes = {
      name: { DataType: 'String', StringValue: 'wert' },
      raw: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2, 3]) },
    };
    const attributeBytes = 'nameStringwert'.length + 'rawBinary'.length + 3;
    const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue: TRACE } };
    await sqs.send(queue, 'x'.repeat(1024 - attributeBytes), { MessageAttributes, MessageSystemAttributes });
    const error = await sqs.failure('SendMessage', {
      QueueUrl: queue,
      MessageBody: 'x'.repeat(1025 - attributeBytes),
      MessageAttributes,
    });
    expect(error.message).toBe('One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.');
  });

  it('13.12 a batch may have 1 MiB whatever the queue says, and that is checked first', async () => {
    const queue = await sqs.createQueue({ MaximumMessageSize: '1024' });
    const error = await sqs.failure('SendMessageBatch', {
      QueueUrl: queue,
      Entries: [{ Id: 'a', MessageBody: 'x'.repeat(MIB + 1) }],
    });
    expect(error).toEqual(batchTooLong(MIB + 1));
    // One byte less, and it is the entry that is too long.
    const { Failed } = await sqs.call('SendMessageBatch', {
      QueueUrl: queue,
      Entries: [{ Id: 'a', MessageBody: 'x'.repeat(MIB) }],
    });
    expect(Failed).toMatchObject([{ Id: 'a', Code: 'InvalidParameterValue' }]);
  });

  it('13.13 an entry that is too long is worded otherwise than a message', async () => {
    const queue = await sqs.createQueue({ MaximumMessageSize: '1024' });
    const { Successful, Failed } = await sqs.call('SendMessageBatch', {
      QueueUrl: queue,
      Entries: [
        { Id: 'short', MessageBody: 'x'.repeat(1024) },
        { Id: 'long', MessageBody: 'x'.repeat(1025) },
      ],
    });
    expect(Successful).toMatchObject([{ Id: 'short' }]);
    expect(Failed).toEqual([
      {
        Id: 'long',
        Code: 'InvalidParameterValue',
        Message: 'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.',
        SenderFault: true,
      },
    ]);
  });

  it('13.14 the text for a batch that is too long has both numbers', async () => {
    const queue = await sqs.createQueue();
    const half = 'x'.repeat(MIB / 2);
    const Entries = [
      { Id: 'a', MessageBody: half },
      { Id: 'b', MessageBody: half },
    ];
    await sqs.call('SendMessageBatch', { QueueUrl: queue, Entries });
    Entries.push({ Id: 'c', MessageBody: 'x' });
    expect(await sqs.failure('SendMessageBatch', { QueueUrl: queue, Entries })).toEqual(batchTooLong(MIB + 1));
  });

  it('13.18 an empty body is a missing parameter', async () => {
    const queue = await sqs.createQueue();
    expect(await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: '' })).toEqual(
      missingParameter('MessageBody'),
    );
    expect(await sqs.failure('SendMessage', { QueueUrl: queue })).toEqual(missingParameter('MessageBody'));
    // White space is a body.
    await sqs.send(queue, ' ');
    expect(await sqs.receiveBodies(queue)).toEqual([' ']);
  });

  it('13.56 the label of a type is part of digest and size', async () => {
    const queue = await sqs.createQueue({ MaximumMessageSize: '1024' });
    const labelled = { timestamp: { DataType: 'Number.java.lang.Long', StringValue: '1493147359900' } };
    const plain = { timestamp: { DataType: 'Number', StringValue: '1493147359900' } };
    const sent = await sqs.send(queue, 'x', { MessageAttributes: labelled });
    expect(sent.MD5OfMessageAttributes).toBe('2e2e4876d8e0bd6b8c2c8f556831c349');
    const sentPlain = await sqs.send(queue, 'x', { MessageAttributes: plain });
    expect(sentPlain.MD5OfMessageAttributes).toBe('235c5c510d26fb653d073faed50ae77c');
    const [first] = await sqs.receive(queue, { MaxNumberOfMessages: 1, MessageAttributeNames: ['All'] });
    expect(first?.MessageAttributes).toEqual(labelled);

    const body = 'x'.repeat(1024 - 'timestampNumber1493147359900'.length);
    await sqs.send(queue, body, { MessageAttributes: plain });
    await expect(sqs.send(queue, body, { MessageAttributes: labelled })).rejects.toThrow('shorter than 1024 bytes');
  });

  it('13.83 U+FFFF and control characters are invalid, in bodies and in attributes with different codes', async () => {
    const queue = await sqs.createQueue();
    for (const character of ['\u0000', '\u0008', '\u0013', '\u001f', '\ufffe', '\uffff']) {
      const body = await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: `a${character}b` });
      expect(body).toEqual(
        sqsError(
          'InvalidMessageContents',
          'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to ' +
            '#xFFFD | #x10000 to #x10FFFF',
        ),
      );
      const attribute = await sqs.failure('SendMessage', {
        QueueUrl: queue,
        MessageBody: 'fine',
        MessageAttributes: { a: { DataType: 'String', StringValue: `a${character}b` } },
      });
      expect(attribute.code).toBe('InvalidParameterValue');
    }
    const allowed = '\t\n\r \u007f\u0085\ud7ff\ue000\ufffd\u{10000}\u{10ffff}';
    await sqs.send(queue, allowed);
    expect(await sqs.receiveBodies(queue)).toEqual([allowed]);
  });

  it('13.84 names of attributes may have letters with accents', async () => {
    const queue = await sqs.createQueue();
    const MessageAttributes = { 'attr.1øßä': { DataType: 'String', StringValue: 'x' } };
    await sqs.send(queue, 'x', { MessageAttributes });
    const [message] = await sqs.receive(queue, { MessageAttributeNames: ['All'] });
    expect(message?.MessageAttributes).toEqual(MessageAttributes);
    for (const name of ['attr!', 'attr"', 'attr§', 'attr(', 'attr?']) {
      const error = await sqs.failure('SendMessage', {
        QueueUrl: queue,
        MessageBody: 'x',
        MessageAttributes: { [name]: { DataType: 'String', StringValue: 'x' } },
      });
      expect(error.code).toBe('InvalidParameterValue');
    }
  });

  it('13.80 a message of the Extended Client is a message with one more attribute', async () => {
    const queue = await sqs.createQueue();
    const pointer = JSON.stringify([
      'software.amazon.payloadoffloading.PayloadS3Pointer',
      { s3BucketName: 'bucket', s3Key: '5f1c9f0e-0d0a-4a4c-9c39-4d6b7f3f9a5b' },
    ]);
    for (const reserved of ['SQSLargePayloadSize', 'ExtendedPayloadSize']) {
      const MessageAttributes = {
        [reserved]: { DataType: 'Number', StringValue: '300000' },
        mine: { DataType: 'String', StringValue: 'x' },
      };
      const sent = await sqs.send(queue, pointer, { MessageAttributes });
      const digest = digestOf([
        [reserved, 'Number', '300000'],
        ['mine', 'String', 'x'],
      ]);
      expect(sent.MD5OfMessageAttributes).toBe(digest);
      // It asks for both names, whatever its user asks for.
      const MessageAttributeNames = ['mine', 'SQSLargePayloadSize', 'ExtendedPayloadSize'];
      const [message] = await sqs.receive(queue, { MessageAttributeNames });
      expect(message).toMatchObject({ Body: pointer, MessageAttributes, MD5OfMessageAttributes: digest });
      await sqs.delete(queue, message?.ReceiptHandle);
    }
  });
});

overBothProtocols('easy to get wrong: FIFO sends and groups', (sqs) => {
  it('13.15 a missing group fails a message as missing, and a whole batch as invalid', async () => {
    const queue = await sqs.createFifoQueue();
    expect(
      await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: 'x', MessageDeduplicationId: 'd' }),
    ).toEqual(missingParameter('MessageGroupId'));
    const error = await sqs.failure('SendMessageBatch', {
      QueueUrl: queue,
      Entries: [
        { Id: 'a', MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'a' },
        { Id: 'b', MessageBody: 'b', MessageDeduplicationId: 'b' },
      ],
    });
    expect(error).toMatchObject({ code: 'InvalidParameterValue', status: 400 });
    expect(await sqs.receive(queue)).toEqual([]);
  });

  it('13.16 on a FIFO queue a delay of 0 is valid, and the delay of the queue still applies', async () => {
    const queue = await sqs.createFifoQueue({ DelaySeconds: '5' });
    await sqs.sendToGroup(queue, 'g', 'x', { DelaySeconds: 0 });
    expect(await sqs.receive(queue)).toEqual([]);
    await sqs.advance(5);
    expect(await sqs.receiveBodies(queue)).toEqual(['x']);
  });

  it('13.17 the text for a delay on a FIFO queue has the grammar of SQS', async () => {
    const queue = await sqs.createFifoQueue();
    const error = await sqs.failure('SendMessage', {
      QueueUrl: queue,
      MessageBody: 'x',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
      DelaySeconds: 5,
    });
    expect(error).toEqual(
      invalidParameterValue(
        'Value 5 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for ' +
          'this queue type.',
      ),
    );
  });

  it('13.19 a standard queue takes a group, shows it and numbers nothing', async () => {
    const queue = await sqs.createQueue();
    const sent = await sqs.send(queue, 'x', { MessageGroupId: 'tenant' });
    expect(sent).not.toHaveProperty('SequenceNumber');
    const [message] = await sqs.receive(queue);
    expect(message?.Attributes?.MessageGroupId).toBe('tenant');
    expect(message?.Attributes).not.toHaveProperty('SequenceNumber');
  });

  it('13.20 an invalid group is an error on a standard queue too', async () => {
    const queue = await sqs.createQueue();
    for (const group of ['group 123', '', 'x'.repeat(129), 'grüppe']) {
      expect(await sqs.failure('SendMessage', { QueueUrl: queue, MessageBody: 'x', MessageGroupId: group })).toEqual(
        invalidParameterValue(
          `Value ${group} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include ` +
            'alphanumeric and punctuation characters. 1 to 128 in length.',
        ),
      );
    }
  });

  it('13.47 a message in flight blocks only the later ones of its group', async () => {
    const queue = await sqs.createFifoQueue();
    for (const body of ['m1', 'm2', 'm3', 'm4']) await sqs.sendToGroup(queue, 'g', body);
    await sqs.sendToGroup(queue, 'other', 'o1');
    const taken = await sqs.receive(queue, { MaxNumberOfMessages: 2 });
    expect(taken.map(({ Body }) => Body)).toEqual(['m1', 'm2']);
    // The group yields nothing, other groups do.
    expect(await sqs.receiveBodies(queue)).toEqual(['o1']);
    // The first is available again while the second is in flight: it is delivered, alone.
    await sqs.changeVisibility(queue, taken[0]?.ReceiptHandle, 0);
    expect(await sqs.receiveBodies(queue)).toEqual(['m1']);
  });

  it('13.47 of three messages in flight those before the extended one come back', async () => {
    for (const [extended, expected] of [
      [0, []],
      [1, ['m1']],
      [2, ['m1', 'm2']],
    ] as const) {
      const queue = await sqs.createFifoQueue();
      for (const body of ['m1', 'm2', 'm3', 'm4']) await sqs.sendToGroup(queue, 'g', body);
      const taken = await sqs.receive(queue, { MaxNumberOfMessages: 3 });
      await sqs.changeVisibility(queue, taken[extended]?.ReceiptHandle, 600);
      await sqs.advance(31);
      expect(await sqs.receiveBodies(queue)).toEqual(expected);
    }
  });

  it('13.48 a group is unlocked when its messages in flight are deleted, and wakes a long poll', async () => {
    const queue = await sqs.createFifoQueue();
    for (const body of ['m1', 'm2', 'm3']) await sqs.sendToGroup(queue, 'g', body);
    const [m1, m2] = await sqs.receive(queue, { MaxNumberOfMessages: 2 });
    const { bodies } = await sqs.startLongPoll(queue);
    await sqs.delete(queue, m1?.ReceiptHandle);
    // Still locked by the other one.
    expect(await sqs.receive(queue)).toEqual([]);
    await sqs.delete(queue, m2?.ReceiptHandle);
    expect(await bodies).toEqual(['m3']);
  });

  it('13.49 messages behind one in flight count as visible', async () => {
    const queue = await sqs.createFifoQueue();
    for (const group of ['a', 'b', 'c']) {
      await sqs.sendToGroup(queue, group, `${group}1`);
      await sqs.sendToGroup(queue, group, `${group}2`);
    }
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    await sqs.receive(queue, { MaxNumberOfMessages: 1 });
    expect(await sqs.counts(queue)).toEqual({ visible: 4, inFlight: 2, delayed: 0 });
  });

  it('13.50 a deduplication id is remembered for five minutes in the whole queue, also after the delete', async () => {
    const queue = await sqs.createFifoQueue();
    const MessageDeduplicationId = 'd';
    const first = await sqs.sendToGroup(queue, 'g', 'first', { MessageDeduplicationId });
    await sqs.delete(queue, await sqs.receiveHandle(queue));
    await sqs.advance(299);
    expect((await sqs.sendToGroup(queue, 'other', 'second', { MessageDeduplicationId })).MessageId).toBe(
      first.MessageId,
    );
    expect(await sqs.receive(queue)).toEqual([]);
    await sqs.advance(2);
    await sqs.sendToGroup(queue, 'g', 'third', { MessageDeduplicationId });
    expect(await sqs.receiveBodies(queue)).toEqual(['third']);
  });

  it('13.51 a duplicate gets the id of the original', async () => {
    const queue = await sqs.createFifoQueue({ ContentBasedDeduplication: 'true' });
    const original = await sqs.send(queue, 'x', { MessageGroupId: 'g' });
    const duplicate = await sqs.send(queue, 'x', { MessageGroupId: 'g' });
    expect(duplicate.MessageId).toBe(original.MessageId);
    const explicit = await sqs.send(queue, 'y', {
      MessageGroupId: 'g',
      MessageDeduplicationId: createHash('sha256').update('x').digest('hex'),
    });
    expect(explicit.MessageId).toBe(original.MessageId);
    // The digest is that of what was sent, or clients would take it for damaged.
    expect(explicit.MD5OfMessageBody).toBe(createHash('md5').update('y').digest('hex'));
  });

  it('13.52 a DeduplicationScope that is changed later changes the attribute and not the deduplication', async () => {
    const isDuplicateInOtherGroup = async (queue: string, id: string) => {
      const first = await sqs.sendToGroup(queue, 'a', 'x', { MessageDeduplicationId: id });
      const second = await sqs.sendToGroup(queue, 'b', 'x', { MessageDeduplicationId: id });
      return first.MessageId === second.MessageId;
    };
    const wide = await sqs.createFifoQueue();
    const high = { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };
    await sqs.setAttributes(wide, high);
    expect(await sqs.attributes(wide, ...Object.keys(high))).toEqual(high);
    expect(await isDuplicateInOtherGroup(wide, 'd')).toBe(true);

    const grouped = await sqs.createFifoQueue(high);
    const regular = { DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' };
    await sqs.setAttributes(grouped, regular);
    expect(await sqs.attributes(grouped, ...Object.keys(regular))).toEqual(regular);
    expect(await isDuplicateInOtherGroup(grouped, 'd')).toBe(false);
  });

  it('13.53 the scope messageGroup works without perMessageGroupId', async () => {
    const queue = await sqs.createFifoQueue({ DeduplicationScope: 'messageGroup' });
    expect(await sqs.attributes(queue, 'DeduplicationScope', 'FifoThroughputLimit')).toEqual({
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perQueue',
    });
    const send = (group: string) => sqs.sendToGroup(queue, group, 'x', { MessageDeduplicationId: 'd' });
    const [a, b, again] = [await send('a'), await send('b'), await send('a')];
    expect(b.MessageId).not.toBe(a.MessageId);
    expect(again.MessageId).toBe(a.MessageId);
  });

  it('13.46 a purge takes what is in flight or delayed, and the deduplication ids with it', async () => {
    const fifo = await sqs.createFifoQueue();
    const MessageDeduplicationId = 'd';
    const first = await sqs.sendToGroup(fifo, 'g', 'first', { MessageDeduplicationId });
    await sqs.receive(fifo);
    await sqs.call('PurgeQueue', { QueueUrl: fifo });
    const second = await sqs.sendToGroup(fifo, 'g', 'second', { MessageDeduplicationId });
    expect(second.MessageId).not.toBe(first.MessageId);
    // Nor does what was in flight lock the group.
    expect(await sqs.receiveBodies(fifo)).toEqual(['second']);

    const standard = await sqs.createQueue();
    await sqs.send(standard, 'in flight');
    await sqs.receive(standard);
    await sqs.send(standard, 'visible');
    await sqs.send(standard, 'delayed', { DelaySeconds: 10 });
    await sqs.call('PurgeQueue', { QueueUrl: standard });
    expect(await sqs.counts(standard)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    await sqs.advance(60);
    expect(await sqs.receive(standard)).toEqual([]);
  });
});

overBothProtocols('easy to get wrong: queues and their attributes', (sqs) => {
  it('13.24 FifoQueue=false is an error', async () => {
    expect(await sqs.failure('CreateQueue', { QueueName: 'plain', Attributes: { FifoQueue: 'false' } })).toEqual(
      sqsError('InvalidAttributeName', 'Unknown Attribute FifoQueue.'),
    );
  });

  it('13.25 booleans are accepted as True and returned as true', async () => {
    const queue = await sqs.createFifoQueue({ FifoQueue: 'True', ContentBasedDeduplication: 'True' });
    const names = ['FifoQueue', 'ContentBasedDeduplication'];
    expect(await sqs.attributes(queue, ...names)).toEqual({ FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    await sqs.setAttributes(queue, { ContentBasedDeduplication: 'False' });
    expect((await sqs.attributes(queue, ...names)).ContentBasedDeduplication).toBe('false');
    // The same spelling again is no conflict.
    await sqs.createQueue({ FifoQueue: 'TRUE', ContentBasedDeduplication: 'False' }, nameOf(queue));
  });

  it('13.26 CreateQueue compares the attributes that it is given with the current ones', async () => {
    const name = sqs.uniqueName();
    const queue = await sqs.createQueue({ DelaySeconds: '1', VisibilityTimeout: '10' }, name);
    await sqs.setAttributes(queue, { DelaySeconds: '2' });
    expect(await sqs.createQueue({ DelaySeconds: '2' }, name)).toBe(queue);
    // A default counts as the value that it is.
    expect(await sqs.createQueue({ ReceiveMessageWaitTimeSeconds: '0' }, name)).toBe(queue);
    const error = await sqs.failure('CreateQueue', { QueueName: name, Attributes: { DelaySeconds: '1' } });
    expect(error.message).toBe(
      'A queue already exists with the same name and a different value for attribute DelaySeconds',
    );
  });

  it('13.27 CreateQueue without attributes never conflicts', async () => {
    const name = sqs.uniqueName();
    const queue = await sqs.createQueue({ DelaySeconds: '1' }, name);
    await sqs.setAttributes(queue, { VisibilityTimeout: '10' });
    await sqs.send(queue, 'x');
    expect(await sqs.createQueue({}, name)).toBe(queue);
    expect((await sqs.call('CreateQueue', { QueueName: name })).QueueUrl).toBe(queue);
  });

  it('13.28 an attribute that can only be read is unknown to SetQueueAttributes', async () => {
    const queue = await sqs.createQueue();
    for (const name of ['QueueArn', 'CreatedTimestamp', 'ApproximateNumberOfMessages', 'All', 'Foobar']) {
      expect(await sqs.failure('SetQueueAttributes', { QueueUrl: queue, Attributes: { [name]: '1' } })).toEqual(
        sqsError('InvalidAttributeName', `Unknown Attribute ${name}.`),
      );
    }
  });

  it('13.29 and 13.31 a key turns the encryption of SQS off, and only a key shows its reuse period', async () => {
    const queue = await sqs.createQueue();
    const encryption = () =>
      sqs.attributes(queue, 'KmsMasterKeyId', 'KmsDataKeyReusePeriodSeconds', 'SqsManagedSseEnabled');
    expect(await encryption()).toEqual({ SqsManagedSseEnabled: 'true' });
    await sqs.setAttributes(queue, { KmsMasterKeyId: 'testKeyId', KmsDataKeyReusePeriodSeconds: '6000' });
    const withKey = {
      KmsMasterKeyId: 'testKeyId',
      KmsDataKeyReusePeriodSeconds: '6000',
      SqsManagedSseEnabled: 'false',
    };
    expect(await encryption()).toEqual(withKey);
    expect(await sqs.attributes(queue)).toMatchObject(withKey);
    await sqs.setAttributes(queue, { KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '300' });
    expect(await encryption()).toEqual({ SqsManagedSseEnabled: 'false' });
    expect(await sqs.attributes(queue)).not.toHaveProperty('KmsDataKeyReusePeriodSeconds');
    await sqs.setAttributes(queue, { SqsManagedSseEnabled: 'true' });
    expect(await encryption()).toEqual({ SqsManagedSseEnabled: 'true' });
  });

  it('13.30 both kinds of encryption are an InvalidAttributeName', async () => {
    const queue = await sqs.createQueue();
    const Attributes = { KmsMasterKeyId: 'testKeyId', SqsManagedSseEnabled: 'true' };
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl: queue, Attributes })).toEqual(
      sqsError(
        'InvalidAttributeName',
        'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
      ),
    );
  });

  it('13.32 a redrive policy is removed by the empty string and not by an empty object', async () => {
    const { source } = await sqs.createQueueWithDeadLetters(3);
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl: source, Attributes: { RedrivePolicy: '{}' } })).toEqual(
      invalidParameterValue(
        'Value {} for parameter RedrivePolicy is invalid. Reason: Redrive policy does not contain mandatory ' +
          'attribute: maxReceiveCount.',
      ),
    );
    expect(await sqs.attributes(source)).toHaveProperty('RedrivePolicy');
    await sqs.setAttributes(source, { RedrivePolicy: '' });
    expect(await sqs.attributes(source)).not.toHaveProperty('RedrivePolicy');
  });

  it('13.33 a bad redrive policy is an InvalidParameterValue, any other bad value an InvalidAttributeValue', async () => {
    const queue = await sqs.createQueue();
    const set = (Attributes: Record<string, string>) =>
      sqs.failure('SetQueueAttributes', { QueueUrl: queue, Attributes });
    expect((await set({ RedrivePolicy: 'no JSON' })).code).toBe('InvalidParameterValue');
    for (const [name, value] of [
      ['VisibilityTimeout', '43201'],
      ['VisibilityTimeout', 'abc'],
      ['DelaySeconds', '901'],
      ['MaximumMessageSize', '1023'],
      ['MaximumMessageSize', '1048577'],
      ['MessageRetentionPeriod', '59'],
      ['MessageRetentionPeriod', '1209601'],
      ['ReceiveMessageWaitTimeSeconds', '21'],
    ] as const) {
      expect(await set({ [name]: value })).toEqual(
        sqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`),
      );
    }
  });

  it('13.34 maxReceiveCount keeps its JSON type', async () => {
    const dead = await sqs.createQueue();
    for (const maxReceiveCount of [5, '5']) {
      const policy = { deadLetterTargetArn: arnOf(dead), maxReceiveCount };
      const queue = await sqs.createQueue({ RedrivePolicy: JSON.stringify(policy) });
      expect(JSON.parse((await sqs.attributes(queue)).RedrivePolicy!)).toEqual(policy);
    }
  });

  it('13.35 the text for a dead-letter queue of another type has two dots', async () => {
    const dead = await sqs.createQueue();
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 1 });
    const fifo = await sqs.createFifoQueue();
    expect(await sqs.failure('SetQueueAttributes', { QueueUrl: fifo, Attributes: { RedrivePolicy } })).toEqual(
      invalidParameterValue(
        `Value ${RedrivePolicy} for parameter RedrivePolicy is invalid. Reason: Dead-letter queue must be same type ` +
          'of queue as the source..',
      ),
    );
  });

  it('13.62 a queue URL may be just a name, and its host means nothing', async () => {
    const queue = await sqs.createQueue();
    const name = nameOf(queue);
    const urls = [
      name,
      `http://elsewhere.example:1234/000000000000/${name}`,
      `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`,
      `https://queue.amazonaws.com/000000000000/${name}`,
    ];
    for (const url of urls) {
      await sqs.send(url, url);
      expect(await sqs.receiveBodies(url)).toEqual([url]);
    }
  });

  it('13.67 AddPermission writes a policy of 2008 with a single principal as a string', async () => {
    const queue = await sqs.createQueue();
    await sqs.call('AddPermission', {
      QueueUrl: queue,
      Label: 'one',
      AWSAccountIds: ['111111111111'],
      Actions: ['ReceiveMessage'],
    });
    const one = {
      Sid: 'one',
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::111111111111:root' },
      Action: 'SQS:ReceiveMessage',
      Resource: arnOf(queue),
    };
    const policy = { Version: '2008-10-17', Id: `${arnOf(queue)}/SQSDefaultPolicy`, Statement: [one] };
    expect(JSON.parse((await sqs.attributes(queue)).Policy!)).toEqual(policy);

    await sqs.call('AddPermission', {
      QueueUrl: queue,
      Label: 'two',
      AWSAccountIds: ['111111111111', '222222222222'],
      Actions: ['SendMessage', 'DeleteMessage'],
    });
    const two = {
      Sid: 'two',
      Effect: 'Allow',
      Principal: { AWS: ['arn:aws:iam::111111111111:root', 'arn:aws:iam::222222222222:root'] },
      Action: ['SQS:SendMessage', 'SQS:DeleteMessage'],
      Resource: arnOf(queue),
    };
    expect(JSON.parse((await sqs.attributes(queue)).Policy!)).toEqual({ ...policy, Statement: [one, two] });
  });

  it('13.68 removing an unknown label says that it cannot find it, in few words', async () => {
    const queue = await sqs.createQueue();
    const expected = invalidParameterValue("Value nobody for parameter Label is invalid. Reason: can't find label.");
    expect(await sqs.failure('RemovePermission', { QueueUrl: queue, Label: 'nobody' })).toEqual(expected);
    await sqs.call('AddPermission', {
      QueueUrl: queue,
      Label: 'somebody',
      AWSAccountIds: ['111111111111'],
      Actions: ['SendMessage'],
    });
    expect(await sqs.failure('RemovePermission', { QueueUrl: queue, Label: 'nobody' })).toEqual(expected);
  });

  it('13.71 AddPermission refuses the names of batch actions', async () => {
    const queue = await sqs.createQueue();
    for (const action of ['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch']) {
      const error = await sqs.failure('AddPermission', {
        QueueUrl: queue,
        Label: 'batch',
        AWSAccountIds: ['111111111111'],
        Actions: [action],
      });
      expect(error).toEqual(
        invalidParameterValue(
          `Value SQS:${action} for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for ` +
            'a list of valid actions.',
        ),
      );
    }
  });

  it('13.77 ListQueues gives a token only to who limits the result', async () => {
    const prefix = sqs.uniqueName('-page-');
    const urls = [];
    for (const suffix of ['a', 'b', 'c']) urls.push(await sqs.createQueue({}, `${prefix}${suffix}`));
    const all = await sqs.call('ListQueues', { QueueNamePrefix: prefix });
    expect(all.QueueUrls).toEqual(urls);
    expect(all).not.toHaveProperty('NextToken');

    const first = await sqs.call('ListQueues', { QueueNamePrefix: prefix, MaxResults: 2 });
    expect(first.QueueUrls).toEqual(urls.slice(0, 2));
    const NextToken = first.NextToken!;
    const second = await sqs.call('ListQueues', { QueueNamePrefix: prefix, MaxResults: 2, NextToken });
    expect(second.QueueUrls).toEqual(urls.slice(2));
    expect(second).not.toHaveProperty('NextToken');
  });

  it('13.82 one unknown name fails the whole GetQueueAttributes', async () => {
    const queue = await sqs.createQueue();
    const AttributeNames = ['QueueArn', 'Foobar', 'VisibilityTimeout'];
    expect(await sqs.failure('GetQueueAttributes', { QueueUrl: queue, AttributeNames })).toEqual(
      sqsError('InvalidAttributeName', 'Unknown Attribute Foobar.'),
    );
  });
});

overBothProtocols('easy to get wrong: delivery', (sqs) => {
  it('13.36 a message goes to the dead-letter queue at the next receive, with id and count', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(2);
    const { MessageId } = await sqs.send(source, 'poison');
    await sqs.receive(source, { VisibilityTimeout: 0 });
    const [second] = await sqs.receive(source, { VisibilityTimeout: 10 });
    await sqs.advance(11);
    // Two receives were allowed, and it is not moved by the end of the second.
    expect(await sqs.counts(source)).toMatchObject({ visible: 1 });
    expect(await sqs.receive(dead)).toEqual([]);
    expect(await sqs.receive(source)).toEqual([]);
    expect(await sqs.counts(source)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    const [message] = await sqs.receive(dead);
    expect(message).toMatchObject({ MessageId, Body: 'poison' });
    expect(message?.Attributes).toMatchObject({
      ApproximateReceiveCount: '3',
      SentTimestamp: second?.Attributes?.SentTimestamp,
      ApproximateFirstReceiveTimestamp: second?.Attributes?.ApproximateFirstReceiveTimestamp,
    });
  });

  it('13.37 only moved messages say which queue they come from', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(dead, 'sent here');
    const [direct] = await sqs.receive(dead);
    expect(direct?.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
    await sqs.send(source, 'moved here');
    const [before] = await sqs.receive(source, { VisibilityTimeout: 0 });
    expect(before?.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
    expect(await sqs.receive(source)).toEqual([]);
    const [moved] = await sqs.receive(dead);
    expect(moved?.Attributes).toMatchObject({ DeadLetterQueueSourceArn: arnOf(source) });
  });

  it('13.38 in a FIFO dead-letter queue the deduplication id is the message id', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, { fifo: true });
    const { MessageId } = await sqs.sendToGroup(source, 'g', 'poison', { MessageDeduplicationId: 'mine' });
    const [before] = await sqs.receive(source, { VisibilityTimeout: 0 });
    expect(before?.Attributes?.MessageDeduplicationId).toBe('mine');
    expect(await sqs.receive(source)).toEqual([]);
    const [moved] = await sqs.receive(dead);
    expect(moved).toMatchObject({
      MessageId,
      Attributes: { MessageGroupId: 'g', MessageDeduplicationId: MessageId },
    });
  });

  it('13.39 retention in a dead-letter queue counts from the send, in a FIFO one from the move', async () => {
    for (const fifo of [false, true]) {
      const { source, dead } = await sqs.createQueueWithDeadLetters(1, {
        fifo,
        source: { MessageRetentionPeriod: '86400' },
        dead: { MessageRetentionPeriod: '600' },
      });
      if (fifo) await sqs.sendToGroup(source, 'g', 'x');
      else await sqs.send(source, 'x');
      await sqs.receive(source, { VisibilityTimeout: 0 });
      await sqs.advance(500);
      expect(await sqs.receive(source)).toEqual([]);
      await sqs.advance(99);
      expect(await sqs.receiveBodies(dead, { VisibilityTimeout: 0 })).toEqual(['x']);
      await sqs.advance(2);
      // 601 seconds after the send, 101 after the move.
      expect(await sqs.receiveBodies(dead, { VisibilityTimeout: 0 })).toEqual(fifo ? ['x'] : []);
      await sqs.advance(500);
      expect(await sqs.receiveBodies(dead, { VisibilityTimeout: 0 })).toEqual([]);
    }
  });

  it('13.40 an expired handle deletes from a standard queue and not from a FIFO queue', async () => {
    const standard = await sqs.createQueue();
    await sqs.send(standard, 'x');
    const old = await sqs.receiveHandle(standard, { VisibilityTimeout: 5 });
    const fifo = await sqs.createFifoQueue();
    await sqs.sendToGroup(fifo, 'g', 'x');
    const oldFifo = await sqs.receiveHandle(fifo, { VisibilityTimeout: 5 });
    await sqs.advance(6);

    await sqs.delete(standard, old);
    expect(await sqs.receive(standard)).toEqual([]);
    expect(await sqs.failure('DeleteMessage', { QueueUrl: fifo, ReceiptHandle: oldFifo })).toEqual(
      invalidParameterValue(
        `Value ${oldFifo} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
      ),
    );
    expect(await sqs.receiveBodies(fifo)).toEqual(['x']);
  });

  it('13.41 a second delete and a delete after the retention succeed', async () => {
    const queue = await sqs.createQueue({ MessageRetentionPeriod: '60' });
    await sqs.send(queue, 'a');
    const handle = await sqs.receiveHandle(queue);
    await sqs.delete(queue, handle);
    await sqs.delete(queue, handle);

    await sqs.send(queue, 'b');
    const expired = await sqs.receiveHandle(queue, { VisibilityTimeout: 600 });
    await sqs.advance(61);
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    await sqs.delete(queue, expired);
  });

  it('13.42 a change of visibility hides an expired message of a standard queue again', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const handle = await sqs.receiveHandle(queue, { VisibilityTimeout: 5 });
    await sqs.advance(6);
    expect(await sqs.counts(queue)).toMatchObject({ visible: 1 });
    await sqs.changeVisibility(queue, handle, 20);
    expect(await sqs.receive(queue)).toEqual([]);
    await sqs.advance(21);
    expect(await sqs.receiveBodies(queue)).toEqual(['x']);
  });

  it('13.43 an old handle changes the visibility of a message that was received again', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const old = await sqs.receiveHandle(queue, { VisibilityTimeout: 0 });
    const current = await sqs.receiveHandle(queue, { VisibilityTimeout: 600 });
    expect(current).not.toBe(old);
    expect(await sqs.receive(queue)).toEqual([]);
    await sqs.changeVisibility(queue, old, 0);
    expect(await sqs.receiveBodies(queue)).toEqual(['x']);
  });

  it('13.44 a change of visibility of a deleted message is an InvalidParameterValue', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const handle = await sqs.receiveHandle(queue);
    await sqs.delete(queue, handle);
    expect(
      await sqs.failure('ChangeMessageVisibility', { QueueUrl: queue, ReceiptHandle: handle, VisibilityTimeout: 0 }),
    ).toEqual(
      invalidParameterValue(
        `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available ` +
          'for visibility timeout change.',
      ),
    );
  });

  it('13.54 *, .* and All ask for every attribute, and names that cannot be are ignored', async () => {
    const queue = await sqs.createQueue();
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    const MessageAttributes = { General: text('Kenobi'), Hello: text('There'), 'Help.Me': text('Me') };
    await sqs.send(queue, 'x', { MessageAttributes });
    const receive = async (...MessageAttributeNames: string[]) => {
      const [message] = await sqs.receive(queue, { MessageAttributeNames, VisibilityTimeout: 0 });
      return message!;
    };
    for (const everything of ['*', '.*', 'All']) {
      expect((await receive(everything)).MessageAttributes).toEqual(MessageAttributes);
    }
    const { General: _, ...startingWithHel } = MessageAttributes;
    expect((await receive('Hel.*')).MessageAttributes).toEqual(startingWithHel);
    expect(Object.keys((await receive('AWS.', '..foo', 'Hello', 'missing')).MessageAttributes!)).toEqual(['Hello']);
    for (const none of [await receive('missing', 'AWS.'), await receive()]) {
      expect(none).not.toHaveProperty('MessageAttributes');
      expect(none).not.toHaveProperty('MD5OfMessageAttributes');
    }
  });

  it('13.55 the digest of attributes in a receive covers those that it returns', async () => {
    const queue = await sqs.createQueue();
    const text = (StringValue: string) => ({ DataType: 'String', StringValue });
    const MessageAttributes = { General: text('Kenobi'), Hello: text('There'), 'Help.Me': text('Me') };
    const sent = await sqs.send(queue, 'x', { MessageAttributes });
    // As recorded of SQS (section 4.6).
    expect(sent.MD5OfMessageAttributes).toBe('4c360f3fdafd970e05fae2f149d997f5');
    for (const [names, digest] of [
      [['All'], '4c360f3fdafd970e05fae2f149d997f5'],
      [['Hel.*'], '83fee93c1bcd8b9a5a923ffacdc636c7'],
      [['General', 'Hello'], 'fca026605781cb4126a1e9044df24232'],
      [['Hello'], 'a311262e065454b75da111d535b8dacd'],
    ] as const) {
      const [message] = await sqs.receive(queue, { MessageAttributeNames: [...names], VisibilityTimeout: 0 });
      expect(message?.MD5OfMessageAttributes).toBe(digest);
    }
  });

  it('13.59 tasks and messages are stamped in milliseconds, queues in seconds', async () => {
    const now = sqs.clock.now();
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    const { CreatedTimestamp, LastModifiedTimestamp } = await sqs.attributes(source);
    const seconds = String(Math.floor(now / 1000));
    expect([CreatedTimestamp, LastModifiedTimestamp]).toEqual([seconds, seconds]);
    await sqs.send(source, 'x');
    const [message] = await sqs.receive(source);
    expect(message?.Attributes).toMatchObject({
      SentTimestamp: String(now),
      ApproximateFirstReceiveTimestamp: String(now),
    });
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    const { Results } = await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) });
    expect(Results).toMatchObject([{ StartedTimestamp: now }]);
  });

  it('13.60 only running tasks have a handle, and it is JSON in base64', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    for (const body of ['a', 'b', 'c']) await sqs.send(dead, body);
    const task = { SourceArn: arnOf(dead), DestinationArn: arnOf(source), MaxNumberOfMessagesPerSecond: 1 };
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', task);
    expect(JSON.parse(Buffer.from(TaskHandle!, 'base64').toString())).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      sourceArn: arnOf(dead),
    });
    const list = async () => (await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).Results![0]!;
    expect(await list()).toMatchObject({ Status: 'RUNNING', TaskHandle });
    await sqs.advance(10);
    const finished = await list();
    expect(finished).toMatchObject({
      Status: 'COMPLETED',
      ApproximateNumberOfMessagesMoved: 3,
      ApproximateNumberOfMessagesToMove: 3,
    });
    expect(finished).not.toHaveProperty('TaskHandle');
    expect((await sqs.receiveBodies(source)).sort()).toEqual(['a', 'b', 'c']);
  });

  it('13.61 a task is cancelled some time after it was asked to stop', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    for (let index = 0; index < 10; index++) await sqs.send(dead, `${index}`);
    const task = { SourceArn: arnOf(dead), DestinationArn: arnOf(source), MaxNumberOfMessagesPerSecond: 1 };
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', task);
    await sqs.advance(2);
    const { ApproximateNumberOfMessagesMoved: moved } = await sqs.call('CancelMessageMoveTask', { TaskHandle });
    const list = async () => (await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).Results![0]!;
    expect((await list()).Status).toBe('CANCELLING');
    await sqs.advance(5);
    const cancelled = await list();
    expect(cancelled).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesToMove: 10 });
    expect(cancelled).not.toHaveProperty('TaskHandle');
    const total = cancelled.ApproximateNumberOfMessagesMoved!;
    expect(total).toBeGreaterThanOrEqual(moved!);
    expect(total).toBeLessThan(10);
    // What was moved stays moved.
    expect((await sqs.counts(source)).visible).toBe(total);
    expect((await sqs.counts(dead)).visible).toBe(10 - total);
  });

  it('13.65 without WaitTimeSeconds a receive waits as the queue says, and an explicit 0 does not wait', async () => {
    const queue = await sqs.createQueue({ ReceiveMessageWaitTimeSeconds: '10' });
    expect(await sqs.receive(queue, { WaitTimeSeconds: 0 })).toEqual([]);
    const { bodies } = await sqs.startLongPoll(queue, { WaitTimeSeconds: undefined });
    await sqs.advance(9);
    await sqs.send(queue, 'in time');
    expect(await bodies).toEqual(['in time']);

    const empty = await sqs.startLongPoll(queue, { WaitTimeSeconds: undefined });
    await sqs.advance(10);
    expect(await empty.bodies).toEqual([]);
  });

  it('13.66 a long poll returns with the first message and does not wait for more', async () => {
    const queue = await sqs.createQueue();
    const { bodies } = await sqs.startLongPoll(queue, { MaxNumberOfMessages: 10 });
    await sqs.send(queue, 'first');
    expect(await bodies).toEqual(['first']);
  });

  it('13.81 maxReceiveCount 1 is one delivery', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    await sqs.send(source, 'x');
    expect(await sqs.receiveBodies(source, { VisibilityTimeout: 0 })).toEqual(['x']);
    expect(await sqs.receiveBodies(source, { VisibilityTimeout: 0 })).toEqual([]);
    const [message] = await sqs.receive(dead);
    expect(message).toMatchObject({ Body: 'x', Attributes: { ApproximateReceiveCount: '2' } });
  });
});

describe('easy to get wrong: AWS JSON on the wire', () => {
  const sqs = useSqs('AWS JSON');
  const post = (action: string, input: unknown, options?: Parameters<typeof postJson>[3]) =>
    postJson(sqs.server.url, action, input, options);

  it('13.3 x-amzn-query-error is the code and the fault', async () => {
    const queue = await sqs.createQueue();
    for (const [action, input, error] of [
      ['GetQueueUrl', { QueueName: 'missing' }, 'AWS.SimpleQueueService.NonExistentQueue;Sender'],
      ['SendMessage', { QueueUrl: queue }, 'MissingParameter;Sender'],
      ['ReceiveMessage', { QueueUrl: queue, MaxNumberOfMessages: 11 }, 'InvalidParameterValue;Sender'],
      ['DeleteMessage', { QueueUrl: queue, ReceiptHandle: 'x' }, 'ReceiptHandleIsInvalid;Sender'],
      ['SendMessageBatch', { QueueUrl: queue, Entries: [] }, 'AWS.SimpleQueueService.EmptyBatchRequest;Sender'],
    ] as const) {
      const reply = await post(action, input);
      expect(reply.headers.get('x-amzn-query-error')).toBe(error);
      expect(reply.headers.get('Content-Type')).toBe('application/x-amz-json-1.0');
      expect(reply.headers.get('x-amzn-RequestId')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(Math.abs(Date.parse(reply.headers.get('Date')!) - Date.now())).toBeLessThan(60_000);
    }
  });

  it('13.4 InvalidParameterValue and MissingParameter have shapes of their own in another namespace', async () => {
    const queue = await sqs.createQueue();
    const invalid = await post('ReceiveMessage', { QueueUrl: queue, MaxNumberOfMessages: 11 });
    expect(invalid.body).toEqual({
      __type: 'com.amazon.coral.service#InvalidParameterValueException',
      message: 'Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.',
    });
    const missing = await post('SendMessage', { QueueUrl: queue });
    expect(missing.body).toEqual({
      __type: 'com.amazon.coral.service#MissingRequiredParameterException',
      message: 'The request must contain the parameter MessageBody.',
    });
    const modelled = await post('GetQueueUrl', { QueueName: 'missing' });
    expect(modelled.body).toEqual({
      __type: 'com.amazonaws.sqs#QueueDoesNotExist',
      message: 'The specified queue does not exist.',
    });
  });

  it('13.21 an empty receive omits Messages', async () => {
    const queue = await sqs.createQueue();
    expect((await post('ReceiveMessage', { QueueUrl: queue })).text).toBe('{}');
  });

  it('13.22 without tags there are no Tags, and without attributes no Attributes', async () => {
    const queue = await sqs.createQueue();
    expect((await post('ListQueueTags', { QueueUrl: queue })).text).toBe('{}');
    await sqs.send(queue, 'x', { MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } } });
    const { body } = await post('ReceiveMessage', { QueueUrl: queue });
    expect(Object.keys(body.Messages[0]).sort()).toEqual(['Body', 'MD5OfBody', 'MessageId', 'ReceiptHandle']);
    const none = await sqs.call('ListQueues', { QueueNamePrefix: 'no-such-queue' });
    expect(none).toEqual({});
  });

  it('13.23 GetQueueAttributes without names returns nothing', async () => {
    const queue = await sqs.createQueue();
    expect((await post('GetQueueAttributes', { QueueUrl: queue })).text).toBe('{}');
    expect((await post('GetQueueAttributes', { QueueUrl: queue, AttributeNames: [] })).text).toBe('{}');
  });

  it('13.57 AttributeNames and MessageSystemAttributeNames add up', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const { body } = await post('ReceiveMessage', {
      QueueUrl: queue,
      AttributeNames: ['SentTimestamp'],
      MessageSystemAttributeNames: ['SenderId'],
    });
    expect(Object.keys(body.Messages[0].Attributes).sort()).toEqual(['SenderId', 'SentTimestamp']);
  });

  it('13.58 tags and queueUrls are in lower case', async () => {
    const name = sqs.uniqueName();
    const created = await post('CreateQueue', { QueueName: name, tags: { team: 'billing' } });
    expect((await post('ListQueueTags', { QueueUrl: created.body.QueueUrl })).body).toEqual({
      Tags: { team: 'billing' },
    });
    const { source, dead } = await sqs.createQueueWithDeadLetters(1);
    expect((await post('ListDeadLetterSourceQueues', { QueueUrl: dead })).body).toEqual({ queueUrls: [source] });
  });

  it('13.59 StartedTimestamp is a number', async () => {
    const { dead } = await sqs.createQueueWithDeadLetters(1);
    await post('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    const { body } = await post('ListMessageMoveTasks', { SourceArn: arnOf(dead) });
    expect(body.Results[0].StartedTimestamp).toBe(sqs.clock.now());
  });

  it('13.62 the parameter QueueUrl beats the path', async () => {
    const inParameter = await sqs.createQueue();
    const inPath = await sqs.createQueue();
    const { pathname: path } = new URL(inPath);
    await post('SendMessage', { QueueUrl: inParameter, MessageBody: 'to the parameter' }, { path });
    await post('SendMessage', { MessageBody: 'to the path' }, { path });
    expect(await sqs.receiveBodies(inParameter)).toEqual(['to the parameter']);
    expect(await sqs.receiveBodies(inPath)).toEqual(['to the path']);
  });

  it('13.64 CreateQueue and ListQueues are not valid for the URL of a queue', async () => {
    const { pathname: path } = new URL(await sqs.createQueue());
    for (const [action, input] of [
      ['CreateQueue', { QueueName: 'other' }],
      ['ListQueues', {}],
    ] as const) {
      const reply = await post(action, input, { path });
      expect(reply.status).toBe(400);
      expect(reply.headers.get('x-amzn-query-error')).toBe('InvalidAction;Sender');
      expect(reply.body.message).toBe(`The action ${action} is not valid for this endpoint.`);
    }
  });

  it('13.74 the header X-Amzn-Trace-Id becomes AWSTraceHeader, unless the message has one', async () => {
    const queue = await sqs.createQueue();
    const headers = { 'X-Amzn-Trace-Id': 'Root=1-00000000-000000000000000000000000' };
    const receive = async () => (await sqs.receive(queue))[0]?.Attributes?.AWSTraceHeader;
    await post('SendMessage', { QueueUrl: queue, MessageBody: 'x' }, { headers });
    expect(await receive()).toBe('Root=1-00000000-000000000000000000000000');

    const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue: TRACE } };
    const sent = await post('SendMessage', { QueueUrl: queue, MessageBody: 'x', MessageSystemAttributes }, { headers });
    expect(sent.body.MD5OfMessageSystemAttributes).toBe('5ae4d5d7636402d80f4eb6d213245a88');
    expect(sent.body).not.toHaveProperty('MD5OfMessageAttributes');
    expect(await receive()).toBe(TRACE);
  });

  it('13.75 SenderFault is a boolean, and codes are those of AWS Query', async () => {
    const queue = await sqs.createQueue();
    const sent = await post('SendMessageBatch', {
      QueueUrl: queue,
      Entries: [{ Id: 'empty', MessageBody: '' }],
    });
    expect(sent.status).toBe(200);
    expect(sent.body).toEqual({
      Failed: [
        {
          Id: 'empty',
          Code: 'MissingParameter',
          Message: 'The request must contain the parameter SendMessageBatchRequestEntry.1.MessageBody.',
          SenderFault: true,
        },
      ],
    });
    const deleted = await post('DeleteMessageBatch', {
      QueueUrl: queue,
      Entries: [{ Id: 'bad', ReceiptHandle: 'garbage' }],
    });
    expect(deleted.body.Failed).toMatchObject([{ Id: 'bad', Code: 'ReceiptHandleIsInvalid', SenderFault: true }]);
  });
});

describe('easy to get wrong: AWS Query on the wire', () => {
  const sqs = useSqs('AWS Query');
  const request = (parameters: Record<string, string>, options?: Parameters<Sqs['server']['query']['request']>[1]) =>
    sqs.server.query.request(Object.entries(parameters), options);

  it('13.4 codes have no ending', async () => {
    const queue = await sqs.createQueue();
    const invalid = await request({ Action: 'ReceiveMessage', QueueUrl: queue, MaxNumberOfMessages: '11' });
    expect(invalid.text).toContain('<Code>InvalidParameterValue</Code>');
    const missing = await request({ Action: 'SendMessage', QueueUrl: queue });
    expect(missing.text).toContain('<Code>MissingParameter</Code>');
  });

  it('13.21 an empty receive has an empty result element', async () => {
    const queue = await sqs.createQueue();
    const { text } = await request({ Action: 'ReceiveMessage', QueueUrl: queue });
    expect(text).toContain('<ReceiveMessageResult/>');
  });

  it('13.22 without tags there is no Tag, and without attributes no Attribute', async () => {
    const queue = await sqs.createQueue();
    expect((await request({ Action: 'ListQueueTags', QueueUrl: queue })).text).not.toContain('<Tag>');
    await sqs.send(queue, 'x', { MessageAttributes: { a: { DataType: 'String', StringValue: 'x' } } });
    const { text } = await request({ Action: 'ReceiveMessage', QueueUrl: queue });
    expect(text).toContain('<Body>x</Body>');
    expect(text).not.toMatch(/Attribute/);
  });

  it('13.23 GetQueueAttributes without names returns nothing', async () => {
    const queue = await sqs.createQueue();
    expect((await request({ Action: 'GetQueueAttributes', QueueUrl: queue })).text).not.toContain('<Attribute>');
  });

  it('13.57 system attributes are asked for with AttributeName.N', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'x');
    const { text } = await request({
      Action: 'ReceiveMessage',
      QueueUrl: queue,
      'AttributeName.1': 'SenderId',
      'AttributeName.2': 'ApproximateReceiveCount',
    });
    expect([...text.matchAll(/<Attribute><Name>(\w+)<\/Name>/g)].map(([, name]) => name).sort()).toEqual([
      'ApproximateReceiveCount',
      'SenderId',
    ]);
  });

  it('13.62 the parameter QueueUrl beats the path', async () => {
    const inParameter = await sqs.createQueue();
    const inPath = await sqs.createQueue();
    const { pathname: path } = new URL(inPath);
    const parameters = { Action: 'SendMessage', QueueUrl: inParameter, MessageBody: 'to the parameter' };
    expect((await request(parameters, { path })).status).toBe(200);
    expect((await request({ Action: 'SendMessage', MessageBody: 'to the path' }, { path, method: 'GET' })).status).toBe(
      200,
    );
    expect(await sqs.receiveBodies(inParameter)).toEqual(['to the parameter']);
    expect(await sqs.receiveBodies(inPath)).toEqual(['to the path']);
  });

  it('13.63 a GET without an action is 404 and XML, also for who accepts JSON', async () => {
    const { pathname } = new URL(await sqs.createQueue());
    for (const path of ['/', pathname]) {
      for (const headers of [{}, { Accept: 'application/json' }] as Record<string, string>[]) {
        const reply = await request({}, { method: 'GET', path, headers });
        expect(reply.status).toBe(404);
        expect(reply.text).toBe('<UnknownOperationException/>');
      }
    }
  });

  it('13.64 CreateQueue and ListQueues are not valid for the URL of a queue', async () => {
    const { pathname: path } = new URL(await sqs.createQueue());
    for (const parameters of [{ Action: 'CreateQueue', QueueName: 'other' }, { Action: 'ListQueues' }]) {
      const reply = await request(parameters as Record<string, string>, { path });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain('<Code>InvalidAction</Code>');
      expect(reply.text).toContain(
        `<Message>The action ${parameters.Action} is not valid for this endpoint.</Message>`,
      );
    }
  });

  it('13.74 the header X-Amzn-Trace-Id becomes AWSTraceHeader', async () => {
    const queue = await sqs.createQueue();
    const headers = { 'X-Amzn-Trace-Id': TRACE };
    await request({ Action: 'SendMessage', QueueUrl: queue, MessageBody: 'x' }, { headers });
    expect((await sqs.receive(queue))[0]?.Attributes?.AWSTraceHeader).toBe(TRACE);
  });

  it('13.75 SenderFault is true or false, and codes are those of AWS Query', async () => {
    const queue = await sqs.createQueue();
    const { status, text } = await request({
      Action: 'DeleteMessageBatch',
      QueueUrl: queue,
      'DeleteMessageBatchRequestEntry.1.Id': 'bad',
      'DeleteMessageBatchRequestEntry.1.ReceiptHandle': 'garbage',
    });
    expect(status).toBe(200);
    expect(text).toContain('<SenderFault>true</SenderFault>');
    expect(text).toContain('<Code>ReceiptHandleIsInvalid</Code>');
  });

  it('13.76 a carriage return in a body is written as a reference', async () => {
    const queue = await sqs.createQueue();
    await sqs.send(queue, 'a\r\nb\rc');
    const { text } = await request({ Action: 'ReceiveMessage', QueueUrl: queue, VisibilityTimeout: '0' });
    expect(text).toContain('<Body>a&#xD;\nb&#xD;c</Body>');
    expect(await sqs.receiveBodies(queue)).toEqual(['a\r\nb\rc']);
  });
});

/** The digest of attributes after section 4.6, by hand. All of them are texts and sorted by name. */
function digestOf(attributes: readonly [name: string, type: string, value: string][]): string {
  const hash = createHash('md5');
  const sized = (text: string) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(Buffer.byteLength(text));
    hash.update(size).update(text);
  };
  for (const [name, type, value] of attributes) {
    sized(name);
    sized(type);
    hash.update(Buffer.of(1));
    sized(value);
  }
  return hash.digest('hex');
}
