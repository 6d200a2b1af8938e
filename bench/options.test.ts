import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';

describe('parseOptions', () => {
  it('has a default for everything but the scenario', () => {
    expect(parseOptions(['send'])).toEqual({
      scenario: 'send',
      protocols: ['json'],
      bodyBytes: [300],
      connections: [64],
      rounds: 3,
      seconds: 5,
      warmupSeconds: 3,
      groups: [],
      prefill: undefined,
      steadyDepth: 1000,
      depths: [1000, 100_000, 1_000_000],
      isDelayed: false,
      queues: 10_000,
      polls: 1000,
      durability: 'fsync',
      serverArgs: [],
      slowFlushMs: 0,
      target: undefined,
      credentials: undefined,
      pin: 'auto',
      data: './data',
      json: false,
      save: false,
    });
  });

  it('has other defaults for some scenarios, which the command line overrides', () => {
    expect(parseOptions(['fifo'])).toMatchObject({ groups: [1, 100, 10_000] });
    expect(parseOptions(['backlog'])).toMatchObject({ connections: [16], rounds: 1 });
    expect(parseOptions(['backlog', '--connections', '4'])).toMatchObject({ connections: [4], rounds: 1 });
  });

  it('takes lists, and depths in any order and notation', () => {
    const args = ['backlog', '--body-bytes', '300,4096', '--connections', '1,16', '--depths', '1e7,1000,1e5'];
    expect(parseOptions([...args, '--protocol', 'json,query'])).toMatchObject({
      bodyBytes: [300, 4096],
      connections: [1, 16],
      depths: [1000, 100_000, 10_000_000],
      protocols: ['json', 'query'],
    });
  });

  it('takes groups as a wish for a FIFO queue', () => {
    expect(parseOptions(['send', '--fifo'])).toMatchObject({ groups: [1000] });
    expect(parseOptions(['send', '--groups', '10'])).toMatchObject({ groups: [10] });
  });

  it('passes arguments on to the server', () => {
    expect(parseOptions(['send', '--server-args', '--workers 1  --region eu-west-1 '])).toMatchObject({
      serverArgs: ['--workers', '1', '--region', 'eu-west-1'],
    });
  });

  it('takes credentials with and without a region', () => {
    expect(parseOptions(['send', '--credentials', 'id:secret'])).toMatchObject({
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret', region: 'us-east-1' },
    });
    expect(parseOptions(['send', '--credentials', 'id:secret:eu-west-1'])).toMatchObject({
      credentials: { region: 'eu-west-1' },
    });
  });

  it('recognises a call for help', () => {
    expect(parseOptions(['--help'])).toBe('help');
  });

  it.each([
    [[], 'Name one scenario'],
    [['fly'], 'Name one scenario'],
    [['send', 'receive'], 'Name one scenario'],
    [['send', '--connections', 'many'], '--connections must be a number'],
    [['send', '--connections', '1,,2'], '--connections must be a number'],
    [['send', '--connections', '0'], '--connections must be a number above 0'],
    [['send', '--rounds', '1.5'], '--rounds must be a whole number'],
    [['send', '--protocol', 'soap'], '--protocol must be of json, query'],
    [['send', '--credentials', 'id'], '--credentials must be'],
    [['send', '--groups', '1,10'], "--groups takes a list for 'fifo' only"],
    [['backlog', '--delayed', '--fifo'], '--delayed needs a standard queue'],
    [['restart', '--target', 'http://localhost:1'], 'cannot measure a --target'],
    [['send', '--speed', '1'], '--speed'],
  ])('refuses %j', (args, problem) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(problem);
  });
});
