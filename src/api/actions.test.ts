import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SqsError } from '../protocol/model/errors.ts';
import type { Shape } from '../protocol/model/shape.ts';
import { ACTIONS, type ActionInputs, type ActionName } from '../protocol/model/shapes.ts';
import { actions } from './actions.ts';
import { testApi } from './testing/context.ts';

const NAMES = Object.keys(ACTIONS) as ActionName[];
const ARN = 'arn:aws:sqs:us-east-1:000000000000:orders';

/** Texts that mean something somewhere, so that the checks behind the first one are reached too. */
const TEXTS = [
  '',
  'orders',
  'orders.fifo',
  'http://localhost/000000000000/orders',
  'http://localhost/000000000000/orders.fifo',
  '__proto__',
  'constructor',
  'toString',
  'true',
  '60',
  'All',
  'String',
  'Number',
  '{}',
  'null',
  ARN,
  JSON.stringify({ deadLetterTargetArn: ARN, maxReceiveCount: 3 }),
  JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns: [ARN], __proto__: null }),
  '{"__proto__":{"redrivePermission":"allowAll"}}',
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' }],
  }),
  '['.repeat(5000),
  'W10',
  '123456789012',
  'SendMessage',
];
const KEYS = [
  ...TEXTS,
  'VisibilityTimeout',
  'FifoQueue',
  'Policy',
  'RedrivePolicy',
  'RedriveAllowPolicy',
  'KmsMasterKeyId',
  'FifoThroughputLimit',
  'AWSTraceHeader',
];

const text = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ unit: 'binary' }));

function inputOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return text;
    case 'integer':
    case 'long':
      return fc.oneof(fc.integer({ min: -1, max: 11 }), fc.integer());
    case 'boolean':
      return fc.boolean();
    case 'blob':
      return fc.uint8Array({ maxLength: 4 });
    case 'list':
      return fc.array(inputOf(shape.member), { maxLength: 12 });
    case 'map':
      return fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), text), inputOf(shape.value)), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries));
    case 'structure':
      return fc.record(
        Object.fromEntries(Object.entries(shape.members).map(([name, member]) => [name, inputOf(member.shape)])),
        { requiredKeys: [] },
      );
  }
}

describe('every action of the model', () => {
  it('is there', () => {
    expect(Object.keys(actions).sort()).toEqual([...NAMES].sort());
  });

  it.each(NAMES)('%s answers or refuses whatever it is sent, and leaves no mark on objects', async (name) => {
    await fc.assert(
      fc.asyncProperty(inputOf(ACTIONS[name].input), async (input) => {
        const { run } = testApi();
        await run('CreateQueue', { QueueName: 'orders' });
        await run('CreateQueue', { QueueName: 'orders.fifo', Attributes: { FifoQueue: 'true' } });
        try {
          await run(name, input as ActionInputs[typeof name]);
        } catch (error) {
          expect(error).toBeInstanceOf(SqsError);
          expect((error as SqsError).fault).toBe('Sender');
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
