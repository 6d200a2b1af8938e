import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const LOCK_FILE = 'stanchion.lock';

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only server on a directory. LMDB itself lets several processes write, and two engines would
 * each trust their own memory. The file names the owner by process id and start time, so that what a killed server left
 * behind is recognised even when its process id has been given to another program.
 *
 * Rejects when another live process holds the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const file = join(directory, LOCK_FILE);
  const me = await identity(process.pid);
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(`${me}\n`);
      await handle.close();
      return { release: () => rm(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const owner = (await readFile(file, 'utf8').catch(() => '')).trim();
      const pid = Number(owner.split(' ')[0]);
      if (owner !== '' && (await identity(pid)) === owner) {
        throw new Error(`another server (process ${pid}) is using this data directory`);
      }
      await rm(file, { force: true });
    }
  }
  throw new Error('another server is starting on this data directory');
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
