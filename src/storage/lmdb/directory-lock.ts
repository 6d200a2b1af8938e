import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `stanchion.lock.3`: the third owner that the directory has had. */
const LOCK_FILE = /^stanchion\.lock\.(\d+)$/;

/** An owner who was slower than others looks again; with as many owners in a moment something else is wrong. */
const ATTEMPTS_MAX = 100;

export interface DirectoryLock {
  release(): Promise<void>;
}

let locksTaken = 0;

/**
 * Makes this process the only server on a directory. LMDB itself lets several processes write, and two engines would
 * each trust their own memory. A file names the owner by process id and start time, so that what a killed server left
 * behind is recognised even when its process id has been given to another program.
 *
 * Owners are numbered. Whoever finds that the latest one has let go or is dead becomes the next by creating the file of
 * the next number, which only one can do. To delete what a dead owner left, and create one's own file of the same name,
 * would not do: of two servers that start at once, the slower one deletes the file that the faster one has just made.
 *
 * Rejects when another live process holds the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const me = await identity(process.pid);
  const fileOf = (number: number) => join(directory, `stanchion.lock.${number}`);
  const draft = join(directory, `stanchion.lock.${process.pid}-${++locksTaken}.new`);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const numbers = await numbersIn(directory);
    const latest = Math.max(0, ...numbers);
    if (latest > 0) {
      // Deleted in the meantime: there is a later one.
      const owner = await readFile(fileOf(latest), 'utf8').catch(() => undefined);
      if (owner === undefined) continue;
      const pid = Number(owner.split(' ')[0]);
      if (owner !== '' && (await identity(pid)) === owner.trim()) {
        throw new Error(`another server (process ${pid}) is using this data directory`);
      }
    }
    const mine = latest + 1;
    // Written first and then given its name, so that nobody ever sees it without its content.
    let isCreated = true;
    try {
      await writeFile(draft, `${me}\n`);
      await link(draft, fileOf(mine));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      isCreated = false;
    } finally {
      await rm(draft, { force: true });
    }
    if (!isCreated) continue;
    const numbersNow = await numbersIn(directory);
    if (Math.max(...numbersNow) > mine) {
      // The number had been used before, and its file deleted by a later owner.
      await rm(fileOf(mine), { force: true });
      continue;
    }
    for (const number of numbersNow) if (number < mine) await rm(fileOf(number), { force: true });
    // The file stays: the next owner has to find a number to count on from.
    return { release: () => writeFile(fileOf(mine), '') };
  }
  throw new Error('other servers are starting on this data directory');
}

async function numbersIn(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => LOCK_FILE.exec(name)?.slice(1).map(Number) ?? []);
}

/** `<pid> <start time>` of a live process, or an empty text. Where there is no /proc only the id counts. */
async function identity(pid: number): Promise<string> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return '';
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program's name in parentheses and may contain anything. Behind it: the state, and 19 fields
  // later the start time. A zombie has let go of everything; only its parent has not noticed yet.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields?.[0] === 'Z') return '';
  const startTime = fields?.[19];
  return startTime === undefined ? String(pid) : `${pid} ${startTime}`;
}
