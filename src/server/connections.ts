import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/**
 * How many connections beyond the limit are let in to be told so. The next ones are closed at once: every connection
 * costs, also that of a refusal.
 */
const EXCESS_MAX = 100;
/** For how long one of those may keep its place. */
const EXCESS_IDLE_MS = 5_000;
/**
 * What is still read, and dropped, of a connection that has had its last reply: closing while something is unread resets
 * the connection, which often destroys the reply on its way.
 */
const LINGER_BYTES_MAX = 32 * 1024 * 1024;
const LINGER_IDLE_MS = 5_000;

/**
 * With more unanswered requests than these on it a connection is closed. No SDK sends a second one before the first is
 * answered; who sends them without end must not make us keep them all.
 */
const PIPELINED_MAX = 256;

interface State {
  /** Beyond the limit: it is told so, and closed. */
  isExcess: boolean;
  /** Node does not count a connection that has not sent a request yet as idle, so closing it is on us. */
  isUnused: boolean;
  /** Those that are not over: more than one when requests are pipelined. */
  exchanges: Set<Exchange>;
  /** What is said last on a connection that turned out to speak no HTTP while earlier requests wait for their replies. */
  lastWords?: string;
  /** How many bytes had been read of it when it got its last reply. */
  bytesAtEnd?: number;
}

/** The open connections of a listener, and what goes on on each. */
export class Connections {
  readonly #max: number;
  readonly #states = new Map<Socket, State>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether there is room for it, if only for a refusal; otherwise it has been closed. */
  open(socket: Socket): boolean {
    if (this.#states.size >= this.#max + EXCESS_MAX) {
      socket.destroy();
      return false;
    }
    this.#add(socket, { isExcess: this.#states.size >= this.#max, isUnused: true, exchanges: new Set() });
    return true;
  }

  #add(socket: Socket, state: State): void {
    this.#states.set(socket, state);
    if (state.isExcess) socket.setTimeout(EXCESS_IDLE_MS, () => socket.destroy());
    socket.once('close', () => {
      this.#states.delete(socket);
      // A reply that waits for its turn behind others never hears of it.
      for (const exchange of state.exchanges) exchange.end();
    });
  }

  /** The same connection goes on as another socket: it has become a secure one. */
  replace(socket: Socket, by: Socket): void {
    const state = this.#states.get(socket);
    if (state === undefined) {
      by.destroy();
      return;
    }
    this.#states.delete(socket);
    socket.setTimeout(0);
    this.#add(by, state);
  }

  has(socket: Socket): boolean {
    return this.#states.has(socket);
  }

  isExcess(socket: Socket): boolean {
    return this.#states.get(socket)?.isExcess === true;
  }

  /** A request has arrived. Returns whether it may be answered: not, when its connection is closed or has too many. */
  begin(exchange: Exchange): boolean {
    const { socket } = exchange.request;
    const state = this.#states.get(socket);
    const isOver = state === undefined || state.lastWords !== undefined || state.bytesAtEnd !== undefined;
    if (isOver || socket.destroyed || state.exchanges.size >= PIPELINED_MAX) {
      exchange.end();
      if (!isOver) socket.destroy();
      else if (state !== undefined) limitLingering(socket, state);
      return false;
    }
    state.isUnused = false;
    state.exchanges.add(exchange);
    exchange.response.once('close', () => {
      state.exchanges.delete(exchange);
      exchange.end();
      if (state.lastWords !== undefined && !hasRepliesToCome(state)) end(socket, state, state.lastWords);
    });
    return true;
  }

  /**
   * Says `lastWords` and closes. Requests before may still be waiting for their replies, and theirs come first: anything
   * else would be taken for the reply to one of them.
   */
  close(socket: Socket, lastWords: string): void {
    const state = this.#states.get(socket);
    if (state === undefined || (!socket.writable && state.bytesAtEnd === undefined)) {
      socket.destroy();
    } else if (state.bytesAtEnd !== undefined) {
      limitLingering(socket, state);
    } else if (hasRepliesToCome(state)) {
      state.lastWords = lastWords;
    } else {
      end(socket, state, lastWords);
    }
  }

  /** Resolves when those that are open now are closed. */
  async allClosed(): Promise<void> {
    await Promise.all(
      Array.from(this.#states.keys(), (socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
  }

  closeUnused(): void {
    for (const [socket, { isUnused }] of this.#states) {
      if (isUnused) socket.destroy();
    }
  }
}

function hasRepliesToCome(state: State): boolean {
  for (const exchange of state.exchanges) {
    if (exchange.hasReplyToCome) return true;
  }
  return false;
}

/** More has come of what was refused. */
function limitLingering(socket: Socket, { bytesAtEnd }: State): void {
  if (bytesAtEnd !== undefined && socket.bytesRead - bytesAtEnd > LINGER_BYTES_MAX) socket.destroy();
}

function end(socket: Socket, state: State, lastWords: string): void {
  state.bytesAtEnd = socket.bytesRead;
  socket.setTimeout(LINGER_IDLE_MS, () => socket.destroy());
  socket.end(lastWords);
}
