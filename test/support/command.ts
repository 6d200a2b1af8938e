import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The built command, as its users run it. */
const COMMAND = join(import.meta.dirname, '../../dist/bin/stanchion.js');

/** Runs `stanchion ...` to its end, in a folder. */
export async function runCommand(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
