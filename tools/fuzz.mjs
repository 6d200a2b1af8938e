// `npm run fuzz`: sets up, makes JavaScript of the fuzzer, and runs it with the arguments given.

import { join } from 'node:path';
import { exitOnFailure, ROOT, setup } from './setup.mjs';

exitOnFailure(() => setup());
// After that: it needs the compiler.
const { runTranspiled } = await import('./run-transpiled.mjs');
process.exitCode = runTranspiled({
  folders: ['src', 'sim', 'fuzz', join('test', 'support')],
  program: join('fuzz', 'main.js'),
  // In here, so that it finds the packages.
  prefix: join(ROOT, 'node_modules', '.stanchion-fuzz-'),
  nodeFlags: ['--no-warnings'],
});
