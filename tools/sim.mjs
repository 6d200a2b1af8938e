// `npm run sim`: installs, makes JavaScript of the simulation, and runs it with the arguments given.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitOnFailure, install, ROOT } from './setup.mjs';

exitOnFailure(() => install());
// After that: it needs the compiler.
const { transpile, writeModules } = await import('./transpile.mjs');
// A folder of its own, so that several can run at a time.
const directory = mkdtempSync(join(tmpdir(), 'stanchion-sim-'));
writeModules(directory, transpile(ROOT, ['src', 'sim']));
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', join(directory, 'sim', 'main.js'), ...process.argv.slice(2)],
  { cwd: ROOT, stdio: 'inherit' },
);
rmSync(directory, { recursive: true, force: true });
process.exitCode = status ?? 1;
