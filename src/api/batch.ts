import { missingParameter, SqsError } from '../protocol/model/errors.ts';
import type { BatchResultErrorEntry } from '../protocol/model/shapes.ts';
import type { ActionContext } from './action.ts';
import { BATCH_ENTRIES_MAX, MESSAGE_BYTES_MAX } from './limits.ts';

/** What the error texts call the entries of a batch action. */
export interface BatchNames {
  /** The name of the list in AWS Query. */
  entry: string;
  /** What stands before the position in the text for a missing Id. */
  idPrefix: string;
}

export const SEND_BATCH: BatchNames = {
  entry: 'SendMessageBatchRequestEntry',
  idPrefix: 'SendMessageBatchRequestEntry',
};

export const DELETE_BATCH: BatchNames = {
  entry: 'DeleteMessageBatchRequestEntry',
  idPrefix: 'DeleteMessageBatchRequestEntry',
};

export const VISIBILITY_BATCH: BatchNames = {
  // As for the other two, which were seen of SQS; for this one there are two candidates (SQS: section 8, section 14).
  entry: 'ChangeMessageVisibilityBatchRequestEntry',
  idPrefix: 'ChangeMessageVisibilityBatch',
};

const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/**
 * Everything that makes a batch fail as a whole, whatever its action, in the order of SQS (section 8).
 *
 * @throws SqsError
 */
export function checkBatch<Entry extends { Id?: string }>(
  entries: readonly Entry[] | undefined,
  names: BatchNames,
  context: Pick<ActionContext, 'protocol'>,
): readonly (Entry & { Id: string })[] {
  if (entries === undefined) throw missingParameter(context.protocol === 'awsQuery' ? names.entry : 'Entries');
  if (entries.length === 0) {
    throw new SqsError('EmptyBatchRequest', `There should be at least one ${names.entry} in the request.`);
  }
  if (entries.length > BATCH_ENTRIES_MAX) {
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${BATCH_ENTRIES_MAX}. You have sent ${entries.length}.`,
    );
  }
  entries.forEach((entry, index) => {
    checkEntryId(entry.Id, `${names.idPrefix}.${index + 1}.Id`);
  });
  const identified = entries as readonly (Entry & { Id: string })[];
  const seen = new Set<string>();
  for (const { Id } of identified) {
    if (seen.has(Id)) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${Id} repeated.`);
    seen.add(Id);
  }
  return identified;
}

/** `sizes` are those of the messages of the batch. The limit is the same for every queue. */
export function checkBatchSize(sizes: readonly number[]): void {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MESSAGE_BYTES_MAX) return;
  throw new SqsError(
    'BatchRequestTooLong',
    `Batch requests cannot be longer than ${MESSAGE_BYTES_MAX} bytes. You have sent ${total} bytes.`,
  );
}

function failedEntry(id: string, error: SqsError): BatchResultErrorEntry {
  return { Id: id, SenderFault: error.fault === 'Sender', Code: error.queryCode, Message: error.message };
}

/**
 * Prepares every entry for the engine. One that `prepare` refuses with an error of the API fails alone; any other error
 * fails the batch.
 */
export function prepareEntries<Entry extends { Id: string }, Prepared>(
  entries: readonly Entry[],
  prepare: (entry: Entry, index: number) => Prepared,
): { ready: { id: string; prepared: Prepared }[]; failed: BatchResultErrorEntry[] } {
  const ready: { id: string; prepared: Prepared }[] = [];
  const failed: BatchResultErrorEntry[] = [];
  entries.forEach((entry, index) => {
    try {
      ready.push({ id: entry.Id, prepared: prepare(entry, index) });
    } catch (error) {
      if (!(error instanceof SqsError)) throw error;
      failed.push(failedEntry(entry.Id, error));
    }
  });
  return { ready, failed };
}

/**
 * The result of a batch after the engine has seen its entries. `errorOf` says what became of one that was ready,
 * counted from 0; `failed` are those that were refused before.
 */
export function settleEntries<Prepared>(
  ready: readonly { id: string; prepared: Prepared }[],
  failed: readonly BatchResultErrorEntry[],
  errorOf: (prepared: Prepared, index: number) => SqsError | undefined,
): { Successful: { Id: string }[]; Failed: BatchResultErrorEntry[] } {
  const result = { Successful: [] as { Id: string }[], Failed: [...failed] };
  ready.forEach(({ id, prepared }, index) => {
    const error = errorOf(prepared, index);
    if (error === undefined) result.Successful.push({ Id: id });
    else result.Failed.push(failedEntry(id, error));
  });
  return result;
}

function checkEntryId(id: string | undefined, parameter: string): void {
  if (id === undefined) throw missingParameter(parameter);
  if (ENTRY_ID.test(id)) return;
  throw new SqsError(
    'InvalidBatchEntryId',
    'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters ' +
      'long.',
  );
}
