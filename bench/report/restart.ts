import type { BenchOptions } from '../options.ts';
import { shownDepth } from './backlog.ts';
import type { Headline, Section } from './section.ts';
import { maxOfKnown, median, medianOfKnown, ratio } from './statistics.ts';
import type { Cell, Column } from './table.ts';

export type Ending = 'clean stop' | 'SIGKILL while sending';

export interface RestartRun {
  depth: number;
  after: Ending;
  /** From the start of the process until it serves, and until a message has been received. */
  servesMs: number;
  firstMessageMs: number;
  /** That a clean stop took. */
  stopMs?: number;
}

const COLUMNS: Column[] = [
  { key: 'after', heading: 'after', format: 'text' },
  { key: 'depth', heading: 'depth', format: 'text' },
  { key: 'servesMs', heading: 'serves ms', format: 0 },
  { key: 'firstMessageMs', heading: 'first message ms', format: 0 },
  { key: 'longestMs', heading: 'longest ms', format: 0 },
  { key: 'toEcho', heading: 'x echo', format: 2 },
  { key: 'times', heading: 'x smallest depth', format: 2 },
  { key: 'stopMs', heading: 'stop ms', format: 0 },
];

export function restartSection(options: BenchOptions, echoMs: readonly number[], all: readonly RestartRun[]): Section {
  const { groups, bodyBytes, rounds } = options;
  const echo = median(echoMs);
  const rows: Record<string, Cell>[] = [{ after: 'start of echo', servesMs: echo, longestMs: Math.max(...echoMs) }];
  const headlines: Headline[] = [];
  for (const after of ['clean stop', 'SIGKILL while sending'] satisfies Ending[]) {
    let smallest: number | undefined;
    for (const depth of options.depths) {
      const runs = all.filter((run) => run.after === after && run.depth === depth);
      const firstMessageMs = median(runs.map((run) => run.firstMessageMs));
      smallest ??= firstMessageMs;
      rows.push({
        after,
        depth: shownDepth(depth),
        servesMs: median(runs.map(({ servesMs }) => servesMs)),
        firstMessageMs,
        longestMs: maxOfKnown(runs.map((run) => run.firstMessageMs)),
        toEcho: ratio(firstMessageMs, echo),
        times: ratio(firstMessageMs, smallest),
        stopMs: medianOfKnown(runs.map(({ stopMs }) => stopMs)),
      });
      headlines.push({
        name: `restart after ${after}, ${shownDepth(depth)} messages`,
        value: firstMessageMs,
        unit: 'ms',
        ratio: ratio(firstMessageMs, smallest),
        to: `that of ${shownDepth(options.depths[0] as number)}`,
      });
    }
  }
  const queue = groups.length > 0 ? `FIFO queue of ${shownDepth(groups[0] as number)} groups` : 'standard queue';
  const title = `restart: ${queue}, bodies of ${bodyBytes[0]} bytes, medians of ${rounds} starts of each kind`;
  const tables = [{ title, columns: COLUMNS, rows, notes: [] }];
  return { scenario: 'restart', tables, headlines, raw: { echoMs, runs: all } };
}
