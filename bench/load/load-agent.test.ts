import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LoadAgent } from './load-agent.ts';
import type { LoadEvent, QueueTarget, StepName } from './plan.ts';

/** As much of SQS as the steps need: one queue, with numbered handles. */
class FakeQueue {
  readonly actions: string[] = [];
  depth = 0;
  refuse = false;
  #handles = 0;

  reply(
    action: string,
    { Entries, MaxNumberOfMessages = 1 }: { Entries?: object[]; MaxNumberOfMessages?: number },
  ): object {
    this.actions.push(action);
    if (action === 'CreateQueue') return { QueueUrl: 'http://queue' };
    if (action.startsWith('SendMessage')) this.depth += Entries?.length ?? 1;
    if (action !== 'ReceiveMessage') return {};
    const count = Math.min(MaxNumberOfMessages, this.depth);
    this.depth -= count;
    return { Messages: Array.from({ length: count }, () => ({ ReceiptHandle: `handle-${this.#handles++}` })) };
  }
}

let queue: FakeQueue;
let agent: LoadAgent;
let events: LoadEvent[];
let target: QueueTarget;
const server = createServer(async (request, response) => {
  const input = JSON.parse(await textOf(request)) as object;
  const action = String(request.headers['x-amz-target']).split('.')[1] as string;
  const body = JSON.stringify(queue.reply(action, input));
  response.writeHead(queue.refuse ? 503 : 200, { 'Content-Length': body.length }).end(body);
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

beforeEach(async () => {
  queue = new FakeQueue();
  events = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  agent = new LoadAgent((event) => events.push(event));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await agent.open({ url, protocol: 'json', credentials: undefined });
  target = await agent.createQueue({ bodyBytes: 10, groups: 0, delaySeconds: 0 });
  queue.actions.length = 0;
});
afterEach(() => {
  agent.close();
  server.close();
});

function measure(step: StepName) {
  const roles = [{ step, connections: 4 }];
  return agent.measure({ name: 'test', queue: target, roles, seconds: 0.2, warmupSeconds: 0 });
}

describe('LoadAgent', () => {
  it('fills a queue with no more than it was told, but for the requests under way', async () => {
    await agent.fill(target, 1000, 8);
    expect(queue.depth).toBeGreaterThanOrEqual(1000);
    expect(queue.depth).toBeLessThan(1080);
  });

  it('empties a queue', async () => {
    await agent.fill(target, 200, 1);
    expect(await agent.drain(target, 4)).toMatchObject({ messages: 200 });
  });

  it.each<StepName>(['lifecycle', 'lifecycleTen'])('leaves a queue as deep as it was: %s', async (step) => {
    await agent.fill(target, 100, 1);
    const { messages, ranDry } = await measure(step);
    expect(ranDry).toBe(false);
    expect(messages).toBeGreaterThan(0);
    expect(queue.depth).toBe(100);
    expect(events).toEqual([{ kind: 'started' }]);
  });

  it('holds producers back', async () => {
    await agent.fill(target, 100, 1);
    const roles = [
      { step: 'send', connections: 8 },
      { step: 'receiveAndDelete', connections: 1 },
    ] as const;
    const plan = { name: 'test', queue: target, roles, seconds: 0.2, warmupSeconds: 0, steadyDepth: 100 };
    const { messages, requests } = await agent.measure(plan);
    expect(messages).toBeGreaterThan(0);
    expect(queue.depth).toBeLessThanOrEqual(110);
    expect(requests.SendMessage!.count).toBeLessThan(messages + 20);
  });

  it('ends a measurement when a queue is empty', async () => {
    await agent.fill(target, 50, 1);
    const result = await measure('receiveAndDeleteTen');
    expect(result).toMatchObject({ messages: 50, ranDry: true, requests: { DeleteMessageBatch: { count: 5 } } });
  });

  it('fails when the server refuses a request', async () => {
    queue.refuse = true;
    await expect(measure('send')).rejects.toThrow('SendMessage was refused: 503');
  });

  it('opens connections again that the server has closed', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await agent.fill(target, 10, 1);
    expect(queue.depth).toBe(10);
  });
});
