import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement, WakeUpPlan } from './plan.ts';
import { type TimedConnection, Timings } from './timed-connection.ts';

/** Between the reply to one message and the next one: every receive has come to wait again by then. */
const PAUSE_MS = 5;
const WAIT_SECONDS = 20;

interface Arrival {
  at: number;
  deletionMs: number;
}

/**
 * One message at a time, into a queue at which receives wait: how long after the acknowledgement of the send one of
 * them has it.
 *
 * A receive is durable before it is answered, so a commit is part of that time. What the server adds to it is told
 * from the deletion that follows, which is a request and a commit and nothing else. The send is both too, but it comes
 * after a pause, from which a machine wakes up slowly.
 */
export async function measureWakeUps(
  plan: WakeUpPlan,
  sender: TimedConnection,
  pollers: readonly TimedConnection[],
  send: (connection: TimedConnection) => Promise<number>,
  onStart: () => void,
): Promise<Measurement> {
  const { name, queue, seconds, warmupSeconds, requestMs } = plan;
  const { requests } = sender;
  const poll = { QueueUrl: queue.url, WaitTimeSeconds: WAIT_SECONDS };
  let arrived: (arrival: Arrival) => void = () => {};
  let isOver = false;
  const polling = pollers.map(async (connection) => {
    while (!isOver) {
      const reply = await connection.call('ReceiveMessage', poll);
      const at = performance.now();
      const [ReceiptHandle] = requests.protocol.valuesIn(reply, 'ReceiptHandle');
      if (ReceiptHandle === undefined) continue;
      await connection.call('DeleteMessage', { QueueUrl: queue.url, ReceiptHandle });
      arrived({ at, deletionMs: performance.now() - at });
    }
  });
  // The loops are waited for at the end; that one of them fails is known at once.
  const failed = Promise.race(polling).then(() => new Promise<never>(() => {}));
  failed.catch(() => {});

  const timings = new Timings();
  let startedAt = performance.now() + warmupSeconds * 1000;
  let endsAt = startedAt + seconds * 1000;
  let isMeasuring = false;
  let cpu = process.cpuUsage();
  let messages = 0;
  for (let now = performance.now(); now < endsAt; now = performance.now()) {
    if (!isMeasuring && now >= startedAt) {
      isMeasuring = true;
      onStart();
      cpu = process.cpuUsage();
      startedAt = now;
      endsAt = now + seconds * 1000;
    }
    await sleep(PAUSE_MS);
    const arrival = new Promise<Arrival>((resolve) => {
      arrived = resolve;
    });
    const sentAt = performance.now();
    await send(sender);
    const acknowledgedAt = performance.now();
    const { at, deletionMs } = await Promise.race([arrival, failed]);
    if (!isMeasuring) continue;
    const wakeUpMs = at - acknowledgedAt;
    messages++;
    timings.add('SendMessage', acknowledgedAt - sentAt);
    timings.add('DeleteMessage', deletionMs);
    timings.add('wake-up', wakeUpMs);
    timings.add('wake-up over a commit', wakeUpMs - Math.max(deletionMs - requestMs, 0));
  }
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  isOver = true;
  // A message for each that still waits, so that it ends.
  for (const _ of pollers) await send(sender);
  await Promise.all(polling);
  const loadCores = (user + system) / 1e6 / elapsedSeconds;
  return { name, seconds: elapsedSeconds, messages, requests: timings.summary(), loadCores, ranDry: false };
}
