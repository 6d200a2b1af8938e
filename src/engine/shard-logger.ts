/** What the engine says of itself: that something failed which nobody waits for. */
export interface ShardLogger {
  error(fields: object, message: string): void;
}
