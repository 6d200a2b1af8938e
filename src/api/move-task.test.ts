import { describe, expect, it } from 'vitest';
import type { MoveTask } from '../engine/queue-service.ts';
import type { StartMessageMoveTaskRequest } from '../protocol/model/shapes.ts';
import { errorOf, testApi } from './testing/context.ts';

const arn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
const handle = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64');
const HANDLE = handle({ taskId: 't', sourceArn: arn('dlq') });
const MISSING = 'MissingRequiredParameterException: The request must contain the parameter SourceArn.';
const NO_SOURCE =
  "ResourceNotFoundException: The resource that you specified for the SourceArn parameter doesn't exist.";
const INVALID = 'InvalidParameterValueException:';
const format = (parameter: string) =>
  `${INVALID} You must use this format to specify the ${parameter}: arn:<partition>:<service>:<region>:<account-id>:<resource-id>`;

const TASK: MoveTask = {
  id: 't',
  sourceArn: arn('dlq'),
  status: 'RUNNING',
  movedCount: 2,
  toMoveCount: 10,
  startedAt: 1_700_000_000_123,
};

async function withQueues() {
  const api = testApi();
  await api.run('CreateQueue', { QueueName: 'dlq' });
  await api.run('CreateQueue', { QueueName: 'other.fifo', Attributes: { FifoQueue: 'true' } });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 1 });
  await api.run('CreateQueue', { QueueName: 'source', Attributes: { RedrivePolicy } });
  api.queues.replies.startMoveTask = TASK;
  return api;
}

describe('StartMessageMoveTask', () => {
  it('starts a task and gives its handle', async () => {
    const { run, queues, record } = await withQueues();
    expect(await run('StartMessageMoveTask', { SourceArn: arn('dlq') })).toEqual({ TaskHandle: HANDLE });
    await run('StartMessageMoveTask', {
      SourceArn: arn('dlq'),
      DestinationArn: arn('source'),
      MaxNumberOfMessagesPerSecond: 500,
    });
    const sourceQueueId = (await record('dlq')).id;
    expect(queues.calls.map((call) => call.arguments[0])).toEqual([
      { sourceQueueId, sourceArn: arn('dlq') },
      { sourceQueueId, sourceArn: arn('dlq'), destinationArn: arn('source'), maxMessagesPerSecond: 500 },
    ]);
  });

  const rate = `${INVALID} Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and 500.`;
  const wrongRate = { MaxNumberOfMessagesPerSecond: 501 };
  it.each<[StartMessageMoveTaskRequest, string]>([
    [{ DestinationArn: 'x' }, MISSING],
    [{ SourceArn: '' }, format('SourceArn')],
    [{ SourceArn: 'dlq', DestinationArn: 'x' }, format('SourceArn')],
    [{ SourceArn: 'arn:aws:sqs:us-east-1::dlq' }, format('SourceArn')],
    [{ SourceArn: arn('none') }, NO_SOURCE],
    [{ SourceArn: 'arn:aws:sqs:eu-west-1:000000000000:dlq' }, NO_SOURCE],
    [{ SourceArn: 'arn:aws:sqs:us-east-1:123456789012:dlq' }, NO_SOURCE],
    [{ SourceArn: 'arn:aws:sns:us-east-1:000000000000:dlq' }, NO_SOURCE],
    [
      { SourceArn: arn('source'), DestinationArn: 'x' },
      `${INVALID} Source queue must be configured as a Dead Letter Queue.`,
    ],
    [{ SourceArn: arn('dlq'), DestinationArn: 'x' }, format('DestinationArn')],
    [
      { SourceArn: arn('dlq'), DestinationArn: arn('dlq') },
      `${INVALID} Source queue arn and destination queue arn cannot be the same.`,
    ],
    [
      { SourceArn: arn('dlq'), DestinationArn: arn('none'), ...wrongRate },
      "ResourceNotFoundException: The resource that you specified for the DestinationArn parameter doesn't exist.",
    ],
    [
      { SourceArn: arn('dlq'), DestinationArn: arn('other.fifo'), ...wrongRate },
      `${INVALID} The source queue and destination queue must be of the same queue type.`,
    ],
    [{ SourceArn: arn('dlq'), MaxNumberOfMessagesPerSecond: 0 }, rate],
    [{ SourceArn: arn('dlq'), ...wrongRate }, rate],
  ])('refuses %j', async (input, error) => {
    const { run, queues } = await withQueues();
    expect(await errorOf(() => run('StartMessageMoveTask', input))).toBe(error);
    expect(queues.calls).toEqual([]);
  });

  it('runs one task at a time', async () => {
    const { run, queues } = await withQueues();
    queues.replies.startMoveTask = 'already-running';
    expect(await errorOf(() => run('StartMessageMoveTask', { SourceArn: arn('dlq') }))).toBe(
      `${INVALID} There is already a task running. Only one active task is allowed for a source queue arn at a given time.`,
    );
  });
});

describe('ListMessageMoveTasks', () => {
  it('shows a handle while the task runs and a reason when it failed', async () => {
    const { run, queues, record } = await withQueues();
    queues.replies.moveTasks = [
      TASK,
      { ...TASK, status: 'CANCELLING', destinationArn: arn('source'), maxMessagesPerSecond: 5 },
      { ...TASK, status: 'FAILED', failureReason: 'CouldNotDetermineMessageSource' },
    ];
    const common = {
      SourceArn: arn('dlq'),
      ApproximateNumberOfMessagesMoved: 2,
      ApproximateNumberOfMessagesToMove: 10,
      StartedTimestamp: 1_700_000_000_123,
    };
    expect(await run('ListMessageMoveTasks', { SourceArn: arn('dlq'), MaxResults: 10 })).toEqual({
      Results: [
        { ...common, TaskHandle: HANDLE, Status: 'RUNNING' },
        { ...common, Status: 'CANCELLING', DestinationArn: arn('source'), MaxNumberOfMessagesPerSecond: 5 },
        { ...common, Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' },
      ],
    });
    await run('ListMessageMoveTasks', { SourceArn: arn('dlq') });
    const { id } = await record('dlq');
    expect(queues.calls.map((call) => call.arguments)).toEqual([
      [id, 10],
      [id, 1],
    ]);
  });

  it.each<[object, string]>([
    [{}, MISSING],
    [{ SourceArn: 'dlq' }, format('SourceArn')],
    [{ SourceArn: arn('none') }, NO_SOURCE],
    ...[0, 11].map((MaxResults): [object, string] => [
      { SourceArn: arn('dlq'), MaxResults },
      `${INVALID} Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10.`,
    ]),
  ])('refuses %j', async (input, error) => {
    const { run } = await withQueues();
    expect(await errorOf(() => run('ListMessageMoveTasks', input))).toBe(error);
  });
});

describe('CancelMessageMoveTask', () => {
  it('tells how far the task came', async () => {
    const { run, queues, record } = await withQueues();
    queues.replies.cancelMoveTask = { ...TASK, status: 'CANCELLING' };
    expect(await run('CancelMessageMoveTask', { TaskHandle: HANDLE })).toEqual({ ApproximateNumberOfMessagesMoved: 2 });
    expect(queues.calls).toEqual([{ method: 'cancelMoveTask', arguments: [(await record('dlq')).id, 't'] }]);
  });

  const undecodable = `${INVALID} Value for parameter TaskHandle is invalid.`;
  it.each<[string | undefined, string]>([
    [undefined, 'MissingRequiredParameterException: The TaskHandle parameter is required.'],
    ['', 'MissingRequiredParameterException: The TaskHandle parameter is required.'],
    ['garbage', undecodable],
    [handle('x'), undecodable],
    [handle({ taskId: 5, sourceArn: arn('dlq') }), undecodable],
    [handle({ taskId: 't' }), undecodable],
    [handle({ taskId: 'x'.repeat(101), sourceArn: arn('dlq') }), undecodable],
    [handle({ taskId: 't', sourceArn: arn('none') }), NO_SOURCE],
    [HANDLE, 'ResourceNotFoundException: Task does not exist.'],
  ])('refuses the handle %j', async (TaskHandle, error) => {
    const { run } = await withQueues();
    expect(await errorOf(() => run('CancelMessageMoveTask', { TaskHandle }))).toBe(error);
  });

  it('needs an active task', async () => {
    const { run, queues } = await withQueues();
    queues.replies.cancelMoveTask = 'not-active';
    expect(await errorOf(() => run('CancelMessageMoveTask', { TaskHandle: HANDLE }))).toBe(
      `${INVALID} Only active tasks can be cancelled.`,
    );
  });
});
