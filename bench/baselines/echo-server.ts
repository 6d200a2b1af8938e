// What any SQS server on node:http has to do at least: parse a request, take the MD5 of the body, write a reply.

import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { MessageBody } = JSON.parse(Buffer.concat(chunks).toString()) as { MessageBody: string };
    const reply = JSON.stringify({
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      MessageId: randomUUID(),
    });
    response.writeHead(200, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(reply),
    });
    response.end(reply);
  });
});

server.listen(0, '127.0.0.1', () => {
  // The first line of a server's log, as far as the benchmark reads it.
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
