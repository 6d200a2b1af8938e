import { availableParallelism } from 'node:os';

/** More keep the engine no busier: see docs/decisions/0006-front-end-workers.md. */
const WORKERS_MAX = 4;

/**
 * `auto`: one core is left to the engine, the others get a worker each. With two cores that would be one worker, which
 * has all the work that the server can give away and still costs more than it saves.
 */
export function workerCount(setting: number | 'auto', cores = availableParallelism()): number {
  if (setting !== 'auto') return setting;
  return cores <= 2 ? 0 : Math.min(cores - 1, WORKERS_MAX);
}
