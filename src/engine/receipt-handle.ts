import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Receipt } from '../queue/queue.ts';

/** Receipt handles of every version start alike; the third byte may tell a later layout. */
const HEADER = Buffer.from([1, 1, 1]);
const PAYLOAD_BYTES = 3 + 4 + 4 + 8 + 4;
const MAC_BYTES = 16;
const HANDLE_BYTES = PAYLOAD_BYTES + MAC_BYTES;
/** 52 base64 characters carry the 39 bytes, without padding to spare. */
const HANDLE_CHARS = (HANDLE_BYTES / 3) * 4;

/**
 * Receipt handles: opaque to clients, and authenticated, so that a forged one or one of another server is refused before
 * anything is looked up. One names a queue, the place of a message in it, and the delivery.
 */
export class ReceiptHandles {
  readonly #secret: Uint8Array;

  /** `secret`: 32 random bytes, the same for the life of the store: handles survive a restart. */
  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  encode(queueId: number, receipt: Receipt): string {
    const handle = Buffer.allocUnsafe(HANDLE_BYTES);
    HEADER.copy(handle);
    handle.writeUInt32BE(queueId, 3);
    handle.writeUInt32BE(receipt.partition, 7);
    handle.writeDoubleBE(receipt.seq, 11);
    handle.writeUInt32BE(receipt.receiveCount, 19);
    this.#mac(handle).copy(handle, PAYLOAD_BYTES, 0, MAC_BYTES);
    return handle.toString('base64');
  }

  decode(text: string): { queueId: number; receipt: Receipt } | undefined {
    if (text.length !== HANDLE_CHARS) return undefined;
    const handle = Buffer.from(text, 'base64');
    if (handle.length !== HANDLE_BYTES) return undefined;
    if (!timingSafeEqual(this.#mac(handle).subarray(0, MAC_BYTES), handle.subarray(PAYLOAD_BYTES))) return undefined;
    return {
      queueId: handle.readUInt32BE(3),
      receipt: {
        partition: handle.readUInt32BE(7),
        seq: handle.readDoubleBE(11),
        receiveCount: handle.readUInt32BE(19),
      },
    };
  }

  #mac(handle: Buffer): Buffer {
    return createHmac('sha256', this.#secret).update(handle.subarray(0, PAYLOAD_BYTES)).digest();
  }
}
