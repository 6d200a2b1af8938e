import { connect, type Socket } from 'node:net';

export interface RawReply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The parts of an HTTP/1.1 request, for `requestBytes`. */
export interface RawRequest {
  method?: string;
  target?: string;
  /** Besides Host and Content-Length, which are added unless given here; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
}

/** A request exactly as given, right or wrong. */
export function requestBytes({ method = 'POST', target = '/', headers = {}, body = '' }: RawRequest): Buffer {
  const bytes = Buffer.from(body);
  const chunked = headers['Transfer-Encoding'] !== undefined;
  const all = { Host: 'localhost', 'Content-Length': chunked ? undefined : String(bytes.length), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

/** The same request with its body in chunks of the given size. */
export function chunk(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) {
    const piece = body.subarray(start, start + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** A connection on which a test writes what it likes, and which reads replies one by one. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #replies: RawReply[] = [];
  readonly #waiting: { resolve: (reply: RawReply) => void; reject: (error: Error) => void }[] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  /** How many bytes it takes for the next reply to be complete, as far as is known. */
  #wanted = 1;
  #closed = false;
  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>;

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawConnection(socket));
      });
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    // A reset is a way of closing; what it means is for the test to say.
    socket.on('error', () => {});
    socket.on('data', (data) => {
      this.#chunks.push(data);
      this.#size += data.length;
      if (this.#size >= this.#wanted) this.#parse();
    });
    socket.once('close', () => {
      this.#closed = true;
      for (const { reject } of this.#waiting.splice(0)) reject(this.#unanswered());
    });
  }

  /** Resolves when the bytes have left, or when the connection turned out to be closed. */
  write(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(data, () => resolve());
    });
  }

  /** The next reply, interim ones (100 Continue) included. Rejects when the connection closes without one. */
  reply(): Promise<RawReply> {
    const reply = this.#replies.shift();
    if (reply !== undefined) return Promise.resolve(reply);
    if (this.#closed) return Promise.reject(this.#unanswered());
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async exchange(data: string | Buffer): Promise<RawReply> {
    void this.write(data);
    return this.reply();
  }

  /** Reads no more: what comes piles up with the sender. */
  pause(): void {
    this.#socket.pause();
  }

  /** Sends no more, goes on reading. */
  end(): void {
    this.#socket.end();
  }

  /** Closes with a FIN, as a process that ends does. */
  close(): void {
    this.#socket.destroy();
  }

  /** Closes with a RST, as a process that is killed with unread data does. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #unanswered(): Error {
    const received = Buffer.concat(this.#chunks).subarray(0, 500).toString();
    return new Error(`the connection was closed without a reply; received: ${JSON.stringify(received)}`);
  }

  #parse(): void {
    let received = Buffer.concat(this.#chunks, this.#size);
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      const bodyStart = headEnd + 4;
      const [statusLine = '', ...lines] = received.subarray(0, Math.max(headEnd, 0)).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      const bodyEnd = bodyStart + Number(headers['content-length'] ?? 0);
      if (headEnd === -1 || received.length < bodyEnd) {
        this.#chunks = [received];
        this.#size = received.length;
        this.#wanted = headEnd === -1 ? received.length + 1 : bodyEnd;
        return;
      }
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
      const reply = { status, headers, body: received.subarray(bodyStart, bodyEnd).toString() };
      received = received.subarray(bodyEnd);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#replies.push(reply);
      else waiting.resolve(reply);
    }
  }
}
