/**
 * A server, its disk and its clients in one process, under a virtual clock. Time stands still while the server works and
 * then jumps to the next event; all choices come from one seed. Nothing here or below touches the real clock or real
 * randomness, so that a seed replays to the byte.
 */
import type { ActionName } from '../src/protocol/model/shapes.ts';
import type { Call } from './calls.ts';
import { Checkers } from './checkers/checkers.ts';
import { Administrator } from './clients/administrator.ts';
import type { Client, ClientWorld, Request } from './clients/client.ts';
import { Consumer } from './clients/consumer.ts';
import { Producer } from './clients/producer.ts';
import { type Commit, Disk } from './disk.ts';
import type { EventLog } from './event-log.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { Server } from './server.ts';
import { drawSwarm, type Swarm } from './swarm.ts';

const START = Date.UTC(2026, 0, 1, 0, 0, 23, 457);
const PAUSES_MAX = 6;
/** More turns than any world needs: one that takes them is running in circles. */
const STEPS_MAX = 300_000;
/** Longer than anything takes that is under way: if nothing happens for so long, the server waits for somebody. */
const IDLE_MS = 100;

export interface Violation {
  rule: string;
  text: string;
  at: number;
  step: number;
}

export class World implements ClientWorld {
  readonly swarm: Swarm;
  readonly schedule = new Schedule(START);
  readonly checkers: Checkers;
  readonly disk: Disk;
  readonly violations: Violation[] = [];
  /** What went wrong because commits that rest on a failed one reach the disk: see `Commit.isDoomed`. */
  readonly weaknesses: string[] = [];
  server: Server;
  isOpen = true;
  calls = 0;
  step = 0;
  readonly #log: EventLog;
  readonly #random: Random;
  readonly #network: Random;
  readonly #chaos: Random;
  readonly #open = new Set<Call>();
  #lives = 0;
  #isCalm = false;
  /** Clients make a pause. */
  #pause: Promise<void> = Promise.resolve();
  #pauseUntil = 0;

  constructor(seed: number, log: EventLog) {
    this.#random = new Random(seed);
    this.#log = log;
    this.#network = this.#random.fork('network');
    this.#chaos = this.#random.fork('chaos');
    this.swarm = drawSwarm(this.#random.fork('swarm'));
    const { diskSpeed, diskFaults, limits } = this.swarm;
    log.add(JSON.stringify(this.swarm));
    this.checkers = new Checkers({
      slackMs: diskSpeed.readMs === 0 ? 1 : 40 * diskSpeed.readMs,
      limits,
      onViolation: (rule, text) => this.#violation(rule, text),
      onWeakness: (rule, text) => {
        this.#note(`WEAKNESS ${rule}: ${text}`);
        this.weaknesses.push(`${rule}: ${text}`);
      },
    });
    this.disk = new Disk(
      this.schedule,
      this.#random.fork('disk'),
      {
        onDurable: (commit) => this.#onDurable(commit),
        onFailed: (commit, outcome) => {
          this.#note(`commit ${commit.index} fails: ${outcome}`);
          this.#onFault();
          this.checkers.onFailed(commit, this.step);
        },
        onHang: () => {
          this.#note('the disk hangs');
          this.#onFault();
          const hanging = this.server;
          this.schedule.after(this.#chaos.between(100, 60_000), () => {
            if (this.server === hanging) this.crash();
          });
        },
      },
      diskSpeed,
      diskFaults,
    );
    this.server = this.#newServer();
  }

  get now(): number {
    return this.schedule.now;
  }

  /** `end` brings everything to its end once clients and faults have stopped. */
  async run(end: (world: World) => Promise<void>): Promise<void> {
    let isOver = false;
    const fail = (error: unknown) =>
      this.#violation('simulation', error instanceof Error ? `${error.stack}` : `${error}`);
    void this.#direct(end).then(() => {
      isOver = true;
    }, fail);
    while (!isOver && this.violations.length === 0) {
      if (this.schedule.nextAt() === Number.POSITIVE_INFINITY) {
        await macrotask();
        if (!isOver && this.schedule.nextAt() === Number.POSITIVE_INFINITY) {
          this.#violation('stuck', 'nothing is going to happen any more');
        }
        continue;
      }
      if (this.step > STEPS_MAX) {
        this.#violation('stuck', 'the world does not come to its end');
        return;
      }
      await this.#turn();
    }
  }

  /** One turn of the event loop of the server: some of what is due at the next moment, and all that follows from it. */
  async #turn(): Promise<void> {
    this.step++;
    this.disk.step = this.step;
    const at = this.schedule.nextAt();
    if (at - this.now > IDLE_MS && this.server.store.pendingCount === 0) this.checkers.beforeIdle(this.now);
    for (let count = this.#chaos.between(1, 6); count > 0 && this.schedule.nextAt() <= at; count--) {
      this.schedule.runNext();
    }
    do await macrotask();
    while (this.server.platform.endTurn());
    if (this.disk.fullness !== 'room' || this.server.store.isHanging) this.#onFault();
    const isQuiet = this.server.store.pendingCount === 0;
    if (this.server.store.isLate) this.checkers.onLate(this.now);
    this.checkers.afterStep(this.step, this.now, isQuiet);
  }

  // ---- what clients have of it ----------------------------------------------------------------------------------

  sleep(ms: number): Promise<void> {
    return this.schedule.sleep(ms);
  }

  async whenWorking(): Promise<void> {
    // One pause may end and find the next one begun.
    for (let pause: Promise<void> | undefined; pause !== this.#pause; ) {
      pause = this.#pause;
      await pause;
    }
  }

  call<Name extends ActionName>(client: string, request: Request<Name>): Promise<Call<Name>> {
    const { name, queue, input, patienceMs } = request;
    const call: Call<Name> = {
      id: this.#count(),
      client,
      name,
      queue,
      input,
      askedAt: this.now,
      askedStep: this.step,
      outcome: 'open',
      abort: new AbortController(),
    };
    const { delayMs, lossPerMille, abortPerMille } = this.swarm.network;
    const random = this.#network;
    const isLost = !this.#isCalm && random.chance(lossPerMille);
    const hurry = !this.#isCalm && random.chance(abortPerMille) ? random.below(3000) : patienceMs;
    const toServerMs = random.below(delayMs + 1);
    const toClientMs = random.below(delayMs + 1);
    this.#open.add(call as unknown as Call);
    this.#note(`${client} ${call.id} ${name} ${queue} ${JSON.stringify(input)}`);
    return new Promise((resolve) => {
      const end = (outcome: Call['outcome']) => {
        if (call.outcome !== 'open') return;
        call.outcome = outcome;
        this.#open.delete(call as unknown as Call);
        this.#onEnded.delete(call as unknown as Call);
        cancel();
        this.#note(`${client} ${call.id} ${outcome} ${call.error?.shape ?? ''} ${JSON.stringify(call.reply) ?? ''}`);
        resolve(call);
      };
      const cancel = this.schedule.after(Math.min(hurry, patienceMs), () => {
        // Before the abort, whose answer nobody hears any more.
        end('unknown');
        call.abort.abort();
      });
      this.#onEnded.set(call as unknown as Call, () => {
        if (isLost) return;
        this.schedule.after(toClientMs, () => end(outcomeOf(call as unknown as Call)));
      });
      this.schedule.after(toServerMs, () => {
        if (call.outcome !== 'open') return;
        if (!this.server.isUp) {
          this.schedule.after(toClientMs, () => end('refused'));
          return;
        }
        this.checkers.onArrival(call as unknown as Call);
        this.server.handle(call);
      });
    });
  }

  #count(): number {
    // As soon as there have been enough, even when the director is asleep.
    if (this.calls + 1 >= this.swarm.calls) this.isOpen = false;
    return this.calls++;
  }

  readonly #onEnded = new Map<Call, () => void>();

  // ---- faults ---------------------------------------------------------------------------------------------------

  crash(): void {
    this.#note('crash');
    this.#onFault();
    this.server.kill();
    this.checkers.onCrash();
    this.server = this.#newServer();
    const downMs = this.#isCalm ? 10 : this.#chaos.below(this.swarm.downMs + 1);
    this.schedule.after(downMs, () => this.#start(this.server));
  }

  /** Faults end: from here on the server must do everything that it should. */
  calm(): void {
    this.#note('calm');
    this.#isCalm = true;
    this.disk.heal();
    if (this.server.store.isHanging) this.crash();
  }

  storm(): void {
    this.#note('storm');
    this.#isCalm = false;
    this.disk.faults = this.swarm.diskFaults;
  }

  /** A restart without a crash. */
  async restart(): Promise<void> {
    this.#note('restart');
    await this.server.close();
    this.#onFault();
    this.server.kill();
    this.server = this.#newServer();
    this.#start(this.server);
    await this.whenUp();
  }

  async whenUp(): Promise<void> {
    while (!this.server.isUp) await this.sleep(20);
  }

  /** Resolves when no call is under way, at the server or between it and its client. */
  async whenIdle(): Promise<void> {
    const until = this.now + 600_000;
    while (this.#open.size > 0 || this.server.openCalls > 0) {
      await this.sleep(50);
      if (this.now > until) throw new Error(`call ${[...this.#open][0]?.id} never ends`);
    }
  }

  #newServer(): Server {
    const life = this.#lives++;
    return new Server(this.disk, this.#random.fork(`server ${life}`), this.swarm.limits, {
      onAnswer: (call) => {
        this.#note(`  ${call.id} is answered ${call.error?.shape ?? 'ok'}`);
        if (this.server.store.isLate) this.checkers.onLate(this.now);
        this.checkers.onAnswer(call);
        this.#onEnded.get(call)?.();
      },
      onLost: (call) => {
        this.checkers.onLost(call);
        this.#onEnded.get(call)?.();
      },
      onDefect: (what, error) => this.#violation('defect', `${what}: ${error instanceof Error ? error.stack : error}`),
      onTrouble: (message) => {
        this.#note(`  server: ${message}`);
        // Commits that rest on a failed one may end much later, and only then does the server begin anew.
        this.#onFault();
      },
    });
  }

  #start(server: Server): void {
    this.#note('start');
    void server.start().then((isUp) => {
      if (isUp || server !== this.server) return;
      this.#note('cannot start');
      this.crash();
    });
  }

  #onFault(): void {
    this.checkers.onFault(this.step, this.now);
  }

  #scheduleFaults(): void {
    const { swarm } = this;
    this.#often(swarm.crashEveryMs, () => {
      if (this.server.isUp) this.crash();
    });
    this.#often(swarm.fullEveryMs, () => {
      this.disk.fullness = this.#chaos.pick(['refusing', 'failing']);
      this.#note(`the disk is full: ${this.disk.fullness}`);
      this.#onFault();
      this.schedule.after(this.#chaos.between(100, 20_000), () => {
        this.disk.fullness = 'room';
        this.#onFault();
        this.#note('the disk has room');
      });
    });
    this.#often(swarm.freezeEveryMs, () => {
      // Everything stands still, and then finds that it is late.
      this.schedule.now += this.#chaos.below(swarm.freezeMs + 1);
      this.#onFault();
    });
    let pauses = 0;
    this.#often(swarm.pauseEveryMs, () => {
      if (pauses++ >= PAUSES_MAX) return;
      const ms = this.#chaos.below(swarm.pauseMs + 1);
      this.#note(`clients pause for ${ms} ms`);
      this.#pauseUntil = this.now + ms;
      this.#pause = this.sleep(ms);
    });
  }

  #often(everyMs: number, happen: () => void): void {
    if (everyMs === 0) return;
    const next = () => {
      this.schedule.after(this.#chaos.between(1, 2 * everyMs), () => {
        if (!this.isOpen) return;
        if (!this.#isCalm) happen();
        // Seldom twice in a pause, or a pause of days would be nothing but crashes.
        if (this.now < this.#pauseUntil && this.#chaos.chance(800)) this.schedule.at(this.#pauseUntil, next);
        else next();
      });
    };
    next();
  }

  // ---- the course of a world ------------------------------------------------------------------------------------

  async #direct(end: (world: World) => Promise<void>): Promise<void> {
    const { swarm } = this;
    this.#start(this.server);
    await this.whenUp();
    const client = <Kind extends Client>(
      Kind: new (name: string, world: ClientWorld, random: Random) => Kind,
      name: string,
    ) => new Kind(name, this, this.#random.fork(name));
    const administrator = client(Administrator, 'a');
    await administrator.createQueues();
    this.#scheduleFaults();
    const clients: Client[] = [administrator];
    for (let index = 0; index < swarm.producers; index++) clients.push(client(Producer, `p${index}`));
    for (let index = 0; index < swarm.consumers; index++) clients.push(client(Consumer, `c${index}`));
    const runs = clients.map((each) => each.run());
    let restAt = this.now + swarm.restEveryMs;
    while (this.isOpen) {
      await this.sleep(100);
      await this.whenWorking();
      if (swarm.restEveryMs === 0 || this.now < restAt) continue;
      await this.#rest();
      restAt = this.now + swarm.restEveryMs;
    }
    this.calm();
    await Promise.all(runs);
    await end(this);
  }

  /** In the middle of it all: nobody asks anything, faults stop, and the counters must be right. */
  async #rest(): Promise<void> {
    let resume!: () => void;
    this.#pause = new Promise((resolve) => {
      resume = resolve;
    });
    this.calm();
    // Some are just coming out of the last pause.
    await this.sleep(1);
    await this.whenIdle();
    await this.settle();
    this.storm();
    resume();
  }

  /** Gives the server time to come to rest, and looks whether everything adds up then. */
  async settle(): Promise<void> {
    await this.whenUp();
    for (const { name } of this.swarm.queues) await this.call('director', lookAt(name));
    await this.sleep(3000);
    await this.whenUp();
    this.checkers.checkAtRest(this.now);
    for (const { name } of this.swarm.queues) {
      const call = await this.call('director', lookAt(name));
      if (call.outcome === 'ok') this.checkers.checkCounts(call);
    }
  }

  #onDurable(commit: Commit): void {
    this.#note(`commit ${commit.index} of ${commit.operations.length} is durable`);
    this.checkers.onDurable(commit);
  }

  #note(line: string): void {
    this.#log.add(`${this.now - START} ${this.step} ${line}`);
  }

  #violation(rule: string, text: string): void {
    this.#note(`VIOLATION ${rule}: ${text}`);
    this.violations.push({ rule, text, at: this.now - START, step: this.step });
  }
}

export function lookAt(queue: string): Request<'GetQueueAttributes'> {
  const input = { QueueUrl: `http://sim/000000000000/${queue}`, AttributeNames: ['All'] };
  return { name: 'GetQueueAttributes', queue, input, patienceMs: 60_000 };
}

function outcomeOf({ answeredAt, error }: Call): Call['outcome'] {
  if (answeredAt === undefined) return 'unknown';
  if (error === undefined) return 'ok';
  if (error.shape !== 'ServiceUnavailable') return 'error';
  return error.message.endsWith('Nothing was changed.') ? 'refused' : 'unknown';
}

/** Lets every chain of promises run to its end, whatever its length. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
