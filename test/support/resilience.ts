import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { RawConnection, type RawReply, type RawRequest, requestBytes } from './raw-connection.ts';
import { Sqs } from './sqs.ts';
import { child, childText, parseXml } from './xml.ts';

/** A reply as seen by a client that knows its protocol. */
export interface Verdict {
  status: number;
  /** The code of the error in AWS Query, `undefined` for a success. */
  code: string | undefined;
  message: string;
  text: string;
}

/**
 * A server for the tests of a file that send it nonsense. After each test it has to be well: it answers, it has not
 * failed inside, and the messages of other clients are what they were.
 */
export function useResilientServer(): ResilientServer {
  const target = new ResilientServer();
  beforeAll(() => target.start());
  afterEach(() => target.expectWell());
  afterAll(() => target.stop());
  return target;
}

export class ResilientServer {
  readonly sqs = new Sqs('AWS JSON');
  readonly #failures: string[] = [];
  #canary = '';
  #bystander = '';
  #fifoBystander = '';

  async start(): Promise<void> {
    const error = (fields: object, message: string): void => {
      this.#failures.push(`${message} ${JSON.stringify(fields)}`);
    };
    const ignore = (): void => {};
    await this.sqs.start({ relaxedTimers: true, logger: { debug: ignore, info: ignore, warn: ignore, error } });
    this.#canary = await this.sqs.createQueue({}, 'canary');
    // The messages of somebody else: visible, in flight and delayed, and in order.
    this.#bystander = await this.sqs.createQueue({ MessageRetentionPeriod: '1209600' }, 'bystander');
    await this.sqs.send(this.#bystander, 'in flight');
    await this.sqs.receive(this.#bystander, { VisibilityTimeout: 43_200 });
    await this.sqs.send(this.#bystander, 'visible');
    await this.sqs.send(this.#bystander, 'delayed', { DelaySeconds: 900 });
    this.#fifoBystander = await this.sqs.createFifoQueue({}, 'bystander.fifo');
    for (const body of ['1', '2', '3']) await this.sqs.sendToGroup(this.#fifoBystander, 'g', body);
  }

  stop(): Promise<void> {
    return this.sqs.stop();
  }

  get port(): number {
    return this.sqs.server.port;
  }

  open(): Promise<RawConnection> {
    return RawConnection.open(this.port);
  }

  /** The reply to one request on a connection of its own, which HTTP allows the server to close. */
  async send(request: RawRequest | Buffer): Promise<RawReply> {
    const connection = await this.open();
    try {
      return await connection.exchange(Buffer.isBuffer(request) ? request : requestBytes(request));
    } finally {
      connection.close();
    }
  }

  /** Sends a body of AWS JSON as it is. */
  async json(action: string, body: string | Buffer, more: RawRequest = {}): Promise<Verdict> {
    const headers = {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `AmazonSQS.${action}`,
      ...more.headers,
    };
    return jsonVerdict(await this.send({ ...more, headers, body }));
  }

  /** Sends a form of AWS Query as it is. */
  async form(body: string | Buffer, more: RawRequest = {}): Promise<Verdict> {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', ...more.headers };
    return queryVerdict(await this.send({ ...more, headers, body }));
  }

  async expectWell(): Promise<void> {
    const health = await this.send({ method: 'GET', target: '/health' });
    expect(health.status).toBe(200);
    expect(JSON.parse(health.body)).toMatchObject({ status: 'ok' });
    await this.sqs.send(this.#canary, 'alive');
    const [message] = await this.sqs.receive(this.#canary);
    expect(message?.Body).toBe('alive');
    await this.sqs.delete(this.#canary, message?.ReceiptHandle);

    const [bystander, fifo] = [this.#bystander, this.#fifoBystander];
    expect(await this.sqs.counts(bystander)).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
    expect(await this.sqs.receiveBodies(bystander, { VisibilityTimeout: 0 })).toEqual(['visible']);
    expect(await this.sqs.receiveBodies(fifo, { VisibilityTimeout: 0 })).toEqual(['1', '2', '3']);
    // What failed inside says why in the log.
    expect(this.#failures.splice(0)).toEqual([]);
  }
}

/** Checks that a reply is a success or a proper error of AWS JSON, and the fault of the sender. */
export function jsonVerdict({ status, headers, body: text }: RawReply): Verdict {
  expectDecentStatus(status, text);
  expect(headers['content-type']).toBe('application/x-amz-json-1.0');
  expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/);
  const body = text === '' ? {} : JSON.parse(text);
  if (status < 300) return { status, code: undefined, message: '', text };
  const [code, fault, ...more] = headers['x-amzn-query-error']?.split(';') ?? [];
  expect([fault, ...more]).toEqual(['Sender']);
  expect(code).toMatch(/^[\w.]+$/);
  expect(body).toEqual({ __type: expect.stringMatching(/^com\.amazon[\w.]*#\w+$/), message: expect.any(String) });
  return { status, code, message: body.message, text };
}

/** Checks that a reply is a success or a proper error of AWS Query, and the fault of the sender. */
export function queryVerdict({ status, headers, body: text }: RawReply): Verdict {
  expectDecentStatus(status, text);
  expect(headers['content-type']).toMatch(/^text\/xml/);
  const root = parseXml(text);
  if (status < 300) {
    expect(childText(child(root, 'ResponseMetadata'), 'RequestId')).toMatch(/^[0-9a-f-]{36}$/);
    return { status, code: undefined, message: '', text };
  }
  // What is no attempt to call an action gets an error of its own (SQS: section 1.2).
  if (root.name === 'UnknownOperationException') return { status, code: root.name, message: '', text };
  const error = child(root, 'Error');
  expect(childText(error, 'Type')).toBe('Sender');
  expect(childText(error, 'Code')).toMatch(/^[\w.]+$/);
  return { status, code: childText(error, 'Code'), message: childText(error, 'Message'), text };
}

function expectDecentStatus(status: number, text: string): void {
  if ((status >= 200 && status < 300) || (status >= 400 && status < 500)) return;
  expect.fail(`HTTP status ${status}: ${text}`);
}
