import { expect, it } from 'vitest';
import { markdownOf, type Table, textOf } from './table.ts';

const TABLE: Table = {
  title: 'Fruit',
  columns: [
    { key: 'name', heading: '', format: 'text' },
    { key: 'rate', heading: 'per second', format: 'count' },
    { key: 'unknown', heading: 'nobody knows', format: 2 },
    { key: 'ratio', heading: '/ echo', format: 2 },
    { key: 'action', heading: 'request', format: 'text' },
  ],
  rows: [
    { name: 'apple', rate: 12_345.6, ratio: 0.5, action: 'eat' },
    { name: 'apple', action: 'peel' },
    { name: 'pear', rate: 1, ratio: 2, action: 'peel' },
  ],
  notes: ['They were ripe.'],
};

it('aligns columns, says a name once, and leaves out what is not known', () => {
  expect(textOf(TABLE).split('\n')).toEqual([
    'Fruit',
    '',
    '       per second  / echo  request',
    'apple      12,346    0.50  eat',
    '                           peel',
    'pear            1    2.00  peel',
    '! They were ripe.',
  ]);
});

it('is a table of Markdown too', () => {
  expect(markdownOf(TABLE).split('\n')).toEqual([
    'Fruit',
    '',
    '|  | per second | / echo | request |',
    '| --- | ---: | ---: | --- |',
    '| apple | 12,346 | 0.50 | eat |',
    '|  |  |  | peel |',
    '| pear | 1 | 2.00 | peel |',
    '',
    'They were ripe.',
  ]);
});
