import { open } from 'lmdb';
import type { Operation, RangeQuery, Row, Store, StoreStats } from '../store.ts';
import { CommitError, ReadError } from '../store.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { DiskRoom } from './disk-room.ts';
import { type Database, type Durability, optionsFor, reusableBytesOf, usedBytesOf } from './lmdb-database.ts';
import { dataFileIn, isWithoutStore, markCreated, removeCopy, removeNewStore } from './store-files.ts';
import { ignoreStrayRejections } from './stray-rejections.ts';

export type { Durability } from './lmdb-database.ts';

export interface LmdbStoreOptions {
  /** An existing directory that belongs to this store. One server at a time may have it open. */
  path: string;
  durability: Durability;
}

const NOTHING = new Uint8Array(0);

/** LMDB's and the system's words for "there is no room": nothing of such a commit is kept. */
const NO_ROOM_CODES = new Set<unknown>([
  28 /* ENOSPC */,
  122 /* EDQUOT */,
  -30792 /* MDB_MAP_FULL */,
  'ENOSPC',
  'EDQUOT',
]);

/** @throws DamagedFileError, or what keeps the directory from being used. */
export async function openLmdbStore({ path, durability }: LmdbStoreOptions): Promise<Store> {
  ignoreStrayRejections();
  const lock = await lockDirectory(path);
  try {
    await removeCopy(path);
    const isNew = isWithoutStore(path);
    let database: Database | undefined;
    try {
      database = open(optionsFor(dataFileIn(path), durability)) as Database;
      await markCreated(path);
    } catch (error) {
      await database?.close();
      if (isNew) await removeNewStore(path);
      throw error;
    }
    return new LmdbStore(database, path, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

class LmdbStore implements Store {
  readonly #database: Database;
  readonly #room: DiskRoom;
  readonly #lock: DirectoryLock;
  #lastCommit: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(database: Database, path: string, lock: DirectoryLock) {
    this.#database = database;
    this.#room = new DiskRoom(path, () => reusableBytesOf(database));
    this.#lock = lock;
  }

  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#read(() => this.#database.get(key));
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    // A read takes 4 us on this thread; lmdb's own getMany goes through the thread pool and takes longer.
    return this.#read(() => keys.map((key) => this.#database.get(key)));
  }

  async range({ start, end, limit, keysOnly = false }: RangeQuery): Promise<Row[]> {
    const options = { start, end, limit };
    return this.#read(() =>
      keysOnly
        ? this.#database.getKeys(options).map((key) => ({ key, value: NOTHING })).asArray
        : this.#database.getRange(options).map(({ key, value }) => ({ key, value })).asArray,
    );
  }

  commit(operations: readonly Operation[]): Promise<void> {
    if (this.#closed) return Promise.reject(new CommitError('not-applied', 'The store is closed.'));
    const room = this.#room.take(operations);
    if (room === undefined) return Promise.reject(new CommitError('not-applied', 'There is no room on the disk.'));
    const written = this.#database.batch(() => {
      for (const { key, value } of operations) {
        if (value === undefined) this.#database.remove(key);
        else this.#database.put(key, value);
      }
    });
    const commit = written.then(() => undefined, failed).finally(() => this.#room.giveBack(room));
    this.#lastCommit = commit.catch(() => {});
    return commit;
  }

  stats(): StoreStats {
    // What deleted messages have left in the file is room, too.
    const freeBytes = this.#room.freeBytes + reusableBytesOf(this.#database);
    return { usedBytes: usedBytesOf(this.#database), freeBytes };
  }

  #read<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (cause) {
      throw new ReadError(`The store could not be read: ${(cause as Error).message}`, { cause });
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#lastCommit;
    await this.#database.close();
    await this.#lock.release();
  }
}

/** lmdb rejects twice: once for the operation, and once in `commitError`, which has the reason. */
async function failed(error: Error & { commitError?: Promise<never> }): Promise<never> {
  const reason = await (error.commitError ?? Promise.reject(error)).catch(
    (cause: unknown) => cause as { code?: unknown },
  );
  const outcome = NO_ROOM_CODES.has(reason.code) ? 'not-applied' : 'unknown';
  throw new CommitError(outcome, 'The store could not write to its disk.', { cause: reason });
}
