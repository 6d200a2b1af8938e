import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { LoadAgent } from './load-agent.ts';

it('creates queues, lists them page by page, and keeps receives open', async () => {
  const polls: ServerResponse[] = [];
  const created: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const input = JSON.parse(Buffer.concat(chunks).toString());
    const action = String(request.headers['x-amz-target']).split('.')[1];
    if (action === 'ReceiveMessage') {
      polls.push(response);
      return;
    }
    if (action === 'CreateQueue') created.push(input.QueueName);
    // Three pages, then from the start again.
    const NextToken = { undefined: '1', '1': '2', '2': undefined }[String(input.NextToken)];
    const body = JSON.stringify(action === 'ListQueues' ? { NextToken } : { QueueUrl: input.QueueName });
    response.writeHead(200, { 'Content-Length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new LoadAgent(() => {});
  await agent.open({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    protocol: 'json',
    credentials: undefined,
  });
  expect(await agent.createQueues(20, 3)).toMatchObject({ count: 20 });
  expect(new Set(created).size).toBe(20);
  expect((await agent.listQueues(0.05))!.count % 3).toBe(0);
  await agent.openPolls(30);
  await expect.poll(() => polls.length).toBe(30);
  agent.close();
  server.closeAllConnections();
  server.close();
});
