import { describe, expect, it } from 'vitest';
import { invalidParameterValue, missingParameter, sqsError } from '../support/errors.ts';
import { arnOf, overBothProtocols, type Sqs, useSqs } from '../support/sqs.ts';

const noResource = (parameter: string) =>
  sqsError(
    'ResourceNotFoundException',
    `The resource that you specified for the ${parameter} parameter doesn't exist.`,
  );
const badArn = (parameter: string) =>
  invalidParameterValue(
    `You must use this format to specify the ${parameter}: ` +
      'arn:<partition>:<service>:<region>:<account-id>:<resource-id>',
  );
const encodeHandle = (handle: object) => Buffer.from(JSON.stringify(handle)).toString('base64');
const decodeHandle = (handle: string | undefined) => JSON.parse(Buffer.from(handle!, 'base64').toString());

/** A queue and its dead-letter queue, with messages that were received once and moved there. */
async function withDeadLetters(sqs: Sqs, ...bodies: string[]): Promise<{ source: string; dead: string }> {
  const queues = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '0' } });
  await moveToDeadLetters(sqs, queues.source, ...bodies);
  return queues;
}

async function moveToDeadLetters(sqs: Sqs, source: string, ...bodies: string[]): Promise<void> {
  for (const body of bodies) {
    await sqs.send(source, body);
    await sqs.receive(source);
    await sqs.receive(source);
  }
}

/** SQS: section 7 */
overBothProtocols('StartMessageMoveTask', (sqs) => {
  it('moves the messages back to their source queue', async () => {
    const { source, dead } = await withDeadLetters(sqs, '1', '2', '3');
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    expect(decodeHandle(TaskHandle)).toEqual({
      taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sourceArn: arnOf(dead),
    });
    await sqs.advance(5);
    expect(await sqs.receiveBodies(source)).toEqual(['1', '2', '3']);
    expect(await sqs.counts(dead)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('moves the messages to the destination', async () => {
    const { dead } = await withDeadLetters(sqs, '1', '2');
    const destination = await sqs.createQueue();
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn: arnOf(destination) });
    await sqs.advance(5);
    expect(await sqs.receiveBodies(destination)).toEqual(['1', '2']);
  });

  it.each([1, 500])('takes %i messages a second', async (MaxNumberOfMessagesPerSecond) => {
    const { dead } = await withDeadLetters(sqs);
    const output = await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead), MaxNumberOfMessagesPerSecond });
    expect(output).toEqual({ TaskHandle: expect.any(String) });
  });

  it('refuses a request without a source', async () => {
    expect(await sqs.failure('StartMessageMoveTask')).toEqual(missingParameter('SourceArn'));
  });

  it.each(['garbage', 'arn:aws:sqs', 'http://localhost/000000000000/queue'])('refuses the ARN %s', async (arn) => {
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arn })).toEqual(badArn('SourceArn'));
    const { dead } = await withDeadLetters(sqs);
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn: arn })).toEqual(
      badArn('DestinationArn'),
    );
  });

  it('refuses queues that do not exist', async () => {
    const { dead } = await withDeadLetters(sqs);
    const unknown = arnOf('unknown');
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: unknown })).toEqual(noResource('SourceArn'));
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn: unknown })).toEqual(
      noResource('DestinationArn'),
    );
  });

  it('refuses a source that is no dead-letter queue (any more)', async () => {
    const notDead = invalidParameterValue('Source queue must be configured as a Dead Letter Queue.');
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(await sqs.createQueue()) })).toEqual(notDead);
    const { source, dead } = await withDeadLetters(sqs, 'm');
    await sqs.setAttributes(source, { RedrivePolicy: '' });
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead) })).toEqual(notDead);
  });

  it('refuses the source as destination', async () => {
    const { dead } = await withDeadLetters(sqs);
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn: arnOf(dead) })).toEqual(
      invalidParameterValue('Source queue arn and destination queue arn cannot be the same.'),
    );
  });

  it('refuses a destination of the other type', async () => {
    const { dead } = await withDeadLetters(sqs);
    const DestinationArn = arnOf(await sqs.createFifoQueue());
    expect(await sqs.failure('StartMessageMoveTask', { SourceArn: arnOf(dead), DestinationArn })).toEqual(
      invalidParameterValue('The source queue and destination queue must be of the same queue type.'),
    );
  });

  it.each([0, -1, 501])('refuses %i messages a second', async (MaxNumberOfMessagesPerSecond) => {
    const { dead } = await withDeadLetters(sqs);
    const input = { SourceArn: arnOf(dead), MaxNumberOfMessagesPerSecond };
    expect(await sqs.failure('StartMessageMoveTask', input)).toEqual(
      invalidParameterValue(
        "Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 " +
          'and 500.',
      ),
    );
  });

  it('refuses a second task of the same source', async () => {
    const { dead } = await withDeadLetters(sqs, '1', '2', '3');
    const input = { SourceArn: arnOf(dead), MaxNumberOfMessagesPerSecond: 1 };
    await sqs.call('StartMessageMoveTask', input);
    expect(await sqs.failure('StartMessageMoveTask', input)).toEqual(
      invalidParameterValue(
        'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
      ),
    );
    await sqs.advance(10);
    expect(await sqs.call('StartMessageMoveTask', input)).toEqual({ TaskHandle: expect.any(String) });
  });
});

/** SQS: section 7 */
overBothProtocols('ListMessageMoveTasks', (sqs) => {
  it('returns nothing when there was no task', async () => {
    const { dead } = await withDeadLetters(sqs);
    expect((await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).Results ?? []).toEqual([]);
  });

  it('tells all about a task that runs, and about one that is over', async () => {
    const { dead } = await withDeadLetters(sqs, '1', '2', '3', '4');
    const destination = await sqs.createQueue();
    const input = {
      SourceArn: arnOf(dead),
      DestinationArn: arnOf(destination),
      MaxNumberOfMessagesPerSecond: 2,
    };
    const StartedTimestamp = sqs.clock.now();
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', input);
    const { Results: running } = await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) });
    expect(running).toEqual([
      {
        ...input,
        TaskHandle,
        Status: 'RUNNING',
        ApproximateNumberOfMessagesMoved: expect.any(Number),
        ApproximateNumberOfMessagesToMove: 4,
        StartedTimestamp,
      },
    ]);
    expect(running?.[0]?.ApproximateNumberOfMessagesMoved).toBeLessThanOrEqual(2);
    await sqs.advance(10);
    expect(await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).toEqual({
      Results: [
        {
          ...input,
          Status: 'COMPLETED',
          ApproximateNumberOfMessagesMoved: 4,
          ApproximateNumberOfMessagesToMove: 4,
          StartedTimestamp,
        },
      ],
    });
  });

  it('omits what was not given', async () => {
    const { dead } = await withDeadLetters(sqs, '1');
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    const StartedTimestamp = sqs.clock.now();
    await sqs.advance(5);
    expect(await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).toEqual({
      Results: [
        {
          SourceArn: arnOf(dead),
          Status: 'COMPLETED',
          ApproximateNumberOfMessagesMoved: 1,
          ApproximateNumberOfMessagesToMove: 1,
          StartedTimestamp,
        },
      ],
    });
  });

  it('lists the newest task first, one task unless more are asked for', async () => {
    const { dead } = await withDeadLetters(sqs);
    const started: number[] = [];
    for (let task = 0; task < 3; task++) {
      started.unshift(sqs.clock.now());
      await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
      await sqs.advance(5);
    }
    const startedOf = async (MaxResults?: number) =>
      (await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead), MaxResults })).Results?.map(
        ({ StartedTimestamp }) => StartedTimestamp,
      );
    expect(await startedOf()).toEqual(started.slice(0, 1));
    expect(await startedOf(2)).toEqual(started.slice(0, 2));
    expect(await startedOf(10)).toEqual(started);
  });

  it.each([0, 11])('refuses MaxResults %i', async (MaxResults) => {
    const { dead } = await withDeadLetters(sqs);
    expect(await sqs.failure('ListMessageMoveTasks', { SourceArn: arnOf(dead), MaxResults })).toEqual(
      invalidParameterValue(
        "Value for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10.",
      ),
    );
  });

  it('refuses a source that is missing, wrong or unknown', async () => {
    expect(await sqs.failure('ListMessageMoveTasks')).toEqual(missingParameter('SourceArn'));
    expect(await sqs.failure('ListMessageMoveTasks', { SourceArn: 'garbage' })).toEqual(badArn('SourceArn'));
    expect(await sqs.failure('ListMessageMoveTasks', { SourceArn: arnOf('unknown') })).toEqual(noResource('SourceArn'));
  });
});

/** SQS: section 7 */
overBothProtocols('CancelMessageMoveTask', (sqs) => {
  it('stops a task, and leaves what is moved and what is not', async () => {
    const { source, dead } = await withDeadLetters(sqs, '1', '2', '3', '4', '5', '6');
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', {
      SourceArn: arnOf(dead),
      MaxNumberOfMessagesPerSecond: 1,
    });
    await sqs.advance(2.5);
    const { ApproximateNumberOfMessagesMoved: moved = 0 } = await sqs.call('CancelMessageMoveTask', { TaskHandle });
    expect(moved).toBeGreaterThanOrEqual(1);
    expect(moved).toBeLessThanOrEqual(3);
    const statusOf = async () =>
      (await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).Results?.[0]?.Status;
    expect(['CANCELLING', 'CANCELLED']).toContain(await statusOf());
    await sqs.advance(10);
    const { Results } = await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) });
    expect(Results).toMatchObject([{ Status: 'CANCELLED', ApproximateNumberOfMessagesToMove: 6 }]);
    expect(Results?.[0]).not.toHaveProperty('TaskHandle');
    const atLast = Results?.[0]?.ApproximateNumberOfMessagesMoved ?? 0;
    expect(atLast).toBeGreaterThanOrEqual(moved);
    expect(atLast).toBeLessThan(6);
    expect((await sqs.counts(source)).visible).toBe(atLast);
    expect((await sqs.counts(dead)).visible).toBe(6 - atLast);
  });

  it('lets another task start', async () => {
    const { source, dead } = await withDeadLetters(sqs, '1', '2', '3');
    const input = { SourceArn: arnOf(dead), MaxNumberOfMessagesPerSecond: 1 };
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', input);
    await sqs.call('CancelMessageMoveTask', { TaskHandle });
    await sqs.advance(2);
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(10);
    expect((await sqs.counts(source)).visible).toBe(3);
  });

  it('refuses a request without a handle', async () => {
    expect(await sqs.failure('CancelMessageMoveTask')).toEqual(
      sqsError('MissingRequiredParameterException', 'The TaskHandle parameter is required.'),
    );
  });

  it.each(['garbage', 'AAAA', encodeHandle([]), encodeHandle({ taskId: 'x' })])(
    'refuses the handle %s',
    async (TaskHandle) => {
      expect(await sqs.failure('CancelMessageMoveTask', { TaskHandle })).toEqual(
        invalidParameterValue('Value for parameter TaskHandle is invalid.'),
      );
    },
  );

  it('refuses a handle of an unknown queue', async () => {
    const TaskHandle = encodeHandle({ taskId: '10ad9ce9-d0f3-4b6b-8e6f-3f8f6a6b5d3c', sourceArn: arnOf('unknown') });
    expect(await sqs.failure('CancelMessageMoveTask', { TaskHandle })).toEqual(noResource('SourceArn'));
  });

  it('refuses a handle of an unknown task', async () => {
    const { dead } = await withDeadLetters(sqs, 'm');
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    const TaskHandle = encodeHandle({ taskId: '10ad9ce9-d0f3-4b6b-8e6f-3f8f6a6b5d3c', sourceArn: arnOf(dead) });
    expect(await sqs.failure('CancelMessageMoveTask', { TaskHandle })).toEqual(
      sqsError('ResourceNotFoundException', 'Task does not exist.'),
    );
  });

  it('refuses a task that is over', async () => {
    const { dead } = await withDeadLetters(sqs, 'm');
    const { TaskHandle } = await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(5);
    expect(await sqs.failure('CancelMessageMoveTask', { TaskHandle })).toEqual(
      invalidParameterValue('Only active tasks can be cancelled.'),
    );
  });
});

/** SQS: section 7 */
describe('A message move task', () => {
  const sqs = useSqs();
  const taskOf = async (dead: string) =>
    (await sqs.call('ListMessageMoveTasks', { SourceArn: arnOf(dead) })).Results?.[0];

  it('returns the messages of several queues, each to its own', async () => {
    const { source: one, dead } = await withDeadLetters(sqs, '1a', '1b');
    const two = await sqs.createQueue({
      VisibilityTimeout: '0',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(dead), maxReceiveCount: 1 }),
    });
    await moveToDeadLetters(sqs, two, '2a');
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(5);
    expect(await sqs.receiveBodies(one)).toEqual(['1a', '1b']);
    expect(await sqs.receiveBodies(two)).toEqual(['2a']);
  });

  it('sends the messages anew: another id, another time, the same contents', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, { source: { VisibilityTimeout: '0' } });
    const MessageAttributes = { k: { DataType: 'String', StringValue: 'x' } };
    const { MessageId } = await sqs.send(source, 'm', { MessageAttributes });
    await sqs.receive(source);
    await sqs.receive(source);
    await sqs.advance(100);
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    const movedAt = String(sqs.clock.now());
    await sqs.advance(1);
    const [moved] = await sqs.receive(source, { MessageAttributeNames: ['All'] });
    expect(moved).toMatchObject({
      Body: 'm',
      MessageAttributes,
      Attributes: { SentTimestamp: movedAt, ApproximateReceiveCount: '1' },
    });
    expect(moved?.MessageId).not.toBe(MessageId);
    expect(moved?.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
  });

  it('moves the oldest messages first, and so many a second', async () => {
    const { source, dead } = await withDeadLetters(sqs, '1', '2', '3', '4', '5');
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead), MaxNumberOfMessagesPerSecond: 1 });
    await sqs.advance(2.5);
    const moved = (await taskOf(dead))?.ApproximateNumberOfMessagesMoved ?? 0;
    expect(moved).toBeGreaterThanOrEqual(2);
    expect(moved).toBeLessThanOrEqual(3);
    expect(await sqs.receiveBodies(source)).toEqual(['1', '2', '3'].slice(0, moved));
    await sqs.advance(5);
    expect(await taskOf(dead)).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 5 });
  });

  it('wakes a long poll', async () => {
    const { source, dead } = await withDeadLetters(sqs, 'm');
    const poll = await sqs.startLongPoll(source);
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(1);
    expect(await poll.bodies).toEqual(['m']);
  });

  it('keeps the order of message groups', async () => {
    const { source, dead } = await sqs.createQueueWithDeadLetters(1, {
      fifo: true,
      source: { VisibilityTimeout: '0' },
    });
    for (const body of ['1', '2', '3']) await sqs.sendToGroup(source, 'g', body);
    await sqs.receive(source);
    await sqs.receive(source);
    expect(await sqs.counts(dead)).toEqual({ visible: 3, inFlight: 0, delayed: 0 });
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(5);
    const messages = await sqs.receive(source);
    expect(messages.map(({ Body, Attributes }) => [Body, Attributes?.MessageGroupId])).toEqual([
      ['1', 'g'],
      ['2', 'g'],
      ['3', 'g'],
    ]);
  });

  it('fails when a message came from nowhere', async () => {
    const { dead } = await withDeadLetters(sqs);
    await sqs.send(dead, 'sent here');
    await sqs.call('StartMessageMoveTask', { SourceArn: arnOf(dead) });
    await sqs.advance(5);
    expect(await taskOf(dead)).toMatchObject({ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
    expect(await sqs.receiveBodies(dead)).toEqual(['sent here']);
  });

  it('fails when its destination is deleted', async () => {
    const { dead } = await withDeadLetters(sqs, '1', '2', '3', '4');
    const destination = await sqs.createQueue();
    await sqs.call('StartMessageMoveTask', {
      SourceArn: arnOf(dead),
      DestinationArn: arnOf(destination),
      MaxNumberOfMessagesPerSecond: 1,
    });
    await sqs.advance(1);
    await sqs.call('DeleteQueue', { QueueUrl: destination });
    await sqs.advance(5);
    const task = await taskOf(dead);
    expect(task).toMatchObject({ Status: 'FAILED', FailureReason: 'AWS.SimpleQueueService.NonExistentQueue' });
    expect((await sqs.counts(dead)).visible).toBe(4 - (task?.ApproximateNumberOfMessagesMoved ?? 0));
  });
});
