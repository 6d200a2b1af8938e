import { type BenchOptions, parseOptions, USAGE, UsageError } from './options.ts';
import { reportOf, textOf } from './report.ts';
import { type Round, runRound } from './run.ts';

async function bench(options: BenchOptions): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    console.error(`round ${round} of ${options.rounds} ...`);
    rounds.push(await runRound(options));
  }
  const report = reportOf(options, rounds);
  console.log(options.json ? JSON.stringify(report, undefined, 2) : textOf(report));
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') console.log(USAGE);
  else await bench(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 1;
}
