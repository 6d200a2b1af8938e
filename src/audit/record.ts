import { type AuditedCaller, isoSeconds, userIdentityOf } from './caller.ts';
import { isManagementEvent, isReadOnly } from './events.ts';
import { requestParametersOf, responseElementsOf } from './parameters.ts';

/** A call that is about to be made. */
export interface AuditedCall {
  action: string;
  /** Decoded. */
  input: unknown;
  caller: AuditedCaller;
  region: string;
  /** Of the account that owns what is called. */
  recipientAccount: string;
  /** With `*` for a name where it is about no queue in particular. */
  queueArn: string;
  requestId: string;
  sourceAddress?: string;
  userAgent?: string;
  /** Absent: the connection was not encrypted. */
  tls?: { version: string; cipherSuite: string };
  host?: string;
}

/** What became of it. */
export type Outcome = { output: unknown } | { errorCode: string; errorMessage: string };

/**
 * Errors whose text quotes nothing of a message: that of others may repeat a receipt handle or an attribute. Calls on the
 * queues themselves have no such secrets.
 */
const TELLABLE = new Set([
  'AccessDenied',
  'AWS.SimpleQueueService.NonExistentQueue',
  'RequestThrottled',
  'OverLimit',
  'ServiceUnavailable',
  'InternalFailure',
]);

/** A record in CloudTrail's format, version 1.09. */
export function recordOf(call: AuditedCall, outcome: Outcome, time: number, eventId: string): object {
  const isManagement = isManagementEvent(call.action);
  const failure = 'errorCode' in outcome ? outcome : undefined;
  const isTellable = failure !== undefined && (isManagement || TELLABLE.has(failure.errorCode));
  return {
    eventVersion: '1.09',
    userIdentity: userIdentityOf(call.caller),
    eventTime: isoSeconds(time),
    eventSource: 'sqs.amazonaws.com',
    eventName: call.action,
    awsRegion: call.region,
    sourceIPAddress: call.sourceAddress,
    userAgent: call.userAgent?.slice(0, 1024),
    errorCode: failure?.errorCode,
    errorMessage: isTellable ? failure.errorMessage : undefined,
    requestParameters: requestParametersOf(call.input),
    responseElements: 'output' in outcome ? responseElementsOf(call.action, outcome.output) : null,
    requestID: call.requestId,
    eventID: eventId,
    readOnly: isReadOnly(call.action),
    resources: isManagement
      ? undefined
      : [{ accountId: call.recipientAccount, type: 'AWS::SQS::Queue', ARN: call.queueArn }],
    eventType: 'AwsApiCall',
    managementEvent: isManagement,
    recipientAccountId: call.recipientAccount,
    eventCategory: isManagement ? 'Management' : 'Data',
    tlsDetails: call.tls && {
      tlsVersion: call.tls.version,
      cipherSuite: call.tls.cipherSuite,
      clientProvidedHostHeader: call.host,
    },
  };
}
