import { verifyAudit } from '../server/audit-commands.ts';
import { type Flags, loadSettings } from '../server/config/load.ts';

/** Prints what is to be thought of a trail, and ends with 1 when it is broken. */
export async function auditVerify(
  directory: string | undefined,
  { partial = false, ...flags }: Flags & { partial?: boolean },
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const found = await verifyAudit(directory, await loadSettings(flags, env), partial);
  const { verdict } = found;
  if (verdict.intact) {
    const { files, records, lastHash } = verdict;
    process.stdout.write(
      `intact: ${records} records in ${files} files of ${found.directory}\nlast hash: ${lastHash}\n`,
    );
    return;
  }
  const line = verdict.line > 0 ? `, line ${verdict.line}` : '';
  process.stdout.write(`broken: ${found.directory}/${verdict.file}${line}: ${verdict.reason}\n`);
  process.exitCode = 1;
}
