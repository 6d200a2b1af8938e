import type { Message } from '../../src/protocol/model/shapes.ts';
import type { QueuePlan } from '../swarm.ts';
import { Client, urlOf } from './client.ts';

/** Receives, and does with the messages what consumers do: delete, forget, come back too late. */
export class Consumer extends Client {
  /** Handles kept for later, when they may be stale. */
  readonly #kept: { queue: string; handle: string; use: 'delete' | 'extend' }[] = [];
  #attempts = 0;

  protected async act(): Promise<void> {
    if (this.#kept.length > 0 && this.random.chance(200)) {
      await this.#useKept();
      return;
    }
    const queue = this.random.pick(this.world.swarm.queues);
    const messages = await this.#receive(queue);
    if (messages.length === 0) return;
    const together: Message[] = [];
    for (const message of messages) {
      if (!this.world.isOpen) return;
      await this.#handle(queue, message, together);
    }
    if (together.length > 0) {
      await this.call('DeleteMessageBatch', queue.name, {
        QueueUrl: urlOf(queue.name),
        Entries: together.map(({ ReceiptHandle }, index) => ({ Id: `e${index}`, ReceiptHandle })),
      });
    }
  }

  async #receive(queue: QueuePlan): Promise<Message[]> {
    const { receive } = this.world.swarm;
    const seconds = {
      default: undefined,
      none: 0,
      short: this.random.between(1, 10),
      long: this.random.pick([60, 600, 43_200]),
    }[this.random.weighted(receive.visibility)];
    const wait = this.random.chance(receive.longPoll) ? this.random.pick([1, 3, 20]) : this.random.pick([0, undefined]);
    const attemptId =
      queue.fifo && this.random.chance(receive.attemptIds) ? `${this.name}-${this.#attempts++}` : undefined;
    const input = {
      QueueUrl: urlOf(queue.name),
      MaxNumberOfMessages: this.random.pick([1, 1, 3, 10]),
      VisibilityTimeout: seconds,
      WaitTimeSeconds: wait,
      ReceiveRequestAttemptId: attemptId,
      AttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    };
    // Without a WaitTimeSeconds of its own the queue's counts, which is 20 s at most.
    const patienceMs = ((wait ?? 20) + 10) * 1000;
    for (let attempt = 0; attempt < 3; attempt++) {
      const call = await this.call('ReceiveMessage', queue.name, input, patienceMs);
      if (call.outcome === 'ok') return call.reply?.Messages ?? [];
      // The same id brings the same messages, if they were received at all.
      if (attemptId === undefined || call.outcome === 'error' || !this.world.isOpen) return [];
      await this.think();
    }
    return [];
  }

  async #handle(queue: QueuePlan, message: Message, together: Message[]): Promise<void> {
    const handle = message.ReceiptHandle as string;
    switch (this.random.weighted(this.world.swarm.consumer)) {
      case 'delete':
        await this.#delete(queue.name, handle);
        return;
      case 'deleteBatch':
        together.push(message);
        return;
      case 'ignore':
        return;
      case 'deleteLater':
        this.#kept.push({ queue: queue.name, handle, use: 'delete' });
        return;
      case 'extendLater':
        this.#kept.push({ queue: queue.name, handle, use: 'extend' });
        return;
      case 'release':
        await this.#changeVisibility(queue.name, handle, 0);
        return;
      case 'extend':
        await this.#changeVisibility(queue.name, handle, this.random.pick([1, 20, 600]));
        return;
      case 'deleteElsewhere':
        await this.#delete(this.random.pick(this.world.swarm.queues).name, handle);
        return;
    }
  }

  async #useKept(): Promise<void> {
    const [kept] = this.#kept.splice(this.random.below(this.#kept.length), 1);
    if (kept === undefined) return;
    if (kept.use === 'delete') await this.#delete(kept.queue, kept.handle);
    else await this.#changeVisibility(kept.queue, kept.handle, this.random.pick([0, 5, 60]));
    if (this.random.chance(200)) this.#kept.push(kept);
  }

  async #delete(queue: string, handle: string): Promise<void> {
    await this.call('DeleteMessage', queue, { QueueUrl: urlOf(queue), ReceiptHandle: handle });
  }

  async #changeVisibility(queue: string, handle: string, seconds: number): Promise<void> {
    const input = { QueueUrl: urlOf(queue), ReceiptHandle: handle, VisibilityTimeout: seconds };
    await this.call('ChangeMessageVisibility', queue, input);
  }
}
