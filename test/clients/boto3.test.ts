import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/start.ts';
import { run } from './programs.ts';

// boto3, where Python has it.

const { code: importCode } = await run('python3', ['-c', 'import boto3']);
const script = fileURLToPath(new URL('boto3-life-cycle.py', import.meta.url));

let server: RunningServer;

beforeEach(async () => {
  server = await startServer({ store: 'memory', port: 0 });
});

afterEach(() => server.close());

describe('boto3', () => {
  it('takes queues and messages through their whole lives', async (context) => {
    if (importCode !== 0) context.skip('boto3 is not installed: python3 cannot import it');
    const { code, stderr } = await run('python3', [script, server.url]);
    // The script asserts by itself, and says what failed.
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
