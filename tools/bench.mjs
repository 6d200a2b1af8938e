// `npm run bench -- <scenario>`: builds the server and the benchmark, then measures. `-- --help` says what.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exitOnFailure, ROOT, setup } from './setup.mjs';

exitOnFailure(() => setup());
const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join('bench', 'tsconfig.json')], {
  cwd: ROOT,
  stdio: ['inherit', 2, 2],
});
if (status !== 0) process.exit(1);
await import('../bench/dist/main.js');
