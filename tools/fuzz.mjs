// `npm run fuzz`: sets up, makes JavaScript of the fuzzer, and runs it with the arguments given.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exitOnFailure, ROOT, setup } from './setup.mjs';

exitOnFailure(() => setup());
// After that: it needs the compiler.
const { transpile, writeModules } = await import('./transpile.mjs');
// A folder of its own, so that several can run at a time; in here, so that it finds the packages.
const directory = mkdtempSync(join(ROOT, 'node_modules', '.stanchion-fuzz-'));
writeModules(directory, transpile(ROOT, ['src', 'sim', 'fuzz', join('test', 'support')]));
const { status } = spawnSync(
  process.execPath,
  ['--no-warnings', '--enable-source-maps', join(directory, 'fuzz', 'main.js'), ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit' },
);
rmSync(directory, { recursive: true, force: true });
process.exitCode = status ?? 1;
