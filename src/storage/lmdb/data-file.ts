import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedFileError } from '../damaged-file-error.ts';
import {
  freePagesFrom,
  type Leaf,
  META_PAGES,
  type Meta,
  type OverflowPointer,
  PAGE_BYTES,
  PAGE_HEADER_BYTES,
  Page,
  type Tree,
} from './page-format.ts';

/**
 * Pages read at a start: all of a small store, the upper ones of a large one (15 GB have 10,000 branch pages). With 2.7 GB
 * that takes 80 ms, and 120 ms when nothing is in the system's cache; to read the whole file takes 2.5 s.
 */
const START_PAGES_MAX = 1000;

export type Thoroughness = 'start' | 'whole';

/**
 * Looks whether a data file is whole before LMDB opens it. LMDB has no checksums and believes every number that it
 * reads: where one is wrong, it ends the process, now or later, and nobody learns why. What is inside the values is not
 * looked at; the codec of records does that.
 *
 * @throws DamagedFileError
 */
export function checkDataFile(path: string, thoroughness: Thoroughness): void {
  const file = openSync(path, 'r');
  try {
    new Check(file, path, thoroughness === 'whole' ? Number.POSITIVE_INFINITY : START_PAGES_MAX).run();
  } finally {
    closeSync(file);
  }
}

class Check {
  readonly #file: number;
  readonly #path: string;
  readonly #size: number;
  /** Complete pages in the file. */
  readonly #pages: number;
  readonly #page = new Page();
  #meta!: Meta;
  #readsLeft: number;

  constructor(file: number, path: string, readsMax: number) {
    this.#file = file;
    this.#path = path;
    this.#readsLeft = readsMax;
    this.#size = fstatSync(file).size;
    this.#pages = Math.floor(this.#size / PAGE_BYTES);
  }

  run(): void {
    if (this.#pages < META_PAGES) throw this.#damage(`it has ${this.#size} bytes, and no store has fewer than 16384`);
    const [first, second] = [this.#readMeta(0), this.#readMeta(1)];
    this.#meta = first.transaction > second.transaction ? first : second;
    const missing = this.#meta.lastPage + 1 - this.#pages;
    // LMDB may take pages behind the end and give them back before it has written them. They are free, then.
    if (missing > 0 && this.#countFreePages() < missing) {
      const needed = (this.#meta.lastPage + 1) * PAGE_BYTES;
      throw this.#damage(`it has ${this.#size} bytes, and its content needs ${needed}`);
    }
    this.#checkTree(this.#meta.free);
    this.#checkTree(this.#meta.rows);
  }

  #readMeta(index: number): Meta {
    this.#read(index);
    return this.#whole(this.#page.meta(index));
  }

  #checkTree(tree: Tree): void {
    for (const { overflows } of this.#leaves(tree)) {
      for (const overflow of overflows) this.#checkBounds(overflow);
      for (const overflow of this.#affordable(overflows)) {
        this.#read(overflow.page);
        this.#whole(this.#page.overflow(overflow, this.#meta.transaction));
      }
    }
  }

  /** Free pages behind the end of the file. */
  #countFreePages(): number {
    let count = 0;
    const readsLeft = this.#readsLeft;
    // The list is needed whole. It has four million pages in 32 MB.
    this.#readsLeft = Number.POSITIVE_INFINITY;
    for (const { values, overflows } of this.#leaves(this.#meta.free)) {
      for (const value of values) count += freePagesFrom(this.#pages, value);
      for (const overflow of overflows) count += freePagesFrom(this.#pages, this.#readValue(overflow));
    }
    this.#readsLeft = readsLeft;
    return count;
  }

  #readValue(overflow: OverflowPointer): DataView {
    this.#checkBounds(overflow);
    const bytes = Buffer.alloc(overflow.pages * PAGE_BYTES);
    readSync(this.#file, bytes, 0, bytes.length, overflow.page * PAGE_BYTES);
    return new DataView(bytes.buffer, PAGE_HEADER_BYTES);
  }

  /** Goes through a tree level by level. What is yielded is good until the next one. */
  *#leaves({ root, depth }: Tree): Generator<Leaf> {
    if (root === undefined) return;
    const { transaction } = this.#meta;
    let level = [root];
    for (let above = 1; above < depth; above++) {
      const below: number[] = [];
      for (const number of this.#affordable(level)) {
        this.#read(number);
        for (const child of this.#whole(this.#page.branch(number, transaction))) below.push(child);
      }
      level = below;
    }
    for (const number of this.#affordable(level)) {
      this.#read(number);
      yield this.#whole(this.#page.leaf(number, transaction));
    }
  }

  /** All of them, or an even sample as large as the number of reads that are left. */
  *#affordable<Item>(items: readonly Item[]): Generator<Item> {
    const count = Math.min(items.length, this.#readsLeft);
    this.#readsLeft -= count;
    for (let index = 0; index < count; index++) yield items[Math.floor((index * items.length) / count)] as Item;
  }

  #checkBounds({ page, pages }: OverflowPointer): void {
    const end = page + pages;
    const isInside = page >= META_PAGES && pages > 0 && end <= this.#pages && end <= this.#meta.lastPage + 1;
    if (!isInside) throw this.#damage(`a value is said to lie on pages ${page} to ${end - 1}`);
  }

  #read(number: number): void {
    if (number >= this.#pages) throw this.#damage(`page ${number} lies behind its end`);
    readSync(this.#file, this.#page.bytes, 0, PAGE_BYTES, number * PAGE_BYTES);
  }

  /** Throws what is wrong. */
  #whole<Content>(content: Content | string): Content {
    if (typeof content === 'string') throw this.#damage(content);
    return content;
  }

  #damage(what: string): DamagedFileError {
    return new DamagedFileError(this.#path, what);
  }
}
