import { constants, type FileHandle, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Platform } from '../platform/platform.ts';
import { CHAIN_START, seal, sealOf } from './chain.ts';
import { fileOfDay, filesOf, HEAD_FILE } from './files.ts';

/** Where records go. */
export interface AuditLog {
  /** Resolves when records can be written. @throws AuditError when they cannot, or too many are waiting. */
  ready(): Promise<void>;
  /** Resolves when the record is on the disk. @throws AuditError when that did not work. */
  write(record: object): Promise<void>;
}

/** The trail cannot be written. */
export class AuditError extends Error {
  override name = 'AuditError';
}

/** The files of a trail as the machine has them: replaced in tests by a disk that is full. */
export interface TrailDisk {
  open(path: string): Promise<TrailFile>;
  /** All of it or nothing, also when the power fails. */
  replace(path: string, text: string): Promise<void>;
}

export interface TrailFile {
  size(): Promise<number>;
  writeAt(bytes: Buffer, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface TrailOptions {
  directory: string;
  platform: Pick<Platform, 'now' | 'uuid'>;
  logger: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  disk?: TrailDisk;
}

/** Records that are not on the disk yet: beyond that, calls are refused. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

interface Waiting {
  file: string;
  line: Buffer;
  hash: string;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * The files of a trail, and the only one who writes them. Records that come while others are being written go to the disk
 * together, with one flush.
 *
 *   writable ----a write fails----> failing ----`ready` tries the same write again----> writable
 *
 * A record whose write has failed keeps its place in the chain and waits, so that it is written, once, as soon as the
 * disk allows; only its caller is told that it was not at the time.
 */
export class AuditTrail implements AuditLog {
  readonly #options: TrailOptions;
  readonly #disk: TrailDisk;
  #file: { name: string; handle: TrailFile; size: number } | undefined;
  #lastHash: string;
  #latestFile = '';
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #flushing: Promise<void> | undefined;
  #failure: Error | undefined;

  private constructor(options: TrailOptions, lastHash: string, latestFile: string) {
    this.#options = options;
    this.#disk = options.disk ?? realDisk;
    this.#lastHash = lastHash;
    this.#latestFile = latestFile;
  }

  /** Goes on where the trail ends, having repaired a line that was cut off. @throws AuditError when its end makes no sense. */
  static async open(options: TrailOptions): Promise<AuditTrail> {
    const { directory, logger, disk = realDisk } = options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = (await filesOf(directory)).at(-1);
    if (file === undefined) return new AuditTrail(options, CHAIN_START, '');
    const path = join(directory, file);
    const bytes = await readFile(path);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const torn = bytes.subarray(end);
    const lastLine = bytes.subarray(bytes.lastIndexOf(0x0a, end - 2) + 1, Math.max(end - 1, 0)).toString('utf8');
    const whole = torn.length > 0 ? sealOf(torn.toString('utf8')) : undefined;
    const last = whole ?? sealOf(lastLine);
    if (last === undefined && end > 0) {
      throw new AuditError(`the last record of ${path} is not as it was written: see what stanchion audit verify says`);
    }
    const lastHash = last?.hash ?? (await hashBefore(directory, file));
    const trail = new AuditTrail(options, lastHash, file);
    if (torn.length === 0) return trail;
    const handle = await disk.open(path);
    // Only its line break was missing, or else what there is of it goes on in a record of its own.
    if (whole !== undefined) await handle.writeAt(Buffer.from('\n'), bytes.length);
    else await handle.truncate(end);
    await handle.sync();
    await handle.close();
    if (whole === undefined) {
      logger.warn(
        { file, bytes: torn.length },
        'the last record of the audit trail was cut off: what was left of it is in the next record',
      );
      await trail.write(repairRecord(options.platform, file, torn));
    }
    return trail;
  }

  async ready(): Promise<void> {
    if (this.#failure !== undefined) {
      this.#flushing ??= this.#flush();
      await this.#flushing;
      if (this.#failure !== undefined) throw this.#failure;
    }
    if (this.#waitingBytes > WAITING_BYTES_MAX) throw new AuditError('Too many records wait for the audit trail.');
  }

  write(record: object): Promise<void> {
    return new Promise((resolve, reject) => {
      // The clock may be that of a test; files must not go back to a day whose last record others already follow.
      const today = fileOfDay(this.#options.platform.now());
      const file = [today, this.#latestFile].sort()[1] as string;
      this.#latestFile = file;
      const { line, hash } = seal(record, this.#lastHash);
      this.#lastHash = hash;
      const bytes = Buffer.from(`${line}\n`);
      this.#waiting.push({ file, line: bytes, hash, resolve, reject });
      this.#waitingBytes += bytes.length;
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves when all is written that can be. */
  async close(): Promise<void> {
    await this.#flushing;
    if (this.#waiting.length > 0) await this.#flush();
    await this.#file?.handle.close();
  }

  async #flush(): Promise<void> {
    // Those of the same turn go along.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) await this.#writeSome();
      this.#failure = undefined;
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#flushing = undefined;
    }
  }

  /** All that waits for one file. */
  async #writeSome(): Promise<void> {
    const { file } = this.#waiting[0] as Waiting;
    const end = this.#waiting.findIndex((each) => each.file !== file);
    const batch = this.#waiting.slice(0, end < 0 ? undefined : end);
    const bytes = Buffer.concat(batch.map(({ line }) => line));
    const { hash } = batch.at(-1) as Waiting;
    const open = await this.#open(file);
    // At its place and not at the end: there may be a part of it already, of a write that failed.
    await open.handle.writeAt(bytes, open.size);
    await open.handle.sync();
    await this.#disk.replace(join(this.#options.directory, HEAD_FILE), `{"file":"${file}","hash":"${hash}"}\n`);
    open.size += bytes.length;
    this.#waiting.splice(0, batch.length);
    this.#waitingBytes -= bytes.length;
    for (const { resolve } of batch) resolve();
  }

  async #open(name: string): Promise<{ handle: TrailFile; size: number }> {
    if (this.#file?.name === name) return this.#file;
    await this.#file?.handle.close();
    this.#file = undefined;
    const handle = await this.#disk.open(join(this.#options.directory, name));
    this.#file = { name, handle, size: await handle.size() };
    return this.#file;
  }

  #fail(error: Error): void {
    if (this.#failure === undefined) {
      this.#options.logger.error(
        { reason: error.message },
        'the audit trail cannot be written: calls that belong into it are refused',
      );
    }
    this.#failure = new AuditError('The audit trail cannot be written.', { cause: error });
    for (const { reject } of this.#waiting) reject(this.#failure);
  }
}

/** The file holds nothing but a part of its first line. */
async function hashBefore(directory: string, file: string): Promise<string> {
  const before = (await filesOf(directory)).filter((name) => name < file).at(-1);
  if (before === undefined) return CHAIN_START;
  const last = sealOf((await readFile(join(directory, before), 'utf8')).trimEnd().split('\n').at(-1) ?? '');
  if (last === undefined)
    throw new AuditError(`the last record of ${join(directory, before)} is not as it was written`);
  return last.hash;
}

function repairRecord({ now, uuid }: TrailOptions['platform'], file: string, torn: Buffer): object {
  return {
    eventVersion: '1.09',
    eventTime: `${new Date(now()).toISOString().slice(0, 19)}Z`,
    eventSource: 'sqs.amazonaws.com',
    eventName: 'AuditTrailRepaired',
    eventID: uuid(),
    readOnly: true,
    eventType: 'AwsServiceEvent',
    managementEvent: true,
    eventCategory: 'Management',
    serviceEventDetails: { file, cutOffRecord: torn.toString('base64') },
  };
}

const realDisk: TrailDisk = {
  async open(path) {
    const handle: FileHandle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    return {
      size: async () => (await handle.stat()).size,
      async writeAt(bytes, position) {
        for (let done = 0; done < bytes.length; ) {
          done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
        }
      },
      truncate: (size) => handle.truncate(size),
      sync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  async replace(path, text) {
    await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  },
};
