import { connect, type Socket } from 'node:net';

export interface HttpReply {
  status: number;
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const NO_BYTES = Buffer.alloc(0);
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * One keep-alive connection with one request under way at a time, on a bare socket: a request costs its sender a few
 * microseconds, so that one core of load can fill one core of server. Understands replies with a Content-Length only.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer = NO_BYTES;
  #pending: { resolve: (reply: HttpReply) => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  /** Rejects with the error of the operating system, such as ECONNREFUSED. */
  static open(url: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) || 80, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Sends a whole HTTP request. Rejects when the connection ends before the reply is complete. */
  request(bytes: Buffer): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#pending = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd === -1) {
      this.#received = received;
      return;
    }
    const head = received.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.#socket.destroy(new Error(`Cannot read a reply without Content-Length: ${head}`));
      return;
    }
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(length);
    if (received.length < bodyEnd) {
      this.#received = received;
      return;
    }
    this.#received = bodyEnd === received.length ? NO_BYTES : received.subarray(bodyEnd);
    const pending = this.#pending;
    this.#pending = undefined;
    // "HTTP/1.1 200 OK"
    pending?.resolve({ status: Number(head.slice(9, 12)), body: received.subarray(bodyStart, bodyEnd) });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#pending?.reject(this.#failure);
    this.#pending = undefined;
  }
}
