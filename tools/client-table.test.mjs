import { describe, expect, it } from 'vitest';
import { tableOf, withTable } from './client-table.mjs';

const CLIENTS = [
  { client: 'boto3', version: '1.2', protocol: 'AWS Query', passed: 11, total: 12, note: '' },
  { client: 'AWS CLI', version: '2.0', protocol: 'AWS JSON 1.0', passed: 3, total: 3, note: 'slow' },
];

describe('tableOf', () => {
  it('has a row for each client, by name', () => {
    expect(tableOf(CLIENTS).split('\n')).toEqual([
      '| client | version | speaks | scenarios passed | notes |',
      '| --- | --- | --- | --- | --- |',
      '| AWS CLI | 2.0 | AWS JSON 1.0 | 3 of 3 | slow |',
      '| boto3 | 1.2 | AWS Query | 11 of 12 | |',
    ]);
  });
});

describe('withTable', () => {
  it('replaces what is between the two marks, and nothing else', () => {
    const [before, after] = ['# Compatibility\n', '\nThe end.\n'];
    const marks = [
      '<!-- table of clients: written by `npm run test:clients` -->',
      '<!-- end of the table of clients -->',
    ];
    const document = `${before}${marks[0]}\nold\n${marks[1]}${after}`;
    const updated = withTable(document, 'new');
    expect(updated).toBe(`${before}${marks[0]}\n\nnew\n\n${marks[1]}${after}`);
    expect(withTable(updated, 'new')).toBe(updated);
  });

  it('refuses a document that has no place for it', () => {
    expect(() => withTable('# Compatibility', 'new')).toThrow('no place for the table');
  });
});
