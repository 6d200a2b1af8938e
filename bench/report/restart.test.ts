import { expect, it } from 'vitest';
import { type BenchOptions, parseOptions } from '../options.ts';
import { type Ending, restartSection } from './restart.ts';

it('compares each depth with the smallest one after the same end, and with a program that loads nothing', () => {
  const options = parseOptions(['restart', '--depths', '10,1000']) as BenchOptions;
  const run = (depth: number, after: Ending, firstMessageMs: number) => ({ depth, after, servesMs: 1, firstMessageMs });
  const { tables } = restartSection(
    options,
    [50, 40, 60],
    [
      run(10, 'clean stop', 100),
      run(10, 'clean stop', 300),
      run(1000, 'clean stop', 400),
      run(10, 'SIGKILL while sending', 50),
      run(1000, 'SIGKILL while sending', 500),
    ],
  );
  expect(tables[0]!.rows).toMatchObject([
    { after: 'start of echo', servesMs: 50 },
    { after: 'clean stop', depth: '10', firstMessageMs: 200, longestMs: 300, toEcho: 4, times: 1 },
    { after: 'clean stop', depth: '1,000', firstMessageMs: 400, times: 2 },
    { after: 'SIGKILL while sending', depth: '10', times: 1 },
    { after: 'SIGKILL while sending', depth: '1,000', times: 10 },
  ]);
});
