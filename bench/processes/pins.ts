import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** What is measured has cores of its own, and what measures has others, so that they do not disturb one another. */
export type Part = 'server' | 'load';

/** By part, as `taskset` reads them; undefined: everything runs anywhere. */
export type Pins = Record<Part, string> | undefined;

/** Of `auto`, `none`, or the cores of server and load: `0/1`, `0,1/2-3`. */
export function pinsOf(text: string): Pins {
  if (text === 'none') return undefined;
  if (text === 'auto') return isPossible() ? { server: '0', load: '1' } : undefined;
  const [server = '', load = ''] = text.split('/');
  return { server, load };
}

function isPossible(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
}
