import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import * as sdk from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateFiles, selfSigned } from '../support/self-signed.ts';
import { buildServer, ServerProcess } from '../support/server-process.ts';

// The built server: workers do the handshakes, and SIGHUP has all of them take the new certificate.

let data: string;
let server: ServerProcess;
let files: Awaited<ReturnType<typeof certificateFiles>>;
let secureUrl: string;

beforeAll(async () => {
  buildServer();
  data = await mkdtemp(join(tmpdir(), 'stanchion-tls-workers-'));
  files = await certificateFiles();
  const tls = ['--tls-port', '0', '--tls-cert', files.tlsCert, '--tls-key', files.tlsKey];
  server = new ServerProcess(data, { flags: ['--workers', '2', ...tls], ownGroup: true });
  await server.url;
  secureUrl = server.log[0]?.secureUrl as string;
});
afterAll(async () => {
  await server.kill();
  await Promise.all([rm(data, { recursive: true }), files.remove()]);
});

function nameServed(ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(secureUrl).port), host: '127.0.0.1', ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

it('serves the AWS SDK over TLS, each request by another worker', async () => {
  const client = new sdk.SQSClient({
    endpoint: secureUrl,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
    requestHandler: { httpsAgent: new Agent({ ca: files.ca, keepAlive: false }) },
  });
  const { QueueUrl } = await client.send(new sdk.CreateQueueCommand({ QueueName: 'a' }));
  expect(QueueUrl).toBe(`${secureUrl}/000000000000/a`);
  await client.send(new sdk.SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
  const { Messages = [] } = await client.send(new sdk.ReceiveMessageCommand({ QueueUrl }));
  expect(Messages.map(({ Body }) => Body)).toEqual(['hello']);
  client.destroy();
  const plain = await fetch(`${await server.url}/?Action=GetQueueUrl&QueueName=a`);
  expect(await plain.text()).toContain(`<QueueUrl>${await server.url}/000000000000/a</QueueUrl>`);
});

it('takes a renewed certificate at SIGHUP, in every worker, and goes on without a broken one', async () => {
  const renewed = selfSigned({ name: 'renewed' });
  await files.replace(renewed);
  // To all processes at once: it is the main one's business only.
  const read = server.logs('the certificate was read again');
  server.signalGroup('SIGHUP');
  await read;
  // The workers are told in the turn in which it is logged, and connections that come later do not overtake that.
  for (let index = 0; index < 4; index++) expect(await nameServed(renewed.cert)).toBe('renewed');

  await files.replace({ ...renewed, key: selfSigned().key });
  const refused = server.logs('the certificate in use stays: the new one is no good');
  server.signal('SIGHUP');
  await refused;
  for (let index = 0; index < 4; index++) expect(await nameServed(renewed.cert)).toBe('renewed');
});

it('gives the certificate in use to a worker that takes the place of another', async () => {
  const renewed = selfSigned({ name: 'again' });
  await files.replace(renewed);
  const read = server.logs('the certificate was read again');
  server.signal('SIGHUP');
  await read;
  for (const worker of server.log[0]?.workers ?? []) {
    const replaced = server.logs('another worker is there');
    process.kill(worker, 'SIGKILL');
    await replaced;
  }
  for (let index = 0; index < 4; index++) expect(await nameServed(renewed.cert)).toBe('again');
});
