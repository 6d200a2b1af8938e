import { DepthGate } from './depth-gate.ts';
import type { Measurement, MeasurePlan } from './plan.ts';
import type { Step } from './steps.ts';
import { type TimedConnection, Timings } from './timed-connection.ts';

/** Connections that all do the same. */
export interface Crew {
  step: Step;
  connections: readonly TimedConnection[];
}

/** Repeats a step on every connection until all together have dealt with `messages`. */
export async function repeat({ step, connections }: Crew, messages: number, onProgress: (done: number) => void) {
  let done = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (done < messages) {
        // Not `done += await ...`, which adds to what it was before the wait.
        const dealtWith = await step(connection);
        done += dealtWith;
        onProgress(done);
      }
    }),
  );
}

/** Repeats the step of each crew on all its connections for the time of the plan. Each waits for its reply. */
export async function measure(
  { name, seconds, warmupSeconds, steadyDepth }: Omit<MeasurePlan, 'queue' | 'roles'>,
  crews: readonly Crew[],
  onStart: () => void,
): Promise<Measurement> {
  const timings = new Timings();
  const gate = steadyDepth === undefined ? undefined : new DepthGate(steadyDepth);
  const all = crews.flatMap(({ connections }) => connections);
  let messages = 0;
  let ranDry = false;
  let startedAt = performance.now() + warmupSeconds * 1000;
  let endsAt = startedAt + seconds * 1000;
  let cpu = process.cpuUsage();
  let isMeasuring = false;

  const begin = () => {
    isMeasuring = true;
    onStart();
    cpu = process.cpuUsage();
    startedAt = performance.now();
    endsAt = startedAt + seconds * 1000;
    for (const connection of all) connection.timings = timings;
  };
  const work = async ({ step, connections }: Crew, index: number) => {
    const isLast = index === crews.length - 1;
    const isHeldBack = index === 0 && !isLast;
    await Promise.all(
      connections.map(async (connection) => {
        while (!ranDry) {
          const now = performance.now();
          if (!isMeasuring && now >= startedAt) begin();
          if (now >= endsAt) break;
          if (isHeldBack) await gate?.take(1);
          const done = await step(connection);
          if (done === 0) ranDry = true;
          if (!isLast) continue;
          gate?.free(done);
          if (isMeasuring && performance.now() < endsAt) messages += done;
        }
        // Whoever waits for room now would wait for ever.
        if (isLast) gate?.open();
      }),
    );
  };
  await Promise.all(crews.map(work));
  const elapsedSeconds = (Math.min(performance.now(), endsAt) - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const connection of all) connection.timings = undefined;
  const loadCores = (user + system) / 1e6 / elapsedSeconds;
  return { name, seconds: elapsedSeconds, messages, requests: timings.summary(), loadCores, ranDry };
}
