import { SortedTable } from '../src/storage/memory/sorted-table.ts';
import { CommitError, type Operation, type RangeQuery, type Row, type Store } from '../src/storage/store.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';

/** What a disk does wrong, each in so many of a thousand commits. */
export interface DiskFaults {
  /** Refused before anything is written. */
  notApplied: number;
  /** Written, or not, and nobody is told which. */
  unknown: number;
  /** No answer, to this commit and all later ones, until the server is killed. */
  hang: number;
  slow: number;
}

export interface DiskSpeed {
  /** Milliseconds a commit takes at most, when it is not slow. */
  commitMs: number;
  slowCommitMs: number;
  /** Milliseconds between a commit being readable and its being acknowledged, at most. */
  acknowledgeMs: number;
  /** Milliseconds a read takes at most; 0: the same turn. */
  readMs: number;
}

export interface Commit {
  /** Counts up over all lives of the server. */
  index: number;
  operations: readonly Operation[];
  issuedAt: number;
  issuedStep: number;
  durableAt?: number;
  durableStep?: number;
  /**
   * An earlier commit failed, and this one was issued before anybody could know: it may rest on what that was to write.
   * Nobody is told that it succeeded, but it is on the disk.
   */
  isDoomed?: boolean;
  acknowledgedAt?: number;
  acknowledgedStep?: number;
}

export interface DiskObserver {
  /** From here on reads see it, and no crash takes it away. */
  onDurable(commit: Commit): void;
  onFailed(commit: Commit, outcome: 'not-applied' | 'unknown'): void;
  /** A commit hangs: only a restart helps. */
  onHang(): void;
}

type Fate = 'durable' | 'not-applied' | 'unknown-applied' | 'unknown-lost' | 'hang';

interface Pending {
  commit: Commit;
  fate: Fate;
}

const LATE_MS = 20;

const NO_FAULTS: DiskFaults = { notApplied: 0, unknown: 0, hang: 0, slow: 0 };

/**
 * What survives a crash: the durable image. Stores opened on it keep their pending commits beside it; a crash drops
 * those, except for a few that had just reached the disk.
 */
export class Disk {
  readonly durable = new SortedTable();
  readonly schedule: Schedule;
  readonly observer: DiskObserver;
  readonly random: Random;
  readonly speed: DiskSpeed;
  faults: DiskFaults;
  /** `refusing`: the store says so when asked. `failing`: and puts fail, as nobody asked in time. */
  fullness: 'room' | 'refusing' | 'failing' = 'room';
  step = 0;
  #commits = 0;
  /** The latest commit that failed, and when its writer was told. */
  #failed: { index: number; toldStep: number } | undefined;

  constructor(schedule: Schedule, random: Random, observer: DiskObserver, speed: DiskSpeed, faults: DiskFaults) {
    this.schedule = schedule;
    this.random = random;
    this.observer = observer;
    this.speed = speed;
    this.faults = faults;
  }

  heal(): void {
    this.faults = NO_FAULTS;
    this.fullness = 'room';
  }

  noteFailure({ index }: Commit): void {
    if (this.#failed?.toldStep !== Number.POSITIVE_INFINITY)
      this.#failed = { index, toldStep: Number.POSITIVE_INFINITY };
  }

  /** Whatever was issued before is settled. */
  noteCrash(): void {
    this.#failed = undefined;
  }

  noteFailureTold({ index }: Commit): void {
    if (this.#failed?.index === index) this.#failed.toldStep = this.step;
  }

  begin(operations: readonly Operation[]): Commit {
    return {
      index: this.#commits++,
      // Copies: the writer may use its buffers again.
      operations: operations.map(({ key, value }) => ({ key: Buffer.from(key), value: value && Buffer.from(value) })),
      issuedAt: this.schedule.now,
      issuedStep: this.step,
    };
  }

  makeDurable(commit: Commit): void {
    commit.durableAt = this.schedule.now;
    commit.durableStep = this.step;
    commit.isDoomed = this.#failed !== undefined && commit.issuedStep <= this.#failed.toldStep;
    this.durable.apply(commit.operations);
    this.observer.onDurable(commit);
  }
}

/** A store on a simulated disk, for one life of the server. */
export class SimulatedStore implements Store {
  readonly #disk: Disk;
  readonly #pending: Pending[] = [];
  #isDead = false;
  isHanging = false;
  #lastDoneAt = 0;
  #lastToldAt = 0;
  /** Commits that are done and not told yet. Later ones wait for their turn. */
  #untold = 0;
  #lastTold: Promise<unknown> = Promise.resolve();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  /** Whether some commit takes longer than commits should. Much waits for it then. */
  get isLate(): boolean {
    const [oldest] = this.#pending;
    return oldest !== undefined && oldest.commit.issuedAt + LATE_MS < this.#disk.schedule.now;
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#read(() => this.#disk.durable.get(key));
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.#read(() => keys.map((key) => this.#disk.durable.get(key)));
  }

  range(query: RangeQuery): Promise<Row[]> {
    return this.#read(() => this.#disk.durable.range(query));
  }

  commit(operations: readonly Operation[]): Promise<void> {
    const commit = this.#disk.begin(operations);
    const { schedule, speed, random } = this.#disk;
    const pending: Pending = { commit, fate: this.#fateOf(commit) };
    this.#pending.push(pending);
    const isSlow = random.chance(this.#disk.faults.slow);
    const took = random.below((isSlow ? speed.slowCommitMs : speed.commitMs) + 1);
    const told = new Promise<void>((resolve, reject) => {
      if (pending.fate === 'hang') {
        this.isHanging = true;
        this.#disk.observer.onHang();
        return;
      }
      // In the order of the calls, and told in that order.
      this.#lastDoneAt = Math.max(this.#lastDoneAt, schedule.now + took);
      schedule.at(this.#lastDoneAt, () => this.#finish(pending, resolve, reject));
    });
    this.#lastTold = told.catch(() => {});
    return told;
  }

  stats(): { usedBytes: number; freeBytes: number } {
    const freeBytes = this.#disk.fullness === 'room' ? Number.POSITIVE_INFINITY : 0;
    return { usedBytes: this.#disk.durable.bytes, freeBytes };
  }

  async close(): Promise<void> {
    await this.#lastTold;
  }

  /** The server was killed. Some of what it wrote last may have reached the disk all the same. */
  kill(): void {
    this.#isDead = true;
    const survivors = this.#disk.random.below(this.#pending.length + 1);
    for (const { commit, fate } of this.#pending.slice(0, survivors)) {
      if (fate === 'durable' || fate === 'unknown-applied' || fate === 'hang') this.#disk.makeDurable(commit);
      else {
        this.#disk.noteFailure(commit);
        this.#disk.observer.onFailed(commit, 'unknown');
      }
    }
    this.#disk.noteCrash();
  }

  #fateOf(commit: Commit): Fate {
    if (this.isHanging) return 'hang';
    const { faults, random, fullness } = this.#disk;
    const drawn = random.below(1000);
    if (fullness === 'failing' && commit.operations.some(({ value }) => value !== undefined)) return 'not-applied';
    if (drawn < faults.notApplied) return 'not-applied';
    if (drawn < faults.notApplied + faults.unknown) return drawn % 2 === 0 ? 'unknown-applied' : 'unknown-lost';
    return drawn < faults.notApplied + faults.unknown + faults.hang ? 'hang' : 'durable';
  }

  #finish(pending: Pending, resolve: () => void, reject: (error: Error) => void): void {
    if (this.#isDead) return;
    const { commit, fate } = pending;
    const { schedule, observer, random, speed } = this.#disk;
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    if (fate === 'durable' || fate === 'unknown-applied') this.#disk.makeDurable(commit);
    if (fate !== 'durable') this.#disk.noteFailure(commit);
    const tell = () => {
      if (this.#isDead) return;
      this.#untold--;
      if (fate === 'durable') {
        commit.acknowledgedAt = schedule.now;
        commit.acknowledgedStep = this.#disk.step;
        resolve();
        return;
      }
      const outcome = fate === 'not-applied' ? 'not-applied' : 'unknown';
      this.#disk.noteFailureTold(commit);
      observer.onFailed(commit, outcome);
      reject(new CommitError(outcome, 'The simulated disk fails.'));
    };
    this.#lastToldAt = Math.max(this.#lastToldAt, schedule.now + random.below(speed.acknowledgeMs + 1));
    this.#untold++;
    if (this.#lastToldAt === schedule.now && this.#untold === 1) tell();
    else schedule.at(this.#lastToldAt, tell);
  }

  #read<Value>(read: () => Value): Promise<Value> {
    const { schedule, random, speed } = this.#disk;
    const took = speed.readMs === 0 ? 0 : random.below(speed.readMs + 1);
    if (this.#isDead) return new Promise(() => {});
    if (took === 0) return Promise.resolve(read());
    // What is seen may be as old as the question or as new as the answer.
    const early = random.chance(500) ? { value: read() } : undefined;
    return new Promise((resolve) => {
      schedule.after(took, () => {
        if (!this.#isDead) resolve(early === undefined ? read() : early.value);
      });
    });
  }
}
