import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { transpile, transpileFile, writeModules } from '../../tools/transpile.mjs';
import { MUTANTS, type Mutant } from './mutants.ts';

// Who watches the watchmen: each mutant is a server with one fault, and the simulation must find it.

const ROOT = new URL('../..', import.meta.url).pathname;
/** Worlds to look through for one that notices a mutant, if the one that did does not any more. */
const SEEDS_MAX = 200;

const scratch = mkdtempSync(join(tmpdir(), 'stanchion-mutants-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const files = transpile(ROOT, ['src', 'sim']);

describe('the simulation notices that', () => {
  it.concurrent.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s',
    { timeout: 300_000 },
    async (_, mutant) => {
      const program = join(build(mutant), 'sim', 'main.js');
      const isNoticed = (await fails(program, mutant.seed, 1)) || (await fails(program, 1, SEEDS_MAX));
      expect(isNoticed).toBe(true);
    },
  );

  it('nothing is wrong without a fault', async () => {
    const directory = join(scratch, 'none');
    writeModules(directory, files);
    expect(await fails(join(directory, 'sim', 'main.js'), 1, 3)).toBe(false);
  });
});

/** Makes the mutant and returns where it is. */
function build({ name, file, edits }: Mutant): string {
  let text = readFileSync(join(ROOT, file), 'utf8');
  for (const [from, to] of edits) {
    expect(text.split(from).length - 1, `"${from}" must be in ${file} once`).toBe(1);
    text = text.replace(from, () => to);
  }
  const directory = join(scratch, name.replaceAll(/\W+/g, '-'));
  writeModules(directory, new Map(files).set(file.replace(/\.ts$/, '.js'), transpileFile(file, text)));
  return directory;
}

/** Whether the simulation reports a violation in one of `count` worlds; it says so with its exit status. */
function fails(program: string, from: number, count: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, '--from', String(from), '--seeds', String(count)]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('close', (status) => {
      // Any other end is that of the program, not of a world.
      if (status === 0 || output.includes('replay: npm run sim')) resolve(status !== 0);
      else reject(new Error(`the simulation ended with ${status}: ${output}`));
    });
  });
}
