import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFileError } from '../damaged-file-error.ts';
import { syncDirectory } from '../durable-files.ts';
import { CommitError, type Operation } from '../store.ts';
import { decodeFrame, encodeFrame, FRAME_ALIGNMENT, type Frame } from './frame.ts';
import type { Change } from './overlay.ts';

/** Files without content that are kept for later: with none at all, the journal would seem to be lost. */
const SPARE_FILES_MAX = 1;
const FILE_NAME = /^stanchion\.journal\.(\d+)$/;

/** Where O_DSYNC exists, a write is durable when it returns. Elsewhere it takes a second call. */
const SYNCHRONOUS = process.platform === 'linux' ? constants.O_DSYNC : 0;

export interface JournalOptions {
  directory: string;
  storeId: Uint8Array;
  /** Number of the last frame whose content is in the store below. */
  checkpointed: number;
  /** Whether a write is to survive a power loss. */
  isFlushed: boolean;
  /**
   * Files grow in steps, ahead of what is written: to flush a write into a file that has its length already takes one
   * write of the disk, and one that makes it longer takes several.
   */
  growthBytes: number;
}

interface JournalFile {
  path: string;
  handle: FileHandle;
  /** Its length. */
  bytes: number;
}

interface PlacedFrame extends Frame {
  /** Of its file. */
  path: string;
}

/** Journal files that are to be kept until their content is elsewhere. */
export interface Segment {
  readonly files: readonly JournalFile[];
  /** The number of the last frame in them. */
  readonly through: number;
}

/** Whether a directory has files of a journal. */
export async function hasJournal(directory: string): Promise<boolean> {
  return (await readdir(directory)).some((name) => FILE_NAME.test(name));
}

/** Append-only files. One write at a time; each is durable when it is over. */
export class Journal {
  readonly #options: JournalOptions;
  /** All of them. */
  readonly #files = new Set<JournalFile>();
  /** Those without content. */
  readonly #spares: JournalFile[] = [];
  #current: JournalFile | undefined;
  #position = 0;
  #lastNumber: number;
  /** The number of the last frame that is on the disk. Behind `#lastNumber` after a write that failed. */
  #lastWritten: number;
  #nextFile = 0;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.#lastNumber = options.checkpointed;
    this.#lastWritten = options.checkpointed;
  }

  /**
   * `found`: the changes of frames that are not in the store below, in order, and the files that they are in.
   *
   * @throws DamagedFileError when something is missing between them.
   */
  static async open(options: JournalOptions): Promise<{ journal: Journal; found: Change[]; segment: Segment }> {
    const journal = new Journal(options);
    try {
      return { journal, ...(await journal.#read()) };
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  async #read(): Promise<{ found: Change[]; segment: Segment }> {
    const { directory, storeId, checkpointed } = this.#options;
    const kept: JournalFile[] = [];
    const frames: PlacedFrame[] = [];
    for (const name of await readdir(directory)) {
      const match = FILE_NAME.exec(name);
      if (match === null) continue;
      this.#nextFile = Math.max(this.#nextFile, Number(match[1]) + 1);
      const path = join(directory, name);
      const content = await readFile(path);
      const file = await this.#openFile(path, content.length);
      const placed = framesIn(path, content, storeId, checkpointed).map((frame) => ({ ...frame, path }));
      this.#lastNumber = Math.max(this.#lastNumber, placed.at(-1)?.number ?? 0);
      const later = placed.filter(({ number }) => number > checkpointed);
      if (later.length === 0) this.#spares.push(file);
      else kept.push(file);
      for (const frame of later) frames.push(frame);
    }
    // What was found may not be on the disk: it was written without flushing, or the server ended in the middle of that.
    if (this.#options.isFlushed) await Promise.all(kept.map(({ handle }) => handle.datasync()));
    const chain = chainOf(frames, checkpointed);
    this.#lastWritten = chain.at(-1)?.number ?? checkpointed;
    const found: Change[] = [];
    for (const { changes } of chain) for (const change of changes) found.push(change);
    return { found, segment: { files: kept, through: this.#lastWritten } };
  }

  /** Bytes in the file that is being written. */
  get position(): number {
    return this.#position;
  }

  /** Bytes of all files. */
  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#files) sum += bytes;
    return sum;
  }

  /**
   * Makes sure that there is a file to write to.
   *
   * @throws CommitError
   */
  async begin(): Promise<void> {
    if (this.#current !== undefined) return;
    this.#current = this.#spares.pop() ?? (await this.#newFile().catch(notApplied));
    this.#position = 0;
  }

  /**
   * Writes commits, all or none. Resolves with their changes when they are durable; see `encodeFrame`.
   *
   * @throws CommitError
   */
  async append(commits: readonly (readonly Operation[])[]): Promise<Change[]> {
    const { storeId, isFlushed } = this.#options;
    // Also of a frame that fails to be written the number is not used again: parts of it may be on the disk.
    const number = ++this.#lastNumber;
    const { frame, changes } = encodeFrame(commits, { storeId, number, previous: this.#lastWritten });
    await this.#grow(frame.length);
    const file = this.#current as JournalFile;
    try {
      await writeAll(file.handle, frame, this.#position);
      if (isFlushed && SYNCHRONOUS === 0) await file.handle.datasync();
    } catch (cause) {
      throw new CommitError('unknown', 'The store could not write to its disk.', { cause });
    }
    this.#position += frame.length;
    this.#lastWritten = number;
    return changes;
  }

  async #grow(bytes: number): Promise<void> {
    await this.begin();
    const { growthBytes } = this.#options;
    const file = this.#current as JournalFile;
    const needed = this.#position + bytes;
    if (needed <= file.bytes) return;
    const length = Math.ceil(needed / growthBytes) * growthBytes;
    await writeAll(file.handle, Buffer.alloc(length - file.bytes), file.bytes).catch(notApplied);
    file.bytes = length;
  }

  /** Closes the chapter: what comes from now on goes to another file. */
  rotate(): Segment {
    const files = this.#current === undefined ? [] : [this.#current];
    this.#current = undefined;
    this.#position = 0;
    return { files, through: this.#lastWritten };
  }

  /** The content of these files is elsewhere. `isScarce`: their room is wanted for something else. */
  async release({ files }: Segment, isScarce: boolean): Promise<void> {
    // Out of reach while they are being changed.
    const idle = [...this.#spares.splice(0), ...files];
    for (const file of idle.splice(SPARE_FILES_MAX)) {
      this.#files.delete(file);
      // A file that stays does no harm. To fail for it would: the files would become spares once more.
      await file.handle.close().catch(() => {});
      await rm(file.path, { force: true }).catch(() => {});
    }
    for (const file of isScarce ? idle : []) {
      // Nor is it one when the room stays taken.
      const isEmpty = await file.handle.truncate(0).then(
        () => true,
        () => false,
      );
      if (isEmpty) file.bytes = 0;
    }
    this.#spares.push(...idle);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#files, ({ handle }) => handle.close()));
  }

  async #newFile(): Promise<JournalFile> {
    const { directory } = this.#options;
    // The number is used again after a failure: a disk that fails for long is not to be strewn with files.
    const file = await this.#openFile(join(directory, `stanchion.journal.${this.#nextFile}`), 0);
    try {
      await syncDirectory(directory);
    } catch (error) {
      this.#files.delete(file);
      await file.handle.close();
      throw error;
    }
    this.#nextFile++;
    return file;
  }

  async #openFile(path: string, bytes: number): Promise<JournalFile> {
    const flushing = this.#options.isFlushed ? SYNCHRONOUS : 0;
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | flushing, 0o600);
    const file = { path, handle, bytes };
    this.#files.add(file);
    return file;
  }
}

/**
 * The chain of frames at the beginning of a file. What comes behind it was never acknowledged, or is left of an earlier use:
 * then it is not behind the checkpoint, because files are used again when their content is in the store below.
 *
 * @throws DamagedFileError when later frames lie behind what cannot be read: each is written when the one before is durable.
 */
function framesIn(path: string, content: Buffer, storeId: Uint8Array, checkpointed: number): Frame[] {
  const frames: Frame[] = [];
  let end = 0;
  for (;;) {
    const frame = decodeFrame(content, end, storeId);
    const last = frames.at(-1);
    if (frame === undefined || (last !== undefined && frame.previous !== last.number)) break;
    frames.push(frame);
    end = frame.end;
  }
  const last = Math.max(frames.at(-1)?.number ?? 0, checkpointed);
  for (let offset = end; offset < content.length; offset += FRAME_ALIGNMENT) {
    const later = decodeFrame(content, offset, storeId);
    if (later === undefined) continue;
    if (later.previous > last) throw new DamagedFileError(path, `what lies at byte ${end} cannot be read`);
    offset = later.end - FRAME_ALIGNMENT;
  }
  return frames;
}

/**
 * The frames that lead from the checkpoint to the last one. Between them may lie one whose write failed and that is on the
 * disk all the same, at the end of a file that was left after it: none follows it.
 *
 * @throws DamagedFileError when one that another follows is missing.
 */
function chainOf(frames: readonly PlacedFrame[], checkpointed: number): PlacedFrame[] {
  const chain: PlacedFrame[] = [];
  for (const frame of frames.toSorted((a, b) => b.number - a.number)) {
    const next = chain.at(-1);
    if (next !== undefined && frame.number > next.previous) continue;
    if (next !== undefined && frame.number < next.previous) throw lostBefore(next);
    chain.push(frame);
  }
  const first = chain.at(-1);
  if (first !== undefined && first.previous !== checkpointed) throw lostBefore(first);
  return chain.reverse();
}

/** Nothing of the frame has been written. */
function notApplied(cause: unknown): never {
  throw new CommitError('not-applied', 'The store could not write to its disk.', { cause });
}

function lostBefore({ path, number }: PlacedFrame): DamagedFileError {
  return new DamagedFileError(path, `what was written before its frame ${number} is missing`);
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
