import { dirname } from 'node:path';
import { type Call, firstBytesOf, isWhole, placeOf } from './trace.ts';

/**
 * The order that a power loss cannot break.
 *
 * Of an answer: what it stands for is written to the journal, and made durable; only then somebody is told.
 *
 * Of the store below: the pages of a commit are written; they are made durable; only then the meta page that points to
 * them is written, and made durable. The last commit of a checkpoint says how far the journal is below, and only then is
 * overwritten what the journal has.
 */
export interface Acknowledged {
  /** What it is called in a violation. */
  what: string;
  /** Tells the frame, or the page, that has it from others. */
  isWrittenBy: (call: Call) => boolean;
  /** Tells the answer from others. */
  isAnswer: (call: Call) => boolean;
}

/** Something in a journal file is written over. */
interface Overwrite {
  call: Call;
  /** The last frame that is lost by it. */
  number: number;
}

interface Commit {
  pages: readonly Call[];
  /** Infinity: never. */
  durableAt: number;
  /** The number of the last frame that it says is in the store below. */
  checkpointed: number;
  violation: string | undefined;
}

const JOURNAL_FILE = /\/stanchion\.journal\.\d+$/;
const DATA_FILE = /\/stanchion\.mdb$/;
const META_BYTES = 2 * 8192;
const FRAME_MAGIC = 'SSJ1';
const NUMBER_OFFSET = 8;
const CHECKPOINTED = /\\"checkpointed\\":(\d+)/g;
const WRITES = new Set(['pwrite64', 'pwritev', 'write', 'writev', 'sendto', 'sendmsg']);
const SYNCS = new Set(['fdatasync', 'fsync']);
const NEVER = Number.POSITIVE_INFINITY;

// ---- answers ------------------------------------------------------------------------------------------------------

export function answerViolations(calls: readonly Call[], acknowledged: readonly Acknowledged[]): string[] {
  const frames = calls.filter(isFrame);
  const answers = calls.filter(({ name, target }) => WRITES.has(name) && target.startsWith('socket:'));
  return acknowledged.flatMap((one) => {
    const answer = answers.find((call) => one.isAnswer(call));
    const frame = frames.find((call) => one.isWrittenBy(call));
    const violation = answer === undefined ? 'was not answered' : answerViolation(calls, frame, answer);
    return violation === undefined ? [] : [`${one.what}: ${violation}`];
  });
}

function answerViolation(calls: readonly Call[], frame: Call | undefined, answer: Call): string | undefined {
  if (frame === undefined || frame.begin > answer.begin) return 'nothing of it was in the journal before the answer';
  if (!isWhole(frame)) return 'it was not written whole';
  if (writeDurableAt(calls, frame) > answer.begin) return 'it was answered before it was durable';
  // A file that is new is not there after a power loss when its directory does not have it.
  const opened = calls.find(({ name, target }) => name === 'openat' && target === frame.target);
  const named = durableAt(calls, dirname(frame.target), opened?.end ?? 0);
  if (named > answer.begin) return 'it was answered before the name of its file was durable';
  return undefined;
}

/** That, and not what makes a file longer: zeros. */
export function isFrame(call: Call): boolean {
  return isJournalWrite(call) && call.words.includes(`, "${FRAME_MAGIC}`);
}

function isJournalWrite({ name, target }: Call): boolean {
  return WRITES.has(name) && JOURNAL_FILE.test(target);
}

// ---- checkpoints --------------------------------------------------------------------------------------------------

/** `kept`: what is not deleted, and so is to be in the store below when that says so. */
export function checkpointViolations(calls: readonly Call[], kept: readonly Acknowledged[]): string[] {
  const commits = commitsIn(calls);
  const frames = calls.filter(isFrame);
  const ofCommits = commits.flatMap(({ violation }, index) =>
    violation === undefined ? [] : [`commit ${index} of the store below: ${violation}`],
  );
  const missing = kept.filter(({ isWrittenBy }) => {
    const frame = frames.find(isWrittenBy);
    // A server that is started after this commit does not look for it in the journal.
    const last = commits.findIndex(({ checkpointed }) => frame !== undefined && checkpointed >= numberOf(frame));
    return !commits.slice(0, last + 1).some(({ pages }) => pages.some(isWrittenBy));
  });
  const early = overwritesIn(calls).filter(
    ({ call, number }) =>
      !commits.some(
        ({ checkpointed, durableAt, violation }) =>
          checkpointed >= number && durableAt < call.begin && violation === undefined,
      ),
  );
  return [
    ...ofCommits,
    ...missing.map(({ what }) => `${what}: it was not below when it was said to be`),
    ...early.map(({ number }) => `frame ${number}: it was overwritten before it was below`),
  ];
}

export function overwritesIn(calls: readonly Call[]): Overwrite[] {
  const overwrites: Overwrite[] = [];
  const contents = new Map<string, { number: number; end: number }>();
  for (const call of calls.filter(isJournalWrite)) {
    const { offset, length } = placeOf(call.words) ?? { offset: 0, length: 0 };
    const content = contents.get(call.target);
    if (content !== undefined && offset < content.end) overwrites.push({ call, number: content.number });
    if (!isFrame(call)) continue;
    contents.set(call.target, { number: numberOf(call), end: offset + length });
  }
  return overwrites;
}

function commitsIn(calls: readonly Call[]): Commit[] {
  const writes = calls.filter(({ name, target }) => WRITES.has(name) && DATA_FILE.test(target));
  // The first meta pages make the file: there is nothing yet that they could point to.
  const metas = writes.filter(isMeta).slice(1);
  const pageWrites = writes.filter((call) => !isMeta(call));
  return metas.map((meta, index) => {
    const since = metas[index - 1]?.begin ?? 0;
    const pages = pageWrites.filter(({ begin }) => begin > since && begin < meta.begin);
    const next = pageWrites.find(({ begin }) => begin > meta.begin);
    const metaDurableAt = writeDurableAt(calls, meta);
    return {
      pages,
      durableAt: metaDurableAt,
      checkpointed: Math.max(0, ...pages.flatMap(checkpointedIn)),
      violation: commitViolation(calls, { pages, meta, next, metaDurableAt }),
    };
  });
}

function commitViolation(
  calls: readonly Call[],
  commit: { pages: readonly Call[]; meta: Call; next: Call | undefined; metaDurableAt: number },
): string | undefined {
  const { pages, meta, next, metaDurableAt } = commit;
  if (!pages.every(isWhole)) return 'a page could not be written';
  const pagesDurableAt = Math.max(0, ...pages.map((page) => writeDurableAt(calls, page)));
  if (pagesDurableAt > meta.begin) return 'its meta page was written before its pages were durable';
  // The next one writes over pages that are free once this one holds.
  if (metaDurableAt === NEVER || metaDurableAt > (next?.begin ?? NEVER)) {
    return 'its meta page was not durable before the next commit began';
  }
  return undefined;
}

function numberOf(frame: Call): number {
  return firstBytesOf(frame).readDoubleLE(NUMBER_OFFSET);
}

/** More than one: a page also has what was once in it, which is older. */
function checkpointedIn({ words }: Call): number[] {
  return [...words.matchAll(CHECKPOINTED)].map(([, number]) => Number(number));
}

export function isMeta({ name, target, words }: Call): boolean {
  if (name !== 'pwrite64' || !DATA_FILE.test(target)) return false;
  const place = placeOf(words);
  return place !== undefined && place.offset < META_BYTES;
}

// ---- both ---------------------------------------------------------------------------------------------------------

function writeDurableAt(calls: readonly Call[], write: Call): number {
  if (!isWhole(write)) return NEVER;
  return write.isSynchronous ? write.end : durableAt(calls, write.target, write.end);
}

/** When everything that was written to a file before is on the disk. */
function durableAt(calls: readonly Call[], file: string, since: number): number {
  const ends = calls
    .filter(({ name, target, begin, result }) => SYNCS.has(name) && target === file && begin > since && result === 0)
    .map(({ end }) => end);
  return Math.min(NEVER, ...ends);
}
