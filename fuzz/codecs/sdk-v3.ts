import * as sdk from '@aws-sdk/client-sqs';
import type { WireReply, WireRequest } from '../../src/protocol/wire.ts';

/** The AWS SDK v3, all of it but the network: what it would send goes to `serve`, and what that answers is its reply. */
export class SdkV3 {
  readonly #client: sdk.SQSClient;
  #serve: (request: WireRequest) => WireReply = () => {
    throw new Error('nobody is served');
  };

  constructor() {
    this.#client = new sdk.SQSClient({
      endpoint: 'http://localhost:9324',
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
      maxAttempts: 1,
      // The digests in these replies are any text.
      md5: false,
      requestHandler: {
        handle: async (request: {
          method: string;
          path: string;
          headers: Record<string, string>;
          body: Uint8Array;
        }) => ({
          response: this.#answer(request),
        }),
      } as unknown as sdk.SQSClientConfig['requestHandler'],
    });
  }

  /** Has an action carried out: `serve` sees the request, and the caller gets what the SDK makes of its reply. */
  async call(
    action: string,
    input: object,
    serve: (request: WireRequest) => WireReply,
  ): Promise<Record<string, unknown>> {
    this.#serve = serve;
    const commands = sdk as unknown as Record<string, new (input: object) => sdk.ListQueuesCommand>;
    const { $metadata: _, ...output } = await this.#client.send(new commands[`${action}Command`]!(input));
    return output as Record<string, unknown>;
  }

  #answer({
    method,
    path,
    headers,
    body,
  }: {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: Uint8Array;
  }): object {
    const reply = this.#serve({
      method,
      path,
      query: '',
      headers,
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    });
    return {
      statusCode: reply.status,
      headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.from(reply.body),
    };
  }
}
