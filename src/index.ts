/** The library: the whole server inside another process, for tests and for programs that bring their queues along. */

export { type ManualClock, manualClock } from './platform/manual.ts';
export type { Platform } from './platform/platform.ts';
export type { QueueDeclarationsInput } from './server/config/queue-declarations.ts';
export type { Logger } from './server/logger.ts';
export { type RunningServer, type ServerOptions, startServer } from './server/start.ts';
export { ConfigError, StartError } from './server/start-error.ts';
