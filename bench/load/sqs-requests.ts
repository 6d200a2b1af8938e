import { type Credentials, Signer } from './signature.ts';
import { PROTOCOLS, type ProtocolName, type SqsInput, type SqsProtocol } from './sqs-protocol.ts';

export interface Endpoint {
  url: string;
  protocol: ProtocolName;
  /** Undefined: a signature that nobody must check is sent. */
  credentials: Credentials | undefined;
}

const UNCHECKED =
  'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20250101/us-east-1/sqs/aws4_request, ' +
  `SignedHeaders=content-type;host;x-amz-date, Signature=${'0'.repeat(64)}`;

/** Writes requests for one server, with the head that current SDKs send. */
export class SqsRequests {
  readonly protocol: SqsProtocol;
  readonly #host: string;
  readonly #isJson: boolean;
  readonly #signer: Signer | undefined;

  constructor({ url, protocol, credentials }: Endpoint) {
    this.protocol = PROTOCOLS[protocol];
    this.#host = new URL(url).host;
    this.#isJson = protocol === 'json';
    this.#signer = credentials && new Signer(credentials);
  }

  /** A whole HTTP request. A signed one is good for minutes only. */
  encode(action: string, input: SqsInput): Buffer {
    const body = this.protocol.bodyOf(action, input);
    const headers: Record<string, string> = {
      host: this.#host,
      'content-type': this.protocol.contentType,
      'x-amz-date': this.#signer === undefined ? '20250101T000000Z' : now(),
    };
    if (this.#isJson) headers['x-amz-target'] = `AmazonSQS.${action}`;
    const authorization = this.#signer?.authorization(headers, body) ?? UNCHECKED;
    let head = 'POST / HTTP/1.1\r\n';
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    head +=
      `authorization: ${authorization}\r\n` +
      'user-agent: aws-sdk-js/3.0.0 stanchion-load\r\naccept: */*\r\nconnection: keep-alive\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return Buffer.from(head + body);
  }
}

/** "20250101T000000Z" */
function now(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, '');
}
