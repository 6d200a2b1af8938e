import type { CancelSignal, ContentRoom, QueueService } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import type { QueueRecord, Scope } from '../queue/record.ts';

/** What an action knows of its request besides the decoded input. */
export interface ActionContext {
  /** The caller's account and region. */
  scope: Scope;
  queues: QueueService;
  platform: Platform;
  /** Scheme and authority that queue URLs in replies start with, no final slash: `http://localhost:9324`. */
  baseUrl: string;
  /** Path of the request URL. Names the queue when the input has no QueueUrl: `/000000000000/orders`. */
  path: string;
  /** Aborted when the client goes away or the server drains: ends a long poll. */
  signal: CancelSignal;
  /** Where a receive keeps what it has read; absent for the server's own calls. */
  room?: ContentRoom;
  protocol: 'awsJson1_0' | 'awsQuery';
  /** The `X-Amzn-Trace-Id` header, which becomes AWSTraceHeader on a send. */
  traceHeader?: string;
  /** The SenderId of messages sent by this request. */
  senderId: string;
  limits: Limits;
}

/** Waiting times of SQS that a test may not want to sit through. */
export interface Limits {
  /** 60,000 in SQS: how long a deleted queue's name stays taken. */
  recreateAfterMs: number;
  /** 60,000 in SQS: how long PurgeQueue refuses to run again. */
  purgeIntervalMs: number;
}

/** One action of the API: validate, hand a command to the engine, shape the reply. */
export type Action<Input, Output> = (input: Input, context: ActionContext) => Promise<Output>;

/** An action on one queue. The queue has been looked up before, as that comes before every other check. */
export type QueueAction<Input, Output> = (queue: QueueRecord, input: Input, context: ActionContext) => Promise<Output>;
