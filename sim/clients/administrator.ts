import type { QueuePlan } from '../swarm.ts';
import { arnOf, Client, urlOf } from './client.ts';

/** The one client that makes, changes, purges and deletes queues and starts move tasks. */
export class Administrator extends Client {
  #taskHandles: string[] = [];
  #changes = 0;

  /** Creates all queues, whatever it takes. A dead-letter queue comes before those that name it. */
  async createQueues(): Promise<void> {
    for (const queue of [...this.world.swarm.queues].reverse()) await this.#create(queue);
  }

  protected override async think(): Promise<void> {
    await this.world.sleep(this.random.between(1, this.world.swarm.administratorMs + 1));
  }

  protected async act(): Promise<void> {
    const queue = this.random.pick(this.world.swarm.queues);
    switch (this.random.weighted(this.world.swarm.administrator)) {
      case 'attributes':
        return this.#set(queue, { ReceiveMessageWaitTimeSeconds: this.random.pick(['0', '2', '20']) });
      case 'visibility':
        return this.#set(queue, { VisibilityTimeout: this.random.pick(['0', '2', '30', '600']) });
      case 'delay':
        return this.#set(queue, { DelaySeconds: this.random.pick(['0', '0', '2', '60', '900']) });
      case 'retention':
        return this.#set(queue, { MessageRetentionPeriod: this.random.pick(['60', '3600', '345600']) });
      case 'redrive':
        return this.#changeRedrive(queue);
      case 'tags':
        return this.#tag(queue);
      case 'purge':
        await this.call('PurgeQueue', queue.name, { QueueUrl: urlOf(queue.name) });
        return;
      case 'recreate':
        return this.#recreate(queue);
      case 'startTask':
        return this.#startTask(queue);
      case 'cancelTask':
        return this.#cancelTask();
      case 'listTasks':
        await this.call('ListMessageMoveTasks', queue.name, { SourceArn: arnOf(queue.name), MaxResults: 10 });
        return;
      case 'look':
        await this.call('GetQueueAttributes', queue.name, { QueueUrl: urlOf(queue.name), AttributeNames: ['All'] });
        return;
    }
  }

  async #create(queue: QueuePlan): Promise<void> {
    const attributes = { ...queue.attributes };
    if (queue.deadLetter !== undefined) attributes.RedrivePolicy = redrivePolicy(queue.deadLetter);
    for (;;) {
      const { outcome, error } = await this.call('CreateQueue', queue.name, {
        QueueName: queue.name,
        Attributes: attributes,
      });
      // The queue is there from an attempt whose answer was lost, and has been changed since.
      if (outcome === 'ok' || error?.shape === 'QueueNameExists') return;
      // Its dead-letter queue may be the one that is missing.
      if (error?.shape === 'InvalidParameterValueException') delete attributes.RedrivePolicy;
      await this.world.sleep(this.random.between(1000, 20_000));
    }
  }

  async #recreate(queue: QueuePlan): Promise<void> {
    const { outcome } = await this.call('DeleteQueue', queue.name, { QueueUrl: urlOf(queue.name) });
    if (outcome === 'error') return;
    await this.world.sleep(this.random.pick([0, 1000, 30_000, 70_000]));
    await this.#create(queue);
  }

  async #set(queue: QueuePlan, attributes: Record<string, string>): Promise<void> {
    await this.call('SetQueueAttributes', queue.name, { QueueUrl: urlOf(queue.name), Attributes: attributes });
  }

  async #changeRedrive(queue: QueuePlan): Promise<void> {
    const targets = this.world.swarm.queues.filter(({ fifo, name }) => fifo === queue.fifo && name > queue.name);
    const target = this.random.pick([undefined, ...targets]);
    if (target === undefined) return this.#set(queue, { RedrivePolicy: '' });
    if (this.random.chance(200)) {
      const permission = this.random.pick(['allowAll', 'denyAll']);
      return this.#set(target, { RedriveAllowPolicy: JSON.stringify({ redrivePermission: permission }) });
    }
    const maxReceiveCount = this.random.between(1, 4);
    return this.#set(queue, { RedrivePolicy: redrivePolicy({ name: target.name, maxReceiveCount }) });
  }

  async #tag(queue: QueuePlan): Promise<void> {
    const key = `k${this.random.below(3)}`;
    const input = { QueueUrl: urlOf(queue.name) };
    if (this.random.chance(300)) await this.call('UntagQueue', queue.name, { ...input, TagKeys: [key] });
    else await this.call('TagQueue', queue.name, { ...input, Tags: { [key]: `v${this.#changes++}` } });
    await this.call('ListQueueTags', queue.name, input);
  }

  async #startTask(queue: QueuePlan): Promise<void> {
    // Never up a chain: two tasks that fill each other's source would go on for ever.
    const others = this.world.swarm.queues.filter(({ fifo, name }) => fifo === queue.fifo && name < queue.name);
    const destination = this.random.pick([undefined, ...others]);
    const call = await this.call('StartMessageMoveTask', queue.name, {
      SourceArn: arnOf(queue.name),
      DestinationArn: destination && arnOf(destination.name),
      MaxNumberOfMessagesPerSecond: this.random.pick([undefined, 1, 20, 500]),
    });
    if (call.reply?.TaskHandle !== undefined && call.outcome === 'ok') this.#taskHandles.push(call.reply.TaskHandle);
  }

  async #cancelTask(): Promise<void> {
    const handle = this.#taskHandles.pop();
    if (handle === undefined) return;
    const { sourceArn } = JSON.parse(Buffer.from(handle, 'base64').toString()) as { sourceArn: string };
    await this.call('CancelMessageMoveTask', sourceArn.split(':').at(-1) as string, { TaskHandle: handle });
  }
}

function redrivePolicy({ name, maxReceiveCount }: { name: string; maxReceiveCount: number }): string {
  return JSON.stringify({ deadLetterTargetArn: arnOf(name), maxReceiveCount });
}
