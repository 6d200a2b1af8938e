import type { Message } from '../src/protocol/model/shapes.ts';
import type { DurableQueue } from './checkers/durable-image.ts';
import { urlOf } from './clients/client.ts';
import { lookAt, type World } from './world.ts';

const DAY_MS = 24 * 3600_000;
/** The longest that a message can be out of reach: in flight for twelve hours; and some more for what is late. */
const OUT_OF_REACH_MAX_MS = DAY_MS;

/** The world has healed. Now everything must come to its end: waiters, tasks, and every message. */
export async function endWorld(world: World): Promise<void> {
  await world.whenIdle();
  await world.settle();
  await world.restart();
  await world.settle();
  await whenTasksAreOver(world);
  if (world.swarm.ending === 'drain') await Promise.all(queues(world).map((queue) => drain(world, queue)));
  else await expire(world);
  await world.settle();
  await world.server.close();
  world.checkers.checkReceiveCounts();
}

function queues(world: World): DurableQueue[] {
  return [...world.checkers.image.byName.values()];
}

async function whenTasksAreOver(world: World): Promise<void> {
  const until = world.now + DAY_MS;
  const isActive = () => queues(world).some(({ tasks }) => [...tasks.values()].some((task) => task.isActive));
  while (isActive()) {
    await world.sleep(1000);
    if (world.now > until) {
      world.checkers.violation('tasks-end', 'a move task does not end');
      return;
    }
  }
}

/** Consumers receive and delete until nothing is left. */
async function drain(world: World, queue: DurableQueue): Promise<void> {
  const { name } = queue;
  const until = world.now + OUT_OF_REACH_MAX_MS;
  const isStillToCome = () => queue.live.size > 0 || sourcesOf(world, queue).some(({ live }) => live.size > 0);
  while (isStillToCome()) {
    if (world.now > until) {
      world.checkers.violation('drain', `${name} does not drain: ${queue.live.size} messages are left`);
      return;
    }
    const call = await world.call('drain', {
      name: 'ReceiveMessage',
      queue: name,
      input: {
        QueueUrl: urlOf(name),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 60,
        WaitTimeSeconds: 20,
        AttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      patienceMs: 60_000,
    });
    if (call.outcome !== 'ok') {
      world.checkers.violation('drain', `a receive on ${name} ended ${call.outcome}, and the world is calm`);
      return;
    }
    const messages = call.reply?.Messages ?? [];
    if (messages.length > 0) await deleteAll(world, name, messages);
    else if (queue.live.size > 0) await world.sleep(Math.max(nextVisibleAt(world, queue) - world.now, 0));
    else await world.sleep(60_000);
  }
}

async function deleteAll(world: World, name: string, messages: readonly Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `e${index}`, ReceiptHandle }));
  const input = { QueueUrl: urlOf(name), Entries };
  const call = await world.call('drain', { name: 'DeleteMessageBatch', queue: name, input, patienceMs: 60_000 });
  const failed = call.reply?.Failed ?? [];
  if (call.outcome !== 'ok' || failed.length > 0) {
    world.checkers.violation('drain', `a delete on ${name} ended ${call.outcome}: ${JSON.stringify(failed)}`);
  }
}

/** Queues whose messages may still come here. */
function sourcesOf(world: World, queue: DurableQueue): DurableQueue[] {
  return queues(world).filter((source) => world.checkers.image.deadLetterTargetOf(source) === queue);
}

/** When the next message is out of flight and out of its delay. */
function nextVisibleAt(world: World, queue: DurableQueue): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { delivery, timing } of queue.live.values()) {
    const delayedUntil = queue.fifo ? timing.retentionFrom + queue.settings.delayMs : timing.dueAt;
    next = Math.min(next, Math.max(delivery?.visibleAt ?? 0, delayedUntil));
  }
  return Math.min(next, world.now + DAY_MS);
}

/** Nobody receives anything; two weeks later nothing is left. */
async function expire(world: World): Promise<void> {
  await world.sleep(15 * DAY_MS);
  // A queue that nobody uses may be asleep, with the rest of its backlog on the disk.
  for (let round = 0; round < 5; round++) {
    for (const { name } of queues(world)) await world.call('director', lookAt(name));
    await world.sleep(5000);
  }
  for (const queue of queues(world)) {
    if (queue.live.size > 0) {
      world.checkers.violation('retention', `${queue.name} still has ${queue.live.size} messages after 15 days`);
    }
  }
}
