import { createHash } from 'node:crypto';
import type { SendResult } from '../engine/queue-service.ts';
import { md5OfBody, md5OfMessageAttributes } from '../protocol/checksums.ts';
import { invalidParameter, missingParameter, SqsError } from '../protocol/model/errors.ts';
import type { SendMessageRequest } from '../protocol/model/shapes.ts';
import type { NewMessage } from '../queue/message.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { hasOnlyMessageCharacters, INVALID_CHARACTERS, isId } from './characters.ts';
import { DELAY_SECONDS_MAX } from './limits.ts';
import { isTraceHeaderLength, parseMessageAttributes, parseSystemAttributes } from './message-attributes.ts';
import { isFifo } from './queue-type.ts';

/** What SendMessage and an entry of SendMessageBatch have in common. */
export type MessageRequest = Omit<SendMessageRequest, 'QueueUrl'>;

/** A message that may be sent, with those digests of the reply that are not part of the message. */
export interface OutgoingMessage {
  message: NewMessage;
  /** Only with user attributes. */
  attributesMd5?: string;
  /** Only with system attributes in the request itself: a trace header of the HTTP request does not count. */
  systemAttributesMd5?: string;
}

/** The two ways in which SQS words what is wrong: for a single message and for an entry of a batch. */
export interface Wording {
  bodyParameter: string;
  invalidId(parameter: string, value: string): string;
  deduplicationIdOnStandardQueue: string;
  tooLong(maxBytes: number): string;
}

export const SINGLE_WORDING: Wording = {
  bodyParameter: 'MessageBody',
  invalidId: (parameter, value) =>
    `Value ${value} for parameter ${parameter} is invalid. Reason: ${parameter} can only include alphanumeric and ` +
    'punctuation characters. 1 to 128 in length.',
  deduplicationIdOnStandardQueue:
    'The request include parameter MessageDeduplicationId which is not valid for this queue type',
  tooLong: (maxBytes) => `One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`,
};

/** `position` counts from 1. */
export function batchWording(position: number): Wording {
  return {
    bodyParameter: `SendMessageBatchRequestEntry.${position}.MessageBody`,
    invalidId: (parameter) =>
      `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length`,
    deduplicationIdOnStandardQueue: 'The request include parameter that is not valid for this queue type',
    tooLong: (maxBytes) =>
      `One or more parameters cannot be validated. Reason: Message must be shorter than ${maxBytes} bytes.`,
  };
}

/**
 * Checks that there is a body and that group, deduplication and delay fit the type of the queue (SQS: section 2.7).
 *
 * @throws SqsError MissingParameter or InvalidParameterValue.
 */
export function checkDelivery(queue: QueueRecord, request: MessageRequest, wording: Wording): void {
  if (!request.MessageBody) throw missingParameter(wording.bodyParameter);
  if (isFifo(queue)) checkFifoIds(queue, request, wording);
  else checkStandardIds(request, wording);
  checkDelay(queue, request.DelaySeconds);
}

/**
 * Makes the message that a request which passed `checkDelivery` asks for. `size` is its `messageSize`.
 *
 * @throws SqsError InvalidParameterValue, InvalidMessageContents or UnsupportedOperation.
 */
export function composeMessage(
  queue: QueueRecord,
  request: MessageRequest,
  size: number,
  wording: Wording,
  context: Pick<ActionContext, 'platform' | 'senderId' | 'traceHeader'>,
): OutgoingMessage {
  const body = request.MessageBody ?? '';
  const attributes = parseMessageAttributes(request.MessageAttributes);
  if (!hasOnlyMessageCharacters(body)) throw new SqsError('InvalidMessageContents', INVALID_CHARACTERS);
  const maxBytes = Number(queue.attributes.MaximumMessageSize);
  if (size > maxBytes) throw invalidParameter(wording.tooLong(maxBytes));
  const traceHeader = parseSystemAttributes(request.MessageSystemAttributes);

  const fifo = isFifo(queue);
  const { MessageDeduplicationId: deduplicationId, DelaySeconds: delaySeconds } = request;
  const message: NewMessage = {
    messageId: context.platform.uuid(),
    body,
    bodyMd5: md5OfBody(body),
    attributes,
    senderId: context.senderId,
    // An explicit header wins over that of the HTTP request (SQS: section 4.2).
    traceHeader: traceHeader?.value ?? traceHeaderOfRequest(context),
    groupId: request.MessageGroupId,
    deduplicationId: fifo ? (deduplicationId ?? sha256Of(body)) : undefined,
    delayMs: fifo || delaySeconds === undefined ? undefined : delaySeconds * 1000,
  };
  return {
    message,
    attributesMd5: attributes.length > 0 ? md5OfMessageAttributes(attributes) : undefined,
    systemAttributesMd5: traceHeader && md5OfMessageAttributes([traceHeader]),
  };
}

/** The reply for a message that was sent. For a duplicate the digests are of the new request (SQS: section 6.2). */
export function sendResultOf(outgoing: OutgoingMessage, result: SendResult) {
  return {
    MessageId: result.messageId,
    MD5OfMessageBody: outgoing.message.bodyMd5,
    MD5OfMessageAttributes: outgoing.attributesMd5,
    MD5OfMessageSystemAttributes: outgoing.systemAttributesMd5,
    SequenceNumber: result.sequenceNumber,
  };
}

/** One that is too long is left out: nobody meant to put it on this message. */
function traceHeaderOfRequest({ traceHeader }: Pick<ActionContext, 'traceHeader'>): string | undefined {
  return traceHeader !== undefined && isTraceHeaderLength(traceHeader) ? traceHeader : undefined;
}

function checkFifoIds(queue: QueueRecord, request: MessageRequest, wording: Wording): void {
  const { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId } = request;
  // An empty group id counts as missing on a FIFO queue; no recording says otherwise (SQS: section 2.7).
  if (!groupId) throw missingParameter('MessageGroupId');
  checkId('MessageGroupId', groupId, wording);
  if (deduplicationId !== undefined) {
    checkId('MessageDeduplicationId', deduplicationId, wording);
  } else if (queue.attributes.ContentBasedDeduplication !== 'true') {
    throw invalidParameter(
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
}

function checkStandardIds(request: MessageRequest, wording: Wording): void {
  if (request.MessageDeduplicationId !== undefined) throw invalidParameter(wording.deduplicationIdOnStandardQueue);
  if (request.MessageGroupId !== undefined) checkId('MessageGroupId', request.MessageGroupId, wording);
}

function checkId(parameter: string, value: string, wording: Wording): void {
  if (!isId(value)) throw invalidParameter(wording.invalidId(parameter, value));
}

function checkDelay(queue: QueueRecord, delaySeconds: number | undefined): void {
  if (delaySeconds === undefined) return;
  if (isFifo(queue) && delaySeconds !== 0) {
    throw invalidParameter(
      `Value ${delaySeconds} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not ` +
        'valid for this queue type.',
    );
  }
  if (delaySeconds < 0 || delaySeconds > DELAY_SECONDS_MAX) {
    throw invalidParameter(
      `Value ${delaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ` +
        `${DELAY_SECONDS_MAX}.`,
    );
  }
}

/** The deduplication id of a message without one on a queue with content-based deduplication: attributes are left out. */
function sha256Of(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
