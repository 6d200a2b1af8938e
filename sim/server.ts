import type { ActionContext } from '../src/api/action.ts';
import { runAction } from '../src/api/actions.ts';
import { openShard, type Shard } from '../src/engine/shard.ts';
import { SqsError } from '../src/protocol/model/errors.ts';
import type { ActionName, ActionOutputs } from '../src/protocol/model/shapes.ts';
import type { QueueLimits } from '../src/queue/limits.ts';
import type { Call } from './calls.ts';
import { type Disk, SimulatedStore } from './disk.ts';
import { SimulatedPlatform } from './platform.ts';
import type { Random } from './random.ts';

export const SCOPE = { account: '000000000000', region: 'us-east-1' };

export interface ServerEvents {
  onAnswer(call: Call): void;
  /** A call that was open when the server died. */
  onLost(call: Call): void;
  /** Neither a reply nor an error of the API: the server has a defect. */
  onDefect(what: string, error: unknown): void;
  onTrouble(message: string): void;
}

/** One life of the server: the real API and engine between a simulated platform and a simulated store. */
export class Server {
  readonly platform: SimulatedPlatform;
  readonly store: SimulatedStore;
  readonly #disk: Disk;
  readonly #events: ServerEvents;
  readonly #limits: QueueLimits;
  readonly #calls = new Set<Call>();
  #shard: Shard | undefined;
  #isDead = false;

  constructor(disk: Disk, random: Random, limits: QueueLimits, events: ServerEvents) {
    this.#disk = disk;
    this.#events = events;
    this.#limits = limits;
    this.platform = new SimulatedPlatform(disk.schedule, random);
    this.store = new SimulatedStore(disk);
  }

  get isUp(): boolean {
    return this.#shard !== undefined && !this.#isDead;
  }

  get openCalls(): number {
    return this.#calls.size;
  }

  /** Resolves when it takes calls. Never, when it is killed before; `false` when the store let it down. */
  async start(): Promise<boolean> {
    try {
      this.#shard = await openShard({
        store: this.store,
        platform: this.platform,
        logger: { error: (fields, message) => this.#onError(fields, message) },
        queueLimits: this.#limits,
      });
      return true;
    } catch {
      return false;
    }
  }

  handle<Name extends ActionName>(call: Call<Name>): void {
    call.arrivedAt = this.#disk.schedule.now;
    call.arrivedStep = this.#disk.step;
    this.#calls.add(call as unknown as Call);
    runAction(call.name, call.input, this.#contextOf(call)).then(
      (reply) => this.#settle(call, reply, undefined),
      (error: unknown) => this.#settle(call, undefined, error),
    );
  }

  /** Nothing of it ever runs again; the store keeps what is durable. */
  kill(): void {
    this.#isDead = true;
    this.platform.kill();
    this.store.kill();
    for (const call of this.#calls) {
      call.endedStep = this.#disk.step;
      this.#events.onLost(call);
    }
    this.#calls.clear();
  }

  async close(): Promise<void> {
    await this.#shard?.close();
  }

  #settle<Name extends ActionName>(call: Call<Name>, reply: ActionOutputs[Name] | undefined, error: unknown): void {
    if (this.#isDead) return;
    this.#calls.delete(call as unknown as Call);
    call.answeredAt = this.#disk.schedule.now;
    call.answeredStep = this.#disk.step;
    call.endedStep = this.#disk.step;
    if (error === undefined) call.reply = reply;
    else if (error instanceof SqsError) call.error = error;
    else {
      this.#events.onDefect(call.name, error);
      return;
    }
    this.#events.onAnswer(call as unknown as Call);
  }

  /** Failures of the store are part of the game, everything else that the engine logs is not. */
  #onError(fields: object, message: string): void {
    const { err } = fields as { err?: unknown };
    const isOfStore = err instanceof Error && /StoreUnavailableError|CommitError|QueueGoneError/.test(err.name);
    if (isOfStore) this.#events.onTrouble(message);
    else this.#events.onDefect(message, err);
  }

  #contextOf(call: { abort: AbortController }): ActionContext {
    return {
      scope: SCOPE,
      queues: this.#shard as Shard,
      platform: this.platform,
      baseUrl: 'http://sim',
      path: '/',
      signal: call.abort.signal,
      protocol: 'awsJson1_0',
      senderId: 'AIDASIMULATION',
      limits: { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 },
    };
  }
}
