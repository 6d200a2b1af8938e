import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../api/action.ts';
import type { runAction } from '../api/actions.ts';
import type { QueueService } from '../engine/queue-service.ts';
import { manualClock } from '../platform/manual.ts';
import { SqsError } from '../protocol/model/errors.ts';
import type { QueueDeclarations } from './config/queue-declarations.ts';
import { declareQueues } from './declared-queues.ts';
import { ConfigError } from './start-error.ts';

const CONTEXT: ActionContext = {
  scope: { account: '123456789012', region: 'eu-west-1' },
  queues: {} as QueueService,
  platform: manualClock(),
  baseUrl: 'http://x',
  path: '/',
  signal: new AbortController().signal,
  protocol: 'awsJson1_0',
  senderId: '123456789012',
  limits: { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 },
};

type Attributes = Record<string, string>;
interface Input {
  QueueName?: string;
  QueueUrl?: string;
  Attributes?: Attributes;
  tags?: Attributes;
  Tags?: Attributes;
}

/** An API with queues in a map, which records the calls that change something. */
function fakeApi(queues: Record<string, Attributes> = {}, refuse?: (action: string, input: Input) => void) {
  const changes: unknown[] = [];
  const run = async (action: string, given: unknown, context: ActionContext): Promise<unknown> => {
    const input = given as Input;
    const name = input.QueueName ?? input.QueueUrl ?? '';
    refuse?.(action, input);
    if (action === 'CreateQueue') {
      expect(context.limits.recreateAfterMs).toBe(0);
      queues[name] = { ...input.Attributes };
    } else if (queues[name] === undefined) {
      throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    }
    if (action === 'GetQueueUrl') return { QueueUrl: `http://x/${name}` };
    if (action === 'GetQueueAttributes') return { Attributes: queues[name] };
    if (action === 'SetQueueAttributes') Object.assign(queues[name]!, input.Attributes);
    changes.push([action, input]);
    return {};
  };
  const declare = (declarations: QueueDeclarations) => declareQueues(declarations, run as typeof runAction, CONTEXT);
  return { declare, changes };
}

describe('declareQueues', () => {
  it('creates what is missing, and sets redrive policies when all queues are there', async () => {
    const { declare, changes } = fakeApi();
    await declare({
      'orders.fifo': {
        attributes: { VisibilityTimeout: '45' },
        tags: { team: 'billing' },
        redrive: { deadLetterQueue: 'dead.fifo', maxReceiveCount: 3 },
      },
      'dead.fifo': {},
    });
    const policy = '{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead.fifo","maxReceiveCount":3}';
    expect(changes).toEqual([
      [
        'CreateQueue',
        {
          QueueName: 'orders.fifo',
          Attributes: { FifoQueue: 'true', VisibilityTimeout: '45' },
          tags: { team: 'billing' },
        },
      ],
      ['CreateQueue', { QueueName: 'dead.fifo', Attributes: { FifoQueue: 'true' }, tags: {} }],
      ['SetQueueAttributes', { QueueUrl: 'orders.fifo', Attributes: { RedrivePolicy: policy } }],
    ]);
  });

  it('changes what differs, and only that', async () => {
    const { declare, changes } = fakeApi({ orders: { VisibilityTimeout: '30', DelaySeconds: '5' } });
    await declare({ orders: { attributes: { VisibilityTimeout: '45', DelaySeconds: '5' }, tags: { a: 'b' } } });
    expect(changes).toEqual([
      ['SetQueueAttributes', { QueueUrl: 'orders', Attributes: { VisibilityTimeout: '45' } }],
      ['TagQueue', { QueueUrl: 'orders', Tags: { a: 'b' } }],
    ]);
  });

  it('changes nothing at a second start', async () => {
    const { declare, changes } = fakeApi();
    const declarations = { a: { redrive: { deadLetterQueue: 'b', maxReceiveCount: 1 } }, b: {} };
    await declare(declarations);
    changes.length = 0;
    await declare(declarations);
    expect(changes).toEqual([]);
  });

  it.each([
    [
      { orders: { attributes: { VisibilityTimeout: 'x' } } },
      'Invalid value for the parameter VisibilityTimeout.',
      'queues.orders.attributes.VisibilityTimeout: Invalid value for the parameter VisibilityTimeout.',
    ],
    [
      { orders: { attributes: { DelaySeconds: '1' } } },
      'Can only include alphanumeric characters',
      'queues.orders: Can only include alphanumeric characters',
    ],
  ])('names the place of what the API refuses: %j', async (declarations, text, problem) => {
    const { declare } = fakeApi({}, (action) => {
      if (action === 'CreateQueue') throw new SqsError('InvalidAttributeValue', text);
    });
    await expect(declare(declarations as QueueDeclarations)).rejects.toThrow(new ConfigError([problem]));
  });

  it('names the redrive that the API refuses', async () => {
    const { declare } = fakeApi({ a: {} }, (_, input) => {
      if (input.Attributes?.RedrivePolicy) throw new SqsError('InvalidParameterValueException', 'No such target.');
    });
    await expect(declare({ a: { redrive: { deadLetterQueue: 'b', maxReceiveCount: 1 } } })).rejects.toThrow(
      'queues.a.redrive: No such target.',
    );
  });

  it('does not blame the configuration for a failure of ours', async () => {
    const { declare } = fakeApi({}, () => {
      throw new SqsError('ServiceUnavailable', 'Disk full.');
    });
    await expect(declare({ a: {} })).rejects.toThrow(SqsError);
  });
});
