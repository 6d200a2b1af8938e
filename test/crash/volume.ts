import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file system of its own with a size of its own: ext4 in a file where loop devices can be had, else in memory. Needs
 * the right to mount.
 */
export class Volume {
  /** Where it is mounted. */
  readonly path: string;
  readonly #base: string;

  private constructor(base: string) {
    this.#base = base;
    this.path = join(base, 'mounted');
  }

  /** Returns a text that says why there is none. */
  static create(mebibytes: number): Volume | string {
    const base = mkdtempSync(join(tmpdir(), 'stanchion-volume-'));
    const volume = new Volume(base);
    mkdirSync(volume.path);
    const failure = volume.#mountExt4(mebibytes) && volume.#mountTmpfs(mebibytes);
    if (failure === undefined) return volume;
    rmSync(base, { recursive: true });
    return failure;
  }

  makeReadOnly(): void {
    const failure = run('mount', '-o', 'remount,ro', this.path);
    if (failure !== undefined) throw new Error(failure);
  }

  /** Nobody may have a file of it open. */
  remove(): void {
    const failure = run('umount', this.path);
    if (failure !== undefined) throw new Error(failure);
    rmSync(this.#base, { recursive: true });
  }

  #mountExt4(mebibytes: number): string | undefined {
    const image = join(this.#base, 'image');
    const file = openSync(image, 'w');
    ftruncateSync(file, mebibytes * 1024 * 1024);
    closeSync(file);
    // Without the blocks that only root may fill: all users are to meet the same end. What is inside is written at once.
    const options = ['-q', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0'];
    return run('mkfs.ext4', ...options, image) ?? run('mount', '-o', 'loop', image, this.path);
  }

  #mountTmpfs(mebibytes: number): string | undefined {
    return run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', this.path);
  }
}

/** Undefined when it went well. */
function run(command: string, ...words: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' });
  return status === 0 ? undefined : `${command}: ${error?.message ?? stderr.trim()}`;
}
