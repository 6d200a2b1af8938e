import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientProgram } from './describe-client.ts';
import { type Finished, run } from './programs.ts';

// Makes client programs of other languages ready. What takes more than a moment is made once, below .cache/clients, which
// can be deleted at any time. `npm test` makes virtual environments itself, some seconds each. What takes a minute on a
// new machine only `npm run test:clients` makes, by setting TEST_CLIENTS=all; once made, `npm test` uses it too. (Names
// that begin with STANCHION_ belong to the settings of the server, which refuses those it does not know.)

const CACHE = pathOf('../../.cache/clients');
const SET_UP_TIMEOUT_MS = 300_000;

/** Whether programs that take long to make or to run are wanted. */
export const ALL_CLIENTS = process.env.TEST_CLIENTS === 'all';

export function nodeProgram(name: string): ClientProgram {
  return { program: process.execPath, args: [pathOf(`node/${name}`)] };
}

/** A program for Python in a virtual environment, with the packages of a requirements file. */
export async function virtualenvProgram(name: string, requirements: string): Promise<ClientProgram> {
  const { code, stdout: version } = await run('python3', ['--version']);
  if (code === undefined) return { unavailable: 'there is no python3 on the PATH' };
  const list = pathOf(`python/${requirements}`);
  const made = await makeOnce(
    requirements.replace('.txt', ''),
    [version, readFileSync(list, 'utf8')],
    async (folder) => {
      await fetchWith('python3', ['-m', 'venv', folder]);
      // Nothing is compiled: that would need headers of libraries.
      const options = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--only-binary', ':all:'];
      await fetchWith(pythonOf(folder), ['-m', 'pip', 'install', ...options, '--requirement', list]);
    },
  );
  if ('unavailable' in made) return made;
  return { program: pythonOf(made.folder), args: [pathOf(`python/${name}`)] };
}

export async function goProgram(): Promise<ClientProgram> {
  const { code, stdout: version } = await setUp('go', ['version']);
  if (code === undefined) return { unavailable: 'there is no go on the PATH' };
  const cwd = pathOf('go');
  const make = async (folder: string) => {
    await fetchWith('go', ['mod', 'download'], cwd);
    await compileWith('go', ['build', '-o', join(folder, 'client'), '.'], cwd);
  };
  const made = await makeOnce('go', [version, ...filesOf(cwd)], make, { slow: true });
  if ('unavailable' in made) return made;
  return { program: join(made.folder, 'client'), args: [] };
}

/** The program of one main class. All of them are made together. */
export async function javaProgram(mainClass: string): Promise<ClientProgram> {
  for (const program of ['mvn', 'javac']) {
    if ((await setUp(program, ['-version'])).code === undefined) {
      return { unavailable: `there is no ${program} on the PATH` };
    }
  }
  const { stdout: version } = await setUp('javac', ['-version']);
  const cwd = pathOf('java');
  const make = async (folder: string) => {
    const libraries = `-DoutputDirectory=${join(folder, 'lib')}`;
    await fetchWith('mvn', ['--quiet', '--batch-mode', 'dependency:copy-dependencies', libraries], cwd);
    const sources = readdirSync(cwd).filter((name) => name.endsWith('.java'));
    await compileWith('javac', ['-cp', join(folder, 'lib', '*'), '-d', join(folder, 'classes'), ...sources], cwd);
  };
  const made = await makeOnce('java', [version, ...filesOf(cwd)], make, { slow: true });
  if ('unavailable' in made) return made;
  const delimiter = process.platform === 'win32' ? ';' : ':';
  const classPath = [join(made.folder, 'classes'), join(made.folder, 'lib', '*')].join(delimiter);
  return { program: 'java', args: ['-cp', classPath, mainClass] };
}

/** Something that is not the fault of this project: the machine is offline, a registry does not have a package. */
class CannotFetch extends Error {}

/**
 * A folder that `make` has filled, now or in an earlier run. Whatever the result depends on has to be in `key`. Runs at
 * the same time do not meet: each makes a folder of its own, and the first to end gives it the final name.
 */
async function makeOnce(
  name: string,
  key: readonly string[],
  make: (folder: string) => Promise<void>,
  { slow = false } = {},
): Promise<{ folder: string } | { unavailable: string }> {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 12);
  const folder = join(CACHE, `${name}-${hash}`);
  if (existsSync(folder)) return { folder };
  if (slow && !ALL_CLIENTS) {
    return { unavailable: 'it takes a minute to set up: run `npm run test:clients` once to have it in every run' };
  }
  const draft = `${folder}.${process.pid}`;
  try {
    mkdirSync(draft, { recursive: true });
    await make(draft);
    if (!existsSync(folder)) renameSync(draft, folder);
    return { folder };
  } catch (error) {
    if (error instanceof CannotFetch) return { unavailable: error.message };
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function fetchWith(program: string, args: readonly string[], cwd?: string): Promise<void> {
  const { code, stdout, stderr } = await setUp(program, args, cwd);
  if (code === 0) return;
  const [lastLine = ''] = `${stdout}\n${stderr}`.trim().split('\n').slice(-1);
  throw new CannotFetch(`\`${program} ${args.slice(0, 3).join(' ')} ...\` failed: ${lastLine}`);
}

async function compileWith(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await setUp(program, args, cwd);
  if (code !== 0) throw new Error(`\`${program}\` failed:\n${stdout}${stderr}`);
}

/** In the environment of this process: toolchains have their settings there, and their caches in the home directory. */
function setUp(program: string, args: readonly string[], cwd?: string): Promise<Finished> {
  return run(program, args, { env: process.env, cwd, timeoutMs: SET_UP_TIMEOUT_MS });
}

function pythonOf(virtualenv: string): string {
  return process.platform === 'win32' ? join(virtualenv, 'Scripts', 'python.exe') : join(virtualenv, 'bin', 'python');
}

function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.ts'))
    .flatMap((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
