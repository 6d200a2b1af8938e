import { endWorld } from './ending.ts';
import { EventLog } from './event-log.ts';
import { type Violation, World } from './world.ts';

export interface Result {
  seed: number;
  violations: readonly Violation[];
  /** Known and not yet prevented: see `World.weaknesses`. */
  weaknesses: readonly string[];
  /** Calls that clients made. */
  calls: number;
  /** Turns of the server's event loop. */
  steps: number;
  /** Over every event, so that two runs of a seed can be compared. */
  digest: string;
}

/** Runs one world to its end, or to the first thing that is not as promised. */
export async function simulate(seed: number, print?: (line: string) => void): Promise<Result> {
  const log = new EventLog(print);
  const world = new World(seed, log);
  await world.run(endWorld);
  const { violations, weaknesses, calls, step: steps } = world;
  return { seed, violations, weaknesses, calls, steps, digest: log.digest() };
}
