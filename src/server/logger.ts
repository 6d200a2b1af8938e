/**
 * Where the server writes what happened: one line per call, `fields` beside it. A pino logger fits as it is. Nobody may
 * put a message body, a receipt handle or a credential into either argument.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Whether lines of a level go anywhere: worker processes do not send those that do not. */
  isLevelEnabled?(level: string): boolean;
}

const ignore = (): void => {};

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
