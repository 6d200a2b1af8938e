import type { Platform } from '../../platform/platform.ts';
import type { Logger } from '../logger.ts';
import { StartError } from '../start-error.ts';
import type { Worker } from './worker.ts';

/** A worker that ends sooner has failed to start, as far as its successor is concerned. */
const STABLE_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export interface WorkerPoolOptions {
  size: number;
  startWorker(): Worker;
  platform: Platform;
  logger: Logger;
  onStarted(worker: Worker): void;
  onUp(worker: Worker): void;
  onEnded(worker: Worker): void;
}

/**
 * Keeps so many workers running. One that ends, for whatever reason, is replaced: at once if it had run for a while, else
 * after a pause that doubles each time, so that a machine on which none can live is not kept busy with starting them.
 *
 *   starting ----up----> up ----ended----> pausing ----> starting
 *      |                                      ^
 *      +---------------ended-----------------+      (ended before `start` resolved: the pool does not start)
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #workers = new Set<Worker>();
  readonly #pauses = new Set<() => void>();
  #isRunning = false;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  get workers(): Iterable<Worker> {
    return this.#workers;
  }

  /** Resolves when all are up. @throws StartError when one ends before. */
  async start(): Promise<void> {
    try {
      const workers = Array.from({ length: this.#options.size }, () => this.#startWorker(0));
      await Promise.all(workers.map(({ up, ended }) => Promise.race([up, ended.then(failure)])));
    } catch (error) {
      if (error instanceof StartError) throw error;
      return failure((error as Error).message);
    }
    this.#isRunning = true;
  }

  /** Lets them answer what is under way. Resolves when the last one has ended. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#pauses) cancel();
    for (const worker of this.#workers) worker.tell({ kind: 'drain' });
    await Promise.all([...this.#workers].map(({ ended }) => ended));
  }

  kill(): void {
    for (const worker of this.#workers) worker.kill();
  }

  #startWorker(failures: number): Worker {
    const { startWorker, platform, logger, onStarted, onUp } = this.#options;
    const worker = startWorker();
    const startedAt = platform.now();
    this.#workers.add(worker);
    onStarted(worker);
    void worker.up.then(() => {
      if (!this.#workers.has(worker)) return;
      if (this.#isRunning) logger.info({ worker: worker.pid }, 'another worker is there');
      onUp(worker);
    });
    void worker.ended.then((how) => {
      this.#workers.delete(worker);
      this.#options.onEnded(worker);
      const isStable = platform.now() >= startedAt + STABLE_AFTER_MS;
      if (this.#isRunning && !this.#isStopping)
        this.#replace(`process ${worker.pid}: ${how}`, isStable ? 0 : failures + 1);
    });
    return worker;
  }

  #replace(how: string, failures: number): void {
    const { platform, logger } = this.#options;
    const pauseMs = failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    logger.error({ how, pauseMs }, 'a worker ended, and is replaced');
    const cancel = platform.at(platform.now() + pauseMs, () => {
      this.#pauses.delete(cancel);
      try {
        this.#startWorker(failures);
      } catch (error) {
        this.#replace((error as Error).message, failures + 1);
      }
    });
    this.#pauses.add(cancel);
  }
}

function failure(how: string): never {
  throw new StartError(`cannot start the worker processes: one ended before it was ready (${how})`);
}
