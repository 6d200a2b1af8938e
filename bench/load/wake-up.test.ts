import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { LoadAgent } from './load-agent.ts';

const WAKE_UP_MS = 20;

/** Holds receives until a message is sent, and gives it to the first of them a while later. */
function startServer() {
  const waiting: ServerResponse[] = [];
  let messages = 0;
  const answer = (response: ServerResponse, reply: object) => {
    const body = JSON.stringify(reply);
    response.writeHead(200, { 'Content-Length': body.length }).end(body);
  };
  const serve = () => {
    for (; messages > 0 && waiting.length > 0; messages--) {
      const response = waiting.shift()!;
      setTimeout(() => answer(response, { Messages: [{ ReceiptHandle: 'x' }] }), WAKE_UP_MS);
    }
  };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const action = String(request.headers['x-amz-target']).split('.')[1];
      if (action === 'ReceiveMessage') waiting.push(response);
      else answer(response, {});
      if (action === 'SendMessage') messages++;
      serve();
    });
  });
  return new Promise<{ url: string; close(): void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      resolve({ url, close: () => server.close() });
    });
  });
}

it('times a wake-up from the acknowledgement of the send, and leaves no receive waiting', async () => {
  const { url, close } = await startServer();
  const agent = new LoadAgent(() => {});
  await agent.open({ url, protocol: 'json', credentials: undefined });
  const queue = { url: 'http://queue', bodyBytes: 1, groups: 0, delaySeconds: 0 };
  const plan = { name: 'test', queue, connections: 3, seconds: 0.3, warmupSeconds: 0, requestMs: 0 };
  const { messages, requests } = await agent.measureWakeUps(plan);
  agent.close();
  close();
  expect(messages).toBeGreaterThan(2);
  expect(requests['wake-up']!.count).toBe(messages);
  expect(requests['wake-up']!.latency.p50).toBeGreaterThan(WAKE_UP_MS - 5);
  expect(requests['wake-up']!.latency.p50).toBeLessThan(WAKE_UP_MS + 100);
  // Without a commit, only the time of the deletion is taken off.
  expect(requests['wake-up over a commit']!.latency.p50).toBeLessThan(requests['wake-up']!.latency.p50);
});
