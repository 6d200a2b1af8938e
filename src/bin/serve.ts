import { type Flags, loadSettings } from '../server/config/load.ts';
import type { Logger } from '../server/logger.ts';
import { type RunningServer, startServer } from '../server/start.ts';
import { processLogger } from './process-logger.ts';

/** Resolves when the server serves; it then runs until a signal comes. */
export async function serve(flags: Flags, env: NodeJS.ProcessEnv): Promise<void> {
  const { logLevel, ...settings } = await loadSettings(flags, env);
  const logger = processLogger(logLevel);
  exitOnBug(logger);
  const starting = startServer({ ...settings, logger });
  // At once: who has read that it serves may stop it the next moment.
  stopOnSignal(starting, logger);
  // Without files to read again, a terminal that closes ends the server as any program.
  if (settings.tlsCert !== undefined || settings.auth === 'on') reloadOnSignal(starting);
  await starting;
}

/** An interrupt at a terminal reaches a child of npm twice, by the terminal and by npm: within this time it is one. */
const SAME_SIGNAL_MS = 250;
const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 };

/** The first signal stops the server gracefully, the second one at once. */
function stopOnSignal(starting: Promise<RunningServer>, logger: Logger): void {
  let firstAt: number | undefined;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    if (firstAt !== undefined) {
      if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(128 + SIGNAL_NUMBERS[signal]);
      return;
    }
    firstAt = Date.now();
    logger.info({ signal }, 'stopping: requests under way are answered first');
    const stopped = starting.then((server) => server.close());
    stopped.then(
      () => {
        logger.info({}, 'stopped');
        process.exit(0);
      },
      (error: Error) => {
        logger.error({ stack: error.stack }, 'failed to stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

function reloadOnSignal(starting: Promise<RunningServer>): void {
  process.on('SIGHUP', () => {
    // A server that cannot start says so itself.
    starting.then(
      (server) => server.reload(),
      () => {},
    );
  });
}

/**
 * An error nobody caught is a bug, and what the process believes may be wrong from there on. What it has acknowledged
 * is in the store, so the safe thing is to end, and to let whoever started it start it again.
 */
function exitOnBug(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.error({ stack: error instanceof Error ? error.stack : String(error) }, 'bug: ending the process');
    process.exit(1);
  });
}
