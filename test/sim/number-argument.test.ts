import { afterEach, expect, it, vi } from 'vitest';
import { AT_LEAST_ONE, COUNTED_FROM_ZERO, numberArgument, TIME } from '../../sim/number-argument.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('is a number, or absent', () => {
  expect(numberArgument('seed', '0', COUNTED_FROM_ZERO)).toBe(0);
  expect(numberArgument('seeds', '12', AT_LEAST_ONE)).toBe(12);
  expect(numberArgument('minutes', '0.5', TIME)).toBe(0.5);
  expect(numberArgument('minutes', undefined, TIME)).toBeUndefined();
});

it.each([
  ['seed', 'abc', COUNTED_FROM_ZERO, '--seed must be a whole number from 0, not "abc"'],
  ['seed', '', COUNTED_FROM_ZERO, '--seed must be a whole number from 0, not ""'],
  ['seed', '1.5', COUNTED_FROM_ZERO, '--seed must be a whole number from 0, not "1.5"'],
  ['seeds', '0', AT_LEAST_ONE, '--seeds must be a whole number from 1, not "0"'],
  ['minutes', '0', TIME, '--minutes must be a number above 0, not "0"'],
  ['minutes', 'Infinity', TIME, '--minutes must be a number above 0, not "Infinity"'],
])('ends the process for --%s %j', (name, text, rule, message) => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  expect(() => numberArgument(name, text, rule)).toThrow('exit 2');
  expect(exit).toHaveBeenCalledOnce();
  expect(said).toHaveBeenCalledWith(message);
});
