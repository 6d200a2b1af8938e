import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { deferred } from '../../src/server/deferred.ts';
import {
  type AccessServer,
  allow,
  call,
  deny,
  IdentityFolder,
  keepingLogger,
  keysOf,
  OWNER,
  type People,
  policy,
  sdkFor,
  startAccessServer,
} from '../support/access.ts';
import { buildServer, killServers, ServerProcess } from '../support/server-process.ts';

// Rules that change while the server runs, and rules of the listener.

const REREAD = 'identities and policies were read again, and hold from now on';
const KEPT = 'identities and policies cannot be read: the earlier ones stay';

const allowed: People = { [OWNER]: { users: { alice: { policies: { all: policy(allow('sqs:*')) } } } } };
const without: People = { [OWNER]: { users: { alice: {} } } };
const gone: People = { [OWNER]: { users: {} } };

const servers: AccessServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await killServers();
});

async function start(...args: Parameters<typeof startAccessServer>): Promise<AccessServer> {
  const server = await startAccessServer(...args);
  servers.push(server);
  return server;
}

const list = (url: string) => call(url, keysOf('alice'), 'AWS JSON', 'ListQueues');

describe('rules', () => {
  it('are read again when they are asked to be', async () => {
    const { logger, lines } = keepingLogger();
    const server = await start(allowed, { logger });
    expect(await list(server.url)).toMatchObject({ status: 200 });
    await server.folder.write(without);
    await server.reload();
    expect(await list(server.url)).toMatchObject({ status: 403, type: expect.stringContaining('AccessDenied') });
    await server.folder.write(gone);
    await server.reload();
    expect(await list(server.url)).toMatchObject({ type: expect.stringContaining('UnrecognizedClient') });
    expect(lines.filter((line) => line.includes(REREAD)).length).toBeGreaterThanOrEqual(2);
  });

  it('stay as they are when a file is broken', async () => {
    const { logger, lines } = keepingLogger();
    const server = await start(allowed, { logger });
    await writeFile(server.folder.identityFile, '{"version": 1, "accounts": {"1": {}}}');
    await server.reload();
    expect(await list(server.url)).toMatchObject({ status: 200 });
    expect(lines.some((line) => line.includes(KEPT))).toBe(true);
  });

  it('are read again when the file changes', async () => {
    const changed = deferred();
    const { logger } = keepingLogger();
    const info = (_: object, message: string) => message === REREAD && changed.resolve();
    const server = await start(allowed, { logger: { ...logger, info } });
    await server.folder.write(without);
    await changed.promise;
    expect(await list(server.url)).toMatchObject({ status: 403 });
  });
});

describe('the endpoint policy', () => {
  it('limits everybody who comes in that way, and may change', async () => {
    const folder = await IdentityFolder.make(allowed);
    const endpointPolicy = join(folder.path, 'endpoint.json');
    const allowing = (Action: string) =>
      writeFile(endpointPolicy, JSON.stringify(policy({ ...allow(Action), Principal: '*' })));
    await allowing('sqs:SendMessage');
    const server = await start(allowed, { endpointPolicy });
    expect(await list(server.url)).toMatchObject({
      status: 403,
      message: expect.stringMatching(/because no VPC endpoint policy allows the sqs:listqueues action$/),
    });
    await allowing('sqs:*');
    await server.reload();
    expect(await list(server.url)).toMatchObject({ status: 200 });
    await writeFile(
      endpointPolicy,
      JSON.stringify(policy({ ...allow('*'), Principal: '*' }, { ...deny('*'), Principal: '*' })),
    );
    await server.reload();
    expect(await list(server.url)).toMatchObject({
      message: expect.stringMatching(/with an explicit deny in a VPC endpoint policy$/),
    });
    await folder.remove();
  });
});

describe('the built server', () => {
  it.each([0, 1])('holds to its rules with %d workers, reads them on SIGHUP, and logs no secrets', async (workers) => {
    buildServer();
    const folder = await IdentityFolder.make(allowed);
    const server = new ServerProcess(join(folder.path, 'data'), {
      flags: [
        ...['--auth', 'on', '--identity-file', folder.identityFile, '--workers', String(workers)],
        ...['--log-level', 'debug'],
      ],
    });
    const url = await server.url;
    const client = sdkFor(url, keysOf('alice'));
    const body = 'a body that nobody logs';
    expect(await call(url, keysOf('alice'), 'AWS JSON', 'CreateQueue', { QueueName: 'q' })).toMatchObject({
      status: 200,
    });
    const message = { QueueUrl: `${url}/${OWNER}/q`, MessageBody: body };
    expect(await call(url, keysOf('alice'), 'AWS Query', 'SendMessage', message)).toMatchObject({ status: 200 });
    const wrong = { ...keysOf('alice'), secretAccessKey: 'wrong' };
    expect(await call(url, wrong, 'AWS JSON', 'SendMessage', message)).toMatchObject({ status: 403 });
    const reread = server.logs(REREAD);
    await folder.write(without);
    server.signal('SIGHUP');
    await reread;
    expect(await list(url)).toMatchObject({ status: 403 });
    client.destroy();
    await server.kill();
    const log = JSON.stringify(server.log);
    expect(log).toContain('SignatureDoesNotMatch');
    for (const secret of [keysOf('alice').secretAccessKey, keysOf('root').secretAccessKey, body, 'Signature=']) {
      expect(log + server.errorText).not.toContain(secret);
    }
    await folder.remove();
  });

  it('does not serve other machines without access control', async () => {
    buildServer();
    const folder = await IdentityFolder.make(allowed);
    const server = new ServerProcess(join(folder.path, 'data'), { flags: ['--host', '0.0.0.0'] });
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(server.errorText).toBe(
      'stanchion: other machines may reach 0.0.0.0: set auth to on, or insecure to true to let them in with any credentials\n',
    );
    await folder.remove();
  });
});
