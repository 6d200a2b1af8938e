import { type BenchOptions, parseOptions, USAGE, UsageError } from './options.ts';
import { thisMachine } from './report/machine.ts';
import { type Report, reportText } from './report/report.ts';
import { saveReport } from './report/save.ts';
import type { Section } from './report/section.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { selectionFor } from './selection.ts';

async function bench(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === 'help') {
    console.log(USAGE);
    return;
  }
  const { credentials: _, ...shown } = options;
  const report: Report = { date: new Date().toISOString(), machine: thisMachine(), options: shown, sections: [] };
  for (const each of runsOf(options, args)) report.sections.push(await run(each));
  console.log(options.json ? JSON.stringify(report, undefined, 2) : reportText(report));
  if (options.save) console.error(`saved as ${saveReport(report)}`);
}

/** One scenario, or those of the selection. */
function runsOf(options: BenchOptions, args: readonly string[]): BenchOptions[] {
  if (options.scenario !== 'all') return [options];
  const given = args.filter((arg) => arg !== 'all');
  return selectionFor(given, options.target !== undefined).map((each) => parseOptions(each) as BenchOptions);
}

function run(options: BenchOptions): Promise<Section> {
  const scenario = SCENARIOS[options.scenario];
  if (scenario === undefined) throw new Error(`${options.scenario} is no scenario of its own.`);
  return scenario(options);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 1;
}
