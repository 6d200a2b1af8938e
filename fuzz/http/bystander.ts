import type { ActionInputs, ActionName, ActionOutputs } from '../../src/protocol/model/shapes.ts';
import { postJson } from '../../test/support/json-client.ts';
import { QueryClient } from '../../test/support/query-client.ts';

/** Longer than any of its calls may take, whatever others do to the server. */
const PATIENCE_MS = 10_000;

/**
 * Somebody with work to do while others send nonsense: a producer and consumer in each protocol, on a queue of their own.
 * Every call has to succeed, and the message that comes is the one that was sent.
 */
export class Bystander {
  readonly #url: string;
  readonly #query: QueryClient;
  readonly #loops: Promise<void>[] = [];
  #isStopping = false;
  calls = 0;
  longestMs = 0;
  readonly faults: string[] = [];

  constructor(url: string) {
    this.#url = url;
    this.#query = new QueryClient(url);
  }

  start(): void {
    for (const protocol of ['AWS JSON', 'AWS Query'] as const) {
      this.#loops.push(
        this.#work(protocol).catch((error: Error) => {
          this.faults.push(`a well-behaved client of ${protocol}: ${error.message}`);
        }),
      );
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#loops);
  }

  async #work(protocol: 'AWS JSON' | 'AWS Query'): Promise<void> {
    const call = <Name extends ActionName>(action: Name, input: ActionInputs[Name]) =>
      this.#call(protocol, action, input);
    const QueueName = `bystander-${protocol.slice(4)}.fifo`;
    const { QueueUrl } = await call('CreateQueue', { QueueName, Attributes: { FifoQueue: 'true' } });
    for (let turn = 0; !this.#isStopping; turn++) {
      const MessageBody = `${turn}: <&> "ü🐦"\r\n`;
      await call('SendMessage', { QueueUrl, MessageBody, MessageGroupId: 'g', MessageDeduplicationId: String(turn) });
      const { Messages = [] } = await call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10 });
      if (Messages.length !== 1 || Messages[0]?.Body !== MessageBody) {
        throw new Error(`received ${JSON.stringify(Messages)} instead of ${JSON.stringify(MessageBody)}`);
      }
      await call('DeleteMessage', { QueueUrl, ReceiptHandle: Messages[0].ReceiptHandle });
    }
  }

  async #call<Name extends ActionName>(
    protocol: 'AWS JSON' | 'AWS Query',
    action: Name,
    input: ActionInputs[Name],
  ): Promise<ActionOutputs[Name]> {
    const start = performance.now();
    const output =
      protocol === 'AWS Query' ? await this.#query.call(action, input) : await this.#callJson(action, input);
    const took = performance.now() - start;
    this.calls++;
    this.longestMs = Math.max(this.longestMs, took);
    if (took > PATIENCE_MS) throw new Error(`${action} took ${Math.round(took)} ms`);
    return output;
  }

  async #callJson<Name extends ActionName>(action: Name, input: ActionInputs[Name]): Promise<ActionOutputs[Name]> {
    const { status, text, body } = await postJson(this.#url, action, input);
    if (status !== 200) throw new Error(`${action} was refused: ${status} ${text}`);
    return body;
  }
}
