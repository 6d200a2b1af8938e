import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';

describe('parseOptions', () => {
  it('has a default for everything but the scenario', () => {
    expect(parseOptions(['send'])).toEqual({
      scenario: 'send',
      connections: 64,
      rounds: 3,
      seconds: 5,
      warmupSeconds: 1,
      bodyBytes: 300,
      groups: 0,
      durability: 'fsync',
      workers: '0',
      prefill: 120_000,
      target: undefined,
      data: './data',
      json: false,
    });
  });

  it('takes groups as a wish for a FIFO queue', () => {
    expect(parseOptions(['send', '--fifo'])).toMatchObject({ groups: 1000 });
    expect(parseOptions(['send', '--groups', '10'])).toMatchObject({ groups: 10 });
  });

  it('recognises a call for help', () => {
    expect(parseOptions(['--help'])).toBe('help');
  });

  it.each([
    [[], 'Name one scenario'],
    [['fly'], 'Name one scenario'],
    [['send', 'receive'], 'Name one scenario'],
    [['send', '--connections', 'many'], '--connections must be a number above 0'],
    [['send', '--rounds', '1.5'], '--rounds must be a whole number'],
    [['send', '--speed', '1'], '--speed'],
  ])('refuses %j', (args, problem) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(problem);
  });
});
