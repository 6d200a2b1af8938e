import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// Beside the compiled benchmark, whose files are in a directory of their own.
const SOURCE = fileURLToPath(new URL('../../slow-flush/slow-flush.c', import.meta.url));
const LIBRARY = fileURLToPath(new URL('./slow-flush.so', import.meta.url));

/**
 * The environment in which the disk of a process is slower by so many milliseconds a flush.
 *
 * @throws Error where there is no C compiler
 */
export function slowFlushEnvironment(ms: number): Record<string, string> {
  if (ms === 0) return {};
  mkdirSync(dirname(LIBRARY), { recursive: true });
  const { error, status, stderr } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', LIBRARY, SOURCE, '-ldl'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`--slow-flush needs a C compiler (cc) on Linux: ${error?.message ?? stderr}`);
  return { LD_PRELOAD: LIBRARY, SLOW_FLUSH_US: String(Math.round(ms * 1000)) };
}
