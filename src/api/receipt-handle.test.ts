import { describe, expect, it } from 'vitest';
import type { DeleteOutcome, VisibilityOutcome } from '../engine/queue-service.ts';
import { errorOf, testApi } from './testing/context.ts';

const MISSING = 'MissingRequiredParameterException: The request must contain the parameter';
const INVALID_HANDLE = 'InvalidParameterValueException: Value h for parameter ReceiptHandle is invalid. Reason:';

async function withQueue() {
  const api = testApi();
  await api.run('CreateQueue', { QueueName: 'orders' });
  return api;
}

describe('DeleteMessage', () => {
  it.each<[DeleteOutcome, string]>([
    ['invalid', 'ReceiptHandleIsInvalid: The input receipt handle "h" is not a valid receipt handle.'],
    ['foreign', 'ReceiptHandleIsInvalid: The receipt handle "h" is not valid for this queue.'],
    ['expired', `${INVALID_HANDLE} The receipt handle has expired.`],
  ])('fails when the handle is %s', async (outcome, error) => {
    const { run, queues } = await withQueue();
    queues.replies.deletions = [outcome];
    expect(await errorOf(() => run('DeleteMessage', { QueueUrl: 'orders', ReceiptHandle: 'h' }))).toBe(error);
  });

  it('deletes', async () => {
    const { run, queues } = await withQueue();
    queues.replies.deletions = ['deleted'];
    expect(await run('DeleteMessage', { QueueUrl: 'orders', ReceiptHandle: 'h' })).toBeUndefined();
    expect(queues.calls[0]?.arguments[1]).toEqual(['h']);
  });

  it('needs a handle', async () => {
    const { run } = await withQueue();
    expect(await errorOf(() => run('DeleteMessage', { QueueUrl: 'orders' }))).toBe(`${MISSING} ReceiptHandle.`);
  });
});

describe('ChangeMessageVisibility', () => {
  it.each<[VisibilityOutcome, string]>([
    ['invalid', 'ReceiptHandleIsInvalid: The input receipt handle "h" is not a valid receipt handle.'],
    ['foreign', 'ReceiptHandleIsInvalid: The receipt handle "h" is not valid for this queue.'],
    ['expired', `${INVALID_HANDLE} The receipt handle has expired.`],
    ['gone', `${INVALID_HANDLE} Message does not exist or is not available for visibility timeout change.`],
    [
      'beyond-limit',
      'InvalidParameterValueException: Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    ],
  ])('fails when the message is %s', async (outcome, error) => {
    const { run, queues } = await withQueue();
    queues.replies.visibility = [outcome];
    const change = { QueueUrl: 'orders', ReceiptHandle: 'h', VisibilityTimeout: 43_200 };
    expect(await errorOf(() => run('ChangeMessageVisibility', change))).toBe(error);
  });

  it('changes', async () => {
    const { run, queues } = await withQueue();
    queues.replies.visibility = ['changed'];
    const change = { QueueUrl: 'orders', ReceiptHandle: 'h', VisibilityTimeout: 0 };
    expect(await run('ChangeMessageVisibility', change)).toBeUndefined();
    expect(queues.calls[0]?.arguments[1]).toEqual([{ receiptHandle: 'h', timeoutMs: 0 }]);
  });

  it.each<[object, string]>([
    [{ VisibilityTimeout: 43_201 }, `${MISSING} ReceiptHandle.`],
    [{ ReceiptHandle: 'h' }, `${MISSING} VisibilityTimeout.`],
    ...[-1, 43_201].map((VisibilityTimeout): [object, string] => [
      { ReceiptHandle: 'h', VisibilityTimeout },
      `InvalidParameterValueException: Value ${VisibilityTimeout} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and 43200.`,
    ]),
  ])('refuses %j', async (input, error) => {
    const { run } = await withQueue();
    expect(await errorOf(() => run('ChangeMessageVisibility', { QueueUrl: 'orders', ...input }))).toBe(error);
  });
});
