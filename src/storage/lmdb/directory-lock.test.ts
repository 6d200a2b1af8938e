import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from './directory-lock.ts';

const hasProc = existsSync('/proc/self/stat');

let directory: string;
/** Of the owner before. */
let lockFile: string;
let children: ChildProcess[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stanchion-lock-'));
  lockFile = join(directory, 'stanchion.lock.7');
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

/** Runs a shell command that says a process id, and then stays. */
async function pidFrom(script: string): Promise<number> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const [line] = await new Promise<Buffer[]>((resolve) => child.stdout?.once('data', (data) => resolve([data])));
  return Number(line?.toString());
}

async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const isRefused = () => expect(lockDirectory(directory)).rejects.toThrow('is using this data directory');

async function isTakenOver(): Promise<void> {
  const lock = await lockDirectory(directory);
  expect(await readdir(directory)).toEqual(['stanchion.lock.8']);
  expect(await readFile(join(directory, 'stanchion.lock.8'), 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
  await isRefused();
  await lock.release();
}

describe('the lock of a directory', () => {
  it('is held by one until it is released', async () => {
    const lock = await lockDirectory(directory);
    await isRefused();
    await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.pid}`);
    await lock.release();
    await (await lockDirectory(directory)).release();
  });

  it('goes to exactly one of many who want it at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const wanted = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const locks = wanted.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(locks).toHaveLength(1);
      if (round % 2 === 0) await locks[0]?.release();
      // Its process has been killed, as it were.
      else for (const name of await readdir(directory)) await writeFile(join(directory, name), '0 5\n');
      expect(await readdir(directory)).toEqual([`stanchion.lock.${round + 1}`]);
    }
  });

  it('goes to whoever comes after the latest owner, not after one that was left lying about', async () => {
    await writeFile(join(directory, 'stanchion.lock.6'), '');
    await writeFile(join(directory, 'stanchion.lock.10'), '0 5\n');
    const lock = await lockDirectory(directory);
    expect(await readdir(directory)).toEqual(['stanchion.lock.11']);
    await lock.release();
  });

  it('may be released twice', async () => {
    const lock = await lockDirectory(directory);
    await lock.release();
    await lock.release();
  });

  it('needs the directory', async () => {
    await expect(lockDirectory(join(directory, 'missing'))).rejects.toThrow('ENOENT');
  });
});

describe('a lock that was left behind', () => {
  it('by a process that is gone is taken over', async () => {
    const pid = await pidFrom('echo $$; sleep 0');
    await new Promise((resolve) => children[0]?.once('exit', resolve));
    await writeFile(lockFile, `${pid} 12345\n`);
    await isTakenOver();
  });

  it.runIf(hasProc)('by a process whose id another one has now is taken over', async () => {
    const pid = await pidFrom('echo $$; sleep 30');
    await writeFile(lockFile, `${pid} 1\n`);
    await isTakenOver();
  });

  it.runIf(hasProc)('by a process that is dead and not buried is taken over', async () => {
    // The shell becomes a program that does not know of its child.
    const pid = await pidFrom('sleep 0.05 & echo $!; exec sleep 30');
    let stat = await statOf(pid);
    while (stat[0] !== 'Z') stat = await statOf(pid);
    await writeFile(lockFile, `${pid} ${stat[19]}\n`);
    await isTakenOver();
  });

  it.each(['', 'nonsense', '-1 5', '0 5', '99999999999 5'])('that says %j is taken over', async (content) => {
    await writeFile(lockFile, content);
    await isTakenOver();
  });
});

it.runIf(hasProc)('is refused while another live process holds it', async () => {
  const pid = await pidFrom('echo $$; sleep 30');
  const stat = await statOf(pid);
  await writeFile(lockFile, `${pid} ${stat[19]}\n`);
  await expect(lockDirectory(directory)).rejects.toThrow(`another server (process ${pid})`);
  expect(existsSync(lockFile)).toBe(true);
});
