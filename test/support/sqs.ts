import * as sdk from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe } from 'vitest';
import type { ManualClock, ServerOptions } from '../../src/index.ts';
import type { ActionInputs, ActionName, ActionOutputs, Message } from '../../src/protocol/model/shapes.ts';
import { arrivalOf } from './arrivals.ts';
import { captureError, type WireError } from './errors.ts';
import { startTestServer, type TestServer } from './server.ts';

export type Protocol = 'AWS JSON' | 'AWS Query';

type Attributes = Record<string, string>;
type Options = Omit<ServerOptions, 'clock'>;

/** Defines the same tests for each protocol, each with a server of its own. */
export function overBothProtocols(subject: string, define: (sqs: Sqs) => void, options?: Options): void {
  for (const protocol of ['AWS JSON', 'AWS Query'] as const) {
    describe(`${subject} over ${protocol}`, () => define(useSqs(protocol, options)));
  }
}

/** A server for the tests of the enclosing `describe`, and a client of it. */
export function useSqs(protocol: Protocol = 'AWS JSON', options?: Options): Sqs {
  const sqs = new Sqs(protocol);
  beforeAll(() => sqs.start(options));
  afterAll(() => sqs.stop());
  return sqs;
}

/** A client of one protocol: any action, and in short what tests do all the time. Times are seconds, as in SQS. */
export class Sqs {
  readonly protocol: Protocol;
  #server: TestServer | undefined;
  #names = 0;

  constructor(protocol: Protocol) {
    this.protocol = protocol;
  }

  async start(options?: Options): Promise<void> {
    this.#server = await startTestServer(options);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the server runs only while tests do');
    return this.#server;
  }

  get clock(): ManualClock {
    return this.server.clock;
  }

  /** The output of an action, in the form it has in AWS JSON. `headers` go with the request. */
  async call<Name extends ActionName>(
    action: Name,
    input: ActionInputs[Name] = {},
    headers?: Record<string, string>,
  ): Promise<ActionOutputs[Name]> {
    if (this.protocol === 'AWS Query') return this.server.query.call(action, input, { headers });
    const { $metadata, ...output } = await this.server.sdk.send(commandFor(action, input, headers));
    return output as ActionOutputs[Name];
  }

  /** The error with which an action fails. */
  failure<Name extends ActionName>(action: Name, input: ActionInputs[Name] = {}): Promise<WireError> {
    return captureError(this.call(action, input));
  }

  /** Moves the clock of the server. */
  async advance(seconds: number): Promise<void> {
    await this.clock.advance(Math.round(seconds * 1000));
  }

  /** A name that no other queue of the server has. */
  uniqueName(suffix = ''): string {
    this.#names++;
    return `queue-${this.#names}${suffix}`;
  }

  /** The URL of a new queue. */
  async createQueue(attributes: Attributes = {}, name = this.uniqueName()): Promise<string> {
    const { QueueUrl } = await this.call('CreateQueue', { QueueName: name, Attributes: attributes });
    return QueueUrl!;
  }

  createFifoQueue(attributes: Attributes = {}, name = this.uniqueName('.fifo')): Promise<string> {
    return this.createQueue({ FifoQueue: 'true', ...attributes }, name);
  }

  /** The URLs of a new queue and of its dead-letter queue. */
  async createQueueWithDeadLetters(
    maxReceiveCount: number,
    { fifo = false, source = {}, dead = {} }: { fifo?: boolean; source?: Attributes; dead?: Attributes } = {},
  ): Promise<{ source: string; dead: string }> {
    const create = (attributes: Attributes) => (fifo ? this.createFifoQueue(attributes) : this.createQueue(attributes));
    const deadUrl = await create(dead);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf(deadUrl), maxReceiveCount });
    return { source: await create({ ...source, RedrivePolicy }), dead: deadUrl };
  }

  send(queue: string, body: string, more: ActionInputs['SendMessage'] = {}): Promise<ActionOutputs['SendMessage']> {
    return this.call('SendMessage', { QueueUrl: queue, MessageBody: body, ...more });
  }

  /** Sends to a group of a FIFO queue, as no duplicate of any other message unless `more` says so. */
  sendToGroup(
    queue: string,
    group: string,
    body: string,
    more: ActionInputs['SendMessage'] = {},
  ): Promise<ActionOutputs['SendMessage']> {
    this.#names++;
    return this.send(queue, body, { MessageGroupId: group, MessageDeduplicationId: `id-${this.#names}`, ...more });
  }

  /** The messages of one receive, of at most ten messages unless `more` says so. */
  async receive(queue: string, more: ActionInputs['ReceiveMessage'] = {}): Promise<Message[]> {
    const { Messages = [] } = await this.call('ReceiveMessage', {
      QueueUrl: queue,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
      ...more,
    });
    return Messages;
  }

  /** The bodies of the messages of one receive. */
  async receiveBodies(queue: string, more?: ActionInputs['ReceiveMessage']): Promise<(string | undefined)[]> {
    return (await this.receive(queue, more)).map(({ Body }) => Body);
  }

  /** The receipt handle of the one message that a receive returns. */
  async receiveHandle(queue: string, more?: ActionInputs['ReceiveMessage']): Promise<string> {
    const messages = await this.receive(queue, { MaxNumberOfMessages: 1, ...more });
    if (messages[0]?.ReceiptHandle === undefined) throw new Error('there is no message to receive');
    return messages[0].ReceiptHandle;
  }

  /** Starts a receive that waits. Once this resolves, the server has it; the reply is the promise inside. */
  async startLongPoll(
    queue: string,
    more?: ActionInputs['ReceiveMessage'],
  ): Promise<{ bodies: Promise<(string | undefined)[]> }> {
    const arrived = arrivalOf();
    const bodies = this.receiveBodies(queue, { WaitTimeSeconds: 20, ...more });
    // A test that fails earlier must not fail a second time because of this one.
    bodies.catch(() => {});
    await arrived;
    return { bodies };
  }

  delete(queue: string, handle: string | undefined): Promise<undefined> {
    return this.call('DeleteMessage', { QueueUrl: queue, ReceiptHandle: handle });
  }

  changeVisibility(queue: string, handle: string | undefined, seconds: number): Promise<undefined> {
    return this.call('ChangeMessageVisibility', { QueueUrl: queue, ReceiptHandle: handle, VisibilityTimeout: seconds });
  }

  /** Attributes of a queue by name, all of them by default. */
  async attributes(queue: string, ...names: string[]): Promise<Attributes> {
    const AttributeNames = names.length > 0 ? names : ['All'];
    const { Attributes = {} } = await this.call('GetQueueAttributes', { QueueUrl: queue, AttributeNames });
    return Attributes;
  }

  setAttributes(queue: string, attributes: Attributes): Promise<undefined> {
    return this.call('SetQueueAttributes', { QueueUrl: queue, Attributes: attributes });
  }

  /** How many messages are visible, in flight and delayed. */
  async counts(queue: string): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const all = await this.attributes(queue);
    return {
      visible: Number(all.ApproximateNumberOfMessages),
      inFlight: Number(all.ApproximateNumberOfMessagesNotVisible),
      delayed: Number(all.ApproximateNumberOfMessagesDelayed),
    };
  }
}

/** The ARN of the queue behind a URL of a test server. */
export function arnOf(queueUrl: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${nameOf(queueUrl)}`;
}

export function nameOf(queueUrl: string): string {
  return queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
}

/** The SDK has a class for each action. */
function commandFor(action: ActionName, input: object, headers: Record<string, string> = {}) {
  const commands = sdk as unknown as Record<string, new (input: object) => sdk.ListQueuesCommand>;
  const command = new commands[`${action}Command`]!(input);
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, headers);
      return next(args);
    },
    { step: 'build' },
  );
  return command;
}
