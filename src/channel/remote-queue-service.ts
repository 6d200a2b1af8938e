import type { Duplex } from 'node:stream';
import {
  type CancelSignal,
  type ContentRoom,
  type DeleteOutcome,
  type MessageCounts,
  type MoveTask,
  type MoveTaskRequest,
  OverloadedError,
  type QueueService,
  type ReceivedMessage,
  type ReceiveRequest,
  type SendResult,
  StoreUnavailableError,
  type VisibilityChange,
  type VisibilityOutcome,
} from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import type { NewMessage } from '../queue/message.ts';
import type { QueueRecord, Scope } from '../queue/record.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { CALLS, type Input, METHODS, type Method, type Reply } from './calls.ts';
import { readError } from './errors.ts';
import { CANCEL, FrameSplitter, FrameWriter, ReplyKind } from './frames.ts';
import { HeldRecords } from './held-records.ts';

/**
 * Every long poll is a call under way, so there may be as many as a process can have connections; what one holds is about
 * a kilobyte. 32 MiB of requests are several turns' worth of work for the engine: more would only wait there.
 */
const LIMITS: AdmissionLimits = { calls: 16_384, bytes: 32 * 1024 * 1024 };

/** Contents up to here need no room of their own. */
const SMALL_CONTENT_LENGTH = 64 * 1024;

/** A call that has been written and not answered. */
interface Pending {
  method: Method;
  size: number;
  // biome-ignore lint/suspicious/noExplicitAny: the reply of whichever method it is
  resolve: (reply: any) => void;
  reject: (error: Error) => void;
  /** Takes its hands off the caller's signal, which may live longer than the call. */
  release?: () => void;
}

/** The queues at the other end of a socket. */
export class RemoteQueueService implements QueueService {
  readonly #frames: FrameWriter;
  readonly #admission: Admission;
  readonly #pending = new Map<number, Pending>();
  readonly #records = new HeldRecords();
  #lastNumber = 0;
  #isLost = false;

  constructor(socket: Duplex, platform: Platform, limits: AdmissionLimits = LIMITS) {
    this.#frames = new FrameWriter(socket, platform);
    this.#admission = new Admission(limits);
    const splitter = new FrameSplitter();
    socket.on('data', (chunk: Buffer) => {
      try {
        splitter.push(chunk, (frame) => this.#onReply(frame));
      } catch (error) {
        // Nothing that follows could be understood.
        socket.destroy(error as Error);
      }
    });
    // Every error is followed by 'close'.
    socket.on('error', () => {});
    socket.on('close', () => this.#onLost());
  }

  async findQueue(scope: Scope, name: string): Promise<QueueRecord | undefined> {
    const held = this.#records.get(scope, name);
    const found = await this.#call('findQueue', [scope, name, held?.version ?? 0]);
    if (found === 'held') return held?.queue;
    if (found === undefined) this.#records.delete(scope, name);
    else this.#records.set(found);
    return found?.queue;
  }

  listQueues(scope: Scope, query: { prefix: string; after?: string; limit: number }): Promise<QueueRecord[]> {
    return this.#call('listQueues', [scope, query]);
  }

  createQueue(
    queue: Omit<QueueRecord, 'id' | 'revision'>,
    recreateAfterMs: number,
  ): Promise<{ created: boolean; queue: QueueRecord } | 'deleted-recently'> {
    return this.#call('createQueue', [queue, recreateAfterMs]);
  }

  updateQueue(record: QueueRecord): Promise<QueueRecord> {
    return this.#call('updateQueue', [record]);
  }

  deleteQueue(queueId: number): Promise<void> {
    return this.#call('deleteQueue', [queueId]);
  }

  deadLetterSources(scope: Scope, targetArn: string, query: { after?: string; limit: number }): Promise<QueueRecord[]> {
    return this.#call('deadLetterSources', [scope, targetArn, query]);
  }

  counts(queueId: number): Promise<MessageCounts> {
    return this.#call('counts', [queueId]);
  }

  send(queueId: number, messages: readonly NewMessage[]): Promise<SendResult[]> {
    return this.#call('send', [queueId, messages]);
  }

  /** What has come over the socket is here already: `room` bounds only what is made of it. */
  async receive(
    queueId: number,
    request: ReceiveRequest,
    signal: CancelSignal,
    room?: ContentRoom,
  ): Promise<ReceivedMessage[] | 'over-limit'> {
    const messages = await this.#call('receive', [queueId, request], signal);
    if (room === undefined || messages === 'over-limit') return messages;
    const size = messages.reduce((sum, { body }) => sum + body.length, 0);
    if (size > SMALL_CONTENT_LENGTH) await room.reserve(size);
    return messages;
  }

  deleteMessages(queueId: number, receiptHandles: readonly string[]): Promise<DeleteOutcome[]> {
    return this.#call('deleteMessages', [queueId, receiptHandles]);
  }

  changeVisibility(queueId: number, entries: readonly VisibilityChange[]): Promise<VisibilityOutcome[]> {
    return this.#call('changeVisibility', [queueId, entries]);
  }

  purge(queueId: number, minIntervalMs: number): Promise<'purged' | 'in-progress'> {
    return this.#call('purge', [queueId, minIntervalMs]);
  }

  startMoveTask(request: MoveTaskRequest): Promise<MoveTask | 'already-running'> {
    return this.#call('startMoveTask', [request]);
  }

  listMoveTasks(sourceQueueId: number, limit: number): Promise<MoveTask[]> {
    return this.#call('listMoveTasks', [sourceQueueId, limit]);
  }

  cancelMoveTask(sourceQueueId: number, taskId: string): Promise<MoveTask | 'no-such-task' | 'not-active'> {
    return this.#call('cancelMoveTask', [sourceQueueId, taskId]);
  }

  #call<Name extends Method>(method: Name, input: Input<Name>, signal?: CancelSignal): Promise<Reply<Name>> {
    return new Promise((resolve, reject) => {
      const begin = () => this.#begin(method, input, { resolve, reject }, signal);
      if (!this.#admission.enter(begin)) reject(new OverloadedError('There are too many requests under way.'));
    });
  }

  /** Writes a call and returns its size. Never throws. */
  #begin<Name extends Method>(
    method: Name,
    input: Input<Name>,
    { resolve, reject }: Pick<Pending, 'resolve' | 'reject'>,
    signal: CancelSignal | undefined,
  ): number {
    const number = this.#nextNumber();
    const pending: Pending = { method, size: 0, resolve, reject };
    this.#pending.set(number, pending);
    try {
      if (this.#isLost) throw lost('not-applied');
      const write = (bytes: ByteWriter) => CALLS[method].writeInput(bytes, input);
      pending.size = this.#frames.frame(METHODS.indexOf(method), number, write);
      if (signal !== undefined) this.#cancelOnAbort(number, pending, signal);
    } catch (error) {
      // Not at once: a call that ends lets the next one begin, and thousands may be waiting to fail inside one another.
      void Promise.resolve().then(() => this.#settle(number)?.reject(error as Error));
    }
    return pending.size;
  }

  /** A cancelled receive is answered like any other: what it had taken by then, or nothing. */
  #cancelOnAbort(number: number, pending: Pending, signal: CancelSignal): void {
    const cancel = () => void this.#frames.frame(CANCEL, number, () => {});
    if (signal.aborted) {
      cancel();
      return;
    }
    signal.addEventListener('abort', cancel, { once: true });
    pending.release = () => signal.removeEventListener('abort', cancel);
  }

  #onReply(frame: ByteReader): void {
    const kind = frame.u8();
    const pending = this.#settle(frame.u32());
    if (pending === undefined) return;
    if (kind === ReplyKind.result) pending.resolve(CALLS[pending.method].readReply(frame));
    else pending.reject(readError(frame));
  }

  #settle(number: number): Pending | undefined {
    const pending = this.#pending.get(number);
    if (pending === undefined) return undefined;
    this.#pending.delete(number);
    pending.release?.();
    this.#admission.leave(pending.size);
    return pending;
  }

  #onLost(): void {
    this.#isLost = true;
    for (const number of [...this.#pending.keys()]) this.#settle(number)?.reject(lost('unknown'));
  }

  #nextNumber(): number {
    do this.#lastNumber = (this.#lastNumber + 1) >>> 0;
    while (this.#pending.has(this.#lastNumber));
    return this.#lastNumber;
  }
}

function lost(outcome: 'not-applied' | 'unknown'): StoreUnavailableError {
  return new StoreUnavailableError(outcome, 'The connection to the message store is lost.');
}
