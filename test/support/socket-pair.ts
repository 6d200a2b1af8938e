import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Two sockets that are connected with one another. */
export async function socketPair(): Promise<[Socket, Socket]> {
  const server = createServer({ noDelay: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true });
  const [[far]] = await Promise.all([once(server, 'connection'), once(near, 'connect')]);
  server.close();
  return [near, far];
}
