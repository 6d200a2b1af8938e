import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BenchOptions, parseOptions } from '../options.ts';
import type { Report } from './report.ts';
import { reportText } from './report.ts';
import { saveReport } from './save.ts';
import type { Section } from './section.ts';

function section(scenario: string): Section {
  return {
    scenario,
    tables: [
      {
        title: scenario,
        columns: [{ key: 'rate', heading: 'messages/s', format: 'count' }],
        rows: [{ rate: 1234.5678 }],
        notes: [],
      },
    ],
    headlines: [
      { name: `${scenario} <1>`, value: 1234.5678, unit: 'messages/s', ratio: 0.51239, to: 'echo' },
      { name: `${scenario} <1>`, value: 1234.5678, unit: 'messages/s', ratio: 0.2, to: 'log' },
    ],
    raw: { rounds: 'all' },
  };
}

const { credentials: _, ...OPTIONS } = parseOptions(['all']) as BenchOptions;
const REPORT: Report = {
  date: '2025-03-04T05:06:07.000Z',
  machine: { cpu: 'CPU', cores: 2, memoryGigabytes: 8, system: 'Linux', node: 'Node', loadAtStart: 0.5 },
  options: OPTIONS,
  sections: [section('send'), section('receive')],
};

it('keeps tables, a chart, and numbers without the rounds', () => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  saveReport(REPORT, directory);
  const names = readdirSync(directory).sort();
  expect(names).toEqual(['2025-03-04-all.json', '2025-03-04-all.md', '2025-03-04-all.svg']);
  const [json, markdown, svg] = names.map((name) => readFileSync(join(directory, name), 'utf8')) as [
    string,
    string,
    string,
  ];
  rmSync(directory, { recursive: true });
  expect(JSON.parse(json)).toMatchObject({ sections: [{ tables: [{ rows: [{ rate: 1235 }] }] }, {}] });
  expect(json).not.toContain('rounds": "all');
  expect(markdown).toContain('![chart](2025-03-04-all.svg)');
  expect(markdown).toContain('| messages/s |');
  expect(svg).toContain('send &lt;1&gt;');
  expect(svg).toContain('0.51  (1,235/s)');
  expect(svg).not.toContain('0.20');
});

it('ends with a summary when there are several scenarios', () => {
  const lines = reportText(REPORT).split('\n');
  expect(lines.slice(lines.indexOf('Summary') + 2)).toEqual([
    '               value  unit        ratio  to',
    'send <1>     1234.57  messages/s  0.512  echo',
    '             1234.57              0.200  log',
    'receive <1>  1234.57  messages/s  0.512  echo',
    '             1234.57              0.200  log',
  ]);
});
