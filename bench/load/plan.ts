// What the parent and a load process say to each other.

import type { Percentiles } from './latencies.ts';
import type { MessageShape } from './messages.ts';

export interface QueueTarget extends MessageShape {
  url: string;
}

/** What one connection does again and again. */
export type StepName =
  | 'send'
  | 'sendTen'
  | 'receiveAndDelete'
  | 'receiveAndDeleteTen'
  | 'lifecycle'
  | 'lifecycleTen'
  | 'changeVisibility'
  | 'changeVisibilityTen'
  | 'getAttributes';

export interface Role {
  step: StepName;
  connections: number;
}

export interface MeasurePlan {
  name: string;
  queue: QueueTarget;
  /** At the same time. The messages of a measurement are those of the last one. */
  roles: readonly Role[];
  /** After `warmupSeconds` that do not count. */
  seconds: number;
  warmupSeconds: number;
  /** So many messages are in the queue, and the first role is held back so that it stays so. */
  steadyDepth?: number;
}

export interface WakeUpPlan {
  name: string;
  queue: QueueTarget;
  /** Receives that wait. */
  connections: number;
  seconds: number;
  warmupSeconds: number;
  /** What a request takes without a commit. */
  requestMs: number;
}

export interface Measurement {
  name: string;
  seconds: number;
  messages: number;
  /** By action: how many requests of it there were, and how long one took. */
  requests: Record<string, Timing>;
  /** Cores that the load process kept busy: near 1, it measures itself. */
  loadCores: number;
  /** The queue was empty before the time was over. */
  ranDry: boolean;
}

export interface Drained {
  messages: number;
  /** Until the last of them was deleted; that the queue is empty shows later. */
  seconds: number;
}

export interface Timing {
  count: number;
  latency: Percentiles;
}

/** What a load process tells unasked. */
export type LoadEvent = { kind: 'started' } | { kind: 'progress'; done: number };

/** A call of a method of the load agent, and its outcome. */
export interface LoadRequest {
  id: number;
  method: string;
  args: unknown[];
}

export type LoadMessage = LoadEvent | { kind: 'result'; id: number; value: unknown; error?: string };
