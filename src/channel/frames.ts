/**
 * What goes over a channel: frames, each with its length (32 bits) before it. A frame is a call, a reply or a
 * cancellation; all begin with a kind and the number of the call.
 *
 *   call      method (8 bits)     call number (32)   arguments
 *   cancel    255                 call number
 *   reply     0: result           call number        result
 *             1: failure          call number        error
 */
import type { Duplex } from 'node:stream';
import type { Platform } from '../platform/platform.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

const LENGTH_BYTES = 4;
/** Ten messages of 1 MiB are 10 MiB. A longer frame can only be a length that was never one. */
const FRAME_BYTES_MAX = 32 * 1024 * 1024;

export const CANCEL = 255;
export const ReplyKind = { result: 0, failure: 1 } as const;

/** The bytes that came are no frames: whoever sent them speaks another language. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/** Frames of one turn of the event loop, in one write. */
export class FrameWriter {
  readonly #socket: Duplex;
  readonly #platform: Platform;
  readonly #bytes = new ByteWriter();

  constructor(socket: Duplex, platform: Platform) {
    this.#socket = socket;
    this.#platform = platform;
  }

  /** Adds a frame and returns its size. When `content` throws there is no frame. */
  frame(kind: number, callNumber: number, content: (bytes: ByteWriter) => void): number {
    const bytes = this.#bytes;
    const start = bytes.length;
    try {
      bytes.u32(0);
      bytes.u8(kind);
      bytes.u32(callNumber);
      content(bytes);
    } catch (error) {
      bytes.truncate(start);
      throw error;
    }
    const size = bytes.length - start;
    bytes.setU32(start, size - LENGTH_BYTES);
    if (start === 0) this.#platform.afterTurn(() => this.#flush());
    return size;
  }

  #flush(): void {
    const bytes = this.#bytes.take();
    if (bytes.length > 0 && this.#socket.writable) this.#socket.write(bytes);
  }
}

/** Finds the frames in chunks as a socket delivers them: several in one, one in several, cut anywhere. */
export class FrameSplitter {
  /** The beginning of a frame that is not complete. */
  #pieces: Buffer[] = [];
  #size = 0;

  /** Calls `onFrame` for each frame that the chunk completes. @throws FrameError */
  push(chunk: Buffer, onFrame: (frame: ByteReader) => void): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#size > 0 || chunk.length - at < LENGTH_BYTES) {
        at = this.#complete(chunk, at, onFrame);
        continue;
      }
      const start = at + LENGTH_BYTES;
      const end = start + checkedLength(chunk.readUInt32BE(at));
      if (end > chunk.length) {
        this.#keep(chunk.subarray(at));
        return;
      }
      onFrame(new ByteReader(chunk.subarray(start, end)));
      at = end;
    }
  }

  /** Takes what is missing of the frame that has begun, and returns where that ends. */
  #complete(chunk: Buffer, at: number, onFrame: (frame: ByteReader) => void): number {
    if (this.#size < LENGTH_BYTES) {
      const end = Math.min(at + LENGTH_BYTES - this.#size, chunk.length);
      this.#keep(chunk.subarray(at, end));
      return end;
    }
    if ((this.#pieces[0] as Buffer).length < LENGTH_BYTES) this.#pieces = [Buffer.concat(this.#pieces)];
    const wanted = LENGTH_BYTES + checkedLength((this.#pieces[0] as Buffer).readUInt32BE(0));
    const end = Math.min(at + wanted - this.#size, chunk.length);
    this.#keep(chunk.subarray(at, end));
    if (this.#size === wanted) {
      const frame = Buffer.concat(this.#pieces, wanted);
      this.#pieces = [];
      this.#size = 0;
      onFrame(new ByteReader(frame.subarray(LENGTH_BYTES)));
    }
    return end;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
  }
}

function checkedLength(length: number): number {
  // Every frame has a kind and a number, so none is empty and the splitter always moves on.
  if (length === 0 || length > FRAME_BYTES_MAX) throw new FrameError(`A frame cannot have ${length} bytes.`);
  return length;
}
