import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the handler of a request may know about its client. */
export interface Client {
  /** A signal that is aborted when the client goes away before the reply is written. Not free: for those that wait. */
  goneSignal(): AbortSignal;
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

  goneSignal(): AbortSignal {
    const controller = new AbortController();
    this.onceOver(() => {
      // Every exchange is over in the end. Aborting after the reply would be pointless, and is not free.
      if (!this.response.writableEnded) controller.abort();
    });
    return controller.signal;
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
