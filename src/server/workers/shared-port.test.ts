import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectionTaker, SharedPort } from './shared-port.ts';

let port: SharedPort;
let bound: { host: string; port: number };
const clients: Socket[] = [];
const taken: Socket[] = [];

beforeEach(async () => {
  port = new SharedPort();
  bound = await port.listen({ host: '127.0.0.1', port: 0 }, () => {});
});
afterEach(() => {
  port.close();
  for (const socket of [...clients.splice(0), ...taken.splice(0)]) socket.destroy();
});

async function connection(): Promise<Socket> {
  const client = connect(bound.port, bound.host);
  clients.push(client);
  await once(client, 'connect');
  return client;
}

/** Answers each connection with a name, as it has it. */
function taker(name: string): ConnectionTaker {
  return {
    give(socket) {
      taken.push(socket);
      socket.write(name);
    },
  };
}

async function answer(client: Socket): Promise<string> {
  const [chunk] = await once(client, 'data');
  return String(chunk);
}

describe('a shared port', () => {
  it('deals connections out in turn', async () => {
    for (const name of ['a', 'b', 'c']) port.add(taker(name));
    const names: string[] = [];
    for (let index = 0; index < 6; index++) names.push(await answer(await connection()));
    expect(names.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('lets them wait while nobody takes any', async () => {
    const only = taker('a');
    port.add(only);
    port.remove(only);
    const answers = [answer(await connection()), answer(await connection())];
    port.add(taker('b'));
    expect(await Promise.all(answers)).toEqual(['b', 'b']);
  });

  it('reads nothing of them', async () => {
    const client = await connection();
    client.write('hello');
    let received: Promise<string> | undefined;
    port.add({
      give(socket) {
        taken.push(socket);
        received = answer(socket);
        socket.resume();
      },
    });
    while (received === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(await received).toBe('hello');
  });

  it('that is closed closes those that wait, and takes no more', async () => {
    const client = await connection();
    // It is there only when its turn of the event loop is over.
    await new Promise((resolve) => setImmediate(resolve));
    port.close();
    client.on('error', () => {});
    await once(client, 'close');
    await expect(connection()).rejects.toThrow(/ECONNREFUSED/);
  });
});
