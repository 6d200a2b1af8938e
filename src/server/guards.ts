import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Auditor } from '../audit/auditor.ts';
import { AuditError, type AuditLog, AuditTrail } from '../audit/trail.ts';
import type { Platform } from '../platform/platform.ts';
import { RateLimiter } from '../quotas/rate-limits.ts';
import { type DirectoryLock, lockDirectory } from '../storage/lmdb/directory-lock.ts';
import { CallGuard, type SharedGuards } from './call-guard.ts';
import type { Settings } from './config/settings.ts';
import { reasonOf } from './data-directory.ts';
import type { Logger } from './logger.ts';
import { StartError } from './start-error.ts';

export type GuardSettings = Pick<Settings, 'audit' | 'auditData' | 'rateLimits'>;

/** What there is one of for all processes of a server: here, or at the other end of a channel. */
export interface Guards {
  /** Absent: there is no audit trail. */
  log?: AuditLog;
  /** Counts a request under these names of `rateLimits`. */
  admits: SharedGuards['admits'];
}

/** Undefined: no audit trail. */
export function auditDirectoryOf({ audit, data }: Pick<Settings, 'audit' | 'data'>): string | undefined {
  if (audit === 'off') return undefined;
  return resolve(audit === 'on' ? join(data, 'audit') : audit);
}

export interface OpenTrail {
  log: AuditLog;
  /** Resolves when what can be written is. */
  close(): Promise<void>;
}

/** @throws StartError when the trail cannot be used. */
export async function openTrail(
  settings: Settings,
  platform: Platform,
  logger: Logger,
): Promise<OpenTrail | undefined> {
  const directory = auditDirectoryOf(settings);
  if (directory === undefined) return undefined;
  let lock: DirectoryLock | undefined;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Two writers would each go on from the same record.
    lock = await lockDirectory(directory);
    const held = lock;
    const log = await AuditTrail.open({ directory, platform, logger });
    return { log, close: () => log.close().finally(() => held.release()) };
  } catch (error) {
    await lock?.release();
    const reason = error instanceof AuditError ? error.message : reasonOf(error as NodeJS.ErrnoException);
    throw new StartError(`cannot use the audit trail in ${directory}: ${reason}`, { cause: error });
  }
}

/** Those of the main process. */
export function guardsOf(settings: GuardSettings, platform: Platform, log: AuditLog | undefined): Guards {
  const limiter = new RateLimiter(settings.rateLimits, platform);
  return { log, admits: (names) => limiter.admits(names) };
}

/** What a front end puts before its calls; undefined when nothing is recorded and nobody has a limit. */
export function callGuardOf(
  { auditData, rateLimits }: GuardSettings,
  platform: Platform,
  { log, admits }: Guards,
): CallGuard | undefined {
  if (log === undefined && Object.keys(rateLimits).length === 0) return undefined;
  const auditor = log && new Auditor({ log, data: auditData === 'on', platform });
  return new CallGuard({ rateLimits, admits, auditor });
}
