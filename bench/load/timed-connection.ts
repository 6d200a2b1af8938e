import { HttpConnection } from './http-connection.ts';
import { Latencies } from './latencies.ts';
import type { Timing } from './plan.ts';
import type { SqsInput } from './sqs-protocol.ts';
import type { SqsRequests } from './sqs-requests.ts';

/** Latencies by what has been done. */
export class Timings {
  readonly #latencies = new Map<string, Latencies>();

  add(name: string, ms: number): void {
    let latencies = this.#latencies.get(name);
    if (latencies === undefined) {
      latencies = new Latencies();
      this.#latencies.set(name, latencies);
    }
    latencies.add(ms);
  }

  summary(): Record<string, Timing> {
    const entries = [...this.#latencies].map(([name, each]) => {
      return [name, { count: each.count, latency: each.percentiles() }] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** A connection whose requests are timed while a measurement is on. */
export class TimedConnection {
  readonly requests: SqsRequests;
  readonly #url: string;
  #connection: HttpConnection;
  /** Undefined while nothing is measured. */
  timings: Timings | undefined;

  static async open(url: string, requests: SqsRequests): Promise<TimedConnection> {
    return new TimedConnection(url, await HttpConnection.open(url), requests);
  }

  private constructor(url: string, connection: HttpConnection, requests: SqsRequests) {
    this.#url = url;
    this.#connection = connection;
    this.requests = requests;
  }

  call(action: string, input: SqsInput): Promise<Buffer> {
    return this.callEncoded(action, this.requests.encode(action, input));
  }

  /** Resolves to the body of the reply. Rejects when the server says no: a benchmark of errors is worth nothing. */
  async callEncoded(action: string, request: Buffer): Promise<Buffer> {
    // Servers close connections that were idle for some seconds.
    if (!this.#connection.isOpen) this.#connection = await HttpConnection.open(this.#url);
    const start = performance.now();
    const { status, body } = await this.#connection.request(request);
    if (status !== 200) throw new Error(`${action} was refused: ${status} ${body.toString('utf8', 0, 2000)}`);
    this.timings?.add(action, performance.now() - start);
    return body;
  }

  close(): void {
    this.#connection.close();
  }
}
