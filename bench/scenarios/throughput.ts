import type { MeasurePlan, QueueTarget } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import type { Section } from '../report/section.ts';
import { type CaseRounds, throughputSection } from '../report/throughput.ts';
import { type Batch, type Case, type ComparedResult, casesOf, runRound } from './rounds.ts';
import type { Result, Session } from './session.ts';

/** A scenario of which each measurement is a rate of messages. */
export interface Throughput {
  batches: readonly Batch[];
  measure(setting: Setting): Promise<ComparedResult[]>;
}

/** What a scenario has to do with in one round. */
export interface Setting {
  options: BenchOptions;
  each: Case;
  session: Session;
  echo: Result;
}

export async function runThroughput(scenario: Throughput, options: BenchOptions): Promise<Section> {
  const all: CaseRounds[] = casesOf(options).map((each) => ({ each, rounds: [] }));
  for (let round = 1; round <= options.rounds; round++) {
    for (const { each, rounds } of all) {
      const { protocol, connections, bodyBytes } = each;
      console.error(
        `${options.scenario}: round ${round} of ${options.rounds}, ` +
          `${protocol}, ${connections} connections, ${bodyBytes} bytes ...`,
      );
      const work = (session: Session, echo: Result) => scenario.measure({ options, each, session, echo });
      rounds.push(await runRound(options, each, scenario.batches, work));
    }
  }
  return throughputSection(options, all);
}

/** Gives work a queue of its own: a standard one, or a FIFO queue with so many groups. */
export async function withQueue<T>(
  { session, each }: Setting,
  groups: number,
  work: (queue: QueueTarget) => Promise<T>,
): Promise<T> {
  const queue = await session.load.call('createQueue', { bodyBytes: each.bodyBytes, groups, delaySeconds: 0 });
  const result = await work(queue);
  await session.load.call('deleteQueue', queue);
  return result;
}

/** One measurement in which all connections do the same. */
export async function measureStep(
  { options, each, session }: Setting,
  queue: QueueTarget,
  batch: Batch,
  name: string,
  step: MeasurePlan['roles'][number]['step'],
): Promise<ComparedResult> {
  const { seconds, warmupSeconds } = options;
  const roles = [{ step, connections: each.connections }];
  const result = await session.measure({ name, queue, roles, seconds, warmupSeconds });
  return { ...result, batch };
}

/** Messages that last for the time of a measurement, if they are not too large. */
export function prefillOf({ prefill, seconds, warmupSeconds }: BenchOptions, { bodyBytes }: Case): number {
  const PER_SECOND = 20_000;
  const BYTES_MAX = 2 ** 31;
  return prefill ?? Math.ceil(Math.min(PER_SECOND * (seconds + warmupSeconds), BYTES_MAX / bodyBytes));
}
