import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../platform/manual.ts';
import { StartError } from '../start-error.ts';
import type { ToWorker } from './messages.ts';
import type { Worker } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

class FakeWorker implements Worker {
  readonly channel = new Duplex();
  readonly told: ToWorker['kind'][] = [];
  readonly pid: number;
  readonly up: Promise<void>;
  readonly ended: Promise<string>;
  comeUp!: () => void;
  end!: (how: string) => void;

  constructor(pid: number) {
    this.pid = pid;
    this.up = new Promise((resolve) => {
      this.comeUp = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  tell({ kind }: ToWorker): void {
    this.told.push(kind);
    if (kind === 'drain') this.end('code 0');
  }

  give(): void {}

  async useRules(): Promise<void> {}

  kill(): void {
    this.end('signal SIGKILL');
  }
}

function setUp(size: number) {
  const clock = manualClock();
  const workers: FakeWorker[] = [];
  const log: { level: string; fields: object }[] = [];
  const events: string[] = [];
  const note = (level: string) => (fields: object) => void log.push({ level, fields });
  let refusals = 0;
  const pool = new WorkerPool({
    size,
    startWorker() {
      if (refusals > 0) {
        refusals--;
        throw new Error('no further process');
      }
      const worker = new FakeWorker(workers.length + 1);
      workers.push(worker);
      return worker;
    },
    platform: clock,
    logger: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    onStarted: ({ pid }) => events.push(`started ${pid}`),
    onUp: ({ pid }) => events.push(`up ${pid}`),
    onEnded: ({ pid }) => events.push(`ended ${pid}`),
  });
  const refuse = (times: number) => {
    refusals = times;
  };
  const pauses = () =>
    log.filter(({ level }) => level === 'error').map(({ fields }) => (fields as { pauseMs: number }).pauseMs);
  return { pool, clock, workers, log, events, refuse, pauses };
}

async function running(size: number) {
  const all = setUp(size);
  const started = all.pool.start();
  for (const worker of all.workers) worker.comeUp();
  await started;
  return all;
}

describe('a start', () => {
  it('is over when all workers are up', async () => {
    const { pool, workers, events } = setUp(2);
    let isStarted = false;
    const started = pool.start().then(() => {
      isStarted = true;
    });
    workers[0]?.comeUp();
    await workers[0]?.up;
    expect(isStarted).toBe(false);
    workers[1]?.comeUp();
    await started;
    expect(events).toEqual(['started 1', 'started 2', 'up 1', 'up 2']);
  });

  it('fails when a worker ends before it is up, and starts no other', async () => {
    const { pool, clock, workers } = setUp(2);
    const started = pool.start();
    workers[0]?.comeUp();
    workers[1]?.end('code 1');
    await expect(started).rejects.toThrow(
      new StartError('cannot start the worker processes: one ended before it was ready (code 1)'),
    );
    await clock.advance(60_000);
    expect(workers).toHaveLength(2);
  });

  it('fails when the system allows no process', async () => {
    const { pool, refuse } = setUp(2);
    refuse(1);
    await expect(pool.start()).rejects.toThrow(/^cannot start the worker processes: .*no further process/);
  });
});

describe('a worker that ends', () => {
  it('is replaced at once when it had run for a while', async () => {
    const { clock, workers, log, events } = await running(2);
    await clock.advance(10_000);
    workers[0]?.end('signal SIGKILL');
    await clock.advance(0);
    expect(events.slice(-2)).toEqual(['ended 1', 'started 3']);
    expect(log).toEqual([{ level: 'error', fields: { how: 'process 1: signal SIGKILL', pauseMs: 0 } }]);
    workers[2]?.comeUp();
    await clock.advance(0);
    expect(events.at(-1)).toBe('up 3');
    expect(log.at(-1)).toEqual({ level: 'info', fields: { worker: 3 } });
  });

  it('is replaced after growing pauses while it keeps ending at once, up or not', async () => {
    const { clock, workers, pauses } = await running(1);
    for (let round = 0; round < 9; round++) {
      if (round % 2 === 0) workers.at(-1)?.comeUp();
      workers.at(-1)?.end('code 1');
      await clock.advance(10_000);
      expect(workers).toHaveLength(round + 2);
    }
    // It is started at the end of a pause, so the longest one leaves it no time.
    expect(pauses()).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    await clock.advance(10_000);
    workers.at(-1)?.end('code 1');
    await clock.advance(0);
    expect(pauses().at(-1)).toBe(0);
  });

  it('is replaced when the system allows it again', async () => {
    const { clock, workers, pauses, refuse } = await running(1);
    refuse(2);
    workers[0]?.end('code 1');
    await clock.advance(10_000);
    expect(workers).toHaveLength(2);
    expect(pauses()).toEqual([100, 200, 400]);
  });
});

describe('a drain', () => {
  it('tells every worker, waits for their ends and replaces none', async () => {
    const { pool, clock, workers } = await running(2);
    await pool.drain();
    await clock.advance(60_000);
    expect(workers.map(({ told }) => told)).toEqual([['drain'], ['drain']]);
  });

  it('starts nobody who was to be started', async () => {
    const { pool, clock, workers } = await running(1);
    workers[0]?.end('code 1');
    await clock.advance(0);
    await pool.drain();
    await clock.advance(60_000);
    expect(workers).toHaveLength(1);
  });
});
