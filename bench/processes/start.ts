import { type ChildProcess, spawn } from 'node:child_process';
import type { Part, Pins } from './pins.ts';

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => void child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

export interface StartOptions {
  pins: Pins;
  /** What to talk over. */
  output: 'pipe' | 'ipc';
  /** Beside those of this process. */
  environment?: Record<string, string>;
}

/** Starts a Node program. Its standard error is ours. */
export function start(part: Part, args: readonly string[], { pins, output, environment }: StartOptions): ChildProcess {
  const node = [process.execPath, ...args];
  const [command, ...rest] = pins === undefined ? node : ['taskset', '-c', pins[part], ...node];
  const stdio = output === 'pipe' ? (['ignore', 'pipe', 'inherit'] as const) : (['ignore', 2, 2, 'ipc'] as const);
  const child = spawn(command as string, rest, { stdio: [...stdio], env: { ...ourEnvironment(), ...environment } });
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

/** Without settings of the server: they are what the flags say. */
function ourEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STANCHION_')));
}
