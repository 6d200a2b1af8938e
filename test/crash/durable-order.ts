import type { Call } from './trace.ts';

/**
 * The order that a power loss cannot break: the pages of a commit are written; they are made durable; only then the meta
 * page that points to them is written, and made durable; only then somebody is told.
 */
export interface Acknowledged {
  /** What it is called in a violation. */
  what: string;
  /** Tells its pages from others. */
  isPage(call: Call): boolean;
  /** Tells the answer from others. */
  isAnswer(call: Call): boolean;
}

const DATA_FILE = /\/stanchion\.mdb$/;
const META_BYTES = 2 * 8192;
const WRITES = new Set(['pwrite64', 'pwritev', 'write', 'writev', 'sendto', 'sendmsg']);
const SYNCS = new Set(['fdatasync', 'fsync']);

export function violationsIn(calls: readonly Call[], acknowledged: readonly Acknowledged[]): string[] {
  return acknowledged.flatMap((one) => {
    const violation = violationOf(calls, one);
    return violation === undefined ? [] : [`${one.what}: ${violation}`];
  });
}

function violationOf(calls: readonly Call[], { isPage, isAnswer }: Acknowledged): string | undefined {
  const ofFile = calls.filter(({ target }) => DATA_FILE.test(target));
  const answer = calls.find((call) => WRITES.has(call.name) && call.target.startsWith('socket:') && isAnswer(call));
  if (answer === undefined) return 'was not answered';
  const pages = ofFile.filter((call) => WRITES.has(call.name) && !isMeta(call));
  // Later commits write its pages again, with their own messages beside it.
  const first = pages.find(isPage);
  if (first === undefined || first.begin > answer.begin) return 'no page of it was written before the answer';
  const meta = ofFile.find((call) => isMeta(call) && call.begin > first.begin);
  if (meta === undefined || meta.begin > answer.begin) return 'its meta page was not written before the answer';
  const pointedTo = pages.filter(({ begin }) => begin < meta.begin);
  if (pointedTo.some(({ result }) => result < 0)) return 'a page could not be written';
  const pagesAt = Math.max(...pointedTo.map(({ end }) => end));
  if (durableAt(ofFile, pagesAt) > meta.begin) return 'its meta page was written before its pages were durable';
  const metaDurableAt = meta.isSynchronous && meta.result > 0 ? meta.end : durableAt(ofFile, meta.end);
  if (metaDurableAt > answer.begin) return 'it was answered before its meta page was durable';
  return undefined;
}

export function isMeta({ name, words }: Call): boolean {
  if (name !== 'pwrite64') return false;
  const offset = /, (\d+)$/.exec(words)?.[1];
  return offset !== undefined && Number(offset) < META_BYTES;
}

/** When everything that was written before is on the disk. */
function durableAt(ofFile: readonly Call[], since: number): number {
  const sync = ofFile
    .filter(({ name, begin, result }) => SYNCS.has(name) && begin > since && result === 0)
    .sort((a, b) => a.end - b.end)[0];
  return sync?.end ?? Number.POSITIVE_INFINITY;
}
