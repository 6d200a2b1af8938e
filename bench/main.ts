import { parseOptions, USAGE, UsageError } from './options.ts';
import { thisMachine } from './report/machine.ts';
import { type Report, reportText } from './report/report.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';

async function bench(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === 'help') {
    console.log(USAGE);
    return;
  }
  const report: Report = { date: new Date().toISOString(), machine: thisMachine(), options, sections: [] };
  const run = SCENARIOS[options.scenario]!;
  report.sections.push(await run(options));
  console.log(options.json ? JSON.stringify(report, undefined, 2) : reportText(report));
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 1;
}
