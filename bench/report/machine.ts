import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the numbers were measured on. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGigabytes: number;
  system: string;
  node: string;
  /** Of the checkout, when there is one. */
  commit?: string;
  /** Runnable processes on average over the last minute: what else the machine did when the benchmark began. */
  loadAtStart: number;
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: `Node ${process.version}`,
    commit: commit(),
    loadAtStart: loadavg()[0] as number,
  };
}

function commit(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
