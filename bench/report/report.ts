import type { BenchOptions } from '../options.ts';
import type { Machine } from './machine.ts';
import type { Headline, Section } from './section.ts';
import { markdownOf, type Table, textOf } from './table.ts';

export interface Report {
  date: string;
  machine: Machine;
  /** As they were given; nobody is to find the secret key in a report. */
  options: Omit<BenchOptions, 'credentials'>;
  sections: Section[];
}

/** For a terminal. */
export function reportText(report: Report): string {
  return [...headOf(report), ...tablesOf(report).flatMap((table) => ['', textOf(table)])].join('\n');
}

export function reportMarkdown(report: Report, chart: string): string {
  const tables = tablesOf(report).flatMap((table) => ['', markdownOf(table)]);
  return [`# ${report.options.scenario}`, '', headOf(report).join('. '), '', `![chart](${chart})`, ...tables, ''].join(
    '\n',
  );
}

/** What is worth keeping: the tables, without the rounds they were made from. */
export function reportSummary({ date, machine, options, sections }: Report): object {
  return {
    date,
    machine,
    options,
    sections: sections.map(({ scenario, tables, headlines }) => ({
      scenario,
      headlines,
      tables: tables.map(({ title, rows, notes }) => ({ title, rows, notes })),
    })),
  };
}

function headOf({ date, machine, options }: Report): string[] {
  const { durability, target, slowFlushMs, serverArgs, pin } = options;
  const server = target ?? ['durability', durability, ...serverArgs].join(' ');
  return [
    `${date}, ${machine.cores} x ${machine.cpu}, ${machine.memoryGigabytes} GB, ${machine.system}, ${machine.node}` +
      `${machine.commit === undefined ? '' : `, commit ${machine.commit}`}`,
    `${server}, cores ${pin}${slowFlushMs > 0 ? `, every flush ${slowFlushMs} ms slower` : ''}; ` +
      `the machine's load was ${machine.loadAtStart.toFixed(2)} at the start`,
  ];
}

/** Those of the sections; at the end a summary, when there are several. */
function tablesOf({ sections }: Report): Table[] {
  const tables = sections.flatMap(({ tables }) => tables);
  return sections.length > 1 ? [...tables, summaryOf(sections.flatMap(({ headlines }) => headlines))] : tables;
}

function summaryOf(headlines: readonly Headline[]): Table {
  return {
    title: 'Summary',
    columns: [
      { key: 'name', heading: '', format: 'text' },
      { key: 'value', heading: 'value', format: 2 },
      { key: 'unit', heading: 'unit', format: 'text' },
      { key: 'ratio', heading: 'ratio', format: 3 },
      { key: 'to', heading: 'to', format: 'text' },
    ],
    rows: headlines.map((headline) => ({ ...headline })),
    notes: [],
  };
}
