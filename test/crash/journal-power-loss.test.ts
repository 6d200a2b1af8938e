import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { realPlatform } from '../../src/platform/real.ts';
import { type JournalLimits, openJournaledStore } from '../../src/storage/journaled/journaled-store.ts';
import { CommitError, type Operation, type Store } from '../../src/storage/store.ts';
import { afterOperations, BaseStore, hex, type Rows } from '../support/base-store.ts';
import { crash, JournalDisk, type Moment } from './journal-disk.ts';
import { Random } from './random.ts';

const LIVES = 4;
const ROUNDS = 12;
const RUNS = 40;
/** Power losses that are tried in each life besides the one that it ends with. */
const ASIDES = 10;

/** So small that files are rotated, brought below and used again all the time. */
const LIMITS: JournalLimits = {
  checkpointBytes: 1500,
  fileBytesMax: 4000,
  growthBytes: 1024,
  frameBytesMax: 900,
  stepOperations: 3,
  stepBytes: 600,
  retryBytes: 300,
  scarceBytes: 1000,
  scarceFrames: 1,
  rangeChangesMax: 3,
};

const root = mkdtempSync(join(tmpdir(), 'stanchion-power-loss-'));
let directories = 0;

function newDirectory(): string {
  return join(root, String(directories++));
}

afterAll(() => rmSync(root, { recursive: true }));

interface Commit {
  operations: readonly Operation[];
  isAcknowledged: boolean;
}

/** What a life knows of what it was given. */
class History {
  readonly commits: Commit[] = [];
  hasFailures = false;
  readonly #before: Rows;

  constructor(before: Rows) {
    this.#before = before;
  }

  /** What reads show. */
  acknowledged(): Rows {
    return this.commits.reduce(
      (rows, { operations, isAcknowledged }) => (isAcknowledged ? afterOperations(rows, operations) : rows),
      this.#before,
    );
  }

  /**
   * What may be found after a power loss: what was acknowledged, and then some of what had begun, in order. Of what
   * failed before it, nothing: the frame of the one does not follow that of the other.
   */
  possible({ begun, acknowledged }: Moment): Rows[] {
    let sure = this.#before;
    for (const commit of this.commits.slice(0, acknowledged + 1)) {
      if (commit.isAcknowledged) sure = afterOperations(sure, commit.operations);
    }
    const unsure = this.commits.slice(acknowledged + 1, begun);
    const found = [sure];
    // Without a failure they can only be there from the first one on.
    const starts = this.hasFailures ? unsure.length : Math.min(1, unsure.length);
    for (let from = 0; from < starts; from++) {
      let rows = sure;
      for (const { operations } of unsure.slice(from)) {
        rows = afterOperations(rows, operations);
        found.push(rows);
      }
    }
    return found;
  }
}

/** Keys of new rows are never used twice, whatever became of them. */
let newKeys = 0;

function randomCommit(rows: Rows, random: Random): Operation[] {
  const operations: Operation[] = [];
  const known = [...rows.keys()];
  const count = random.integer(0, 5);
  for (let index = 0; index < count; index++) {
    const value = Buffer.alloc(random.pick([0, 10, 60, 300, 700]), random.integer(1, 255));
    const kind = random.next();
    if (kind < 0.4) {
      const key = Buffer.from(`new-${newKeys++}`);
      operations.push({ key, value, isNew: true });
      known.push(hex(key));
    } else if (kind < 0.6 || known.length === 0) {
      operations.push({ key: Buffer.from(`key-${random.integer(0, 5)}`), value });
    } else {
      const key = Buffer.from(random.pick(known), 'hex');
      operations.push(kind < 0.9 ? { key } : { key, value });
    }
  }
  return operations;
}

async function rowsOf(store: Store): Promise<Rows> {
  const rows = await store.range({ start: Buffer.of(0), end: Buffer.alloc(4, 0xff), limit: 10_000 });
  return new Map(rows.map(({ key, value }) => [hex(key), hex(value)]));
}

const textOf = (rows: Rows) => JSON.stringify([...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** What a power loss has left, with a store below that takes its time. */
async function recover(moment: Moment, random: Random) {
  const directory = newDirectory();
  const base = await BaseStore.with(crash(moment, directory, random));
  const slowly = new Random(random.integer(0, 2 ** 31));
  base.onCommit = async () => {
    for (let turns = slowly.integer(0, 6); turns > 0; turns--) await setImmediate();
  };
  base.freeBytes = random.chance(0.2) ? 0 : Number.POSITIVE_INFINITY;
  return { directory, base };
}

async function openAt({ directory, base }: { directory: string; base: BaseStore }): Promise<Store> {
  return openJournaledStore(base, { directory, isFlushed: false, platform: realPlatform(), limits: LIMITS });
}

function expectPossible(rows: Rows, history: History, moment: Moment): void {
  const possible = history.possible(moment).map(textOf);
  if (!possible.includes(textOf(rows))) expect(textOf(rows)).toBe(possible);
}

async function live(
  place: { directory: string; base: BaseStore },
  random: Random,
  check: (rows: Rows) => void,
  failures: number,
): Promise<{ moments: readonly Moment[]; history: History }> {
  const { disk, unwatch } = await JournalDisk.watch(place.directory, place.base);
  try {
    const store = await openAt(place);
    const before = await rowsOf(store);
    check(before);
    const history = new History(before);
    disk.faultOf = () => {
      if (!random.chance(failures)) return undefined;
      history.hasFailures = true;
      return random.pick(['before', 'after', 'in between'] as const);
    };
    for (let round = 0; round < ROUNDS; round++) {
      const commits: Promise<void>[] = [];
      const count = random.integer(1, 4);
      for (let index = 0; index < count; index++) {
        const commit = { operations: randomCommit(history.acknowledged(), random), isAcknowledged: false };
        const number = history.commits.push(commit) - 1;
        disk.begun = history.commits.length;
        commits.push(
          store.commit(commit.operations).then(
            () => {
              commit.isAcknowledged = true;
              disk.acknowledged = number;
            },
            (error: unknown) => {
              expect(error).toBeInstanceOf(CommitError);
            },
          ),
        );
        if (random.chance(0.3)) await setImmediate();
      }
      await Promise.all(commits);
      expect(textOf(await rowsOf(store))).toBe(textOf(history.acknowledged()));
    }
    const moments = disk.moments.slice();
    disk.faultOf = () => undefined;
    await store.close();
    // Also in the middle of an orderly end, and after it.
    const last = disk.moments.at(-1) as Moment;
    return { moments: random.chance(0.3) ? [...moments, last] : disk.moments, history };
  } finally {
    unwatch();
  }
}

async function livesEndingInPowerLoss(seed: number, failures: number): Promise<void> {
  const random = new Random(seed);
  let place = { directory: newDirectory(), base: await BaseStore.with() };
  mkdirSync(place.directory);
  let check: (rows: Rows) => void = (rows) => expect(rows.size).toBe(0);
  for (let life = 0; life < LIVES; life++) {
    const { moments, history } = await live(place, random, check, failures);
    for (let aside = 0; aside < ASIDES; aside++) {
      const moment = random.pick(moments);
      const left = await recover(moment, random);
      const store = await openAt(left);
      expectPossible(await rowsOf(store), history, moment);
      await store.close();
      rmSync(left.directory, { recursive: true });
    }
    const end = random.pick(moments);
    rmSync(place.directory, { recursive: true });
    place = await recover(end, random);
    check = (rows) => expectPossible(rows, history, end);
  }
  rmSync(place.directory, { recursive: true });
}

describe('a power loss, at any time and in several lives', () => {
  it('leaves what was acknowledged, and of what was being written all or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2 ** 31), (seed) => livesEndingInPowerLoss(seed, 0)),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('does so, too, on a disk that fails now and then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2 ** 31), (seed) => livesEndingInPowerLoss(seed, 0.1)),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
