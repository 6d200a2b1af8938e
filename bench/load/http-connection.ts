import { connect, type Socket } from 'node:net';
import { type HttpReply, ReplyReader } from './reply-reader.ts';

/**
 * One keep-alive connection with one request under way at a time, on a bare socket: a request costs its sender a few
 * microseconds, so that one core of load can fill one core of server.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
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
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
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

  #onData(bytes: Buffer): void {
    try {
      const reply = this.#reader.push(bytes);
      if (reply === undefined) return;
      const pending = this.#pending;
      this.#pending = undefined;
      pending?.resolve(reply);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#pending?.reject(this.#failure);
    this.#pending = undefined;
  }
}
