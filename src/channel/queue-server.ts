import type { Duplex } from 'node:stream';
import type { QueueService } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import type { QueueRecord, Scope } from '../queue/record.ts';
import type { ByteReader } from './byte-reader.ts';
import { CALLS, type FoundQueue, type Input, METHODS, type Method } from './calls.ts';
import { writeError } from './errors.ts';
import { CANCEL, FrameError, FrameSplitter, FrameWriter, ReplyKind } from './frames.ts';

/**
 * Replies that the other end does not fetch. From here on no more of its calls are read until it has. Calls that were read
 * before are still answered, whatever the size of their replies: as everywhere, a receive costs what it returns.
 */
const UNFETCHED_BYTES_MAX = 16 * 1024 * 1024;

/** Serves a `QueueService` to whoever is at the other end of a socket. */
export class QueueServer {
  readonly #queues: QueueService;
  readonly #platform: Platform;
  /** A number for each record that was sent, so that it need not be sent to the same place again. */
  readonly #versions = new WeakMap<QueueRecord, number>();
  #lastVersion = 0;

  constructor(queues: QueueService, platform: Platform) {
    this.#queues = queues;
    this.#platform = platform;
  }

  /**
   * Answers the calls that come over the socket, until it closes: then open long polls end, and replies are dropped. Bytes
   * that are no calls destroy the socket with a `FrameError`.
   */
  serve(socket: Duplex): void {
    const frames = new FrameWriter(socket, this.#platform);
    const splitter = new FrameSplitter();
    const receives = new Map<number, AbortController>();
    const onFrame = (frame: ByteReader) => this.#onFrame(frame, frames, receives);
    socket.on('data', (chunk: Buffer) => {
      try {
        splitter.push(chunk, onFrame);
      } catch (error) {
        socket.destroy(error as Error);
      }
      if (socket.writableLength > UNFETCHED_BYTES_MAX) {
        socket.pause();
        socket.once('drain', () => socket.resume());
      }
    });
    // Every error is followed by 'close'.
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const receive of receives.values()) receive.abort();
    });
  }

  #onFrame(frame: ByteReader, frames: FrameWriter, receives: Map<number, AbortController>): void {
    const kind = frame.u8();
    const number = frame.u32();
    if (kind === CANCEL) {
      receives.get(number)?.abort();
      return;
    }
    const method = METHODS[kind];
    if (method === undefined) throw new FrameError(`There is no method ${kind}.`);
    const input = CALLS[method].readInput(frame);
    let answer: Promise<unknown>;
    if (method === 'receive') {
      const receive = new AbortController();
      receives.set(number, receive);
      answer = this.#invoke(method, [...input, receive.signal]).finally(() => receives.delete(number));
    } else if (method === 'findQueue') {
      const [scope, name, held] = input as Input<'findQueue'>;
      answer = this.#findQueue(scope, name, held);
    } else {
      answer = this.#invoke(method, input);
    }
    answer
      .then((reply) =>
        // The reply of a method is what its codec takes.
        frames.frame(ReplyKind.result, number, (bytes) => CALLS[method].writeReply(bytes, reply as never)),
      )
      .catch((error: unknown) => frames.frame(ReplyKind.failure, number, (bytes) => writeError(bytes, error)));
  }

  /** A method that throws at once has failed like any other. */
  async #invoke(method: Method, input: unknown[]): Promise<unknown> {
    const call = this.#queues[method] as (...input: unknown[]) => Promise<unknown>;
    return call.apply(this.#queues, input);
  }

  async #findQueue(scope: Scope, name: string, held: number): Promise<FoundQueue> {
    const queue = await this.#queues.findQueue(scope, name);
    if (queue === undefined) return undefined;
    let version = this.#versions.get(queue);
    if (version === undefined) {
      version = ++this.#lastVersion;
      this.#versions.set(queue, version);
    }
    return version === held ? 'held' : { version, queue };
  }
}
