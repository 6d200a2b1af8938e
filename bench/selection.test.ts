import { expect, it } from 'vitest';
import { parseOptions } from './options.ts';
import { SCENARIO_NAMES } from './scenario-names.ts';
import { selectionFor } from './selection.ts';

it('has every scenario, with options that are known', () => {
  const all = selectionFor(['--rounds', '1', '--seconds', '0.5'], false).map((args) => parseOptions(args));
  expect(all.every((options) => options !== 'help' && options.rounds === 1 && options.seconds === 0.5)).toBe(true);
  const names = new Set(all.map((options) => options !== 'help' && options.scenario));
  expect([...names, 'all'].sort()).toEqual([...SCENARIO_NAMES].sort());
});

it("leaves out what needs the server's process", () => {
  const args = ['--target', 'http://localhost:1'];
  expect(selectionFor(args, true).map(([name]) => name)).not.toContain('restart');
  expect(() => selectionFor(args, true).map((each) => parseOptions(each))).not.toThrow();
});
