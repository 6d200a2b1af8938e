import { expect, it } from 'vitest';
import { duplicateKeyIn } from './duplicate-key.ts';

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":1,"c":[],"b":2}}', 'b'],
  ['[{"x":1},{"a":1,"b":"c","a":2}]', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a\\"":1,"b":2,"a\\"":3}', 'a"'],
  ['{"":1,"":2}', ''],
])('finds the key in %s', (json, key) => {
  expect(duplicateKeyIn(json)).toBe(key);
});

it.each([
  '{}',
  '"a"',
  '{"a":"a","b":"a"}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":2}]',
  '{"a":["a","a"],"b":["b",{"a":1}]}',
  '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}',
])('finds none in %s', (json) => {
  expect(duplicateKeyIn(json)).toBeUndefined();
});
