import { describe, expect, it } from 'vitest';
import type { ActionInputs } from '../../src/protocol/model/shapes.ts';
import { missingParameter, queueDoesNotExist, sqsError } from '../support/errors.ts';
import { overBothProtocols, type Sqs } from '../support/sqs.ts';

type BatchAction = 'SendMessageBatch' | 'DeleteMessageBatch' | 'ChangeMessageVisibilityBatch';
type Entry = NonNullable<ActionInputs['SendMessageBatch']['Entries']>[number] & {
  ReceiptHandle?: string;
  VisibilityTimeout?: number;
};

/** An entry of each action that is right as long as its id is. */
const ENTRIES: [action: BatchAction, entry: Entry][] = [
  ['SendMessageBatch', { MessageBody: 'm' }],
  ['DeleteMessageBatch', { ReceiptHandle: 'garbage' }],
  ['ChangeMessageVisibilityBatch', { ReceiptHandle: 'garbage', VisibilityTimeout: 0 }],
];

const INVALID_ID = sqsError(
  'InvalidBatchEntryId',
  'A batch entry id can only contain alphanumeric characters, hyphens and underscores. ' +
    'It can be at most 80 letters long.',
);

/** The rules that all batch actions share, in the order in which they are checked (SQS: section 8). */
overBothProtocols('A batch', (sqs: Sqs) => {
  describe.each(ENTRIES)('of %s', (action, entry) => {
    const failureOf = async (Entries: Entry[] | undefined) =>
      sqs.failure(action, { QueueUrl: await sqs.createQueue(), Entries } as ActionInputs[BatchAction]);
    const withIds = (...ids: (string | undefined)[]) => ids.map((Id) => ({ ...entry, Id }));

    it('needs a queue before anything else', async () => {
      expect(await sqs.failure(action, { QueueUrl: 'unknown', Entries: [] })).toEqual(queueDoesNotExist(sqs.protocol));
    });

    it('needs entries', async () => {
      expect(await failureOf(undefined)).toEqual(
        missingParameter(sqs.protocol === 'AWS JSON' ? 'Entries' : `${action}RequestEntry`),
      );
    });

    it('is not empty', async () => {
      expect(await failureOf([])).toEqual(
        sqsError('EmptyBatchRequest', `There should be at least one ${action}RequestEntry in the request.`),
      );
    });

    it.each([11, 20])('has ten entries at most, not %i', async (count) => {
      expect(await failureOf(withIds(...new Array(count).fill('same')))).toEqual(
        sqsError(
          'TooManyEntriesInBatchRequest',
          `Maximum number of entries per request are 10. You have sent ${count}.`,
        ),
      );
    });

    it('has an id in each entry', async () => {
      const prefix =
        action === 'ChangeMessageVisibilityBatch' ? 'ChangeMessageVisibilityBatch' : `${action}RequestEntry`;
      expect(await failureOf(withIds('first', undefined))).toEqual(missingParameter(`${prefix}.2.Id`));
    });

    it.each(['', 'a b', 'a.b', 'ä', 'i'.repeat(81)])('does not have the id "%s"', async (id) => {
      expect(await failureOf(withIds('first', id))).toEqual(INVALID_ID);
    });

    it('has no id twice', async () => {
      expect(await failureOf(withIds('id_1', 'id_2', 'id_2', 'id_1'))).toEqual(
        sqsError('BatchEntryIdsNotDistinct', 'Id id_2 repeated.'),
      );
    });

    it('has valid ids before it has different ones', async () => {
      expect(await failureOf(withIds('a b', 'a b'))).toEqual(INVALID_ID);
    });

    it('may have ten entries, and ids of 80 characters', async () => {
      const ids = ['i'.repeat(80), 'a-_', ...'12345678'];
      const { Successful = [], Failed = [] } = await sqs.call(action, {
        QueueUrl: await sqs.createQueue(),
        Entries: withIds(...ids),
      } as ActionInputs[BatchAction]);
      expect([...Successful, ...Failed].map(({ Id }) => Id)).toEqual(ids);
    });
  });
});
