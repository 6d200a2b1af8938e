import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Whether servers and load can have a core each: then they do, and do not disturb one another. */
export let isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** A server of several processes is not to be squeezed onto one core. */
export function unpin(): void {
  isPinned = false;
}

/** What is measured runs on the first core, what measures on the second. */
export type Core = 'server' | 'load';

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => void child.kill('SIGKILL')));

/** Starts a Node program. Its standard error is ours. */
export function start(core: Core, args: readonly string[], output: 'pipe' | 'ipc'): ChildProcess {
  const node = [process.execPath, ...args];
  const [command, ...rest] = isPinned ? ['taskset', '-c', core === 'server' ? '0' : '1', ...node] : node;
  const stdio = output === 'pipe' ? (['ignore', 'pipe', 'inherit'] as const) : (['ignore', 2, 2, 'ipc'] as const);
  const child = spawn(command as string, rest, { stdio: [...stdio], env: environment() });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Resolves when the process has ended; rejects when it did not end well. */
export function ended(child: ChildProcess, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${what} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

/** A process that serves. */
export interface ServerProcess {
  url: string;
  usage(): Usage | undefined;
  stop(): Promise<void>;
}

/** What a process has used so far, and uses now. Known on Linux only. */
export interface Usage {
  cpuSeconds: number;
  /** Memory of its own. Pages of the store's file, which the system lends and takes back, are not part of it. */
  megabytes: number;
}

/** Starts a program whose first line of output is JSON with the `url` it serves at. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child = start('server', args, 'pipe');
  const end = ended(child, args[0] as string);
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      createInterface(child.stdout!).once('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
    }),
    end.then(() => Promise.reject(new Error(`${args[0]} ended before it served`))),
  ]);
  return {
    url,
    usage: () => usageOf(child.pid as number),
    async stop() {
      child.kill('SIGTERM');
      // A baseline does not handle the signal, and dies of it.
      await end.catch(() => {});
    },
  };
}

/** Of the process and its children. */
function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name in parentheses, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system] = [Number(fields[11]), Number(fields[12])];
    const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const usage = { cpuSeconds: (user + system) / TICKS_PER_SECOND, megabytes: Number(kilobytes) / 1024 };
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const child of children) {
      const { cpuSeconds = 0, megabytes = 0 } = usageOf(Number(child)) ?? {};
      usage.cpuSeconds += cpuSeconds;
      usage.megabytes += megabytes;
    }
    return usage;
  } catch {
    return undefined;
  }
}

/** Without settings of the server: they are what the flags say. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STANCHION_')));
}
