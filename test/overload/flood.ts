import { Agent, request as httpRequest } from 'node:http';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A client that has as many connections as it has requests, and never tries again by itself. */
export class Flood {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  json(action: string, input: object): Promise<Reply> {
    const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `AmazonSQS.${action}` };
    return this.#send(headers, Buffer.from(JSON.stringify(input)));
  }

  form(parameters: Record<string, string | number>): Promise<Reply> {
    const form = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
    return this.#send({ 'Content-Type': 'application/x-www-form-urlencoded' }, Buffer.from(form.join('&')));
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Rejects when the connection is closed without a reply. */
  #send(headers: Record<string, string>, body: Buffer): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const options = { port: this.#port, host: '127.0.0.1', method: 'POST', agent: this.#agent };
      const request = httpRequest({ ...options, headers: { ...headers, 'Content-Length': body.length } });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** What is wrong with a refusal, if anything: it has to be one that an SDK understands and tries again. */
export function faultOfRefusal({ status, headers, body }: Reply): string | undefined {
  const text = body.toString('utf8', 0, 1000);
  const isClean =
    headers['content-type'] === 'text/xml'
      ? /<Type>Receiver<\/Type><Code>ServiceUnavailable<\/Code>/.test(text)
      : headers['x-amzn-query-error'] === 'ServiceUnavailable;Receiver' && JSON.parse(text).message !== '';
  return status === 503 && isClean ? undefined : `${status} ${text}`;
}
