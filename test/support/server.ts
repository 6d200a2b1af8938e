import { SQSClient } from '@aws-sdk/client-sqs';
import { type ManualClock, manualClock, type RunningServer, type ServerOptions, startServer } from '../../src/index.ts';
import { QueryClient } from './query-client.ts';

/** Where the clock of a test server stands at first: 14 November 2023, 22:13:20. */
export const START_TIME = 1_700_000_000_000;

/** A server in this process, with messages in memory and a clock that moves only when it is told to. */
export interface TestServer extends RunningServer {
  readonly clock: ManualClock;
  /** The AWS SDK: AWS JSON. */
  readonly sdk: SQSClient;
  /** AWS Query. */
  readonly query: QueryClient;
}

export async function startTestServer(options: Omit<ServerOptions, 'clock'> = {}): Promise<TestServer> {
  const clock = manualClock({ startAt: START_TIME });
  const server = await startServer({ store: 'memory', port: 0, ...options, clock });
  const sdk = sdkClient(server.url);
  return {
    url: server.url,
    port: server.port,
    secureUrl: server.secureUrl,
    clock,
    sdk,
    query: new QueryClient(server.url),
    reload: () => server.reload(),
    async close() {
      sdk.destroy();
      await server.close();
    },
  };
}

/** The AWS SDK with any credentials, and without retries: a test wants to see the first answer. */
export function sdkClient(url: string): SQSClient {
  return new SQSClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
}
