import {
  KeyError,
  type KeyFailure,
  OverloadedError,
  QueueGoneError,
  ReadError,
  RevisionConflictError,
  StoreUnavailableError,
  ThrottledError,
} from '../engine/queue-service.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

interface PlainError {
  name?: string;
  message: string;
  stack?: string;
  outcome?: 'not-applied' | 'unknown';
  failure?: KeyFailure;
}

export function writeError(bytes: ByteWriter, error: unknown): void {
  const { name, message, stack, outcome, failure } = (
    error instanceof Error ? error : new Error(String(error))
  ) as PlainError;
  // There are kinds of it that are the store's own affair.
  const kind = error instanceof ReadError ? 'ReadError' : name;
  bytes.json({ name: kind, message, stack, outcome, failure } satisfies PlainError);
}

/** The errors of the seam arrive as themselves, with the stack of where they were thrown. */
export function readError(bytes: ByteReader): Error {
  const plain = bytes.json() as PlainError;
  const error = revive(plain);
  error.stack = plain.stack;
  return error;
}

function revive({ name, message, outcome, failure }: PlainError): Error {
  if (name === 'QueueGoneError') return new QueueGoneError(message);
  if (name === 'KeyError') return new KeyError(failure, message);
  if (name === 'ReadError') return new ReadError(message);
  if (name === 'RevisionConflictError') return new RevisionConflictError(message);
  if (name === 'ThrottledError') return new ThrottledError(message);
  if (name === 'OverloadedError') return new OverloadedError(message);
  if (name === 'StoreUnavailableError') return new StoreUnavailableError(outcome ?? 'unknown', message);
  return new Error(message);
}
