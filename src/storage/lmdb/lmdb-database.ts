import type { RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb';
import { PAGE_BYTES } from './page-format.ts';

/**
 * What a commit has survived when it is acknowledged:
 *
 *   fsync  a power loss: the data is on the disk
 *   os     a crash of the server, not one of the machine: the operating system writes it out when it likes, and a
 *          power loss can damage the store
 *   none   nothing is promised, for data that can be thrown away; at present the same as `os`
 */
export type Durability = 'fsync' | 'os' | 'none';

export type Database = RootDatabase<Uint8Array, Uint8Array>;

export function optionsFor(file: string, durability: Durability): RootDatabaseOptionsWithPath {
  return {
    path: file,
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

/** The part of lmdb's statistics that is used here; its own types say nothing. */
interface LmdbStats {
  lastPageNumber: number;
  entryCount: number;
  root: TreeStats;
  free: TreeStats;
}

interface TreeStats {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

const statsOf = (database: Database) => database.getStats() as LmdbStats;

export function rowsIn(database: Database): number {
  return statsOf(database).entryCount;
}

export function usedBytesOf(database: Database): number {
  return (statsOf(database).lastPageNumber + 1) * PAGE_BYTES;
}

/** What deleted rows have left in the file, which never shrinks. */
export function reusableBytesOf(database: Database): number {
  const { lastPageNumber, root, free } = statsOf(database);
  return Math.max(lastPageNumber + 1 - pagesOf(root) - pagesOf(free), 0) * PAGE_BYTES;
}

function pagesOf(tree: TreeStats): number {
  return tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
}
