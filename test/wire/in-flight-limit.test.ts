import { describe, expect, it } from 'vitest';
import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';
import { RawConnection, requestBytes } from '../support/raw-connection.ts';
import { useSqs } from '../support/sqs.ts';

// The limit of messages in flight (SQS: section 5.4, and point 73 of section 13), with as many messages as it takes.

const LIMIT = 120_000;
const BATCH = 10;
/** Requests on their way at the same time. */
const PIPELINE = 100;
const TIMEOUT_MS = 180_000;

describe('easy to get wrong: messages in flight', () => {
  const sqs = useSqs();

  /** As many requests as `count`, pipelined on one connection, each of which has to succeed. */
  async function repeat<Name extends ActionName>(
    count: number,
    action: Name,
    inputOf: (index: number) => ActionInputs[Name],
  ): Promise<void> {
    const connection = await RawConnection.open(sqs.server.port);
    for (let start = 0; start < count; start += PIPELINE) {
      const indexes = Array.from({ length: Math.min(PIPELINE, count - start) }, (_, offset) => start + offset);
      const requests = indexes.map((index) =>
        requestBytes({ headers: { 'X-Amz-Target': `AmazonSQS.${action}` }, body: JSON.stringify(inputOf(index)) }),
      );
      void connection.write(Buffer.concat(requests));
      for (const _ of indexes) expect(await connection.reply()).toMatchObject({ status: 200 });
    }
    connection.close();
  }

  async function receiveAll(QueueUrl: string): Promise<void> {
    // A receive may return less than it could, so this takes a few more receives than there are batches.
    for (let visible = LIMIT; visible > 0; visible = (await sqs.counts(QueueUrl)).visible) {
      await repeat(Math.ceil(visible / BATCH), 'ReceiveMessage', () => ({ QueueUrl, MaxNumberOfMessages: BATCH }));
    }
    expect(await sqs.counts(QueueUrl)).toEqual({ visible: 0, inFlight: LIMIT, delayed: 0 });
  }

  it(
    '13.73 a standard queue is over its limit for short polls, and has nothing for long polls',
    async () => {
      const QueueUrl = await sqs.createQueue({ VisibilityTimeout: '43200' });
      const Entries = Array.from({ length: BATCH }, (_, index) => ({ Id: `${index}`, MessageBody: 'x' }));
      await repeat(LIMIT / BATCH, 'SendMessageBatch', () => ({ QueueUrl, Entries }));
      await receiveAll(QueueUrl);
      await sqs.send(QueueUrl, 'one more');
      expect(await sqs.failure('ReceiveMessage', { QueueUrl })).toMatchObject({
        type: 'com.amazonaws.sqs#OverLimit',
        code: 'OverLimit',
        status: 403,
      });
      const { bodies } = await sqs.startLongPoll(QueueUrl);
      await sqs.advance(20);
      expect(await bodies).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    '13.73 a FIFO queue has the same limit and no error for it',
    async () => {
      const QueueUrl = await sqs.createFifoQueue({ VisibilityTimeout: '43200' });
      await repeat(LIMIT / BATCH, 'SendMessageBatch', (batch) => ({
        QueueUrl,
        Entries: Array.from({ length: BATCH }, (_, index) => ({
          Id: `${index}`,
          MessageBody: 'x',
          // A group each, so that none waits for another.
          MessageGroupId: `${batch}-${index}`,
          MessageDeduplicationId: `${batch}-${index}`,
        })),
      }));
      await receiveAll(QueueUrl);
      await sqs.sendToGroup(QueueUrl, 'new', 'one more');
      expect(await sqs.receive(QueueUrl)).toEqual([]);
      expect(await sqs.counts(QueueUrl)).toMatchObject({ visible: 1, inFlight: LIMIT });
    },
    TIMEOUT_MS,
  );
});
