/** A key that encrypts messages, and the same key as only its provider can read it: what is stored beside each message. */
export interface DataKey {
  /** 32 bytes, for AES-256. */
  key: Buffer;
  wrapped: Buffer;
}

/**
 * Who keeps the keys that wrap data keys: the port. Those of a keyring are in memory and answer at once; others may have
 * to be asked over a network.
 */
export interface KeyProvider {
  /**
   * A new data key, wrapped with the key of this id: an id, an alias or an ARN.
   *
   * @throws KeyError, or rejects with it, when that key cannot be used.
   */
  generateDataKey(keyId: string): DataKey | Promise<DataKey>;
  /**
   * The data key that was wrapped.
   *
   * @throws KeyError, or rejects with it, when the key that wrapped it cannot be used, and ReadError when it is damaged.
   */
  unwrap(wrapped: Buffer): Buffer | Promise<Buffer>;
}
