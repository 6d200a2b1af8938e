/**
 * `npm run sim`: simulated worlds, one per seed.
 *
 *   --seed N       that one only
 *   --from N       begin there instead of at a random seed
 *   --seeds N      so many
 *   --minutes N    for so long
 *   --verbose      print every event
 *   --keep-going   do not stop at the first world that fails
 */
import { parseArgs } from 'node:util';
import { AT_LEAST_ONE, COUNTED_FROM_ZERO, numberArgument, TIME } from './number-argument.ts';
import { type Result, simulate } from './simulation.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string' },
    seeds: { type: 'string' },
    minutes: { type: 'string' },
    verbose: { type: 'boolean' },
    'keep-going': { type: 'boolean' },
  },
});

const print = values.verbose ? (line: string) => console.log(line) : undefined;
const startedAt = process.hrtime.bigint();
const elapsedMs = () => Number((process.hrtime.bigint() - startedAt) / 1_000_000n);
const seed = numberArgument('seed', values.seed, COUNTED_FROM_ZERO);
const from = numberArgument('from', values.from, COUNTED_FROM_ZERO);
const seeds = numberArgument('seeds', values.seeds, AT_LEAST_ONE);
const minutes = numberArgument('minutes', values.minutes, TIME);
const first = seed ?? from ?? Number(process.hrtime.bigint() % 1_000_000_000n);
const count = seed !== undefined ? 1 : (seeds ?? (minutes === undefined ? 200 : Infinity));
const untilMs = minutes === undefined ? Infinity : minutes * 60_000;

let calls = 0;
let steps = 0;
let done = 0;
let failed = 0;
let weak = 0;
for (let next = first; done < count && elapsedMs() < untilMs; next++) {
  const result = await simulate(next, print);
  done++;
  calls += result.calls;
  steps += result.steps;
  if (result.weaknesses.length > 0) {
    weak++;
    console.log(`seed ${next}: known weakness, ${result.weaknesses[0]}`);
  }
  if (result.violations.length > 0) {
    failed++;
    report(result);
    if (!values['keep-going']) break;
  }
}
const seconds = elapsedMs() / 1000;
const rate = (total: number) => Math.round(total / Math.max(seconds, 0.001));
console.log(
  `${done} seeds from ${first}, ${failed} failed, ${weak} with a known weakness, ${calls} calls in ${steps} turns, ${seconds.toFixed(1)} s: ` +
    `${rate(calls)} calls/s, ${rate(steps)} turns/s`,
);
process.exitCode = failed > 0 ? 1 : 0;

function report({ seed, violations, digest }: Result): void {
  for (const { rule, text, at, step } of violations.slice(0, 5)) {
    console.log(`seed ${seed}: ${rule} at ${at} ms, turn ${step}: ${text}`);
  }
  console.log(`digest ${digest}`);
  console.log(`replay: npm run sim -- --seed ${seed} --verbose`);
}
