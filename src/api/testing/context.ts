import { SqsError } from '../../protocol/model/errors.ts';
import type { ActionInputs, ActionName, ActionOutputs } from '../../protocol/model/shapes.ts';
import type { QueueRecord } from '../../queue/record.ts';
import type { ActionContext } from '../action.ts';
import { runAction } from '../actions.ts';
import { FakeQueueService } from './fake-queue-service.ts';

export const SCOPE = { account: '000000000000', region: 'us-east-1' };
/** What `now()` says in tests, in epoch milliseconds. */
export const NOW = 1_700_000_000_500;

export interface TestApi {
  queues: FakeQueueService;
  context: ActionContext;
  run<Name extends ActionName>(name: Name, input: ActionInputs[Name]): Promise<ActionOutputs[Name]>;
  /** The record of a queue of the test's own account. */
  record(name: string): Promise<QueueRecord>;
}

/** The whole API over a fake engine. Ids are `id-1`, `id-2`, ... */
export function testApi(overrides: Partial<ActionContext> = {}): TestApi {
  const queues = new FakeQueueService();
  let ids = 0;
  const context: ActionContext = {
    scope: SCOPE,
    queues,
    platform: {
      now: () => NOW,
      uuid: () => `id-${++ids}`,
      randomBytes: () => {
        throw new Error('no action needs random bytes');
      },
      at: () => {
        throw new Error('no action needs a timer');
      },
      afterTurn: () => {
        throw new Error('no action needs a turn');
      },
    },
    baseUrl: 'http://localhost:9324',
    path: '/',
    signal: new AbortController().signal,
    protocol: 'awsJson1_0',
    senderId: 'AIDATEST',
    limits: { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 },
    ...overrides,
  };
  return {
    queues,
    context,
    run: (name, input) => runAction(name, input, context),
    async record(name) {
      const queue = await queues.findQueue(SCOPE, name);
      if (queue === undefined) throw new Error(`no queue ${name}`);
      return queue;
    },
  };
}

/** The error of the API that an attempt fails with, as `Shape: message`. */
export async function errorOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof SqsError) return `${error.shape}: ${error.message}`;
    throw error;
  }
  throw new Error('no error was thrown');
}
