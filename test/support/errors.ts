import type { SQSServiceException } from '@aws-sdk/client-sqs';

/** How each error looks on the wire: its code in AWS Query and its HTTP status (SQS: section 1.5). */
const MODELLED = {
  QueueDoesNotExist: ['AWS.SimpleQueueService.NonExistentQueue', 400],
  QueueNameExists: ['QueueAlreadyExists', 400],
  QueueDeletedRecently: ['AWS.SimpleQueueService.QueueDeletedRecently', 400],
  PurgeQueueInProgress: ['AWS.SimpleQueueService.PurgeQueueInProgress', 403],
  EmptyBatchRequest: ['AWS.SimpleQueueService.EmptyBatchRequest', 400],
  TooManyEntriesInBatchRequest: ['AWS.SimpleQueueService.TooManyEntriesInBatchRequest', 400],
  BatchEntryIdsNotDistinct: ['AWS.SimpleQueueService.BatchEntryIdsNotDistinct', 400],
  InvalidBatchEntryId: ['AWS.SimpleQueueService.InvalidBatchEntryId', 400],
  BatchRequestTooLong: ['AWS.SimpleQueueService.BatchRequestTooLong', 400],
  InvalidAttributeName: ['InvalidAttributeName', 400],
  InvalidAttributeValue: ['InvalidAttributeValue', 400],
  InvalidMessageContents: ['InvalidMessageContents', 400],
  ReceiptHandleIsInvalid: ['ReceiptHandleIsInvalid', 404],
  RequestThrottled: ['RequestThrottled', 403],
  OverLimit: ['OverLimit', 403],
  UnsupportedOperation: ['AWS.SimpleQueueService.UnsupportedOperation', 400],
  ResourceNotFoundException: ['ResourceNotFoundException', 404],
} as const;

/** Errors that the model does not know: another namespace in AWS JSON. */
const FRONT_LAYER = {
  InvalidParameterValueException: ['InvalidParameterValue', 400],
  MissingRequiredParameterException: ['MissingParameter', 400],
  SerializationException: ['MalformedInput', 400],
  UnknownOperationException: ['InvalidAction', 400],
} as const;

export type ErrorShape = keyof typeof MODELLED | keyof typeof FRONT_LAYER;

/** All that the wire says of an error, the same for both protocols. */
export interface WireError {
  /** The full `__type` of AWS JSON. AWS Query has no such thing: there it is what belongs to the code. */
  type: string;
  /** The code of AWS Query, and of the `x-amzn-query-error` header of AWS JSON. */
  code: string;
  fault: string;
  status: number;
  message: string;
}

/** The error that is expected, for `toEqual`. */
export function sqsError(shape: ErrorShape, message: string): WireError {
  const [code, status] = { ...MODELLED, ...FRONT_LAYER }[shape];
  return { type: typeOf(shape), code, fault: 'Sender', status, message };
}

export function invalidParameterValue(message: string): WireError {
  return sqsError('InvalidParameterValueException', message);
}

export function missingParameter(parameter: string): WireError {
  return sqsError('MissingRequiredParameterException', `The request must contain the parameter ${parameter}.`);
}

/** The one text that differs between the protocols (SQS: section 1.4). */
export function queueDoesNotExist(protocol: 'AWS JSON' | 'AWS Query'): WireError {
  const wsdl = protocol === 'AWS Query' ? ' for this wsdl version' : '';
  return sqsError('QueueDoesNotExist', `The specified queue does not exist${wsdl}.`);
}

/** The `__type` that belongs to a code of AWS Query. */
export function typeOfCode(code: string): string {
  for (const [shape, [itsCode]] of Object.entries({ ...MODELLED, ...FRONT_LAYER })) {
    if (itsCode === code) return typeOf(shape);
  }
  return `no error has the code ${code}`;
}

function typeOf(shape: string): string {
  return `${shape in MODELLED ? 'com.amazonaws.sqs' : 'com.amazon.coral.service'}#${shape}`;
}

/** What the clients of this folder throw for an error reply that they read themselves. */
export class WireFailure extends Error {
  readonly wire: WireError;

  constructor(wire: WireError) {
    super(`${wire.code}: ${wire.message}`);
    this.wire = wire;
  }
}

/** The error with which a call fails, of the AWS SDK or of a client of this folder. Rejects when the call succeeds. */
export async function captureError(call: Promise<unknown>): Promise<WireError> {
  const outcome = await call.then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
  if ('output' in outcome) throw new Error(`expected an error, got ${JSON.stringify(outcome.output)}`);
  if (outcome.error instanceof WireFailure) return outcome.error.wire;
  return wireErrorOf(outcome.error as SQSServiceException & { __type?: string; Code?: string });
}

function wireErrorOf(error: SQSServiceException & { __type?: string; Code?: string }): WireError {
  if (error.$response === undefined) throw error;
  const { statusCode, headers } = error.$response;
  const [code = '', fault = '', ...more] = headers['x-amzn-query-error']?.split(';') ?? [];
  // SDKs take the code from the header and refuse one that does not have exactly two parts (SQS: section 1.3).
  if (more.length > 0 || error.Code !== code) throw new Error(`bad x-amzn-query-error of ${error}`, { cause: error });
  return { type: error.__type ?? '', code, fault, status: statusCode, message: error.message };
}
