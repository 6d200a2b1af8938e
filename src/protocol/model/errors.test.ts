import { describe, expect, it } from 'vitest';
import { type ErrorShape, invalidParameter, missingParameter, SqsError } from './errors.ts';

describe('SqsError', () => {
  it.each<[ErrorShape, string, number]>([
    ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue', 400],
    ['QueueNameExists', 'QueueAlreadyExists', 400],
    ['QueueDeletedRecently', 'AWS.SimpleQueueService.QueueDeletedRecently', 400],
    ['PurgeQueueInProgress', 'AWS.SimpleQueueService.PurgeQueueInProgress', 403],
    ['EmptyBatchRequest', 'AWS.SimpleQueueService.EmptyBatchRequest', 400],
    ['TooManyEntriesInBatchRequest', 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest', 400],
    ['BatchEntryIdsNotDistinct', 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct', 400],
    ['InvalidBatchEntryId', 'AWS.SimpleQueueService.InvalidBatchEntryId', 400],
    ['BatchRequestTooLong', 'AWS.SimpleQueueService.BatchRequestTooLong', 400],
    ['InvalidAttributeName', 'InvalidAttributeName', 400],
    ['InvalidAttributeValue', 'InvalidAttributeValue', 400],
    ['InvalidMessageContents', 'InvalidMessageContents', 400],
    ['ReceiptHandleIsInvalid', 'ReceiptHandleIsInvalid', 404],
    ['OverLimit', 'OverLimit', 403],
    ['UnsupportedOperation', 'AWS.SimpleQueueService.UnsupportedOperation', 400],
    ['ResourceNotFoundException', 'ResourceNotFoundException', 404],
    ['RequestThrottled', 'RequestThrottled', 403],
  ])('of the modelled %s has the codes of the model', (shape, queryCode, httpStatus) => {
    const error = new SqsError(shape, 'text');
    expect(error).toMatchObject({ queryCode, httpStatus, fault: 'Sender', message: 'text' });
    expect(error.smithyId).toBe(`com.amazonaws.sqs#${shape}`);
  });

  it.each<[ErrorShape, string, number, string]>([
    ['InvalidParameterValueException', 'InvalidParameterValue', 400, 'Sender'],
    ['MissingRequiredParameterException', 'MissingParameter', 400, 'Sender'],
    ['SerializationException', 'MalformedInput', 400, 'Sender'],
    ['UnknownOperationException', 'InvalidAction', 400, 'Sender'],
    ['AccessDeniedException', 'AccessDenied', 403, 'Sender'],
    ['UnrecognizedClientException', 'InvalidClientTokenId', 403, 'Sender'],
    ['InvalidSignatureException', 'SignatureDoesNotMatch', 403, 'Sender'],
    ['MissingAuthenticationTokenException', 'MissingAuthenticationToken', 403, 'Sender'],
    ['IncompleteSignatureException', 'IncompleteSignature', 400, 'Sender'],
    ['ExpiredTokenException', 'ExpiredToken', 403, 'Sender'],
    ['ValidationError', 'ValidationError', 400, 'Sender'],
    ['MalformedPolicyDocument', 'MalformedPolicyDocument', 400, 'Sender'],
    ['PackedPolicyTooLarge', 'PackedPolicyTooLarge', 400, 'Sender'],
    ['InternalFailure', 'InternalFailure', 500, 'Receiver'],
    ['ServiceUnavailable', 'ServiceUnavailable', 503, 'Receiver'],
  ])('of the front layer, %s, has the codes that AWS was seen to use', (shape, queryCode, httpStatus, fault) => {
    const error = new SqsError(shape, 'text');
    expect(error).toMatchObject({ queryCode, httpStatus, fault });
    expect(error.smithyId).toBe(`com.amazon.coral.service#${shape}`);
  });

  it('does not quote without end', () => {
    expect(new SqsError('InvalidAttributeName', 'a'.repeat(10_000)).message).toBe('a'.repeat(10_000));
    expect(new SqsError('InvalidAttributeName', 'a'.repeat(16_000_000)).message).toBe(`${'a'.repeat(10_000)}...`);
  });

  it('keeps its cause', () => {
    const cause = new Error('deeper');
    expect(new SqsError('ServiceUnavailable', 'text', { cause }).cause).toBe(cause);
  });
});

it('has short forms for the two most frequent', () => {
  expect(invalidParameter('No.')).toMatchObject({ shape: 'InvalidParameterValueException', message: 'No.' });
  expect(missingParameter('Entries')).toMatchObject({
    shape: 'MissingRequiredParameterException',
    message: 'The request must contain the parameter Entries.',
  });
});
