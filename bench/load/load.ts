import { HttpConnection } from './http-connection.ts';
import { Latencies, type Percentiles } from './latencies.ts';

/** What a load process is asked to do. */
export interface LoadPlan {
  scenario: string;
  url: string;
  connections: number;
  /** Of each measurement, after `warmupSeconds` that do not count. */
  seconds: number;
  warmupSeconds: number;
  bodyBytes: number;
  /** 0: a standard queue; else a FIFO queue with so many message groups. */
  groups: number;
  /** Messages in the queue before something that consumes is measured. */
  prefill: number;
}

export interface Measurement {
  name: string;
  seconds: number;
  messages: number;
  /** By action: how many requests of it there were, and how long one took. */
  requests: Record<string, { count: number; latency: Percentiles }>;
  /** Cores that the load process kept busy: near 1, it measures itself. */
  loadCores: number;
  /** The queue was empty before the time was over. */
  ranDry: boolean;
}

/** What a load process tells: when a measurement starts, and its outcome. */
export type LoadEvent = { kind: 'started'; name: string } | { kind: 'measured'; measurement: Measurement };

/** One round of one connection: sends requests and resolves to the messages they have dealt with; 0 ends it all. */
export type Step = (connection: TimedConnection) => Promise<number>;

/** A connection whose requests are timed while a measurement is on. */
export class TimedConnection {
  readonly #connection: HttpConnection;
  /** By action; undefined while nothing is measured. */
  latencies: Map<string, Latencies> | undefined;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  /** Resolves to the body of the reply. Rejects when the server says no: a benchmark of errors is worth nothing. */
  async call(action: string, request: Buffer): Promise<Buffer> {
    const start = performance.now();
    const { status, body } = await this.#connection.request(request);
    if (status !== 200) throw new Error(`${action} was refused: ${status} ${body}`);
    if (this.latencies !== undefined) {
      let latencies = this.latencies.get(action);
      if (latencies === undefined) {
        latencies = new Latencies();
        this.latencies.set(action, latencies);
      }
      latencies.add(performance.now() - start);
    }
    return body;
  }

  close(): void {
    this.#connection.close();
  }
}

/** The connections of a load process, and what can be done with them. A closed loop: each waits for its reply. */
export class Load {
  readonly plan: LoadPlan;
  readonly #connections: TimedConnection[];
  readonly #report: (event: LoadEvent) => void;

  static async open(plan: LoadPlan, report: (event: LoadEvent) => void): Promise<Load> {
    const connections: TimedConnection[] = [];
    for (let count = 0; count < plan.connections; count++) {
      connections.push(new TimedConnection(await HttpConnection.open(plan.url)));
    }
    return new Load(plan, connections, report);
  }

  constructor(plan: LoadPlan, connections: TimedConnection[], report: (event: LoadEvent) => void) {
    this.plan = plan;
    this.#connections = connections;
    this.#report = report;
  }

  get first(): TimedConnection {
    return this.#connections[0] as TimedConnection;
  }

  /** Repeats `step` on every connection until it has dealt with `messages`. */
  async repeat(messages: number, step: Step): Promise<void> {
    let done = 0;
    await this.#onEach(async (connection) => {
      while (done < messages) {
        const count = await step(connection);
        done += count;
      }
    });
  }

  /** Repeats `step` on every connection for the time of the plan, and reports what came of it. */
  async measure(name: string, step: Step): Promise<void> {
    const { seconds, warmupSeconds } = this.plan;
    const latencies = new Map<string, Latencies>();
    let messages = 0;
    let ranDry = false;
    let startedAt = performance.now() + warmupSeconds * 1000;
    let endsAt = startedAt + seconds * 1000;
    let cpu = process.cpuUsage();
    let isMeasuring = false;

    const begin = () => {
      isMeasuring = true;
      this.#report({ kind: 'started', name });
      cpu = process.cpuUsage();
      startedAt = performance.now();
      endsAt = startedAt + seconds * 1000;
      for (const connection of this.#connections) connection.latencies = latencies;
    };
    await this.#onEach(async (connection) => {
      while (!ranDry) {
        const now = performance.now();
        if (!isMeasuring && now >= startedAt) begin();
        if (now >= endsAt) return;
        const done = await step(connection);
        if (done === 0) ranDry = true;
        if (isMeasuring && performance.now() < endsAt) messages += done;
      }
    });
    const elapsedSeconds = (Math.min(performance.now(), endsAt) - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    for (const connection of this.#connections) connection.latencies = undefined;
    const requests: Measurement['requests'] = {};
    for (const [action, each] of latencies) {
      requests[action] = { count: each.count, latency: each.percentiles() };
    }
    const loadCores = (user + system) / 1e6 / elapsedSeconds;
    this.#report({
      kind: 'measured',
      measurement: { name, seconds: elapsedSeconds, messages, requests, loadCores, ranDry },
    });
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #onEach(work: (connection: TimedConnection) => Promise<void>): Promise<void> {
    await Promise.all(this.#connections.map(work));
  }
}
