import type { QueueRecord } from '../queue/record.ts';
import { Buckets } from './buckets.ts';
import type { Rate } from './token-bucket.ts';

/** Calls a second. A batch is one call, of up to ten messages: hence 3,000 messages a second. */
const CALLS_PER_QUEUE = 300;
/** Of a message group, which lives in one partition. */
const CALLS_PER_GROUP = 300;
/** The same for a queue with high throughput, by region; AWS has raised these from time to time. */
const HIGH_THROUGHPUT: Record<string, number> = {
  'us-east-1': 70_000,
  'us-west-2': 70_000,
  'eu-west-1': 70_000,
  'us-east-2': 19_000,
  'eu-central-1': 19_000,
  'ap-south-1': 9_000,
  'ap-southeast-1': 9_000,
  'ap-southeast-2': 9_000,
  'ap-northeast-1': 9_000,
  'eu-west-2': 4_500,
  'sa-east-1': 4_500,
};
const HIGH_THROUGHPUT_ELSEWHERE = 2_400;

/** More than can be used within a second at the highest of these rates; some 150 bytes each. */
const BUCKETS_MAX = 100_000;

/** The actions that have a quota. The batch form of one counts as the same. */
export type MeteredAction = 'send' | 'receive' | 'delete' | 'changeVisibility';

/** The throughput quotas of FIFO queues. Standard queues have none. */
export class FifoQuotas {
  readonly #buckets = new Buckets(BUCKETS_MAX);

  /** Counts a call if it may be made, and returns whether it may. `groups`: those of a send. */
  admits(queue: QueueRecord, action: MeteredAction, groups: ReadonlySet<string>, now: number): boolean {
    const buckets = [this.#buckets.get(`${queue.id} ${action}`, rateOf(queue), now)];
    if (isHighThroughput(queue)) {
      for (const group of groups) buckets.push(this.#buckets.get(`${queue.id} ${action} ${group}`, perGroup, now));
    }
    const isAdmitted = buckets.every((bucket) => bucket.hasOne(now));
    if (isAdmitted) for (const bucket of buckets) bucket.takeOne();
    this.#buckets.tidy(buckets.length, now);
    return isAdmitted;
  }
}

const perGroup = steady(CALLS_PER_GROUP);

function rateOf(queue: QueueRecord): Rate {
  if (!isHighThroughput(queue)) return steady(CALLS_PER_QUEUE);
  return steady(HIGH_THROUGHPUT[queue.scope.region] ?? HIGH_THROUGHPUT_ELSEWHERE);
}

function isHighThroughput({ attributes }: QueueRecord): boolean {
  return attributes.FifoThroughputLimit === 'perMessageGroupId';
}

/** A second's worth at once. */
function steady(perSecond: number): Rate {
  return { perSecond, burst: perSecond };
}
