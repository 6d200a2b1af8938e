import { describe, expect, it } from 'vitest';
import { type Sqs, useSqs } from '../support/sqs.ts';

/** SQS: section 5.9 */
describe('A fair queue', () => {
  const sqs = useSqs();

  it('does not order the messages of a tenant by lock: all can be in flight at once', async () => {
    const queue = await sqs.createQueue();
    for (const body of ['1', '2', '3']) await sqs.send(queue, body, { MessageGroupId: 'tenant' });
    expect(await sqs.receive(queue, { MaxNumberOfMessages: 1 })).toHaveLength(1);
    expect(await sqs.receive(queue)).toHaveLength(2);
  });

  it('serves quiet tenants before one that holds much of what is in flight', async () => {
    const queue = await sqs.createQueue();
    await sendMany(sqs, queue, 'noisy', 60);
    await receiveMany(sqs, queue, 30);
    for (const tenant of ['quiet-1', 'quiet-2']) await sqs.send(queue, tenant, { MessageGroupId: tenant });
    await sqs.send(queue, 'of nobody');
    const next = await sqs.receiveBodies(queue, { MaxNumberOfMessages: 3 });
    expect(next.sort()).toEqual(['of nobody', 'quiet-1', 'quiet-2']);
  });

  it('goes on serving a noisy tenant when there is no other', async () => {
    const queue = await sqs.createQueue();
    await sendMany(sqs, queue, 'noisy', 60);
    await receiveMany(sqs, queue, 60);
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 60, delayed: 0 });
  });

  it('serves that one of several noisy tenants that has the fewest in flight', async () => {
    const queue = await sqs.createQueue();
    await sendMany(sqs, queue, 'a', 60);
    await receiveMany(sqs, queue, 50);
    await sendMany(sqs, queue, 'b', 60);
    expect(new Set(await receiveMany(sqs, queue, 40))).toEqual(new Set(['b']));
    expect(await receiveMany(sqs, queue, 10)).toEqual(new Array(10).fill('b'));
  });
});

/** Sends messages whose body is the tenant. */
async function sendMany(sqs: Sqs, queue: string, tenant: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 10) {
    await sqs.call('SendMessageBatch', {
      QueueUrl: queue,
      Entries: Array.from({ length: 10 }, (_, index) => ({
        Id: String(index),
        MessageBody: tenant,
        MessageGroupId: tenant,
      })),
    });
  }
}

async function receiveMany(sqs: Sqs, queue: string, count: number): Promise<(string | undefined)[]> {
  const bodies: (string | undefined)[] = [];
  while (bodies.length < count) {
    const more = await sqs.receiveBodies(queue, { VisibilityTimeout: 3600 });
    if (more.length === 0) throw new Error(`only ${bodies.length} messages`);
    bodies.push(...more);
  }
  return bodies;
}
