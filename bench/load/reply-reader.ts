export interface HttpReply {
  status: number;
  body: Buffer;
}

interface Head {
  status: number;
  /** Of the body; undefined: it comes in chunks that say their own length. */
  length: number | undefined;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NO_BYTES = Buffer.alloc(0);
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;

/** Puts the replies of one connection together from the pieces in which they come, one reply at a time. */
export class ReplyReader {
  #head: Head | undefined;
  /** What has come of a head, or of chunks. */
  #unread: Buffer = NO_BYTES;
  /** What has come of a body of known length, joined once: a body of a megabyte comes in many pieces. */
  #pieces: Buffer[] = [];
  #pieceBytes = 0;

  /**
   * Takes the next bytes; gives the reply once it is complete.
   *
   * @throws Error when the reply does not say how long it is
   */
  push(bytes: Buffer): HttpReply | undefined {
    const rest = this.#head === undefined ? this.#readHead(bytes) : bytes;
    if (this.#head === undefined || rest === undefined) return undefined;
    const { status, length } = this.#head;
    const body = length === undefined ? this.#readChunks(rest) : this.#readBody(rest, length);
    if (body === undefined) return undefined;
    this.#head = undefined;
    return { status, body };
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const received = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd === -1) {
      this.#unread = received;
      return undefined;
    }
    const head = received.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined && !CHUNKED.test(head)) throw new Error(`Cannot tell how long a reply is: ${head}`);
    // "HTTP/1.1 200 OK"
    this.#head = { status: Number(head.slice(9, 12)), length: length === undefined ? undefined : Number(length) };
    this.#unread = NO_BYTES;
    return received.subarray(headEnd + HEAD_END.length);
  }

  #readBody(bytes: Buffer, length: number): Buffer | undefined {
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
    if (this.#pieceBytes < length) return undefined;
    const body = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pieceBytes = 0;
    return body;
  }

  #readChunks(bytes: Buffer): Buffer | undefined {
    const received = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    this.#unread = received;
    const chunks: Buffer[] = [];
    for (let at = 0; ; ) {
      const lineEnd = received.indexOf(LINE_END, at);
      if (lineEnd === -1) return undefined;
      const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
      const start = lineEnd + LINE_END.length;
      // An empty line follows the last chunk as it does any other; no server sends trailers unasked.
      at = start + length + LINE_END.length;
      if (received.length < at) return undefined;
      if (length === 0) break;
      chunks.push(received.subarray(start, start + length));
    }
    this.#unread = NO_BYTES;
    return Buffer.concat(chunks);
  }
}
