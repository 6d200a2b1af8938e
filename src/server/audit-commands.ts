import { resolve } from 'node:path';
import { type Verdict, verifyTrail } from '../audit/verify.ts';
import type { Settings } from './config/settings.ts';
import { reasonOf } from './data-directory.ts';
import { auditDirectoryOf } from './guards.ts';
import { StartError } from './start-error.ts';

/** @throws StartError when there is no trail to be read. */
export async function verifyAudit(
  directory: string | undefined,
  settings: Pick<Settings, 'audit' | 'data'>,
  partial: boolean,
): Promise<{ directory: string; verdict: Verdict }> {
  const found = directory === undefined ? auditDirectoryOf(settings) : resolve(directory);
  if (found === undefined) throw new StartError('which audit trail? Name its directory, or the settings that have it');
  try {
    return { directory: found, verdict: await verifyTrail(found, { partial }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such directory' : reasonOf(error as NodeJS.ErrnoException);
    throw new StartError(`cannot read the audit trail in ${found}: ${reason}`, { cause: error });
  }
}
