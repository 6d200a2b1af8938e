import type { SqsError } from '../src/protocol/model/errors.ts';
import type { ActionInputs, ActionName, ActionOutputs } from '../src/protocol/model/shapes.ts';

/**
 * One call of a client, from his question to what he came to know.
 *
 *   open ----answer of the server----> ok | error
 *   open ----never got there, or the server says that nothing was changed----> refused
 *   open ----killed, timed out, answer lost, 503 of another kind----> unknown
 */
export interface Call<Name extends ActionName = ActionName> {
  id: number;
  client: string;
  name: Name;
  input: ActionInputs[Name];
  /** Which queue it is about, by name; empty for those of the account. */
  queue: string;
  askedAt: number;
  askedStep: number;
  /** When it reached the server; absent when it never did. */
  arrivedAt?: number;
  arrivedStep?: number;
  /** When the server was done with it, whether or not the client learned of it. */
  answeredAt?: number;
  answeredStep?: number;
  /** When the server was done with it, or was killed over it. */
  endedStep?: number;
  /** What the client knows. */
  outcome: 'open' | 'ok' | 'error' | 'refused' | 'unknown';
  /** What the server said, whether or not the client learned of it. */
  reply?: ActionOutputs[Name];
  error?: SqsError;
  abort: AbortController;
}

export type AnyCall = { [Name in ActionName]: Call<Name> }[ActionName];

export function isCall<Name extends ActionName>(call: Call, name: Name): call is Call<Name> {
  return call.name === name;
}

/** Whether the server said yes, whatever the client learned of it. */
export function isAcknowledged(call: Call): boolean {
  return call.answeredAt !== undefined && call.error === undefined;
}

/** Whether something the call asked for may have happened in the turns from `from` to `to`. */
export function mayHaveActed(call: Call, from: number, to: number): boolean {
  if (call.arrivedStep === undefined || call.arrivedStep > to) return false;
  return call.endedStep === undefined || call.endedStep >= from;
}
