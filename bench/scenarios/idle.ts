import { setTimeout as sleep } from 'node:timers/promises';
import type { Timing } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import { type IdleState, idleSection } from '../report/idle.ts';
import type { Section } from '../report/section.ts';
import { type Case, casesOf, withScratch } from './rounds.ts';
import { Session } from './session.ts';

const CREATE_CONNECTIONS = 16;
const LISTING_SECONDS = 2;
/** For what still happens after the last request. */
const SETTLE_MS = 2000;

export async function idle(options: BenchOptions): Promise<Section> {
  const rounds: IdleState[][] = [];
  // The first one: with nothing to send, they do not differ.
  const [each] = casesOf(options) as [Case];
  for (let round = 1; round <= options.rounds; round++) {
    console.error(`idle: round ${round} of ${options.rounds} ...`);
    rounds.push(await withScratch(options, (scratch) => measureStates(options, each, scratch)));
  }
  return idleSection(options, rounds);
}

async function measureStates(options: BenchOptions, { protocol }: Case, scratch: string): Promise<IdleState[]> {
  const { queues, polls, seconds } = options;
  const session = await Session.open(options, protocol, scratch);
  const stateOf = async (name: string, requests: Record<string, Timing>): Promise<IdleState> => {
    await sleep(SETTLE_MS);
    const watch = session.watch();
    await sleep(seconds * 1000);
    return { name, usage: watch.end(), diskMegabytes: session.diskMegabytes(), requests };
  };
  try {
    const states = [await stateOf('nothing', {})];
    const created = await session.load.call('createQueues', queues, CREATE_CONNECTIONS);
    const listed = (await session.load.call('listQueues', LISTING_SECONDS)) as Timing;
    const many = `${queues.toLocaleString('en')} queues`;
    states.push(await stateOf(many, { CreateQueue: created, 'ListQueues page': listed }));
    await session.load.call('openPolls', polls);
    states.push(await stateOf(`${many}, ${polls.toLocaleString('en')} open receives`, {}));
    return states;
  } finally {
    await session.close();
  }
}
