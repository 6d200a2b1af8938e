// Makes a fresh clone ready: installs dependencies and builds, each only when something changed since the last time.
// Plain Node without dependencies, because it runs before there are any.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Inside node_modules, so that it goes away with it: the hash of the lock file that was installed. */
const INSTALL_STAMP = join('node_modules', '.stanchion-installed');
/** Inside dist: as old as the newest build that succeeded. */
const BUILD_STAMP = join('dist', '.built');
const BUILD_INPUTS = ['src', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];

/** Installs and builds as far as needed. Throws when one of them fails; its own output has said why. */
export function setup(root = ROOT) {
  install(root);
  if (buildIsStale(root)) {
    // What a deleted source file left behind would still be found.
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    run(root, 'building', process.execPath, [
      join('node_modules', 'typescript', 'bin', 'tsc'),
      '-p',
      'tsconfig.build.json',
    ]);
    writeFileSync(join(root, BUILD_STAMP), '');
  }
}

/** Installs as far as needed: for tools that run the sources without a build. */
export function install(root = ROOT) {
  if (!installIsStale(root)) return;
  // Also where NODE_ENV=production: the compiler is a development dependency.
  run(root, 'installing dependencies', ...npm('ci', '--include=dev', '--no-audit', '--no-fund'));
  stampInstall(root);
}

/** Whether node_modules is missing or belongs to another package-lock.json. */
export function installIsStale(root) {
  const stamp = join(root, INSTALL_STAMP);
  if (existsSync(stamp)) return readFileSync(stamp, 'utf8') !== lockHash(root);
  // Installed by hand with npm, which leaves a copy of the lock file: trust it when it is the younger one.
  const npmStamp = join(root, 'node_modules', '.package-lock.json');
  return !existsSync(npmStamp) || mtimeMs(npmStamp) < mtimeMs(join(root, 'package-lock.json'));
}

export function stampInstall(root) {
  writeFileSync(join(root, INSTALL_STAMP), lockHash(root));
}

/** Whether there is no finished build, or anything that goes into one is newer than it. */
export function buildIsStale(root) {
  const stamp = join(root, BUILD_STAMP);
  if (!existsSync(stamp)) return true;
  const builtAt = mtimeMs(stamp);
  return BUILD_INPUTS.some((input) => newestMtimeMs(join(root, input)) > builtAt);
}

function lockHash(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** Of the file, or of the directory and all in it: a directory's own time changes when a file is added or deleted. */
function newestMtimeMs(path) {
  if (!statSync(path).isDirectory()) return mtimeMs(path);
  const inside = readdirSync(path, { withFileTypes: true })
    // Tests are not built.
    .filter((entry) => !entry.name.endsWith('.test.ts'))
    .map((entry) => newestMtimeMs(join(path, entry.name)));
  return Math.max(mtimeMs(path), ...inside);
}

function mtimeMs(path) {
  return statSync(path).mtimeMs;
}

/** The npm that runs this script, else the one on the path. */
function npm(...args) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

function run(root, what, command, args) {
  console.error(`${what} ...`);
  // npm is a batch file on Windows, and those need a shell.
  const shell = process.platform === 'win32' && command === 'npm';
  // Standard output belongs to the program that is set up.
  const { status, error } = spawnSync(command, args, { cwd: root, shell, stdio: ['inherit', 2, 2] });
  if (status !== 0) throw new Error(`${what} failed`, { cause: error });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) exitOnFailure(() => setup());

/** Ends the process with one line instead of a stack trace: the failed command has printed the details. */
export function exitOnFailure(work) {
  try {
    return work();
  } catch (error) {
    console.error(`${error.message}${error.cause ? `: ${error.cause.message}` : ''}`);
    process.exit(1);
  }
}
