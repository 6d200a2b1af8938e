import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';
import { transpile, writeModules } from './transpile.mjs';

/**
 * Makes JavaScript of some folders and runs a program among them with the arguments given. `prefix`: where to put it, in a
 * folder of its own each time, so that several can run side by side. Returns the exit status.
 */
export function runTranspiled({ folders, program, prefix, nodeFlags = [] }) {
  const directory = mkdtempSync(prefix);
  writeModules(directory, transpile(ROOT, folders));
  const { status } = spawnSync(
    process.execPath,
    ['--enable-source-maps', ...nodeFlags, join(directory, program), ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit' },
  );
  rmSync(directory, { recursive: true, force: true });
  return status ?? 1;
}
