// `npm test`: sets up, runs the checks and all tests (or those whose path matches an argument), and ends with one line
// that counts both. A check counts as one test.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, setup } from './setup.mjs';
import { countsOf, summaryLine } from './test-counts.mjs';

const CHECKS = ['check:types', 'check:style', 'check:imports'];
const counts = { passed: 0, failed: 0, skipped: 0 };

if (isSetUp()) {
  for (const check of CHECKS) runCheck(check);
  runTests(process.argv.slice(2));
} else {
  // Without a build there is nothing to test: that is one failure, and the whole result.
  counts.failed++;
}
console.log(summaryLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;

function isSetUp() {
  try {
    setup();
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

function runCheck(check) {
  if (run('npm', ['run', '--silent', check])) {
    counts.passed++;
  } else {
    counts.failed++;
    console.log(`npm run ${check} failed`);
  }
}

function runTests(filters) {
  const scratch = mkdtempSync(join(tmpdir(), 'stanchion-test-'));
  const report = join(scratch, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const succeeded = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filters]);
  const tests = countsOf(readReport(report), succeeded);
  rmSync(scratch, { recursive: true, force: true });
  counts.passed += tests.passed;
  counts.failed += tests.failed;
  counts.skipped += tests.skipped;
}

/** Whether it ended well. */
function run(command, args) {
  const shell = process.platform === 'win32' && command === 'npm';
  return spawnSync(command, args, { cwd: ROOT, shell, stdio: 'inherit' }).status === 0;
}

/** undefined when the test runner ended before it wrote one. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
