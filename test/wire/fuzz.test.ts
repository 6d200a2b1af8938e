import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ACTIONS, type ActionName } from '../../src/protocol/model/shapes.ts';
import { encode } from '../support/query-client.ts';
import { type RawConnection, type RawReply, requestBytes } from '../support/raw-connection.ts';
import { jsonVerdict, queryVerdict, useResilientServer } from '../support/resilience.ts';
import { arnOf, nameOf } from '../support/sqs.ts';
import { toJson, validInputs } from '../support/valid-inputs.ts';

// Valid requests of every action, bent in a few places (promise P8): each gets a success or a proper error of the API.
// A failure prints its seed and path. FUZZ_SEED takes another seed, FUZZ_MS more time.

const SEED = Number(process.env.FUZZ_SEED ?? 20_231_114);
const TIME_MS = Number(process.env.FUZZ_MS ?? 5_000);
/** A reply that takes longer is that of a long poll. */
const LONG_POLL_MS = 500;
const WAIT_MAX_SECONDS = 20;

const ALL_ACTIONS = Object.keys(ACTIONS) as ActionName[];
const server = useResilientServer();
const { sqs } = server;
let queue: string;
let connection: RawConnection | undefined;

beforeAll(async () => {
  ({ dead: queue } = await sqs.createQueueWithDeadLetters(1));
});

afterAll(() => connection?.close());

/** One way to bend an input. `at` chooses the place. */
interface Bend {
  at: number;
  how: 'replace' | 'delete' | 'repeat' | 'rename' | 'wrap' | 'stringify';
  value: unknown;
  text: string;
}

const strangeText = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\0', '\n', '.', '..', '*', '.*', '-1', '0', '1', '01', '+5', '1e9', '2147483648', '9'.repeat(30)],
    ...['true', 'True', 'null', 'All', '[]', '{}', '{"a":1}', '[{}]', '"', '\\', "'", '<a>&amp;]]>', '%', '%41', '+'],
    ...['__proto__', 'constructor', 'toString', 'AWS.x', 'Amazon.x', 'aws:x', 'String', 'Number', 'Binary', 'String.'],
    ...['\ud800', '\udfff', '\uffff', '\ufeff', '\u202e', 'é', 'e\u0301', '🐦', 'a'.repeat(300), 'ä'.repeat(200)],
    ...['/', '//', 'http://', 'http:///x', '/000000000000/x', 'x.fifo', '.fifo', 'arn:', 'arn:aws:sqs:us-east-1::x'],
    ...['arn:aws:sqs:us-east-1:000000000000:x', 'arn:aws:sns:us-east-1:000000000000:x', 'eyJhIjoxfQ==', '===', 'YQ'],
    ...['{"redrivePermission":"byQueue"}', '{"maxReceiveCount":1}', '{"Version":"2012-10-17","Statement":[]}'],
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
);
const strangeValue = fc.oneof(
  strangeText,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    11,
    0.5,
    1e21,
    -1e300,
    2 ** 31,
    2 ** 53,
    [],
    {},
    [[]],
    [{}],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const bend: fc.Arbitrary<Bend> = fc.record({
  at: fc.nat(1000),
  how: fc.constantFrom<Bend['how']>('replace', 'replace', 'delete', 'repeat', 'rename', 'wrap', 'stringify'),
  value: strangeValue,
  text: strangeText,
});
const bends = fc.array(bend, { minLength: 1, maxLength: 4 });
/** Bytes that are put over others, or between them. Mostly none. */
const scratches = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(fc.nat(10_000), fc.uint8Array({ maxLength: 3 }), fc.nat(3)), { maxLength: 3 }),
  },
);
const action = fc.constantFrom(...ALL_ACTIONS);

/** Small numbers come up often, and should not all mean the first place. */
function spread(at: number): number {
  return at * 7919;
}

function scratch(
  body: string,
  marks: readonly (readonly [at: number, bytes: Uint8Array, overwritten: number])[],
): Buffer {
  let bytes = Buffer.from(body);
  for (const [at, put, overwritten] of marks) {
    const start = spread(at) % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + overwritten)]);
  }
  return bytes;
}

// AWS JSON: the input is a tree, and any node of it can be bent.

type Container = Record<string | number, unknown>;

function nodesOf(tree: unknown): { parent: Container; key: string | number }[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const parent = tree as Container;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...nodesOf(parent[key])]);
}

function bendTree(tree: unknown, { at, how, value, text }: Bend): void {
  const nodes = nodesOf(tree);
  const node = nodes[spread(at) % nodes.length];
  if (node === undefined) return;
  const { parent, key } = node;
  const current = parent[key];
  // A copy, which later bends may change.
  if (how === 'replace') parent[key] = structuredClone(value);
  else if (how === 'wrap') parent[key] = at % 2 === 0 ? [current] : Object.fromEntries([[text, current]]);
  else if (how === 'stringify') parent[key] = JSON.stringify(current);
  else if (how === 'repeat' && Array.isArray(parent))
    parent.push(...Array.from({ length: 12 }, () => structuredClone(current)));
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else {
    if (how !== 'repeat') delete parent[key];
    // A name like __proto__ has to become a member like any other.
    if (how !== 'delete') {
      Object.defineProperty(parent, text, {
        value: structuredClone(current),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
}

// AWS Query: a list of parameters, in which names and values can be bent.

function bendParameters(parameters: [string, string][], { at, how, text }: Bend): void {
  const index = spread(at) % parameters.length;
  const parameter = parameters[index];
  if (parameter === undefined) return;
  const [name, value] = parameter;
  if (how === 'replace' || how === 'stringify') parameters[index] = [name, text];
  else if (how === 'delete') parameters.splice(index, 1);
  else if (how === 'repeat') parameters.push([name.replace(/\d+/, String(at)), value]);
  else if (how === 'rename') parameters[index] = [at % 2 === 0 ? text : `${name}.${text}`, value];
  else parameters[index] = [name.replace(/\.(\d+)/, at % 2 === 0 ? '' : `.${text}`), value];
}

async function exchange(headers: Record<string, string>, body: Buffer): Promise<RawReply> {
  connection ??= await server.open();
  const reply = connection.exchange(requestBytes({ headers, body }));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LONG_POLL_MS);
  });
  const first = await Promise.race([reply, late]);
  clearTimeout(timer);
  if (first === undefined) await sqs.advance(WAIT_MAX_SECONDS);
  return reply;
}

function inputs() {
  return validInputs({ url: queue, arn: arnOf(queue), newName: 'new' });
}

/** The requests of a run may have deleted it. */
async function restoreQueue(): Promise<void> {
  await sqs.call('CreateQueue', { QueueName: nameOf(queue) });
}

async function fuzz(property: fc.IAsyncProperty<unknown[]>): Promise<void> {
  await fc.assert(property, {
    seed: SEED,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: TIME_MS,
    markInterruptAsFailure: false,
  });
}

describe('requests that are bent', () => {
  it(
    'over AWS JSON get a success or an error of the API',
    async () => {
      await fuzz(
        fc.asyncProperty(action, bends, scratches, async (name, someBends, marks) => {
          const input = JSON.parse(toJson(inputs()[name]));
          for (const one of someBends) bendTree(input, one);
          const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `AmazonSQS.${name}` };
          jsonVerdict(await exchange(headers, scratch(JSON.stringify(input), marks)));
          if (name === 'DeleteQueue') await restoreQueue();
        }) as fc.IAsyncProperty<unknown[]>,
      );
    },
    TIME_MS + 60_000,
  );

  it(
    'over AWS Query get a success or an error of the API',
    async () => {
      await fuzz(
        fc.asyncProperty(action, bends, scratches, async (name, someBends, marks) => {
          const parameters = encode(name, inputs()[name]);
          for (const one of someBends) bendParameters(parameters, one);
          const body = new URLSearchParams([...parameters, ['Action', name]]).toString();
          const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
          queryVerdict(await exchange(headers, scratch(body, marks)));
          if (name === 'DeleteQueue') await restoreQueue();
        }) as fc.IAsyncProperty<unknown[]>,
      );
    },
    TIME_MS + 60_000,
  );
});
