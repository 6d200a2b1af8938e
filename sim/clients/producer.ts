import type { SendMessageRequest } from '../../src/protocol/model/shapes.ts';
import type { QueuePlan } from '../swarm.ts';
import { Client, urlOf } from './client.ts';

type Entry = Omit<SendMessageRequest, 'QueueUrl'>;

/** A retry with the same deduplication id is a duplicate for five minutes; after four nobody should rely on that. */
const RETRY_FOR_MS = 4 * 60_000;
const FILLING = 'x'.repeat(3000);

/** Sends, and sends again what may not have arrived. The first word of each body names the attempt. */
export class Producer extends Client {
  #sent = 0;

  protected async act(): Promise<void> {
    const { swarm } = this.world;
    const queue = this.random.pick(swarm.queues);
    const isBatch = this.random.weighted(swarm.producer) === 'batch';
    const entries = Array.from({ length: isBatch ? this.random.between(2, 10) : 1 }, () => this.#entry(queue));
    const startedAt = this.world.now;
    const again = this.random.chance(30) ? 1 : 0;
    for (let attempt = 0; attempt < 4 && this.world.now < startedAt + RETRY_FOR_MS; attempt++) {
      const attempted = entries.map((entry) => this.#attempt(queue, entry, attempt));
      const call = isBatch
        ? await this.call('SendMessageBatch', queue.name, {
            QueueUrl: urlOf(queue.name),
            Entries: attempted.map((entry, index) => ({ ...entry, Id: `e${index}` })),
          })
        : await this.call('SendMessage', queue.name, { QueueUrl: urlOf(queue.name), ...(attempted[0] as Entry) });
      if (call.outcome === 'error' || !this.world.isOpen) return;
      // Some clients repeat what has arrived.
      if (call.outcome === 'ok' && attempt >= again) return;
      await this.think();
    }
  }

  #entry(queue: QueuePlan): Entry {
    const name = `${this.name}.${this.#sent++}`;
    const entry: Entry = { MessageBody: name };
    if (queue.groups > 0) entry.MessageGroupId = `g${this.random.below(queue.groups)}`;
    if (queue.fifo) {
      const isShared = this.random.chance(this.world.swarm.sharedIds);
      if (isShared) entry.MessageDeduplicationId = `shared${this.random.below(4)}`;
      else if (queue.attributes.ContentBasedDeduplication !== 'true') entry.MessageDeduplicationId = name;
    } else if (this.random.chance(150)) {
      entry.DelaySeconds = this.random.pick([0, 1, 3, 30, 900]);
    }
    if (this.random.chance(100)) {
      entry.MessageAttributes = { kind: { DataType: 'String', StringValue: 'simulated' } };
    }
    if (this.random.chance(this.world.swarm.largeBodies)) entry.MessageBody = `${name} ${FILLING}`;
    return entry;
  }

  /** Where the body is the deduplication id it must stay as it is. */
  #attempt(queue: QueuePlan, entry: Entry, attempt: number): Entry {
    if (queue.fifo && entry.MessageDeduplicationId === undefined) return entry;
    const [name = '', ...rest] = (entry.MessageBody as string).split(' ');
    return { ...entry, MessageBody: [`${name}~${attempt}`, ...rest].join(' ') };
  }
}
