import { parseArgs } from 'node:util';
import type { Credentials } from './load/signature.ts';
import { PROTOCOLS, type ProtocolName } from './load/sqs-protocol.ts';
import { DEFAULTS, SCENARIO_NAMES, type ScenarioName } from './scenario-names.ts';

export interface BenchOptions {
  scenario: ScenarioName;
  /** Every combination of these three is measured. */
  protocols: ProtocolName[];
  bodyBytes: number[];
  connections: number[];
  rounds: number;
  seconds: number;
  warmupSeconds: number;
  /** Numbers of message groups of FIFO queues; none: a standard queue. */
  groups: number[];
  /** Messages in the queue before something that consumes is measured; undefined: enough for the time. */
  prefill: number | undefined;
  steadyDepth: number;
  depths: number[];
  isDelayed: boolean;
  queues: number;
  polls: number;
  durability: string;
  serverArgs: string[];
  slowFlushMs: number;
  /** Somebody else's server; undefined: ours, started for each round. */
  target: string | undefined;
  credentials: Credentials | undefined;
  pin: string;
  /** Where servers and baselines keep their files. */
  data: string;
  json: boolean;
  save: boolean;
}

export class UsageError extends Error {}

export const USAGE = `npm run bench -- <scenario> [options]

Scenarios
  send       SendMessage
  receive    ReceiveMessage and DeleteMessage of one message after the other, from a queue filled before
  lifecycle  SendMessage, ReceiveMessage, DeleteMessage
  batch      SendMessageBatch of ten, then ReceiveMessage of ten and DeleteMessageBatch, then all three together
  fifo       a standard queue, and beside it FIFO queues of high throughput with few and many message groups
  wakeup     how soon a receive that waits has a message that is sent
  mixed      producers and consumers at the same time, the queue as deep as it was
  backlog    what actions cost, and memory, with few and many messages in the queue
  restart    from the start of the process to the first message received
  idle       many queues and open receives: memory and CPU of doing nothing, and ListQueues
  all        a selection of them, and a summary

Lists, of which every combination is measured
  --connections N,..   connections, each with one request under way (64; wakeup: 1,64; backlog: 16)
  --body-bytes N,..    length of a message body (300)
  --protocol P,..      json or query (json)

Options
  --rounds N           how often everything is measured; the table shows medians (3; backlog and idle: 1)
  --seconds S          length of one measurement (5; backlog: 3; idle: 20)
  --warmup S           seconds before it that do not count (3)
  --fifo               a FIFO queue of high throughput, with message groups in turn
  --groups N           its number of message groups (1000); a list for 'fifo' (1,100,10000)
  --prefill N          messages that 'receive' and 'batch' find in the queue (20000 per second measured)
  --steady-depth N     messages that are in the queue of 'mixed' (1000)
  --depths N,..        depths of 'backlog' (1e3,1e4,1e5,1e6) and 'restart' (1e3,1e5,1e6)
  --delayed            the messages of 'backlog' are delayed
  --queues N           of 'idle' (10000)
  --polls N            open receives of 'idle' (1000)
  --durability LEVEL   that of the server: fsync, os or none (fsync)
  --server-args TEXT   further arguments of the server
  --slow-flush MS      every flush of the disk takes so much longer, that of the log baseline too (0)
  --target URL         measure the SQS-compatible server at this address instead
  --credentials ID:SECRET[:REGION]
                       sign requests; otherwise a signature is sent that nobody must check
  --pin A/B            cores of server and load (auto: 0/1 where possible), or none
  --data DIR           a directory on the disk to be measured (./data)
  --json               print everything measured as JSON
  --save               keep a summary and a chart in bench/results`;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values: given, positionals } = parse(args);
  if (given.help) return 'help';
  const [name, ...rest] = positionals;
  if (rest.length > 0 || !SCENARIO_NAMES.includes(name as ScenarioName)) {
    throw new UsageError(`Name one scenario: ${SCENARIO_NAMES.join(', ')}.`);
  }
  const scenario = name as ScenarioName;
  const values = { ...COMMON_DEFAULTS, ...DEFAULTS[scenario], ...given };
  const options: BenchOptions = {
    scenario,
    protocols: namesIn('protocol', values.protocol, Object.keys(PROTOCOLS)) as ProtocolName[],
    bodyBytes: wholeNumbersIn('body-bytes', values['body-bytes']),
    connections: wholeNumbersIn('connections', values.connections),
    rounds: wholeNumber('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    warmupSeconds: notNegative('warmup', values.warmup),
    groups: groupsIn(values),
    prefill: values.prefill === undefined ? undefined : wholeNumber('prefill', values.prefill),
    steadyDepth: wholeNumber('steady-depth', values['steady-depth']),
    depths: wholeNumbersIn('depths', values.depths).sort((a, b) => a - b),
    isDelayed: values.delayed ?? false,
    queues: wholeNumber('queues', values.queues),
    polls: wholeNumber('polls', values.polls),
    durability: values.durability,
    serverArgs: (values['server-args'] ?? '').split(/\s+/).filter((text) => text !== ''),
    slowFlushMs: notNegative('slow-flush', values['slow-flush']),
    target: values.target,
    credentials: values.credentials === undefined ? undefined : credentialsIn(values.credentials),
    pin: values.pin,
    data: values.data,
    json: values.json ?? false,
    save: values.save ?? false,
  };
  checkTogether(options);
  return options;
}

const COMMON_DEFAULTS = {
  protocol: 'json',
  'body-bytes': '300',
  connections: '64',
  rounds: '3',
  seconds: '5',
  warmup: '3',
  'steady-depth': '1000',
  depths: '1e3,1e5,1e6',
  queues: '10000',
  polls: '1000',
  durability: 'fsync',
  'slow-flush': '0',
  pin: 'auto',
  data: './data',
};

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: joined(args),
      allowPositionals: true,
      options: {
        connections: text,
        'body-bytes': text,
        protocol: text,
        rounds: text,
        seconds: text,
        warmup: text,
        fifo: flag,
        groups: text,
        prefill: text,
        'steady-depth': text,
        depths: text,
        delayed: flag,
        queues: text,
        polls: text,
        durability: text,
        'server-args': text,
        'slow-flush': text,
        target: text,
        credentials: text,
        pin: text,
        data: text,
        json: flag,
        save: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** What the server is given looks like options of ours, which a value may do only behind an equals sign. */
function joined(args: readonly string[]): string[] {
  const at = args.indexOf('--server-args');
  if (at === -1 || at === args.length - 1) return [...args];
  return [...args.slice(0, at), `--server-args=${args[at + 1]}`, ...joined(args.slice(at + 2))];
}

function checkTogether({ scenario, groups, isDelayed, target }: BenchOptions): void {
  if (scenario !== 'fifo' && groups.length > 1) {
    throw new UsageError("--groups takes a list for 'fifo' only.");
  }
  if (isDelayed && groups.length > 0) {
    throw new UsageError('--delayed needs a standard queue: messages of a FIFO queue have no delay of their own.');
  }
  if (scenario === 'restart' && target !== undefined) {
    throw new UsageError("'restart' starts the server itself: it cannot measure a --target.");
  }
}

function groupsIn({ fifo, groups }: { fifo?: boolean; groups?: string }): number[] {
  if (groups !== undefined) return wholeNumbersIn('groups', groups);
  return fifo ? [1000] : [];
}

function credentialsIn(text: string): Credentials {
  const [accessKeyId, secretAccessKey, region = 'us-east-1'] = text.split(':');
  if (!accessKeyId || !secretAccessKey) throw new UsageError('--credentials must be ID:SECRET or ID:SECRET:REGION.');
  return { accessKeyId, secretAccessKey, region };
}

function namesIn(name: string, text: string, known: readonly string[]): string[] {
  const names = text.split(',');
  if (!names.every((each) => known.includes(each))) throw new UsageError(`--${name} must be of ${known.join(', ')}.`);
  return names;
}

function wholeNumbersIn(name: string, text: string): number[] {
  return text.split(',').map((each) => wholeNumber(name, each));
}

function wholeNumber(name: string, text: string): number {
  const value = positive(name, text);
  if (!Number.isInteger(value)) throw new UsageError(`--${name} must be a whole number.`);
  return value;
}

function positive(name: string, text: string): number {
  const value = notNegative(name, text);
  if (value === 0) throw new UsageError(`--${name} must be a number above 0.`);
  return value;
}

function notNegative(name: string, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && value < Infinity)) throw new UsageError(`--${name} must be a number above 0.`);
  return value;
}
