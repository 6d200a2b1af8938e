import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpConnection } from './http-connection.ts';
import { SqsRequests } from './sqs-requests.ts';

const REQUESTS = new SqsRequests({ url: 'http://localhost', protocol: 'json', credentials: undefined });

const servers: { close(): unknown }[] = [];
afterEach(() => servers.splice(0).forEach((server) => void server.close()));

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes the given pieces when a request comes, each in a packet of its own. */
function servingPieces(...pieces: string[]): Promise<string> {
  return listen(
    createTcpServer((socket) => {
      socket.setNoDelay();
      socket.once('data', async () => {
        for (const piece of pieces) {
          await new Promise((resolve) => socket.write(piece, resolve));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
    }),
  );
}

describe('HttpConnection', () => {
  it('sends requests one after the other on one connection', async () => {
    let connections = 0;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = `${request.headers['x-amz-target']} ${Buffer.concat(chunks)}`;
      response.writeHead(201, { 'Content-Length': Buffer.byteLength(body) }).end(body);
    });
    server.on('connection', () => connections++);
    const connection = await HttpConnection.open(await listen(server));
    for (const text of ['a', 'ä'.repeat(100_000)]) {
      const { status, body } = await connection.request(REQUESTS.encode('SendMessage', { text }));
      expect(status).toBe(201);
      expect(body.toString()).toBe(`AmazonSQS.SendMessage {"text":"${text}"}`);
    }
    expect(connections).toBe(1);
    connection.close();
  });

  it('puts a reply together from its pieces', async () => {
    const url = await servingPieces('HTTP/1.1 200 OK\r\ncontent-le', 'ngth: 6\r\n\r', '\nabc', 'def');
    const connection = await HttpConnection.open(url);
    const { body } = await connection.request(REQUESTS.encode('ListQueues', {}));
    expect(body.toString()).toBe('abcdef');
    connection.close();
  });

  it('rejects when the connection ends before the reply does', async () => {
    const url = await listen(createTcpServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n'))));
    const connection = await HttpConnection.open(url);
    await expect(connection.request(REQUESTS.encode('ListQueues', {}))).rejects.toThrow('closed the connection');
    expect(connection.isOpen).toBe(false);
    await expect(connection.request(REQUESTS.encode('ListQueues', {}))).rejects.toThrow('closed the connection');
  });

  it('says that it cannot read a reply without a length', async () => {
    const url = await servingPieces('HTTP/1.1 200 OK\r\nServer: a\r\n\r\n');
    const connection = await HttpConnection.open(url);
    await expect(connection.request(REQUESTS.encode('ListQueues', {}))).rejects.toThrow('how long a reply is');
  });
});
