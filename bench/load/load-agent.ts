import { type Crew, measure, repeat } from './closed-loop.ts';
import { Crowd } from './crowd.ts';
import type { MessageShape } from './messages.ts';
import type {
  Drained,
  LoadEvent,
  Measurement,
  MeasurePlan,
  QueueTarget,
  StepName,
  Timing,
  WakeUpPlan,
} from './plan.ts';
import { type Endpoint, SqsRequests } from './sqs-requests.ts';
import { type Step, stepsOn } from './steps.ts';
import { TimedConnection } from './timed-connection.ts';
import { measureWakeUps } from './wake-up.ts';

const PROGRESS_MS = 2000;

/** Sends the load: what the parent can ask of a load process. */
export class LoadAgent {
  readonly #tell: (event: LoadEvent) => void;
  #endpoint: Endpoint | undefined;
  #requests: SqsRequests | undefined;
  #connections: TimedConnection[] = [];
  /** Of each queue and delay: they know which messages have been sent. */
  readonly #steps = new Map<string, Record<StepName, Step>>();
  #queues = 0;
  #crowd: Crowd | undefined;

  constructor(tell: (event: LoadEvent) => void) {
    this.#tell = tell;
  }

  /** The server that all that follows is for. What was open to another one is closed. */
  async open(endpoint: Endpoint): Promise<void> {
    this.close();
    this.#endpoint = endpoint;
    this.#requests = new SqsRequests(endpoint);
    await this.#crew(1);
  }

  async createQueue(shape: MessageShape): Promise<QueueTarget> {
    const isFifo = shape.groups > 0;
    const suffix = isFifo ? '.fifo' : '';
    const QueueName = `bench-${Date.now()}-${this.#queues++}${suffix}`;
    const Attributes = isFifo
      ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }
      : undefined;
    const reply = await this.#first.call('CreateQueue', { QueueName, Attributes });
    const [url] = this.#first.requests.protocol.valuesIn(reply, 'QueueUrl');
    if (url === undefined) throw new Error(`CreateQueue was answered without a QueueUrl: ${reply}`);
    return { ...shape, url };
  }

  async deleteQueue({ url }: QueueTarget): Promise<void> {
    await this.#first.call('DeleteQueue', { QueueUrl: url });
  }

  /** Puts messages into a queue, fast. */
  async fill(queue: QueueTarget, messages: number, connections: number): Promise<void> {
    const crew = { step: this.#stepsOn(queue).sendTen, connections: await this.#crew(connections) };
    await repeat(crew, messages, this.#progress());
  }

  /** Takes everything out of a queue. */
  async drain(queue: QueueTarget, connections: number): Promise<Drained> {
    const step = this.#stepsOn(queue).receiveAndDeleteTen;
    const progress = this.#progress();
    const startedAt = performance.now();
    let endedAt = startedAt;
    let messages = 0;
    const crew = await this.#crew(connections);
    await Promise.all(
      crew.map(async (connection) => {
        for (let done = await step(connection); done > 0; done = await step(connection)) {
          messages += done;
          endedAt = performance.now();
          progress(messages);
        }
      }),
    );
    return { messages, seconds: (endedAt - startedAt) / 1000 };
  }

  async measure(plan: MeasurePlan): Promise<Measurement> {
    const steps = this.#stepsOn(plan.queue);
    const crews: Crew[] = [];
    let first = 0;
    for (const { step, connections } of plan.roles) {
      const all = await this.#crew(first + connections);
      crews.push({ step: steps[step], connections: all.slice(first) });
      first += connections;
    }
    return measure(plan, crews, () => this.#tell({ kind: 'started' }));
  }

  async measureWakeUps(plan: WakeUpPlan): Promise<Measurement> {
    const [sender, ...pollers] = await this.#crew(plan.connections + 1);
    const { send } = this.#stepsOn(plan.queue);
    return measureWakeUps(plan, sender as TimedConnection, pollers, send, () => this.#tell({ kind: 'started' }));
  }

  async createQueues(count: number, connections: number): Promise<Timing> {
    this.#crowd = new Crowd(`crowd-${Date.now()}`);
    return this.#crowd.createQueues(count, await this.#crew(connections));
  }

  async openPolls(count: number): Promise<void> {
    const { url } = this.#endpoint as Endpoint;
    await this.#crowd?.openPolls(count, () => TimedConnection.open(url, this.#requests as SqsRequests));
  }

  async listQueues(seconds: number): Promise<Timing | undefined> {
    return this.#crowd?.listQueues(seconds, this.#first);
  }

  close(): void {
    this.#crowd?.closePolls();
    for (const connection of this.#connections.splice(0)) connection.close();
  }

  get #first(): TimedConnection {
    return this.#connections[0] as TimedConnection;
  }

  /** The first `count` connections; opens those that are missing. */
  async #crew(count: number): Promise<TimedConnection[]> {
    const { url } = this.#endpoint as Endpoint;
    while (this.#connections.length < count) {
      this.#connections.push(await TimedConnection.open(url, this.#requests as SqsRequests));
    }
    return this.#connections.slice(0, count);
  }

  #stepsOn(queue: QueueTarget): Record<StepName, Step> {
    const key = `${queue.url} ${queue.delaySeconds}`;
    let steps = this.#steps.get(key);
    if (steps === undefined) {
      steps = stepsOn(queue, this.#requests as SqsRequests);
      this.#steps.set(key, steps);
    }
    return steps;
  }

  #progress(): (done: number) => void {
    let next = performance.now() + PROGRESS_MS;
    return (done) => {
      if (performance.now() < next) return;
      next = performance.now() + PROGRESS_MS;
      this.#tell({ kind: 'progress', done });
    };
  }
}
