import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Load, type LoadEvent, type LoadPlan, type Step } from './load.ts';
import { sqsRequest } from './sqs-request.ts';

let requests = 0;
let events: LoadEvent[] = [];
const server = createServer((request, response) => {
  requests++;
  request.resume().on('end', () => response.writeHead(requests > 500 ? 503 : 200, { 'Content-Length': 0 }).end());
});

beforeEach(async () => {
  requests = 0;
  events = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => void server.close());

function open(): Promise<Load> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plan: LoadPlan = {
    scenario: '',
    url,
    connections: 4,
    seconds: 60,
    warmupSeconds: 0,
    bodyBytes: 1,
    groups: 0,
    prefill: 0,
  };
  return Load.open(plan, (event) => events.push(event));
}

const step: Step = async (connection) => {
  await connection.call('ListQueues', sqsRequest('ListQueues', {}));
  return 10;
};

describe('Load', () => {
  it('repeats a step as often as it takes, on all connections together', async () => {
    const load = await open();
    await load.repeat(400, step);
    load.close();
    // Each connection may have begun one more than was needed.
    expect(requests).toBeGreaterThanOrEqual(40);
    expect(requests).toBeLessThan(44);
  });

  it('ends a measurement when a step has nothing left to do', async () => {
    const load = await open();
    let left = 100;
    await load.measure('test', async (connection) => (left-- > 0 ? step(connection) : 0));
    load.close();
    expect(events).toMatchObject([
      { kind: 'started', name: 'test' },
      {
        kind: 'measured',
        measurement: { name: 'test', messages: 1000, ranDry: true, requests: { ListQueues: { count: 100 } } },
      },
    ]);
  });

  it('fails when the server refuses a request', async () => {
    const load = await open();
    await expect(load.repeat(10_000, step)).rejects.toThrow('ListQueues was refused: 503');
    load.close();
  });
});
