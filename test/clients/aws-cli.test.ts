import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/start.ts';
import { run } from './programs.ts';

// The AWS CLI, where it is installed.

const { code: versionCode } = await run('aws', ['--version']);

let server: RunningServer;

beforeEach(async () => {
  server = await startServer({ store: 'memory', port: 0 });
});

afterEach(() => server.close());

function needCli(context: TestContext): void {
  if (versionCode !== 0) context.skip('the AWS CLI is not installed: there is no `aws` on the PATH');
}

/** Runs `aws sqs <command>` and returns its output; undefined when there is none. */
// biome-ignore lint/suspicious/noExplicitAny: replies of every action
async function aws(...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await run('aws', ['--endpoint-url', server.url, '--output', 'json', 'sqs', ...args]);
  if (code !== 0) throw new Error(stderr.trim());
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}

describe('the AWS CLI', () => {
  it('takes a queue and a message through their whole lives', async (context) => {
    needCli(context);
    const { QueueUrl: url } = await aws('create-queue', '--queue-name', 'orders', '--attributes', 'DelaySeconds=0');
    expect(url).toBe(`${server.url}/000000000000/orders`);
    const attributes = '{"Size":{"DataType":"Number","StringValue":"6"}}';
    const sent = await aws(
      ...['send-message', '--queue-url', url, '--message-body', 'hello', '--message-attributes', attributes],
    );
    const { Messages } = await aws(
      ...['receive-message', '--queue-url', url, '--message-system-attribute-names', 'All'],
      ...['--message-attribute-names', 'All', '--wait-time-seconds', '1'],
    );
    expect(Messages).toMatchObject([
      {
        MessageId: sent.MessageId,
        Body: 'hello',
        MD5OfBody: '5d41402abc4b2a76b9719d911017c592',
        MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
        Attributes: { ApproximateReceiveCount: '1' },
        MessageAttributes: { Size: { DataType: 'Number', StringValue: '6' } },
      },
    ]);
    await aws('delete-message', '--queue-url', url, '--receipt-handle', Messages[0].ReceiptHandle);
    expect(await aws('receive-message', '--queue-url', url)).toBeUndefined();
    await aws('tag-queue', '--queue-url', url, '--tags', 'team=billing');
    expect(await aws('list-queue-tags', '--queue-url', url)).toEqual({ Tags: { team: 'billing' } });
    await aws('delete-queue', '--queue-url', url);
    expect(await aws('list-queues')).toBeUndefined();
  });

  it('pages through queues by itself', async (context) => {
    needCli(context);
    for (const name of ['a', 'b', 'c']) await aws('create-queue', '--queue-name', name);
    const { QueueUrls } = await aws('list-queues', '--page-size', '2');
    expect(QueueUrls).toEqual(['a', 'b', 'c'].map((name) => `${server.url}/000000000000/${name}`));
  });

  it('reports errors as it does of AWS', async (context) => {
    needCli(context);
    await expect(aws('get-queue-url', '--queue-name', 'missing')).rejects.toThrow(
      'An error occurred (AWS.SimpleQueueService.NonExistentQueue) when calling the GetQueueUrl operation: ' +
        'The specified queue does not exist.',
    );
  });
});
