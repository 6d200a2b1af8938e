import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CancelSignal } from '../engine/queue-service.ts';

/** What the handler of a request may know about its client. */
export interface Client {
  /** The address at the other end of the connection: of the client, or of a proxy. Undefined when it is gone. */
  readonly sourceIp: string | undefined;
  /** Whether nobody on the way can read or change what is sent. */
  readonly isSecure: boolean;
  /** A signal that is aborted when the client goes away before the reply is written. */
  goneSignal(): CancelSignal;
  /** Calls back when the reply has been sent or cannot be sent any more; at once when that has happened. */
  onceOver(callback: () => void): void;
}

/** A request and the reply to it, from the first to the last byte. */
export class Exchange implements Client {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #callbacks: (() => void)[] = [];
  #isOver = false;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A request that was cut off in the middle gets no reply, unless it has been refused already. */
  get hasReplyToCome(): boolean {
    return this.request.complete || this.response.headersSent;
  }

  get sourceIp(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  get isSecure(): boolean {
    return 'encrypted' in this.request.socket;
  }

  goneSignal(): CancelSignal {
    return new GoneSignal(this);
  }

  /** Whether it ended without a reply. */
  get isGone(): boolean {
    return this.#isOver && !this.response.writableEnded;
  }

  onceOver(callback: () => void): void {
    if (this.#isOver) callback();
    else this.#callbacks.push(callback);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const callback of this.#callbacks) callback();
  }
}

class GoneSignal implements CancelSignal {
  readonly #exchange: Exchange;
  #listeners: Set<() => void> | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get aborted(): boolean {
    return this.#exchange.isGone;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners !== undefined) {
      this.#listeners.add(listener);
      return;
    }
    const listeners = new Set([listener]);
    this.#listeners = listeners;
    this.#exchange.onceOver(() => {
      if (this.#exchange.isGone) for (const listener of listeners) listener();
    });
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
