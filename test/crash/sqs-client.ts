import { HttpConnection } from '../../bench/load/http-connection.ts';
import type { SqsInput } from '../../bench/load/sqs-protocol.ts';
import { SqsRequests } from '../../bench/load/sqs-requests.ts';

const REQUESTS = new SqsRequests({ url: 'http://localhost', protocol: 'json', credentials: undefined });

/** An answer that says no. */
export class RefusedError extends Error {
  readonly code: string;

  constructor(action: string, status: number, body: string) {
    super(`${action} was refused: ${status} ${body}`);
    this.code = /"__type":"[^"]*#([^"]+)"/.exec(body)?.[1] ?? 'none';
  }
}

/** The server went away before it answered. */
export class LostAnswerError extends Error {}

/** One connection to a server that comes and goes. */
export class SqsClient {
  readonly #server: { url: Promise<string> };
  #connection: HttpConnection | undefined;

  constructor(server: { url: Promise<string> }) {
    this.#server = server;
  }

  /** A client with a connection. */
  static async connect(server: { url: Promise<string> }): Promise<SqsClient> {
    const client = new SqsClient(server);
    await client.connected();
    return client;
  }

  /** Resolves when there is a connection to ask on. */
  async connected(): Promise<void> {
    while (this.#connection?.isOpen !== true) {
      // The server may be killed between its start and the connection.
      this.#connection = await HttpConnection.open(await this.#server.url).catch(() => undefined);
    }
  }

  /**
   * Asks at once: there must be a connection.
   *
   * @throws RefusedError, LostAnswerError
   */
  // biome-ignore lint/suspicious/noExplicitAny: replies of every action
  async call(action: string, input: object): Promise<any> {
    let reply: { status: number; body: Buffer };
    try {
      reply = await this.#connection!.request(REQUESTS.encode(action, input as SqsInput));
    } catch (cause) {
      throw new LostAnswerError(`The answer to ${action} was lost.`, { cause });
    }
    const text = reply.body.toString();
    if (reply.status !== 200) throw new RefusedError(action, reply.status, text);
    return text === '' ? {} : JSON.parse(text);
  }

  close(): void {
    this.#connection?.close();
  }
}
