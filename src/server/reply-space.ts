import type { ContentRoom } from '../engine/queue-service.ts';
import type { Codec } from '../protocol/codec.ts';
import type { Client } from './exchange.ts';
import { Lease, type Room } from './room.ts';

/** How many bytes of reply a byte of content can become: a quote is `\"` in JSON and `&quot;` in XML. */
const EXPANSION: Record<Codec['protocol'], number> = { awsJson1_0: 2, awsQuery: 6 };

/** The part of the memory for replies that one reply takes, from the moment its contents are read until it is sent. */
export class ReplySpace implements ContentRoom {
  readonly #room: Room;
  readonly #expansion: number;
  #lease: Lease | undefined;
  /** Ends the wait for room. */
  #giveUp: (() => void) | undefined;

  constructor(room: Room, protocol: Codec['protocol']) {
    this.#room = room;
    this.#expansion = EXPANSION[protocol];
  }

  reserve(contentBytes: number): Promise<void> | undefined {
    const bytes = contentBytes * this.#expansion;
    if (this.#room.tryTake(bytes)) {
      this.#lease = new Lease(this.#room, bytes);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#giveUp = this.#room.wait(bytes, () => {
        this.#giveUp = undefined;
        this.#lease = new Lease(this.#room, bytes);
        resolve();
      });
    });
  }

  settle(contentBytes: number): void {
    this.#lease?.settle(contentBytes * this.#expansion);
  }

  /** The reply has been made, and stays until the client has it. */
  holdUntilSent(replyBytes: number, client: Client): void {
    if (this.#lease === undefined) return;
    this.#lease.settle(replyBytes);
    client.onceOver(() => this.release());
  }

  /** Who still waits for room does not get it any more: what goes with the reply, such as its commit, has failed. */
  release(): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    this.#lease?.release();
    this.#lease = undefined;
  }
}
