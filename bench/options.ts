import { parseArgs } from 'node:util';

export const SCENARIO_NAMES = ['send', 'receive', 'batch'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export interface BenchOptions {
  scenario: ScenarioName;
  connections: number;
  rounds: number;
  seconds: number;
  warmupSeconds: number;
  bodyBytes: number;
  /** 0: a standard queue. */
  groups: number;
  durability: string;
  /** Worker processes of the server. */
  workers: string;
  prefill: number;
  /** Somebody else's server; undefined: one of ours, started for each round. */
  target: string | undefined;
  /** Where servers and baselines keep their files. */
  data: string;
  json: boolean;
}

export class UsageError extends Error {}

export const USAGE = `npm run bench -- <scenario> [options]

Scenarios
  send      SendMessage
  receive   ReceiveMessage and DeleteMessage of one message after the other, from a queue filled before
  batch     SendMessageBatch of ten, then ReceiveMessage of ten and DeleteMessageBatch

Options
  --connections N      connections, each with one request under way (64)
  --rounds N           how often everything is measured; the table shows medians (3)
  --seconds S          length of one measurement (5)
  --warmup S           seconds before it that do not count (1)
  --body-bytes N       length of a message body (300)
  --fifo               a FIFO queue of high throughput, with message groups in turn
  --groups N           its number of message groups (1000)
  --durability LEVEL   that of the server: fsync, os or none (fsync)
  --workers N          worker processes of the server, or auto (0); from 1 on nothing is tied to a core
  --prefill N          messages that 'receive' finds in the queue (20000 per second measured)
  --target URL         measure the SQS-compatible server at this address instead
  --data DIR           a directory on the disk to be measured (./data)
  --json               print everything measured as JSON`;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [scenario, ...rest] = positionals;
  if (rest.length > 0 || !SCENARIO_NAMES.includes(scenario as ScenarioName)) {
    throw new UsageError(`Name one scenario: ${SCENARIO_NAMES.join(', ')}.`);
  }
  const seconds = positive('seconds', values.seconds ?? '5');
  const warmupSeconds = positive('warmup', values.warmup ?? '1');
  const isFifo = values.fifo === true || values.groups !== undefined;
  return {
    scenario: scenario as ScenarioName,
    connections: positiveInteger('connections', values.connections ?? '64'),
    rounds: positiveInteger('rounds', values.rounds ?? '3'),
    seconds,
    warmupSeconds,
    bodyBytes: positiveInteger('body-bytes', values['body-bytes'] ?? '300'),
    groups: isFifo ? positiveInteger('groups', values.groups ?? '1000') : 0,
    durability: values.durability ?? 'fsync',
    workers: values.workers ?? '0',
    prefill: positiveInteger('prefill', values.prefill ?? String(Math.ceil(20_000 * (seconds + warmupSeconds)))),
    target: values.target,
    data: values.data ?? './data',
    json: values.json ?? false,
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        connections: text,
        rounds: text,
        seconds: text,
        warmup: text,
        'body-bytes': text,
        fifo: flag,
        groups: text,
        durability: text,
        workers: text,
        prefill: text,
        target: text,
        data: text,
        json: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Infinity)) throw new UsageError(`--${name} must be a number above 0.`);
  return value;
}

function positiveInteger(name: string, text: string): number {
  const value = positive(name, text);
  if (!Number.isInteger(value)) throw new UsageError(`--${name} must be a whole number.`);
  return value;
}
