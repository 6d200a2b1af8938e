import type { QueueRecord } from '../queue/record.ts';
import type { Seal } from '../storage/records.ts';

/**
 * What the engine needs of encryption at rest: a port, so that it knows neither ciphers nor where keys are kept. A send is
 * encrypted while its batch gathers, which cannot wait; so whatever has to be fetched is fetched by `prepare`, before the
 * state machine sees the send.
 */
export interface ContentEncryption {
  /** Whether messages of the queue can be encrypted, or need not be, for the rest of this turn of the event loop. */
  isReady(queue: QueueRecord): boolean;
  /** Makes it so. Rejects with `KeyError` when the key of the queue cannot be used. */
  prepare(queue: QueueRecord): Promise<void>;
  /** What encrypts the messages of the queue; undefined when they are to be kept in the clear. */
  sealOf(queue: QueueRecord): Seal | undefined;
  /**
   * The content that was sealed. At once when the key is in memory.
   *
   * @throws KeyError, or rejects with it, when its key cannot be used, and ReadError when the content is damaged or was
   * bound to something else.
   */
  open(sealed: Buffer, boundTo: Buffer): Buffer | Promise<Buffer>;
}

export const IN_THE_CLEAR: ContentEncryption = {
  isReady: () => true,
  prepare: () => Promise.resolve(),
  sealOf: () => undefined,
  open: () => {
    throw new Error('Nothing that is encrypted can be read without keys.');
  },
};
