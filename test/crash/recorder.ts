import type { Delivery, History, Receive, Send } from './history.ts';
import { RefusedError, type SqsClient } from './sqs-client.ts';

/** A message as a producer means to send it. */
export type Outgoing = Pick<Send, 'body' | 'delayMs' | 'group' | 'position' | 'deduplicationId'>;

/** A message that a consumer holds. */
export interface Held {
  body: string;
  receiptHandle: string;
  receive: Receive;
}

export interface ReceiveOptions {
  maxMessages: number;
  visibilityMs: number;
  waitSeconds: number;
  attemptId?: string;
}

/** Told of each request that is written and each answer that is read. */
export interface Observer {
  onProgress(): void;
  readonly kills: number;
}

export function queueUrl(queue: string): string {
  return `http://localhost/000000000000/${queue}`;
}

/**
 * Asks for things and writes down what became of them. One message takes the single form of an action, several take its
 * batch. Each method throws LostAnswerError when the server goes away, and leaves what it knows in the history.
 */
export class Recorder {
  readonly #client: SqsClient;
  readonly #history: History;
  readonly #observer: Observer;

  constructor(client: SqsClient, history: History, observer: Observer) {
    this.#client = client;
    this.#history = history;
    this.#observer = observer;
  }

  /** Call it before each request: the clock of a request starts when it is written. */
  connected(): Promise<void> {
    return this.#client.connected();
  }

  async send(queue: string, messages: readonly Outgoing[]): Promise<void> {
    const sends = messages.map((message): Send => ({ queue, ...message, askedAt: performance.now() }));
    this.#history.sends.push(...sends);
    const answers = await this.#ask('SendMessage', queue, messages.map(sendParameters));
    const answeredAt = performance.now();
    answers.forEach(({ answer, error }, index) => {
      if (error !== undefined) throw error;
      const { MessageId: messageId, SequenceNumber: sequenceNumber } = answer as Record<string, string>;
      Object.assign(sends[index] as Send, { answeredAt, messageId, sequenceNumber });
    });
  }

  async receive(queue: string, options: ReceiveOptions): Promise<Held[]> {
    const receive: Receive = {
      queue,
      visibilityMs: options.visibilityMs,
      deliveries: [],
      kills: this.#observer.kills,
      askedAt: performance.now(),
    };
    this.#history.receives.push(receive);
    const { Messages = [] } = await this.#call('ReceiveMessage', {
      QueueUrl: queueUrl(queue),
      MaxNumberOfMessages: options.maxMessages,
      VisibilityTimeout: options.visibilityMs / 1000,
      WaitTimeSeconds: options.waitSeconds,
      ReceiveRequestAttemptId: options.attemptId,
      MessageSystemAttributeNames: ['All'],
    });
    receive.answeredAt = performance.now();
    return Messages.map((message: ReceivedMessage) => {
      receive.deliveries.push(deliveryOf(message));
      return { body: message.Body, receiptHandle: message.ReceiptHandle, receive };
    });
  }

  async delete(queue: string, held: readonly Held[]): Promise<void> {
    const deletes = held.map(({ body, receive }) => {
      return { queue, body, receive, kills: this.#observer.kills, askedAt: performance.now() };
    });
    this.#history.deletes.push(...deletes);
    const parameters = held.map(({ receiptHandle }) => ({ ReceiptHandle: receiptHandle }));
    const answers = await this.#ask('DeleteMessage', queue, parameters);
    const answeredAt = performance.now();
    answers.forEach(({ error }, index) => {
      if (error !== undefined && !/has expired/.test(error.message)) throw error;
      Object.assign(deletes[index]!, { answeredAt, outcome: error === undefined ? 'deleted' : 'expired' });
    });
  }

  async changeVisibility(queue: string, held: readonly Held[], timeoutMs: number): Promise<void> {
    const changes = held.map(({ body }) => ({ queue, body, timeoutMs, askedAt: performance.now() }));
    this.#history.changes.push(...changes);
    const parameters = held.map(({ receiptHandle }) => {
      return { ReceiptHandle: receiptHandle, VisibilityTimeout: timeoutMs / 1000 };
    });
    const answers = await this.#ask('ChangeMessageVisibility', queue, parameters);
    const answeredAt = performance.now();
    answers.forEach(({ error }, index) => {
      if (error !== undefined && !/has expired|does not exist/.test(error.message)) throw error;
      Object.assign(changes[index]!, { answeredAt, outcome: error === undefined ? 'changed' : 'refused' });
    });
  }

  /** The answer for each entry, in the order of the entries. */
  async #ask(action: string, queue: string, entries: object[]): Promise<{ answer?: object; error?: Error }[]> {
    if (entries.length === 1) {
      try {
        return [{ answer: await this.#call(action, { QueueUrl: queueUrl(queue), ...entries[0] }) }];
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return [{ error }];
      }
    }
    const { Successful = [], Failed = [] } = await this.#call(`${action}Batch`, {
      QueueUrl: queueUrl(queue),
      Entries: entries.map((entry, index) => ({ Id: String(index), ...entry })),
    });
    const answers: { answer?: object; error?: Error }[] = [];
    for (const answer of Successful) answers[Number(answer.Id)] = { answer };
    for (const { Id, Message } of Failed) answers[Number(Id)] = { error: new Error(Message) };
    return answers;
  }

  // biome-ignore lint/suspicious/noExplicitAny: replies of every action
  async #call(action: string, input: object): Promise<any> {
    this.#observer.onProgress();
    const answer = await this.#client.call(action, input);
    this.#observer.onProgress();
    return answer;
  }
}

function sendParameters({ body, delayMs, group, deduplicationId }: Outgoing): object {
  return {
    MessageBody: body,
    DelaySeconds: delayMs > 0 ? delayMs / 1000 : undefined,
    MessageGroupId: group,
    MessageDeduplicationId: deduplicationId,
  };
}

interface ReceivedMessage {
  Body: string;
  MessageId: string;
  ReceiptHandle: string;
  Attributes: Record<string, string>;
}

function deliveryOf({ Body, MessageId, Attributes }: ReceivedMessage): Delivery {
  return {
    body: Body,
    messageId: MessageId,
    receiveCount: Number(Attributes.ApproximateReceiveCount),
    sequenceNumber: Attributes.SequenceNumber,
    deadLetterSource: Attributes.DeadLetterQueueSourceArn,
  };
}
