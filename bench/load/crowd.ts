import type { Timing } from './plan.ts';
import { type TimedConnection, Timings } from './timed-connection.ts';

const WAIT_SECONDS = 20;
/** SQS's maximum, which makes a reply carry a token for the next page. */
const PAGE_SIZE = 1000;

/** Many queues, and many receives that wait. */
export class Crowd {
  readonly #prefix: string;
  readonly #urls: string[] = [];
  readonly #polls: TimedConnection[] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  async createQueues(count: number, connections: readonly TimedConnection[]): Promise<Timing> {
    const timings = new Timings();
    await timed(connections, timings, async (connection) => {
      while (this.#urls.length < count) {
        // Its place is taken before the reply, so that no two connections create the same one.
        const index = this.#urls.push('') - 1;
        const name = `${this.#prefix}-${String(index).padStart(6, '0')}`;
        const reply = await connection.call('CreateQueue', { QueueName: name });
        this.#urls[index] = connection.requests.protocol.valuesIn(reply, 'QueueUrl')[0] as string;
      }
    });
    return timings.summary().CreateQueue as Timing;
  }

  /** Opens receives that wait, each on a connection and a queue of its own as far as there are queues. */
  async openPolls(count: number, open: () => Promise<TimedConnection>): Promise<void> {
    while (this.#polls.length < count) {
      const connection = await open();
      const url = this.#urls[this.#polls.length % this.#urls.length] as string;
      this.#polls.push(connection);
      void this.#poll(connection, url);
    }
  }

  /** All pages of all queues, again and again. */
  async listQueues(seconds: number, connection: TimedConnection): Promise<Timing> {
    const timings = new Timings();
    const endsAt = performance.now() + seconds * 1000;
    await timed([connection], timings, async () => {
      let token: string | undefined;
      do {
        const input = { QueueNamePrefix: this.#prefix, MaxResults: PAGE_SIZE, NextToken: token };
        const reply = await connection.call('ListQueues', input);
        token = connection.requests.protocol.valuesIn(reply, 'NextToken')[0];
      } while (token !== undefined || performance.now() < endsAt);
    });
    return timings.summary().ListQueues as Timing;
  }

  closePolls(): void {
    for (const connection of this.#polls.splice(0)) connection.close();
  }

  async #poll(connection: TimedConnection, QueueUrl: string): Promise<void> {
    const request = connection.requests.encode('ReceiveMessage', { QueueUrl, WaitTimeSeconds: WAIT_SECONDS });
    try {
      for (;;) await connection.callEncoded('ReceiveMessage', request);
    } catch (error) {
      // Closing its connection ends it.
      if (this.#polls.includes(connection)) throw error;
    }
  }
}

async function timed(
  connections: readonly TimedConnection[],
  timings: Timings,
  work: (connection: TimedConnection) => Promise<void>,
): Promise<void> {
  for (const connection of connections) connection.timings = timings;
  await Promise.all(connections.map(work));
  for (const connection of connections) connection.timings = undefined;
}
