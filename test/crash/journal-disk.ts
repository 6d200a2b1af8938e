import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterOperations, type BaseStore, type Rows } from '../support/base-store.ts';
import { type FileWrite, interceptWrites } from '../support/file-writes.ts';
import type { Random } from './random.ts';

const SECTOR_BYTES = 512;

type Files = ReadonlyMap<string, Buffer>;

/** What was on the disk at one time: what had been written then, and what was being written. */
export interface Moment {
  files: Files;
  write: { name: string; bytes: Buffer; position: number } | undefined;
  rows: Rows;
  /** The rows when the commit of the base that was under way is done. */
  nextRows: Rows | undefined;
  /** How many commits had begun. */
  begun: number;
  /** The last one that was acknowledged, by its number; -1 at first. */
  acknowledged: number;
}

export type WriteFault = 'before' | 'after' | 'in between';

/**
 * Looks at the files of a journal and at the store below it whenever one of them changes. A write of the journal is durable
 * when it returns: whether the system makes it so is judged in durable-order.test.ts.
 */
export class JournalDisk {
  readonly moments: Moment[] = [];
  begun = 0;
  acknowledged = -1;
  /** How the next writes fail. */
  faultOf: (write: FileWrite) => WriteFault | undefined = () => undefined;
  readonly #directory: string;
  readonly #base: BaseStore;
  #underWay: { files: Files; write: FileWrite } | undefined;

  private constructor(directory: string, base: BaseStore) {
    this.#directory = directory;
    this.#base = base;
  }

  static async watch(directory: string, base: BaseStore): Promise<{ disk: JournalDisk; unwatch: () => void }> {
    const disk = new JournalDisk(directory, base);
    base.onApplied = () => disk.#look();
    const unwatch = await interceptWrites(
      () => directory,
      (write) => disk.#write(write),
    );
    disk.#look();
    return { disk, unwatch };
  }

  async #write(write: FileWrite): Promise<void> {
    this.#underWay = { files: filesIn(this.#directory), write };
    this.#look();
    const fault = this.faultOf(write);
    if (fault === undefined || fault === 'after') await write.proceed();
    if (fault === 'in between') {
      const half = Math.floor(write.bytes.length / 2);
      const path = join(this.#directory, write.name);
      const content = readFileSync(path);
      const changed = Buffer.alloc(Math.max(content.length, write.position + half));
      content.copy(changed);
      write.bytes.copy(changed, write.position, 0, half);
      writeFileSync(path, changed);
    }
    this.#underWay = undefined;
    this.#look();
    if (fault !== undefined) throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
  }

  #look(): void {
    const { rows, underWay } = this.#base;
    const [next] = underWay;
    this.moments.push({
      files: this.#underWay?.files ?? filesIn(this.#directory),
      write: this.#underWay?.write,
      rows,
      nextRows: next && afterOperations(rows, next),
      begun: this.begun,
      acknowledged: this.acknowledged,
    });
  }
}

/** Puts what a power loss at this moment leaves into a new directory. Returns the rows of the base. */
export function crash(moment: Moment, directory: string, random: Random): Rows {
  mkdirSync(directory);
  const files = new Map(moment.files);
  if (moment.write !== undefined) {
    const { name } = moment.write;
    files.set(name, torn(files.get(name) ?? Buffer.alloc(0), moment.write, random));
  }
  for (const [name, content] of files) writeFileSync(join(directory, name), content);
  return moment.nextRows !== undefined && random.chance(0.5) ? moment.nextRows : moment.rows;
}

/** Any of its sectors may be on the disk, and the file may have its new length or not. */
function torn(before: Buffer, { bytes, position }: NonNullable<Moment['write']>, random: Random): Buffer {
  const after = Buffer.alloc(Math.max(before.length, position + bytes.length));
  before.copy(after);
  const probability = random.pick([0, 0.1, 0.5, 0.9, 1]);
  for (let start = position; start < position + bytes.length; ) {
    const end = Math.min(position + bytes.length, (Math.floor(start / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (random.chance(probability)) bytes.copy(after, start, start - position, end - position);
    start = end;
  }
  return random.chance(0.5) ? after : after.subarray(0, before.length);
}

function filesIn(directory: string): Files {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(directory)) {
    try {
      files.set(name, readFileSync(join(directory, name)));
    } catch (error) {
      // It has just been removed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return files;
}
