import type { DeleteOutcome, QueueService, ReceivedMessage, ReceiveRequest } from '../engine/queue-service.ts';
import type { QueueRecord, Scope } from '../queue/record.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import {
  readList,
  readNewMessages,
  readReceivedMessages,
  readTexts,
  writeNewMessages,
  writeReceivedMessages,
  writeTexts,
} from './content.ts';

/** What can be called through a channel: a `QueueService`, two methods of which look different on the way. */
export interface ChannelCalls extends Omit<QueueService, 'findQueue' | 'receive'> {
  /**
   * Every action begins with this, and records seldom change: `held` is the version of the record that the caller has
   * (0: none), and when that is still the one, the reply is short.
   */
  findQueue(scope: Scope, name: string, held: number): Promise<FoundQueue>;
  /** The signal crosses as a frame of its own. */
  receive(queueId: number, request: ReceiveRequest): Promise<ReceivedMessage[] | 'over-limit'>;
}

export type FoundQueue = undefined | 'held' | { version: number; queue: QueueRecord };

export type Method = keyof ChannelCalls;
export type Input<Name extends Method> = Parameters<ChannelCalls[Name]>;
export type Reply<Name extends Method> = Awaited<ReturnType<ChannelCalls[Name]>>;

/** How a call and its reply are written. What is written seldom, and carries no message, is JSON. */
export interface CallCodec<In extends unknown[], Out> {
  writeInput(bytes: ByteWriter, input: In): void;
  readInput(bytes: ByteReader): In;
  writeReply(bytes: ByteWriter, reply: Out): void;
  readReply(bytes: ByteReader): Out;
}

export const CALLS: { readonly [Name in Method]: CallCodec<Input<Name>, Reply<Name>> } = {
  findQueue: {
    writeInput(bytes, [{ account, region }, name, held]) {
      bytes.text(account);
      bytes.text(region);
      bytes.text(name);
      bytes.u32(held);
    },
    readInput: (bytes) => [{ account: bytes.text(), region: bytes.text() }, bytes.text(), bytes.u32()],
    writeReply(bytes, found) {
      bytes.u8(found === undefined ? 0 : found === 'held' ? 1 : 2);
      if (typeof found === 'object') bytes.json(found);
    },
    readReply(bytes) {
      const kind = bytes.u8();
      if (kind === 2) return bytes.json() as FoundQueue;
      return kind === 1 ? 'held' : undefined;
    },
  },

  send: {
    writeInput(bytes, [queueId, messages]) {
      bytes.u32(queueId);
      writeNewMessages(bytes, messages);
    },
    readInput: (bytes) => [bytes.u32(), readNewMessages(bytes)],
    writeReply(bytes, results) {
      bytes.u8(results.length);
      for (const { messageId, sequenceNumber } of results) {
        bytes.text(messageId);
        bytes.optionalText(sequenceNumber);
      }
    },
    readReply: (bytes) => readList(bytes, () => ({ messageId: bytes.text(), sequenceNumber: bytes.optionalText() })),
  },

  receive: {
    writeInput(bytes, [queueId, { maxMessages, waitMs, visibilityTimeoutMs, attemptId }]) {
      bytes.u32(queueId);
      bytes.u8(maxMessages);
      bytes.f64(waitMs);
      bytes.f64(visibilityTimeoutMs ?? -1);
      bytes.optionalText(attemptId);
    },
    readInput(bytes) {
      const queueId = bytes.u32();
      const [maxMessages, waitMs, visibilityTimeoutMs] = [bytes.u8(), bytes.f64(), bytes.f64()];
      const attemptId = bytes.optionalText();
      const timeout = visibilityTimeoutMs < 0 ? undefined : visibilityTimeoutMs;
      return [queueId, { maxMessages, waitMs, visibilityTimeoutMs: timeout, attemptId }];
    },
    writeReply(bytes, received) {
      bytes.u8(received === 'over-limit' ? 1 : 0);
      if (received !== 'over-limit') writeReceivedMessages(bytes, received);
    },
    readReply: (bytes) => (bytes.u8() === 1 ? 'over-limit' : readReceivedMessages(bytes)),
  },

  deleteMessages: {
    writeInput(bytes, [queueId, handles]) {
      bytes.u32(queueId);
      writeTexts(bytes, handles);
    },
    readInput: (bytes) => [bytes.u32(), readTexts(bytes)],
    writeReply: writeTexts,
    readReply: readTexts<DeleteOutcome>,
  },

  listQueues: asJson(),
  createQueue: asJson(),
  updateQueue: asJson(),
  deleteQueue: asJson(),
  deadLetterSources: asJson(),
  counts: asJson(),
  changeVisibility: asJson(),
  purge: asJson(),
  startMoveTask: asJson(),
  listMoveTasks: asJson(),
  cancelMoveTask: asJson(),
};

/** A method on the wire is its position here. */
export const METHODS = Object.keys(CALLS) as Method[];

function asJson<In extends unknown[], Out>(): CallCodec<In, Out> {
  return {
    writeInput: (bytes, input) => bytes.json(input),
    readInput: (bytes) => bytes.json() as In,
    writeReply: (bytes, reply) => bytes.json(reply),
    readReply: (bytes) => bytes.json() as Out,
  };
}
