/**
 * The catalogue of errors a client can see: one stable shape name each, its code in the Query protocol, its HTTP
 * status. Both protocols render from here (SQS: section 1.5).
 */

interface ErrorKind {
  /** The code in AWS Query and in the `x-amzn-query-error` header. */
  queryCode: string;
  httpStatus: number;
  /** Whose fault: the caller's (`Sender`, the default) or ours (`Receiver`). */
  fault?: 'Receiver';
  /** Errors of the front layer live in another Smithy namespace than the modelled ones. */
  frontLayer?: true;
  /** The member of the JSON body that holds the text, where it is not `message`. */
  jsonMessageKey?: 'Message';
}

const ERROR_KINDS = {
  QueueDoesNotExist: { queryCode: 'AWS.SimpleQueueService.NonExistentQueue', httpStatus: 400 },
  QueueNameExists: { queryCode: 'QueueAlreadyExists', httpStatus: 400 },
  QueueDeletedRecently: { queryCode: 'AWS.SimpleQueueService.QueueDeletedRecently', httpStatus: 400 },
  PurgeQueueInProgress: { queryCode: 'AWS.SimpleQueueService.PurgeQueueInProgress', httpStatus: 403 },
  EmptyBatchRequest: { queryCode: 'AWS.SimpleQueueService.EmptyBatchRequest', httpStatus: 400 },
  TooManyEntriesInBatchRequest: { queryCode: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest', httpStatus: 400 },
  BatchEntryIdsNotDistinct: { queryCode: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct', httpStatus: 400 },
  InvalidBatchEntryId: { queryCode: 'AWS.SimpleQueueService.InvalidBatchEntryId', httpStatus: 400 },
  BatchRequestTooLong: { queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong', httpStatus: 400 },
  InvalidAttributeName: { queryCode: 'InvalidAttributeName', httpStatus: 400 },
  InvalidAttributeValue: { queryCode: 'InvalidAttributeValue', httpStatus: 400 },
  InvalidMessageContents: { queryCode: 'InvalidMessageContents', httpStatus: 400 },
  ReceiptHandleIsInvalid: { queryCode: 'ReceiptHandleIsInvalid', httpStatus: 404 },
  RequestThrottled: { queryCode: 'RequestThrottled', httpStatus: 403 },
  OverLimit: { queryCode: 'OverLimit', httpStatus: 403 },
  UnsupportedOperation: { queryCode: 'AWS.SimpleQueueService.UnsupportedOperation', httpStatus: 400 },
  ResourceNotFoundException: { queryCode: 'ResourceNotFoundException', httpStatus: 404 },
  KmsAccessDenied: { queryCode: 'KMS.AccessDeniedException', httpStatus: 400 },
  KmsDisabled: { queryCode: 'KMS.DisabledException', httpStatus: 400 },
  KmsInvalidKeyUsage: { queryCode: 'KMS.InvalidKeyUsageException', httpStatus: 400 },
  KmsInvalidState: { queryCode: 'KMS.InvalidStateException', httpStatus: 400 },
  KmsNotFound: { queryCode: 'KMS.NotFoundException', httpStatus: 400 },
  KmsOptInRequired: { queryCode: 'KMS.OptInRequired', httpStatus: 403 },
  KmsThrottled: { queryCode: 'KMS.ThrottlingException', httpStatus: 400 },
  InvalidParameterValueException: { queryCode: 'InvalidParameterValue', httpStatus: 400, frontLayer: true },
  MissingRequiredParameterException: { queryCode: 'MissingParameter', httpStatus: 400, frontLayer: true },
  SerializationException: { queryCode: 'MalformedInput', httpStatus: 400, frontLayer: true },
  UnknownOperationException: { queryCode: 'InvalidAction', httpStatus: 400, frontLayer: true },
  MissingActionException: { queryCode: 'MissingAction', httpStatus: 400, frontLayer: true },
  /** A request that is not even an attempt to call an action, for example of a browser. AWS Query only. */
  NoSuchEndpoint: { queryCode: 'UnknownOperationException', httpStatus: 404, frontLayer: true },
  AccessDeniedException: { queryCode: 'AccessDenied', httpStatus: 403, frontLayer: true, jsonMessageKey: 'Message' },
  UnrecognizedClientException: { queryCode: 'InvalidClientTokenId', httpStatus: 403, frontLayer: true },
  InvalidSignatureException: { queryCode: 'SignatureDoesNotMatch', httpStatus: 403, frontLayer: true },
  MissingAuthenticationTokenException: { queryCode: 'MissingAuthenticationToken', httpStatus: 403, frontLayer: true },
  IncompleteSignatureException: { queryCode: 'IncompleteSignature', httpStatus: 400, frontLayer: true },
  ExpiredTokenException: { queryCode: 'ExpiredToken', httpStatus: 403, frontLayer: true },
  /** Of STS alone, as the two after it. */
  ValidationError: { queryCode: 'ValidationError', httpStatus: 400, frontLayer: true },
  MalformedPolicyDocument: { queryCode: 'MalformedPolicyDocument', httpStatus: 400, frontLayer: true },
  PackedPolicyTooLarge: { queryCode: 'PackedPolicyTooLarge', httpStatus: 400, frontLayer: true },
  RequestEntityTooLargeException: { queryCode: 'RequestEntityTooLarge', httpStatus: 413, frontLayer: true },
  ServiceUnavailable: { queryCode: 'ServiceUnavailable', httpStatus: 503, fault: 'Receiver', frontLayer: true },
  InternalFailure: { queryCode: 'InternalFailure', httpStatus: 500, fault: 'Receiver', frontLayer: true },
} as const satisfies Record<string, ErrorKind>;

/** The shape name of an error: the last part of `__type` in AWS JSON. */
export type ErrorShape = keyof typeof ERROR_KINDS;

/**
 * Texts quote what the client sent. This leaves room for the longest that may be valid, a policy, and keeps a parameter
 * of many megabytes from coming back, with each of its characters escaped.
 */
const MESSAGE_LENGTH_MAX = 10_000;

/** An error that the API answers with. `message` is the exact text the client sees. */
export class SqsError extends Error {
  override name = 'SqsError';
  readonly shape: ErrorShape;

  constructor(shape: ErrorShape, message: string, options?: ErrorOptions) {
    super(message.length > MESSAGE_LENGTH_MAX ? `${message.slice(0, MESSAGE_LENGTH_MAX)}...` : message, options);
    this.shape = shape;
  }

  get queryCode(): string {
    return this.#kind.queryCode;
  }

  get httpStatus(): number {
    return this.#kind.httpStatus;
  }

  get fault(): 'Sender' | 'Receiver' {
    return this.#kind.fault ?? 'Sender';
  }

  /** The full Smithy id, as `__type` carries it. */
  get smithyId(): string {
    return `${this.#kind.frontLayer ? 'com.amazon.coral.service' : 'com.amazonaws.sqs'}#${this.shape}`;
  }

  get jsonMessageKey(): 'message' | 'Message' {
    return this.#kind.jsonMessageKey ?? 'message';
  }

  get #kind(): ErrorKind {
    return ERROR_KINDS[this.shape];
  }
}

/** Most parameter errors: `InvalidParameterValue`. */
export function invalidParameter(message: string): SqsError {
  return new SqsError('InvalidParameterValueException', message);
}

/** `MissingParameter`, with the text that names the parameter. */
export function missingParameter(parameter: string): SqsError {
  return new SqsError('MissingRequiredParameterException', `The request must contain the parameter ${parameter}.`);
}
