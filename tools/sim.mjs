// `npm run sim`: installs, makes JavaScript of the simulation, and runs it with the arguments given.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitOnFailure, install } from './setup.mjs';

exitOnFailure(() => install());
// After that: it needs the compiler.
const { runTranspiled } = await import('./run-transpiled.mjs');
process.exitCode = runTranspiled({
  folders: ['src', 'sim'],
  program: join('sim', 'main.js'),
  prefix: join(tmpdir(), 'stanchion-sim-'),
});
