import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.ts';
import { type Report, reportMarkdown, reportSummary } from './report.ts';

const RESULTS = fileURLToPath(new URL('../../results', import.meta.url));

/** Keeps a report in a directory, under its date: tables to read, numbers to work with, and a chart. */
export function saveReport(report: Report, directory = RESULTS): string {
  mkdirSync(directory, { recursive: true });
  const name = `${report.date.slice(0, 10)}-${report.options.scenario}`;
  const path = join(directory, name);
  writeFileSync(`${path}.json`, `${JSON.stringify(reportSummary(report), rounded, 1)}\n`);
  writeFileSync(`${path}.svg`, chartOf(report));
  writeFileSync(`${path}.md`, reportMarkdown(report, `${name}.svg`));
  return `${path}.md`;
}

/** No measurement is good for more than four digits. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
