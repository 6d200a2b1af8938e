import { createServer, type Socket } from 'node:net';
import { listenAt } from '../listen.ts';
import type { BoundAddress } from '../public-url.ts';

/** Who takes connections. */
export interface ConnectionTaker {
  give(socket: Socket, isSecure: boolean): void;
}

/**
 * A port whose connections are dealt out to others in turn, unread. In turn, because processes that accept from one port
 * each for itself leave most connections to the one that happens to be idle; and by the main process, so that the port
 * stays open while there is nobody to take them: those connections wait.
 */
export class SharedPort {
  // Small replies go out at once. The option belongs to the connection and goes along with it.
  readonly #server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    // Whatever becomes of one connection, it is no business of this process.
    socket.on('error', () => {});
    this.#give(socket);
  });
  readonly #isSecure: boolean;
  readonly #takers: ConnectionTaker[] = [];
  readonly #waiting: Socket[] = [];
  #next = 0;

  /** `isSecure`: its connections are to be encrypted, by whoever takes them. */
  constructor(isSecure = false) {
    this.#isSecure = isSecure;
  }

  /** Rejects with the error of the operating system. */
  listen(address: BoundAddress, onError: (error: Error) => void): Promise<BoundAddress> {
    return listenAt(this.#server, address, onError);
  }

  add(taker: ConnectionTaker): void {
    this.#takers.push(taker);
    for (const socket of this.#waiting.splice(0)) this.#give(socket);
  }

  remove(taker: ConnectionTaker): void {
    const index = this.#takers.indexOf(taker);
    if (index >= 0) this.#takers.splice(index, 1);
  }

  #give(socket: Socket): void {
    this.#next = (this.#next + 1) % Math.max(this.#takers.length, 1);
    const taker = this.#takers[this.#next];
    if (taker !== undefined) taker.give(socket, this.#isSecure);
    else this.#waiting.push(socket);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }
}
