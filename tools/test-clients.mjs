// `npm run test:clients`: tests every client that this machine can run, setting up what is missing (minutes, the first
// time), and writes what came out into the table of docs/compatibility.md.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableOf, withTable } from './client-table.mjs';
import { ROOT, setup } from './setup.mjs';

const DOCUMENT = join(ROOT, 'docs', 'compatibility.md');

setup();
const results = mkdtempSync(join(tmpdir(), 'stanchion-client-results-'));
try {
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/clients'], {
    cwd: ROOT,
    env: { ...process.env, TEST_CLIENTS: 'all', CLIENT_RESULTS: results },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
  const clients = readdirSync(results).map((name) => JSON.parse(readFileSync(join(results, name), 'utf8')));
  record(clients, status === 0);
} finally {
  rmSync(results, { recursive: true, force: true });
}

function record(clients, succeeded) {
  const missing = clients.filter(({ unavailable }) => unavailable !== undefined);
  const table = tableOf(clients.filter(({ unavailable }) => unavailable === undefined));
  console.log(`\n${table}\n`);
  if (!succeeded) {
    console.log('docs/compatibility.md stays as it is, because tests failed.');
    return;
  }
  // A table without them would say that they do not work.
  if (missing.length > 0) {
    console.log('docs/compatibility.md stays as it is, because not every client was tested:');
    for (const { client, unavailable } of missing) console.log(`- ${client}: ${unavailable}`);
    return;
  }
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), table));
  console.log('This table is in docs/compatibility.md now.');
}
