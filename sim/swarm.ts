import { QUEUE_LIMITS, type QueueLimits } from '../src/queue/limits.ts';
import type { DiskFaults, DiskSpeed } from './disk.ts';
import type { Random } from './random.ts';

export interface QueuePlan {
  name: string;
  fifo: boolean;
  attributes: Record<string, string>;
  /** Its dead-letter queue, and how often a message is received before it goes there. */
  deadLetter?: { name: string; maxReceiveCount: number };
  /** Message groups of its messages; 0: none (standard queues only). */
  groups: number;
}

/** One world: drawn from the seed, so that each run is extreme in some ways and lacks others altogether. */
export interface Swarm {
  queues: QueuePlan[];
  limits: QueueLimits;
  producers: number;
  consumers: number;
  /** Calls of the clients before the world heals. */
  calls: number;
  /** Milliseconds between two calls of a client, at most; now and then much longer. */
  thinkMs: number;
  producer: Record<'send' | 'batch', number>;
  consumer: Record<
    'delete' | 'deleteBatch' | 'ignore' | 'deleteLater' | 'release' | 'extend' | 'extendLater' | 'deleteElsewhere',
    number
  >;
  receive: { longPoll: number; visibility: Record<'default' | 'none' | 'short' | 'long', number>; attemptIds: number };
  administrator: Record<AdministratorAction, number>;
  administratorMs: number;
  /** Of a thousand sends: with a deduplication id that others use, too. */
  sharedIds: number;
  /** Of a thousand messages: with a body too large for its record. */
  largeBodies: number;
  diskSpeed: DiskSpeed;
  diskFaults: DiskFaults;
  network: { delayMs: number; lossPerMille: number; abortPerMille: number };
  /** Milliseconds between two of them on average; 0: never. */
  crashEveryMs: number;
  downMs: number;
  fullEveryMs: number;
  freezeEveryMs: number;
  freezeMs: number;
  pauseEveryMs: number;
  pauseMs: number;
  restEveryMs: number;
  /** How it ends: consumers empty the queues, or retention does. */
  ending: 'drain' | 'expire';
}

export type AdministratorAction =
  | 'attributes'
  | 'visibility'
  | 'delay'
  | 'retention'
  | 'redrive'
  | 'tags'
  | 'purge'
  | 'recreate'
  | 'startTask'
  | 'cancelTask'
  | 'listTasks'
  | 'look';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** So small that a handful of messages reaches every edge. */
const TINY: QueueLimits = {
  inFlightMax: 40,
  lookAhead: 40,
  windowReadyMax: 8,
  pageRowsMax: 6,
  pageRowsMin: 4,
  idleLogsMax: 2,
  delaysMax: 4,
  delayPageRows: 3,
  delaysLow: 2,
  deduplicationIdsMax: 12,
  deduplicationPageRows: 7,
  expiryBatch: 3,
};

export function drawSwarm(random: Random): Swarm {
  const isFaulty = random.chance(750);
  /** Most weights, some of them nought: what is missing in a run leaves room for the rest. */
  const weight = (most: number) => (random.chance(300) ? 0 : random.between(1, most));
  const often = (perMille: number, every: () => number) => (random.chance(perMille) ? every() : 0);
  const queues = drawQueues(random);
  return {
    queues,
    limits: random.chance(700) ? drawLimits(random) : QUEUE_LIMITS,
    producers: random.between(1, 4),
    consumers: random.between(1, 6),
    calls: random.between(150, 700),
    thinkMs: random.pick([0, 5, 50, 50, 500, 5 * SECOND]),
    producer: { send: 1 + weight(5), batch: weight(4) },
    consumer: {
      delete: 1 + weight(8),
      deleteBatch: weight(4),
      ignore: weight(4),
      deleteLater: weight(3),
      release: weight(3),
      extend: weight(3),
      extendLater: weight(2),
      deleteElsewhere: weight(1),
    },
    receive: {
      longPoll: random.pick([0, 300, 700, 1000]),
      visibility: { default: 1 + weight(4), none: weight(2), short: weight(4), long: weight(2) },
      attemptIds: random.pick([0, 300, 1000]),
    },
    administrator: {
      attributes: weight(2),
      visibility: weight(2),
      delay: weight(2),
      retention: weight(2),
      redrive: weight(2),
      tags: weight(2),
      purge: weight(2),
      recreate: weight(1),
      startTask: weight(4),
      cancelTask: weight(2),
      listTasks: weight(2),
      look: 1,
    },
    administratorMs: random.pick([0, 200, 2 * SECOND, 20 * SECOND, 2 * MINUTE]),
    sharedIds: random.pick([0, 0, 200, 600]),
    largeBodies: random.pick([0, 100]),
    diskSpeed: {
      commitMs: random.pick([0, 2, 10]),
      slowCommitMs: random.pick([100, 3 * SECOND]),
      acknowledgeMs: random.pick([0, 0, 3]),
      readMs: random.pick([0, 0, 3, 20]),
    },
    diskFaults: isFaulty
      ? {
          notApplied: random.pick([0, 5, 40]),
          unknown: random.pick([0, 5, 40]),
          hang: random.pick([0, 0, 2]),
          slow: random.pick([0, 20, 200]),
        }
      : { notApplied: 0, unknown: 0, hang: 0, slow: random.pick([0, 20]) },
    network: {
      delayMs: random.pick([0, 2, 100]),
      lossPerMille: isFaulty ? random.pick([0, 10, 60]) : 0,
      abortPerMille: random.pick([0, 50]),
    },
    crashEveryMs: isFaulty ? often(700, () => random.pick([2 * SECOND, 10 * SECOND, MINUTE])) : 0,
    downMs: random.pick([10, SECOND, MINUTE]),
    fullEveryMs: isFaulty ? often(300, () => random.pick([5 * SECOND, MINUTE])) : 0,
    freezeEveryMs: often(200, () => random.pick([10 * SECOND, MINUTE])),
    freezeMs: random.pick([200, 40 * SECOND]),
    pauseEveryMs: often(600, () => random.pick([10 * SECOND, MINUTE, 10 * MINUTE])),
    pauseMs: random.pick([30 * SECOND, 4 * MINUTE, 6 * MINUTE, HOUR, 2 * DAY]),
    restEveryMs: often(500, () => random.pick([20 * SECOND, 3 * MINUTE])),
    ending: random.chance(700) ? 'drain' : 'expire',
  };
}

function drawLimits(random: Random): QueueLimits {
  return {
    ...TINY,
    inFlightMax: random.pick([6, 40, QUEUE_LIMITS.inFlightMax, QUEUE_LIMITS.inFlightMax]),
    lookAhead: random.pick([40, QUEUE_LIMITS.lookAhead, QUEUE_LIMITS.lookAhead]),
    windowReadyMax: random.pick([3, 8, 30]),
  };
}

function drawQueues(random: Random): QueuePlan[] {
  const count = random.between(1, 5);
  const kinds = random.pick(['standard', 'fifo', 'both'] as const);
  const queues = Array.from({ length: count }, (_, index): QueuePlan => {
    const fifo = kinds === 'fifo' || (kinds === 'both' && random.chance(500));
    return {
      name: fifo ? `q${index}.fifo` : `q${index}`,
      fifo,
      attributes: drawAttributes(random, fifo),
      groups: fifo ? random.pick([1, 3, 40]) : random.pick([0, 0, 2, 12]),
    };
  });
  queues.forEach((queue, index) => {
    const targets = queues.slice(index + 1).filter(({ fifo }) => fifo === queue.fifo);
    if (targets.length === 0 || !random.chance(600)) return;
    queue.deadLetter = { name: random.pick(targets).name, maxReceiveCount: random.between(1, 3) };
  });
  return queues;
}

function drawAttributes(random: Random, fifo: boolean): Record<string, string> {
  const attributes: Record<string, string> = {
    VisibilityTimeout: random.pick(['0', '1', '5', '30', '300']),
    MessageRetentionPeriod: random.pick(['60', '600', '345600', '1209600']),
    DelaySeconds: random.pick(['0', '0', '0', '1', '10', '900']),
    ReceiveMessageWaitTimeSeconds: random.pick(['0', '0', '3', '20']),
  };
  if (!fifo) return attributes;
  return {
    ...attributes,
    FifoQueue: 'true',
    ContentBasedDeduplication: random.pick(['true', 'false']),
    DeduplicationScope: random.pick(['queue', 'messageGroup']),
  };
}
