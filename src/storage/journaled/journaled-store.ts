import type { Platform } from '../../platform/platform.ts';
import { binaryKey, keyBytes } from '../binary-key.ts';
import { DamagedFileError } from '../damaged-file-error.ts';
import { decodeJson, encodeJson } from '../records.ts';
import type { Operation, RangeQuery, Row, Store, StoreStats } from '../store.ts';
import { CommitError } from '../store.ts';
import { payloadBytesOf } from './frame.ts';
import { hasJournal, Journal, type Segment } from './journal.ts';
import { type Change, Overlay } from './overlay.ts';

export interface JournaledStoreOptions {
  /** An existing directory that belongs to this store. */
  directory: string;
  /** Whether a commit is to survive a power loss. */
  isFlushed: boolean;
  platform: Pick<Platform, 'randomBytes' | 'afterTurn'>;
  limits?: JournalLimits;
}

/** The first two bound memory and the time that a start takes: all that is in the journal is in memory. */
export interface JournalLimits {
  /** When a file of the journal has so many bytes, what is in it is brought to the store below. */
  checkpointBytes: number;
  /** While that goes on the next file takes so many, and then commits wait. */
  fileBytesMax: number;
  /** Its length grows in steps. */
  growthBytes: number;
  /** Commits that wait for the disk together become one write, up to this size. */
  frameBytesMax: number;
  /** A checkpoint goes in steps, so that requests are answered in between: 500 rows take 1 ms of this thread. */
  stepOperations: number;
  stepBytes: number;
  /** A checkpoint that failed is tried again when the journal has grown by so many bytes. */
  retryBytes: number;
  /** With less room than this every write is brought to the store below soon: only there a delete gives room back. */
  scarceBytes: number;
  /** While there is more, it is looked at after so many writes: to ask takes 20 us. */
  scarceFrames: number;
  /** Rows of the overlay that a range looks at, at a time. */
  rangeChangesMax: number;
}

export const JOURNAL_LIMITS: JournalLimits = {
  checkpointBytes: 16 * 1024 * 1024,
  fileBytesMax: 48 * 1024 * 1024,
  growthBytes: 1024 * 1024,
  frameBytesMax: 4 * 1024 * 1024,
  stepOperations: 500,
  stepBytes: 512 * 1024,
  retryBytes: 256 * 1024,
  scarceBytes: 256 * 1024 * 1024,
  scarceFrames: 16,
  rangeChangesMax: 2000,
};

const NOTHING = new Uint8Array(0);
/** A row of the store below that is not one of this store. No shard has this number, so no key of the engine begins so. */
const STATE_KEY = '\xff\xffjournal';

interface State {
  storeId: string;
  /** Number of the last frame whose content is in the store below. */
  checkpointed: number;
  /** Whether frames behind it may exist: not after an orderly end. */
  isOpen: boolean;
}

function stateRow(state: State): Operation {
  return { key: keyBytes(STATE_KEY), value: encodeJson(state) };
}

interface Pending {
  operations: readonly Operation[];
  resolve: () => void;
  reject: (error: Error) => void;
}

/** What a checkpoint brings to the store below. */
interface Frozen {
  overlay: Overlay;
  segment: Segment;
}

/**
 * A journal in front of another store: a commit is durable after one sequential write, and not after the two flushes and
 * the scattered pages of a copy-on-write tree. What is in the journal is in memory, too, as an overlay that reads look
 * through; from time to time it is brought to the store below in large pieces. What is put and deleted in between, as most
 * messages are, never gets there.
 *
 * After a crash the journal is read again. Bringing it to the store below once more does no harm: it has the last word
 * on every key in it.
 *
 * Rejects with DamagedFileError when the journal has lost something.
 */
export async function openJournaledStore(base: Store, options: JournaledStoreOptions): Promise<Store> {
  const { directory, isFlushed, platform, limits = JOURNAL_LIMITS } = options;
  const stored = await base.get(keyBytes(STATE_KEY));
  const state: State =
    stored === undefined
      ? { storeId: Buffer.from(platform.randomBytes(8)).toString('hex'), checkpointed: 0, isOpen: false }
      : (decodeJson(stored, 'journal') as State);
  if (state.isOpen && !(await hasJournal(directory))) {
    throw new DamagedFileError(directory, 'the files stanchion.journal.* are missing, and they had messages');
  }
  const storeId = Buffer.from(state.storeId, 'hex');
  const { checkpointed } = state;
  const opened = await Journal.open({ directory, storeId, checkpointed, isFlushed, growthBytes: limits.growthBytes });
  return new JournaledStore(base, state, opened, platform, limits);
}

class JournaledStore implements Store {
  readonly #base: Store;
  #state: State;
  readonly #journal: Journal;
  readonly #platform: Pick<Platform, 'afterTurn'>;
  readonly #limits: JournalLimits;
  #active = new Overlay();
  #frozen: Frozen | undefined;
  readonly #pending: Pending[] = [];
  #writing: Promise<void> | undefined;
  #checkpointing: Promise<void> | undefined;
  /** Frames that reads have come to show. */
  #written = 0;
  /** After a checkpoint that failed: why, and how far the journal was. */
  #failure: { cause: unknown; position: number } | undefined;
  /** Of the room on the disk, when the store below was last asked, and `#written` then. */
  #wasScarce = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** Nothing comes behind the checkpoint that is made. */
  #isEnding = false;

  constructor(
    base: Store,
    state: State,
    { journal, found, segment }: { journal: Journal; found: readonly Change[]; segment: Segment },
    platform: Pick<Platform, 'afterTurn'>,
    limits: JournalLimits,
  ) {
    this.#platform = platform;
    this.#limits = limits;
    this.#base = base;
    this.#state = state;
    this.#journal = journal;
    if (segment.files.length === 0) return;
    // Also when the end was an orderly one (a write that failed is on the disk all the same): to note it now would be a
    // second commit of the state beside that of the checkpoint.
    this.#state = { ...state, isOpen: true };
    const overlay = new Overlay();
    overlay.apply(found);
    this.#frozen = { overlay, segment };
    this.#startCheckpoint();
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const change = this.#changeOf(binaryKey(key));
    return change === undefined ? this.#base.get(key) : change.value;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const missing: number[] = [];
    const values = keys.map((key, index) => {
      const change = this.#changeOf(binaryKey(key));
      if (change === undefined) missing.push(index);
      return change?.value;
    });
    if (missing.length === 0) return values;
    const below = await this.#base.getMany(missing.map((index) => keys[index] as Uint8Array));
    for (const [at, index] of missing.entries()) values[index] = below[at];
    return values;
  }

  async range(query: RangeQuery): Promise<Row[]> {
    const rows = await this.#range(query, Math.min(query.limit, this.#limits.rangeChangesMax));
    return rows ?? ((await this.#range(query, Number.POSITIVE_INFINITY)) as Row[]);
  }

  /** Undefined when it took several turns, and commits were applied in between: some of them would be seen in part. */
  async #range({ start, end, limit, keysOnly = false }: RangeQuery, changesMax: number): Promise<Row[] | undefined> {
    const rows: Row[] = [];
    const stop = binaryKey(end);
    const written = this.#written;
    for (let from = binaryKey(start); rows.length < limit && from < stop; ) {
      if (this.#written !== written) return undefined;
      // Both in one turn: in between, a checkpoint could take rows from the one to the other.
      const { changes, until } = this.#changesIn(from, stop, changesMax);
      // One more, for the row that is not to be seen. With all changes at hand it takes no second turn.
      const wanted = limit - rows.length + changes.size + 1;
      const below = await this.#base.range({ start: keyBytes(from), end: keyBytes(until), limit: wanted, keysOnly });
      // What the store below has no more to say of.
      const last = below.length < wanted ? undefined : below.at(-1);
      const seen = last === undefined ? until : `${binaryKey(last.key)}\0`;
      for (const row of merge(below, changes, seen)) {
        if (rows.length === limit) break;
        rows.push(keysOnly ? { key: row.key, value: NOTHING } : row);
      }
      from = seen;
    }
    return rows;
  }

  commit(operations: readonly Operation[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(new CommitError('not-applied', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#pending.push({ operations, resolve, reject });
      this.#write();
    });
  }

  stats(): StoreStats {
    const { usedBytes, freeBytes } = this.#base.stats();
    return { usedBytes: usedBytes + this.#journal.bytes, freeBytes };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#pending.length > 0 || this.#writing !== undefined) {
      this.#write();
      await (this.#writing ?? this.#checkpointing);
    }
    while (this.#checkpointing !== undefined) await this.#checkpointing;
    // Whatever cannot be brought below now stays in the journal, and is when the store is next opened.
    if (this.#frozen === undefined && this.#state.isOpen) {
      this.#isEnding = true;
      this.#freeze();
      await this.#checkpointing;
    }
    await this.#journal.close();
    await this.#base.close();
  }

  #changeOf(key: string): Change | undefined {
    return this.#active.get(key) ?? this.#frozen?.overlay.get(key);
  }

  /** Changes of keys from `first` on; all of them below `until`. */
  #changesIn(first: string, stop: string, max: number): { changes: Map<string, Change>; until: string } {
    let until = stop;
    const layers = [this.#frozen?.overlay, this.#active].map((overlay) => {
      const layer = new Map<string, Change>();
      for (const [key, change] of overlay?.entries(first, stop) ?? []) {
        if (layer.size === max) {
          if (key < until) until = key;
          break;
        }
        layer.set(key, change);
      }
      return layer;
    });
    const changes = new Map<string, Change>();
    for (const layer of layers) {
      for (const [key, change] of layer) if (key < until) changes.set(key, change);
    }
    return { changes, until };
  }

  // ---- writing --------------------------------------------------------------------------------------------------

  #write(): void {
    if (this.#writing !== undefined || this.#pending.length === 0) return;
    if (this.#isFull()) {
      if (this.#failure !== undefined) this.#startCheckpoint();
      return;
    }
    const commits = this.#takePending();
    this.#writing = this.#append(commits).then(() => {
      this.#writing = undefined;
      this.#considerCheckpoint();
      // With what comes in this turn of the event loop: fewer and larger writes, and nobody waits longer for it.
      this.#platform.afterTurn(() => this.#write());
    });
  }

  async #append(commits: readonly Pending[]): Promise<void> {
    try {
      if (!this.#state.isOpen) await this.#open();
      this.#active.apply(await this.#journal.append(commits.map(({ operations }) => operations)));
      this.#written++;
    } catch (error) {
      for (const { reject } of commits) reject(error as Error);
      return;
    }
    for (const { resolve } of commits) resolve();
  }

  /** Not before there is something to write: a store that is only looked at stays as it is. */
  async #open(): Promise<void> {
    await this.#journal.begin();
    await this.#setState({ isOpen: true });
  }

  async #setState(change: Partial<State>, more: readonly Operation[] = []): Promise<void> {
    const state = { ...this.#state, ...change };
    await this.#base.commit([...more, stateRow(state)]);
    this.#state = state;
  }

  #takePending(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { operations } of this.#pending) {
      bytes += payloadBytesOf(operations);
      if (count > 0 && bytes > this.#limits.frameBytesMax) break;
      count++;
    }
    return this.#pending.splice(0, count);
  }

  /** Only while the content of the other files is on its way to the store below, or cannot get there. */
  #isFull(): boolean {
    return this.#frozen !== undefined && this.#journal.position >= this.#limits.fileBytesMax;
  }

  // ---- checkpoints ----------------------------------------------------------------------------------------------

  #considerCheckpoint(): void {
    // A frame on its way belongs to the file and the overlay that it was meant for. The end of the write asks again.
    if (this.#writing !== undefined) return;
    const { position } = this.#journal;
    if (this.#frozen === undefined) {
      if (position >= this.#limits.checkpointBytes || (this.#isScarce() && this.#active.size > 0)) this.#freeze();
    } else if (this.#failure !== undefined && position >= this.#failure.position + this.#limits.retryBytes) {
      this.#startCheckpoint();
    }
  }

  #isScarce(): boolean {
    if (this.#wasScarce || this.#written >= this.#askedAt + this.#limits.scarceFrames) {
      this.#askedAt = this.#written;
      this.#wasScarce = this.#base.stats().freeBytes < this.#limits.scarceBytes;
    }
    return this.#wasScarce;
  }

  #freeze(): void {
    this.#frozen = { overlay: this.#active, segment: this.#journal.rotate() };
    this.#active = new Overlay();
    this.#startCheckpoint();
  }

  #startCheckpoint(): void {
    this.#failure = undefined;
    this.#checkpointing ??= this.#checkpoint(this.#frozen as Frozen).then(
      () => {
        this.#checkpointing = undefined;
        this.#frozen = undefined;
        this.#considerCheckpoint();
        this.#write();
      },
      (cause: unknown) => {
        this.#checkpointing = undefined;
        this.#failure = { cause, position: this.#journal.position };
        if (this.#isFull()) this.#refusePending(cause);
      },
    );
  }

  async #checkpoint({ overlay, segment }: Frozen): Promise<void> {
    let step: Operation[] = [];
    let bytes = 0;
    for (const operation of overlay.operations()) {
      step.push(operation);
      bytes += operation.value?.length ?? 0;
      if (step.length < this.#limits.stepOperations && bytes < this.#limits.stepBytes) continue;
      await this.#base.commit(step);
      step = [];
      bytes = 0;
    }
    await this.#setState({ checkpointed: segment.through, isOpen: !this.#isEnding }, step);
    await this.#journal.release(segment, this.#isScarce());
  }

  #refusePending(cause: unknown): void {
    const error = new CommitError('not-applied', 'The store could not write to its disk.', { cause });
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }
}

/** Rows with keys below `end`, the changes applied. */
function* merge(below: readonly Row[], changes: ReadonlyMap<string, Change>, end: string): Generator<Row> {
  const sorted = [...changes.keys()].filter((key) => key < end).sort();
  let next = 0;
  for (const row of below) {
    const key = binaryKey(row.key);
    if (key === STATE_KEY) continue;
    for (; next < sorted.length && (sorted[next] as string) < key; next++) {
      yield* rowOf(sorted[next] as string, changes);
    }
    if (sorted[next] === key) {
      yield* rowOf(key, changes);
      next++;
    } else {
      yield row;
    }
  }
  for (; next < sorted.length; next++) yield* rowOf(sorted[next] as string, changes);
}

function* rowOf(key: string, changes: ReadonlyMap<string, Change>): Generator<Row> {
  const value = changes.get(key)?.value;
  if (value !== undefined) yield { key: keyBytes(key), value };
}
