import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUEUE_LIMITS, type QueueLimits } from '../../src/queue/limits.ts';
import { drain, queueCommands, rest, restart, send } from './commands.ts';
import { newModel, World, type WorldOptions } from './harness.ts';

/**
 * How many times more runs than in `npm test`, and where to start. A failure prints its seed and path; with
 * `MODEL_SEED` the same runs come again.
 */
const EFFORT = Number(process.env.MODEL_EFFORT ?? 1);
const SEED = process.env.MODEL_SEED === undefined ? undefined : Number(process.env.MODEL_SEED);

const RUNS = Math.ceil(1000 * EFFORT);

/** Windows of a few messages, so that a handful of sends already is a backlog. */
const narrow: QueueLimits = {
  ...QUEUE_LIMITS,
  windowReadyMax: 4,
  pageRowsMax: 3,
  // Half a page must be more than one message, see `#noteHunger`.
  pageRowsMin: 3,
  idleLogsMax: 2,
  delaysMax: 4,
  delayPageRows: 3,
  delaysLow: 2,
  deduplicationIdsMax: 3,
  deduplicationPageRows: 2,
};

const limits = fc.constantFrom<QueueLimits>(
  QUEUE_LIMITS,
  narrow,
  { ...narrow, delayPageRows: 1, delaysLow: 1 },
  { ...narrow, windowReadyMax: 2, pageRowsMax: 8, delaysMax: 1, delaysLow: 8 },
  { ...QUEUE_LIMITS, inFlightMax: 6 },
  { ...narrow, inFlightMax: 5 },
);

function optionsFor(fifo: boolean): fc.Arbitrary<WorldOptions> {
  return fc.record({
    fifo: fc.constant(fifo),
    deduplicationScope: fifo ? fc.constantFrom('queue', 'messageGroup') : fc.constant('queue'),
    delayMs: fc.constantFrom(0, 0, 0, 1000, 60_000),
    retentionMs: fc.constantFrom(4 * 24 * 3600_000, 4 * 24 * 3600_000, 60_000, 3600_000),
    limits,
  });
}

describe.each([
  { type: 'standard', fifo: false },
  { type: 'FIFO', fifo: true },
])('a $type queue', ({ fifo }) => {
  it('behaves like the model, whatever comes in whatever order', { timeout: 600_000 * EFFORT }, () => {
    fc.assert(
      fc.property(optionsFor(fifo), queueCommands(80), (options, commands) => {
        const setUp = () => {
          const model = newModel(options);
          return { model, real: new World(options, model) };
        };
        let last: ReturnType<typeof setUp> | undefined;
        fc.modelRun(() => {
          last = setUp();
          return last;
        }, commands);
        if (last !== undefined) drain(last.model, last.real);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('gives out a backlog larger than its window, also after a restart', () => {
    const count = 4_500;
    const options = {
      fifo,
      deduplicationScope: 'queue',
      delayMs: 0,
      retentionMs: 3600_000,
      limits: QUEUE_LIMITS,
    } as const;
    const model = newModel(options);
    const world = new World(options, model);
    for (let sent = 0; sent < count; sent += 100) {
      const entries = Array.from({ length: 100 }, (_, index) => ({ group: (sent + index) % 40, dedup: sent + index }));
      send(0, entries).run(model, world);
    }
    rest().run(model, world);
    expect(world.queue(0).counts(world.now)).toEqual({ visible: count, inFlight: 0, delayed: 0 });
    restart(0, false).run(model, world);
    drain(model, world);
    expect(world.queue(0).counts(world.now)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });
});
