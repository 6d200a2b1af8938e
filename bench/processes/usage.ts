import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 100;

/** What a process and its children have used so far, and use now. */
export interface Usage {
  cpuSeconds: number;
  /** Memory of their own. Pages of the store's file, which the system lends and takes back, are not part of it. */
  megabytes: number;
}

/** Known on Linux only; undefined elsewhere, and when there is no such process. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const usage = usageOfOne(pid);
    for (const child of childrenOf(pid)) {
      const its = usageOf(child);
      usage.cpuSeconds += its?.cpuSeconds ?? 0;
      usage.megabytes += its?.megabytes ?? 0;
    }
    return usage;
  } catch {
    return undefined;
  }
}

function usageOfOne(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuSeconds: (user + system) / TICKS_PER_SECOND, megabytes: Number(kilobytes) / 1024 };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
}

/** Of what happened while a watch was on. */
export interface Watched {
  seconds: number;
  cores?: number;
  /** The highest, and the one at the end. */
  peakMegabytes?: number;
  megabytes?: number;
}

/** Looks again and again at what a process uses. */
export class UsageWatch {
  readonly #usage: () => Usage | undefined;
  readonly #startedAt = performance.now();
  readonly #before: Usage | undefined;
  readonly #timer: NodeJS.Timeout;
  #peakMegabytes: number;

  constructor(usage: () => Usage | undefined) {
    this.#usage = usage;
    this.#before = usage();
    this.#peakMegabytes = this.#before?.megabytes ?? 0;
    this.#timer = setInterval(() => void this.#look(), SAMPLE_MS);
  }

  end(): Watched {
    clearInterval(this.#timer);
    const after = this.#look();
    const seconds = (performance.now() - this.#startedAt) / 1000;
    if (after === undefined || this.#before === undefined) return { seconds };
    return {
      seconds,
      cores: (after.cpuSeconds - this.#before.cpuSeconds) / seconds,
      peakMegabytes: this.#peakMegabytes,
      megabytes: after.megabytes,
    };
  }

  #look(): Usage | undefined {
    const usage = this.#usage();
    if (usage !== undefined) this.#peakMegabytes = Math.max(this.#peakMegabytes, usage.megabytes);
    return usage;
  }
}

/** What a directory takes on its disk. A file may be longer than that, where nothing was ever written. */
export function diskMegabytesOf(directory: string): number {
  const BLOCK_BYTES = 512;
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + blocksOf(join(directory, file)) * BLOCK_BYTES, 0) / 2 ** 20;
}

function blocksOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.blocks ?? 0;
}
