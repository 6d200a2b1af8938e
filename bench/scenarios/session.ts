import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LoadClient } from '../load/load-client.ts';
import type { Drained, LoadEvent, Measurement, MeasurePlan, QueueTarget } from '../load/plan.ts';
import type { ProtocolName } from '../load/sqs-protocol.ts';
import { warmUp } from '../load/warm-up.ts';
import type { BenchOptions } from '../options.ts';
import { pinsOf } from '../processes/pins.ts';
import { type ServerProcess, startServer } from '../processes/server.ts';
import { diskMegabytesOf, UsageWatch, type Watched } from '../processes/usage.ts';
import { slowFlushEnvironment } from '../slow-flush/slow-flush.ts';

const SERVER = fileURLToPath(new URL('../../../dist/bin/stanchion.js', import.meta.url));
/** Enough to keep a server busy with batches. */
const FILL_CONNECTIONS = 32;

/** A measurement, with what the server used for it where that is known. */
export interface Result extends Measurement, Watched {
  diskMegabytes?: number;
}

/** A server, ours or somebody else's, and a load process of its own. */
export class Session {
  readonly load: LoadClient;
  readonly server: ServerProcess | undefined;
  readonly #data: string;

  /** @param scratch a directory, in which the server finds what an earlier one has left */
  static async open(options: BenchOptions, protocol: ProtocolName, scratch: string): Promise<Session> {
    const data = join(scratch, 'store');
    const server = options.target === undefined ? await startStanchion(options, data) : undefined;
    const load = new LoadClient(pinsOf(options.pin));
    const session = new Session(load, server, data);
    try {
      const url = server?.url ?? (options.target as string);
      await load.call('open', { url, protocol, credentials: options.credentials });
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  constructor(load: LoadClient, server: ServerProcess | undefined, data: string) {
    this.load = load;
    this.server = server;
    this.#data = data;
  }

  /** Warms the server up as long as the plan says, then measures. */
  async measure(plan: MeasurePlan): Promise<Result> {
    const warm = await warmUp(this.load, plan);
    return this.watched(() => this.load.call('measure', warm));
  }

  /** Does what tells when its warm-up is over, and watches the server from then on. */
  async watched(work: () => Promise<Measurement>): Promise<Result> {
    let watch = this.watch();
    this.load.onEvent = ({ kind }: LoadEvent) => {
      if (kind !== 'started') return;
      watch.end();
      watch = this.watch();
    };
    try {
      const measurement = await work();
      return { ...watch.end(), ...measurement, diskMegabytes: this.diskMegabytes() };
    } finally {
      watch.end();
    }
  }

  watch(): UsageWatch {
    return new UsageWatch(() => this.server?.usage());
  }

  /** Undefined: the files are not ours to look at. */
  diskMegabytes(): number | undefined {
    return this.server === undefined ? undefined : diskMegabytesOf(this.#data);
  }

  /** Puts messages into a queue, telling how far it is. */
  async fill(queue: QueueTarget, messages: number): Promise<Watched> {
    const watch = this.watch();
    this.#showProgress('filled', messages);
    try {
      await this.load.call('fill', queue, messages, FILL_CONNECTIONS);
    } finally {
      this.load.onEvent = () => {};
    }
    return watch.end();
  }

  async drain(queue: QueueTarget, messages: number): Promise<Watched & Drained> {
    const watch = this.watch();
    this.#showProgress('drained', messages);
    const drained = await this.load.call('drain', queue, FILL_CONNECTIONS);
    this.load.onEvent = () => {};
    return { ...watch.end(), ...drained };
  }

  async close(): Promise<void> {
    this.load.end();
    await this.server?.stop();
  }

  #showProgress(what: string, messages: number): void {
    const startedAt = performance.now();
    this.load.onEvent = (event) => {
      if (event.kind !== 'progress') return;
      const perSecond = event.done / ((performance.now() - startedAt) / 1000);
      const numbers = [event.done, messages, perSecond].map((value) => Math.round(value).toLocaleString('en'));
      console.error(`  ${what} ${numbers[0]} of ${numbers[1]} messages, ${numbers[2]}/s`);
    };
  }
}

export function startStanchion(options: BenchOptions, data: string): Promise<ServerProcess> {
  const { durability, serverArgs, slowFlushMs, pin } = options;
  const args = [SERVER, 'serve', '--port', '0', '--data', data, '--durability', durability, ...serverArgs];
  return startServer(args, pinsOf(pin), slowFlushEnvironment(slowFlushMs));
}
