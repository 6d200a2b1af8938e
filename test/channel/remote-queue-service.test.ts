import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { QueueServer } from '../../src/channel/queue-server.ts';
import { RemoteQueueService } from '../../src/channel/remote-queue-service.ts';
import { OverloadedError, type QueueService, StoreUnavailableError } from '../../src/engine/queue-service.ts';
import { realPlatform } from '../../src/platform/real.ts';
import type { NewMessage } from '../../src/queue/message.ts';
import { gate } from '../support/gate.ts';
import { socketPair } from '../support/socket-pair.ts';

const NEVER = new AbortController().signal;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A channel to queues of which only some methods are there. */
async function open(queues: Partial<QueueService>, limits?: { calls: number; bytes: number }) {
  const [near, far] = await socketPair();
  sockets.push(near, far);
  new QueueServer(queues as QueueService, realPlatform()).serve(far);
  return { remote: new RemoteQueueService(near, realPlatform(), limits), near, far };
}

function message(body: string): NewMessage {
  return { messageId: 'id', body, bodyMd5: '', attributes: [], senderId: '' };
}

it('answers calls in whatever order they end', async () => {
  const first = gate();
  const { remote } = await open({
    async listMoveTasks(_, limit) {
      if (limit === 1) await first.passed;
      return [];
    },
  });
  const order: string[] = [];
  const slow = remote.listMoveTasks(1, 1).then(() => order.push('slow'));
  await remote.listMoveTasks(1, 2).then(() => order.push('fast'));
  first.open();
  await slow;
  expect(order).toEqual(['fast', 'slow']);
});

it('hands over any other error with its text and the stack of the other side', async () => {
  const { remote } = await open({
    counts() {
      throw new TypeError('a bug');
    },
  });
  const error = await remote.counts(1).catch((reason) => reason);
  expect(error.message).toBe('a bug');
  expect(error.stack).toContain('TypeError: a bug\n');
});

it('says that the way is lost: to calls under way, that nobody knows; to later ones, that nothing was done', async () => {
  const asked = gate();
  const { remote, far } = await open({
    counts() {
      asked.open();
      return new Promise(() => {});
    },
  });
  const underWay = remote.counts(1).catch((reason) => reason);
  await asked.passed;
  far.destroy();
  expect(await underWay).toBeInstanceOf(StoreUnavailableError);
  expect((await underWay).outcome).toBe('unknown');
  expect(await remote.counts(1).catch((reason) => reason)).toMatchObject({ outcome: 'not-applied' });
});

it('ends receives whose caller is gone', async () => {
  const [asked, ended] = [gate(), gate()];
  const { remote, near } = await open({
    receive(_, __, signal) {
      signal.addEventListener('abort', ended.open);
      asked.open();
      return new Promise(() => {});
    },
  });
  remote.receive(1, { maxMessages: 1, waitMs: 20_000 }, NEVER).catch(() => {});
  await asked.passed;
  near.destroy();
  await ended.passed;
});

it('refuses calls beyond the limit, and takes calls again when others are over', async () => {
  const answer = gate();
  const { remote } = await open(
    {
      async counts() {
        await answer.passed;
        return { visible: 0, inFlight: 0, delayed: 0 };
      },
    },
    { calls: 2, bytes: 1000 },
  );
  const taken = [remote.counts(1), remote.counts(1)];
  await expect(remote.counts(1)).rejects.toThrow(OverloadedError);
  answer.open();
  await Promise.all(taken);
  await remote.counts(1);
});

it('holds back calls while too many bytes are under way', async () => {
  const [arrived, answer] = [gate(), gate()];
  const bodies: string[] = [];
  const { remote } = await open(
    {
      async send(_, [sent]) {
        bodies.push(sent?.body.slice(0, 1) ?? '');
        arrived.open();
        await answer.passed;
        return [];
      },
      counts: async () => ({ visible: 0, inFlight: 0, delayed: 0 }),
    },
    { calls: 10, bytes: 1000 },
  );
  const sends = ['a', 'b', 'c'].map((letter) => remote.send(1, [message(letter.repeat(2000))]));
  await arrived.passed;
  expect(bodies).toEqual(['a']);
  answer.open();
  await Promise.all(sends);
  expect(bodies).toEqual(['a', 'b', 'c']);
});

it('reports a call that cannot be written, and goes on', async () => {
  const { remote } = await open({ send: async () => [] });
  const many = Array.from({ length: 300 }, () => message('a'));
  await expect(remote.send(1, many)).rejects.toThrow(RangeError);
  expect(await remote.send(1, [message('a')])).toEqual([]);
});

it('reads no more calls of somebody who does not fetch his replies', async () => {
  let received = 0;
  const body = 'x'.repeat(1024 * 1024);
  const content = { ...message(body), receiptHandle: '', sentAt: 0, receiveCount: 1, firstReceivedAt: 0 };
  const { remote, near, far } = await open({
    async receive() {
      received++;
      return [content];
    },
  });
  near.pause();
  const receive = () => remote.receive(1, { maxMessages: 1, waitMs: 0 }, new AbortController().signal);
  const replies: Promise<unknown>[] = [];
  // What the sockets themselves hold comes on top of the limit.
  while (!far.isPaused()) {
    replies.push(receive());
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(received).toBeLessThan(64);
  expect(far.writableLength).toBeLessThan(64 * 1024 * 1024);
  near.resume();
  await Promise.all(replies);
  expect(received).toBe(replies.length);
  expect(far.isPaused()).toBe(false);
});

it.each([
  ['no length that a frame may have', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['an unknown method', Buffer.from([0, 0, 0, 5, 200, 0, 0, 0, 1])],
  ['a call without its arguments', Buffer.from([0, 0, 0, 5, 0, 0, 0, 0, 1])],
])('closes a channel that carries %s', async (_, bytes) => {
  const { remote, near } = await open({});
  const closed = new Promise((resolve) => near.once('close', resolve));
  near.write(bytes);
  await closed;
  await expect(remote.counts(1)).rejects.toThrow(StoreUnavailableError);
});
