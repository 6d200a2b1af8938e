import { pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { LogLevel } from '../server/config/settings.ts';
import type { Logger } from '../server/logger.ts';

/**
 * Logs to standard output: JSON, one line each, for a machine; text for a person at a terminal. Written at once and in
 * this thread, so that no line is lost when the process ends.
 */
export function processLogger(level: LogLevel): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return pino(options);
  return pino(options, PinoPretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', hideObject: level !== 'debug' }));
}
