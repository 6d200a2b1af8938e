import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { buildServer, killServers } from '../support/server-process.ts';
import { violationsOf } from './checks.ts';
import { History } from './history.ts';
import { Random } from './random.ts';
import { type Observer, queueUrl, Recorder } from './recorder.ts';
import { RestartingServer } from './restarting-server.ts';
import { SqsClient } from './sqs-client.ts';
import { consume, produce, produceFifo, type Worker } from './workload.ts';

/** STANCHION_KILLS=100 npm test -- test/crash */
const KILLS = Number(process.env.STANCHION_KILLS ?? 10);
/** Repeats the choices of a run, not its timing: the machine has its own mind. */
const SEED = Number(process.env.STANCHION_SEED ?? Date.now() % 1_000_000);

const QUEUES = {
  orders: { fifo: false, deadLetter: { queue: 'orders-dead', maxReceiveCount: 3 } },
  'orders-dead': { fifo: false },
  'ledger.fifo': { fifo: true },
  'jobs.fifo': {
    fifo: true,
    deduplicatesByGroup: true,
    deadLetter: { queue: 'jobs-dead.fifo', maxReceiveCount: 2 },
  },
  'jobs-dead.fifo': { fifo: true },
};
const NAMES = Object.keys(QUEUES) as (keyof typeof QUEUES)[];
const PRODUCERS = 2;
const CONSUMERS = 3;
/** Requests and answers before the consumers start: makes a backlog that is longer than what is kept in memory. */
const HEAD_START = 6000;
/** Empty answers in a row, a second each, after which nothing more can come: nothing is hidden for so long. */
const SILENCE_MAX = 20;

beforeAll(buildServer);
afterEach(killServers);

it(`keeps its promises through ${KILLS} kills`, { timeout: 120_000 + KILLS * 10_000 }, async () => {
  console.log(`STANCHION_KILLS=${KILLS} STANCHION_SEED=${SEED}`);
  const data = await mkdtemp(join(tmpdir(), 'stanchion-kill-'));
  const server = new RestartingServer(data);
  const run = new Run(server, new Random(SEED));
  await server.started();
  await run.createQueues();

  run.startProducers();
  await run.progress(HEAD_START);
  run.startConsumers();
  await run.killRepeatedly(KILLS);
  await run.stop();

  const waiting = await run.countMessages();
  await restart(server, 'kill');
  const afterKill = await run.countMessages();
  await restart(server, 'stop');
  const afterStop = await run.countMessages();
  const drained = await run.drain();
  await restart(server, 'stop');
  const left = await run.countMessages();
  await server.stop();

  console.log(summaryOf(run.history));
  expect(violationsOf(run.history)).toEqual([]);
  const counters = { waiting, afterKill, afterStop, drained, left };
  expect(counters).toEqual({ waiting, afterKill: waiting, afterStop: waiting, drained: waiting, left: 0 });
  expect(server.errors).toEqual([]);
  await rm(data, { recursive: true });
});

async function restart(server: RestartingServer, how: 'kill' | 'stop'): Promise<void> {
  await server[how]();
  server.restart();
  await server.started();
}

class Run implements Observer {
  readonly history = new History(QUEUES);
  readonly #server: RestartingServer;
  readonly #random: Random;
  readonly #admin: SqsClient;
  readonly #loops: Promise<void>[] = [];
  #isStopping = false;
  #progress = 0;
  #milestone: { at: number; reached: () => void } | undefined;
  #failure: Promise<never>;
  #fail!: (error: unknown) => void;

  constructor(server: RestartingServer, random: Random) {
    this.#server = server;
    this.#random = random;
    this.#admin = new SqsClient(server);
    this.#failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failure.catch(() => {});
  }

  get kills(): number {
    return this.#server.kills;
  }

  onProgress(): void {
    this.#progress++;
    if (this.#milestone !== undefined && this.#progress >= this.#milestone.at) this.#milestone.reached();
  }

  /** Resolves when so many more requests and answers have passed. */
  progress(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#milestone = { at: this.#progress + count, reached: resolve };
    });
    return Promise.race([reached, this.#failure]);
  }

  async createQueues(): Promise<void> {
    await this.#admin.connected();
    for (const name of NAMES.toReversed()) {
      const { fifo, ...traits } = QUEUES[name];
      const attributes: Record<string, string> = fifo ? { FifoQueue: 'true' } : {};
      if ('deduplicatesByGroup' in traits) {
        Object.assign(attributes, {
          DeduplicationScope: 'messageGroup',
          FifoThroughputLimit: 'perMessageGroupId',
        });
      }
      if ('deadLetter' in traits) {
        const { queue, maxReceiveCount } = traits.deadLetter;
        const deadLetterTargetArn = `arn:aws:sqs:us-east-1:000000000000:${queue}`;
        attributes.RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
      }
      await this.#admin.call('CreateQueue', { QueueName: name, Attributes: attributes });
    }
  }

  startProducers(): void {
    for (let index = 0; index < PRODUCERS; index++) {
      this.#start((worker) => produce('orders', `${index}`, worker));
      for (const queue of ['ledger.fifo', 'jobs.fifo']) {
        const groups = ['a', 'b', 'c', 'd'].map((letter) => `${letter}${index}`);
        this.#start((worker) => produceFifo(queue, groups, worker));
      }
    }
  }

  startConsumers(): void {
    for (const queue of NAMES) {
      for (let index = 0; index < CONSUMERS; index++) this.#start((worker) => consume(queue, worker));
    }
  }

  async killRepeatedly(kills: number): Promise<void> {
    const random = this.#random.fork();
    while (this.kills < kills) {
      await this.progress(random.integer(20, 2500));
      await this.#server.kill();
      this.#server.restart();
      while (this.kills < kills && random.chance(0.2)) {
        // In the midst of its start, wherever that is.
        await delay(random.integer(0, 300));
        await this.#server.kill();
        this.#server.restart();
      }
      await this.#server.started();
    }
  }

  /** Ends producers and consumers. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.race([Promise.all(this.#loops), this.#failure]);
  }

  /** Messages in all queues, by their counters. */
  async countMessages(): Promise<number> {
    const counts = await Promise.all(NAMES.map((queue) => this.#count(queue)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async #count(queue: string): Promise<number> {
    const client = new SqsClient(this.#server);
    await client.connected();
    const { Attributes } = await client.call('GetQueueAttributes', {
      QueueUrl: queueUrl(queue),
      AttributeNames: ['All'],
    });
    client.close();
    const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
    return Number(visible) + Number(hidden) + Number(Attributes.ApproximateNumberOfMessagesDelayed);
  }

  /** Receives and deletes until every queue is empty, or silent. Returns how many messages there were. */
  async drain(): Promise<number> {
    const drained = new Set<string>();
    const drainQueue = async (queue: string) => {
      const { recorder } = this.#worker();
      await recorder.connected();
      for (let silence = 0; silence < SILENCE_MAX; silence++) {
        const received = await recorder.receive(queue, { maxMessages: 10, visibilityMs: 30_000, waitSeconds: 1 });
        if (received.length > 0) {
          silence = -1;
          await recorder.delete(queue, received);
          for (const { body } of received) drained.add(body);
        } else if ((await this.#count(queue)) === 0) {
          return;
        }
      }
    };
    // What is in the other queues may yet be moved to these.
    const [deadLetterQueues, queues] = [
      NAMES.filter(isDeadLetterQueue),
      NAMES.filter((name) => !isDeadLetterQueue(name)),
    ];
    await Promise.all([...queues, ...queues].map(drainQueue));
    await Promise.all([...deadLetterQueues, ...deadLetterQueues].map(drainQueue));
    return drained.size;
  }

  #start(loop: (worker: Worker) => Promise<void>): void {
    this.#loops.push(loop(this.#worker()).catch((error) => this.#fail(error)));
  }

  #worker(): Worker {
    const recorder = new Recorder(new SqsClient(this.#server), this.history, this);
    return {
      recorder,
      random: this.#random.fork(),
      history: this.history,
      kills: () => this.kills,
      isStopping: () => this.#isStopping,
    };
  }
}

function isDeadLetterQueue(name: string): boolean {
  return name.includes('dead');
}

function summaryOf({ sends, receives, deletes, changes }: History): string {
  const lost = (events: { answeredAt?: number }[]) =>
    events.filter(({ answeredAt }) => answeredAt === undefined).length;
  const delivered = receives.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
  const afterKill = deletes.filter(({ outcome, kills, receive }) => outcome === 'deleted' && kills > receive.kills);
  return [
    `${sends.length} sends (${lost(sends)} answers lost)`,
    `${receives.length} receives (${lost(receives)} lost) of ${delivered} messages`,
    `${deletes.length} deletes (${lost(deletes)} lost, ${afterKill.length} with a handle from before a kill)`,
    `${changes.length} changes of visibility (${lost(changes)} lost)`,
  ].join(', ');
}
