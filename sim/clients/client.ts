import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';
import type { Call } from '../calls.ts';
import type { Random } from '../random.ts';
import type { Swarm } from '../swarm.ts';

export interface Request<Name extends ActionName> {
  name: Name;
  /** The name of the queue; empty for actions on the account. */
  queue: string;
  input: ActionInputs[Name];
  /** How long the client waits for an answer. */
  patienceMs: number;
}

/** What a client has of the world. */
export interface ClientWorld {
  readonly swarm: Swarm;
  readonly now: number;
  /** Clients end their loops when it is false. */
  readonly isOpen: boolean;
  /** Resolves when the client knows what became of it, or gives up. Never rejects. */
  call<Name extends ActionName>(client: string, request: Request<Name>): Promise<Call<Name>>;
  sleep(ms: number): Promise<void>;
  /** Resolves at once, or when the pause that all clients make is over. */
  whenWorking(): Promise<void>;
}

const PATIENCE_MS = 10_000;

export abstract class Client {
  readonly name: string;
  protected readonly world: ClientWorld;
  protected readonly random: Random;

  constructor(name: string, world: ClientWorld, random: Random) {
    this.name = name;
    this.world = world;
    this.random = random;
  }

  /** Resolves when the world closes. */
  async run(): Promise<void> {
    while (this.world.isOpen) {
      await this.think();
      await this.world.whenWorking();
      if (this.world.isOpen) await this.act();
    }
  }

  protected abstract act(): Promise<void>;

  protected async think(): Promise<void> {
    const { thinkMs } = this.world.swarm;
    await this.world.sleep(this.random.between(1, (this.random.chance(10) ? 20 : 1) * thinkMs + 1));
  }

  protected call<Name extends ActionName>(
    name: Name,
    queue: string,
    input: ActionInputs[Name],
    patienceMs = PATIENCE_MS,
  ): Promise<Call<Name>> {
    return this.world.call(this.name, { name, queue, input, patienceMs });
  }
}

export function urlOf(queue: string): string {
  return `http://sim/000000000000/${queue}`;
}

export function arnOf(queue: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${queue}`;
}
