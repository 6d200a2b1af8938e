import type { Table } from './table.ts';

/** What came of one scenario. */
export interface Section {
  scenario: string;
  tables: Table[];
  headlines: Headline[];
  /** All that was measured, as it was measured. */
  raw: unknown;
}

/** A number that says how good a server is, beside what it is measured by. */
export interface Headline {
  name: string;
  value: number;
  unit: string;
  ratio?: number;
  /** What the ratio is to. */
  to?: string;
}
