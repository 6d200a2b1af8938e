import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Platform } from '../../platform/platform.ts';
import type { Logger } from '../logger.ts';

/** An editor writes in several steps, and a file in the middle of them is of no use. */
const SETTLE_MS = 200;

/**
 * Calls back when one of the files has become another one, by being written or replaced. Watches their directories, as a file that is
 * replaced takes its watcher with it, and looks then whether it was they that changed. A hint, not the truth: some file systems tell
 * nothing. Returns what ends it.
 */
export async function watchFiles(
  paths: readonly string[],
  onChange: () => void,
  { timers, logger }: { timers: Pick<Platform, 'now' | 'at'>; logger: Logger },
): Promise<() => void> {
  let known = await marksOf(paths);
  let cancel: (() => void) | undefined;
  let isOver = false;
  const look = async () => {
    const now = await marksOf(paths);
    if (isOver || now === known) return;
    known = now;
    onChange();
  };
  const watchers: FSWatcher[] = [];
  for (const directory of new Set(paths.map((path) => dirname(path)))) {
    try {
      const watcher = watch(directory, { persistent: false }, () => {
        cancel?.();
        cancel = timers.at(timers.now() + SETTLE_MS, () => void look());
      });
      watcher.on('error', (error) => unwatched(directory, error, logger));
      watchers.push(watcher);
    } catch (error) {
      unwatched(directory, error as Error, logger);
    }
  }
  return () => {
    isOver = true;
    cancel?.();
    for (const watcher of watchers) watcher.close();
  };
}

function unwatched(directory: string, { message }: Error, logger: Logger): void {
  logger.warn({ directory, reason: message }, 'changes of the identity file are not noticed: send SIGHUP after one');
}

async function marksOf(paths: readonly string[]): Promise<string> {
  const marks = paths.map(async (path) => {
    const status = await stat(path).catch(() => undefined);
    return status && [status.dev, status.ino, status.size, status.mtimeMs].join(' ');
  });
  return JSON.stringify(await Promise.all(marks));
}
