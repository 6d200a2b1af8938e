import type { QueueRecord, Scope } from '../queue/record.ts';

/** Records of queues in use. When there are more, all are fetched anew: rare, and cheap enough. */
const RECORDS_MAX = 10_000;

export interface HeldRecord {
  /** What the other end calls this very record: not its revision, which a failed commit may give away twice. */
  version: number;
  queue: QueueRecord;
}

/**
 * Records that came over a channel. They are never used without asking whether they are still right, so they cannot be
 * stale; they only need not be sent again.
 */
export class HeldRecords {
  readonly #byName = new Map<string, HeldRecord>();

  get(scope: Scope, name: string): HeldRecord | undefined {
    return this.#byName.get(keyOf(scope, name));
  }

  set(record: HeldRecord): void {
    if (this.#byName.size >= RECORDS_MAX) this.#byName.clear();
    this.#byName.set(keyOf(record.queue.scope, record.queue.name), record);
  }

  delete(scope: Scope, name: string): void {
    this.#byName.delete(keyOf(scope, name));
  }
}

/** Names have no colon. */
function keyOf({ account, region }: Scope, name: string): string {
  return `${name}:${account}:${region}`;
}
