import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueTarget, StepName } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import { type BacklogRun, backlogSection } from '../report/backlog.ts';
import type { Section } from '../report/section.ts';
import { type Case, casesOf, measureBaselines, withScratch } from './rounds.ts';
import { type Result, Session } from './session.ts';

/** The longest that SQS knows. */
const DELAY_SECONDS = 900;
const IDLE_MS = 3000;
/** The server has been warmed up at another queue. */
const WARMUP_SECONDS = 0.5;
/** That can be received, beside a backlog of delayed ones. */
const UNDELAYED_MESSAGES = 1000;

/** Every one of these leaves the queue as deep as it was. */
const ACTIONS: readonly (readonly [string, StepName])[] = [
  ['send, receive, delete', 'lifecycle'],
  ['the same in tens', 'lifecycleTen'],
  ['receive, change visibility', 'changeVisibility'],
  ['the same in tens', 'changeVisibilityTen'],
  ['get attributes', 'getAttributes'],
];

/** A fresh server for each depth, so that its memory is that of this depth. */
export async function backlog(options: BenchOptions): Promise<Section> {
  const runs: BacklogRun[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const each of casesOf(options)) {
      const baselines = await withScratch(options, (scratch) =>
        measureBaselines(options, each, ['one', 'ten'], scratch),
      );
      for (const depth of options.depths) {
        console.error(`backlog: round ${round} of ${options.rounds}, ${depth.toLocaleString('en')} messages ...`);
        const measured = await withScratch(options, (scratch) => measureDepth(options, each, depth, scratch));
        runs.push({ each, depth, ...baselines, ...measured });
      }
    }
  }
  return backlogSection(options, runs);
}

async function measureDepth(options: BenchOptions, each: Case, depth: number, scratch: string) {
  const session = await Session.open(options, each.protocol, scratch);
  try {
    await rehearse(session, options, each);
    const queue = await createQueue(session, options, each);
    const fill = await session.fill(queue, depth);
    if (options.isDelayed) await session.fill({ ...queue, delaySeconds: 0 }, UNDELAYED_MESSAGES);
    const watch = session.watch();
    await sleep(IDLE_MS);
    const idle = watch.end();
    const actions: Result[] = [];
    for (const [name, step] of ACTIONS) {
      actions.push(await measureAction(session, queue, name, step, each, options.seconds, WARMUP_SECONDS));
    }
    const diskMegabytes = session.diskMegabytes();
    const drain = options.isDelayed ? undefined : await session.drain(queue, depth);
    return { fill, idle, actions, drain, diskMegabytes };
  } finally {
    await session.close();
  }
}

/** Everything that will be measured, so that the first depth does not look slower than it is. */
async function rehearse(session: Session, options: BenchOptions, each: Case): Promise<void> {
  const queue = await createQueue(session, { ...options, isDelayed: false }, each);
  await session.fill(queue, 10 * each.connections);
  for (const [name, step] of ACTIONS) {
    await measureAction(session, queue, name, step, each, options.warmupSeconds / 2, 0);
  }
  await session.load.call('deleteQueue', queue);
}

function createQueue({ load }: Session, { groups, isDelayed }: BenchOptions, { bodyBytes }: Case) {
  const delaySeconds = isDelayed ? DELAY_SECONDS : 0;
  return load.call('createQueue', { bodyBytes, groups: groups[0] ?? 0, delaySeconds });
}

function measureAction(
  session: Session,
  queue: QueueTarget,
  name: string,
  step: StepName,
  { connections }: Case,
  seconds: number,
  warmupSeconds: number,
): Promise<Result> {
  return session.measure({ name, queue, roles: [{ step, connections }], seconds, warmupSeconds });
}
