import { expect, it } from 'vitest';
import { compileAttributeFilter } from './attribute-filter.ts';

const NAMES = ['General', 'Hello', 'Help.Me'];

it.each<[string[], string[]]>([
  [['All'], NAMES],
  [['.*'], NAMES],
  [['*'], NAMES],
  [['Nothing', 'All'], NAMES],
  [['Hello'], ['Hello']],
  [['Hel.*'], ['Hello', 'Help.Me']],
  [['Help.*'], ['Help.Me']],
  [['General', 'Hel.*'], NAMES],
  [['hello', 'AWS.', '..foo', '', 'constructor'], []],
])('%j selects %j', (names, selected) => {
  const filter = compileAttributeFilter(names);
  expect(NAMES.filter((name) => filter?.({ name, dataType: 'String', value: 'x' }))).toEqual(selected);
});

it('is none without names', () => {
  expect(compileAttributeFilter(undefined)).toBeUndefined();
  expect(compileAttributeFilter([])).toBeUndefined();
});
