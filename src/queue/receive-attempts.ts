import type { AttemptRecord } from './change.ts';
import type { Entry } from './entry.ts';

/** How long a receive attempt can be replayed (SQS: section 6.6). */
const ATTEMPT_LIFE_MS = 5 * 60_000;

/** What receives with a ReceiveRequestAttemptId have returned, in the order of the receives. */
export class ReceiveAttempts {
  readonly #records = new Map<string, AttemptRecord>();

  /** The entries that an attempt returned; undefined if anything has happened to one of them since, or it is unknown. */
  untouched(id: string, entries: ReadonlyMap<number, Entry>): { at: number; entries: Entry[] } | undefined {
    const record = this.#records.get(id);
    if (record === undefined) return undefined;
    const found: Entry[] = [];
    for (const { seq, receiveCount } of record.deliveries) {
      const entry = entries.get(seq);
      const isUntouched =
        entry?.state === 'in-flight' && entry.receiveCount === receiveCount && entry.visibleAt === record.visibleAt;
      if (!isUntouched) return undefined;
      found.push(entry);
    }
    return { at: record.at, entries: found };
  }

  /** `at`: when the attempt was made first; a replay does not prolong its life. Returns the record to store. */
  remember(id: string, entries: readonly Entry[], visibleAt: number, at: number): AttemptRecord {
    const record: AttemptRecord = {
      at,
      visibleAt,
      deliveries: entries.map(({ seq, receiveCount }) => ({ seq, receiveCount })),
    };
    // Put last unless it is a replay, so that the map stays in the order of `at`.
    if (this.#records.get(id)?.at !== at) this.#records.delete(id);
    this.#records.set(id, record);
    return record;
  }

  /** Takes over a stored attempt; to be called in the order of `at`. */
  restore(id: string, record: AttemptRecord): void {
    this.#records.set(id, record);
  }

  /** Forgets the attempts that are too old by `now`; returns their ids. */
  expire(now: number): string[] {
    const expired: string[] = [];
    for (const [id, { at }] of this.#records) {
      if (at > now - ATTEMPT_LIFE_MS) break;
      this.#records.delete(id);
      expired.push(id);
    }
    return expired;
  }

  /** Forgets all of them; returns their ids. */
  clear(): string[] {
    const ids = [...this.#records.keys()];
    this.#records.clear();
    return ids;
  }
}
