import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import type { Operation, RangeQuery, Row, Store, StoreStats } from '../store.ts';
import { CommitError, ReadError } from '../store.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { DiskRoom } from './disk-room.ts';
import { PAGE_BYTES } from './page-format.ts';
import { dataFileIn, isWithoutStore, markCreated, removeNewStore } from './store-files.ts';
import { ignoreStrayRejections } from './stray-rejections.ts';

/**
 * What a commit has survived when it is acknowledged:
 *
 *   fsync  a power loss: the data is on the disk
 *   os     a crash of the server, not one of the machine: the operating system writes it out when it likes, and a
 *          power loss can damage the store
 *   none   nothing is promised, for data that can be thrown away; at present the same as `os`
 */
export type Durability = 'fsync' | 'os' | 'none';

export interface LmdbStoreOptions {
  /** An existing directory that belongs to this store. One server at a time may have it open. */
  path: string;
  durability: Durability;
}

type Database = RootDatabase<Uint8Array, Uint8Array>;

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
    const isNew = isWithoutStore(path);
    let database: Database | undefined;
    try {
      database = open(optionsFor(path, durability)) as Database;
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

function optionsFor(path: string, durability: Durability): RootDatabaseOptionsWithPath {
  return {
    path: dataFileIn(path),
    noSubdir: true,
    keyEncoding: 'binary',
    encoding: 'binary',
    pageSize: PAGE_BYTES,
    // With overlapping sync a read can see a write a few hundred milliseconds before it is durable.
    overlappingSync: false,
    cache: false,
    // Not `useWritemap`, whatever the durability: LMDB then ends the whole process within a few deletions ("Assertion
    // 'x <= dl[0].mid' failed in mdb_freelist_save()", lmdb 3.5.6).
    noSync: durability !== 'fsync',
  };
}

class LmdbStore implements Store {
  readonly #database: Database;
  readonly #room: DiskRoom;
  readonly #lock: DirectoryLock;
  #lastCommit: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(database: Database, path: string, lock: DirectoryLock) {
    this.#database = database;
    this.#room = new DiskRoom(path, () => this.#reusableBytes());
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
    const { lastPageNumber } = this.#database.getStats() as LmdbStats;
    // What deleted messages have left in the file is room, too.
    return {
      usedBytes: (lastPageNumber + 1) * PAGE_BYTES,
      freeBytes: this.#room.freeBytes + this.#reusableBytes(),
    };
  }

  /** The file never shrinks. */
  #reusableBytes(): number {
    const { lastPageNumber, root, free } = this.#database.getStats() as LmdbStats;
    return Math.max(lastPageNumber + 1 - pagesOf(root) - pagesOf(free), 0) * PAGE_BYTES;
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

/** The part of lmdb's statistics that is used here; its own types say nothing. */
interface LmdbStats {
  lastPageNumber: number;
  root: TreeStats;
  free: TreeStats;
}

interface TreeStats {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

function pagesOf(tree: TreeStats): number {
  return tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
}

/** lmdb rejects twice: once for the operation, and once in `commitError`, which has the reason. */
async function failed(error: Error & { commitError?: Promise<never> }): Promise<never> {
  const reason = await (error.commitError ?? Promise.reject(error)).catch(
    (cause: unknown) => cause as { code?: unknown },
  );
  const outcome = NO_ROOM_CODES.has(reason.code) ? 'not-applied' : 'unknown';
  throw new CommitError(outcome, 'The store could not write to its disk.', { cause: reason });
}
