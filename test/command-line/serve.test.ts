import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';

// The built command, as its users run it.

const COMMAND = join(import.meta.dirname, '../../dist/bin/stanchion.js');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function launch(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  return child;
}

/** Runs to the end. */
async function run(args: string[], env?: NodeJS.ProcessEnv) {
  const child = launch(args, env);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

interface LogLine {
  msg: string;
  url?: string;
  code?: string;
}

/** A server that serves. `log` grows as it writes. */
async function serve(args: string[], env?: NodeJS.ProcessEnv) {
  const child = launch(['serve', '--port', '0', '--store', 'memory', ...args], env);
  const log: LogLine[] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => log.push(JSON.parse(line)));
  await once(lines, 'line');
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, log, url: log[0]?.url ?? '', ended };
}

async function call(url: string, action: string, input: object): Promise<{ status: number; text: string }> {
  const headers = { 'X-Amz-Target': `AmazonSQS.${action}`, 'Content-Type': 'application/x-amz-json-1.0' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) });
  return { status: response.status, text: await response.text() };
}

describe('stanchion', () => {
  it('shows help when it is told nothing', async () => {
    const { code, stdout } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toContain('serve [options]');
  });

  it('tells its version', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('suggests the command that was meant', async () => {
    expect(await run(['serv'])).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean serve?') });
  });
});

describe('stanchion serve', () => {
  it('explains every level of durability', async () => {
    const { stdout } = await run(['serve', '--help']);
    for (const level of ['fsync: ', 'os: ', 'none: ']) expect(stdout).toContain(level);
  });

  it('names each wrong setting in one line, and where it came from', async () => {
    const { code, stdout, stderr } = await run(['serve', '--store', 'redis'], { STANCHION_PORT: 'x' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      'stanchion: port must be a whole number from 0 to 65535, not "x" (STANCHION_PORT)\n' +
        'stanchion: store must be lmdb or memory, not "redis" (--store)\n',
    );
  });

  it('says in one line that the port is in use', async () => {
    const { url } = await serve([]);
    const { port } = new URL(url);
    const second = await run(['serve', '--port', port, '--store', 'memory']);
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `stanchion: cannot listen on 127.0.0.1:${port}: the port is in use\n`,
    });
  });

  it('begins its log with where it serves and that any credentials are accepted', async () => {
    const { log, url } = await serve([]);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(log[0]?.msg).toContain('any credentials are accepted');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('logs a refused request with its code, and never what was sent', async () => {
    const { child, log, url, ended } = await serve([], { STANCHION_LOG_LEVEL: 'debug' });
    await call(url, 'SendMessage', { QueueUrl: 'nowhere', MessageBody: 'private' });
    child.kill();
    await ended;
    expect(log[1]).toMatchObject({
      action: 'SendMessage',
      code: 'AWS.SimpleQueueService.NonExistentQueue',
      status: 400,
    });
    expect(JSON.stringify(log)).not.toContain('private');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('answers open long polls on %s and ends with 0', async (signal) => {
    const { child, url, ended } = await serve([]);
    await call(url, 'CreateQueue', { QueueName: 'a' });
    const poll = call(url, 'ReceiveMessage', { QueueUrl: 'a', WaitTimeSeconds: 20 });
    for (let round = 0; round < 5; round++) await call(url, 'ListQueues', {});
    child.kill(signal);
    expect(await poll).toEqual({ status: 200, text: '{}' });
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('ends at once on a second signal', async () => {
    const { child, url, log, ended } = await serve([]);
    // A client that sends half a request holds up the graceful end.
    const { hostname, port } = new URL(url);
    const { connect } = await import('node:net');
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write('POST / HTTP/1.1\r\n');
    await call(url, 'ListQueues', {});
    child.kill('SIGTERM');
    await expect.poll(() => log.length).toBe(2);
    // Two signals within a moment count as one: see serve.ts.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 143, signal: null });
    socket.destroy();
  });

  it('keeps messages over a restart', async () => {
    const data = await mkdtemp(join(tmpdir(), 'stanchion-serve-'));
    const args = ['--store', 'lmdb', '--data', data];
    const first = await serve(args);
    await call(first.url, 'CreateQueue', { QueueName: 'a' });
    await call(first.url, 'SendMessage', { QueueUrl: 'a', MessageBody: 'kept' });
    first.child.kill();
    await first.ended;
    const second = await serve(args);
    expect((await call(second.url, 'ReceiveMessage', { QueueUrl: 'a' })).text).toContain('"kept"');
    second.child.kill();
    await second.ended;
    await rm(data, { recursive: true });
  });
});
