import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { SignedRequest } from '../../src/auth/sigv4/signature-verifier.ts';

/** Signs requests as the AWS SDK for JavaScript does, for tests: somebody else's reading of the same specification. */

export interface Unsigned {
  method: string;
  path: string;
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  body?: string;
}

export interface SigningOptions {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region?: string;
  service?: string;
  /** Epoch milliseconds. */
  at: number;
}

export const HOST = 'localhost:9324';

/** With an Authorization header. */
export async function sign(request: Unsigned, options: SigningOptions): Promise<SignedRequest> {
  const signed = await signerOf(options).sign(smithyRequest(request), { signingDate: new Date(options.at) });
  return fromSmithy(signed as SmithyRequest, request.body);
}

/** With everything in the query string. */
export async function presign(request: Unsigned, options: SigningOptions, expiresIn: number): Promise<SignedRequest> {
  // Which action it is has to be known before the query string is.
  const unhoistableHeaders = new Set(['x-amz-target']);
  const signingOptions = { signingDate: new Date(options.at), expiresIn, unhoistableHeaders };
  const signed = await signerOf(options).presign(smithyRequest(request), signingOptions);
  return fromSmithy(signed as SmithyRequest, request.body);
}

/** Changes a header, or takes it away. */
export function withHeader(request: SignedRequest, name: string, value: string | undefined): SignedRequest {
  const rawHeaders: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [key = '', old = ''] = request.rawHeaders.slice(index, index + 2);
    if (key.toLowerCase() !== name.toLowerCase()) rawHeaders.push(key, old);
  }
  if (value !== undefined) rawHeaders.push(name, value);
  return { ...request, rawHeaders };
}

export function headerOf(request: SignedRequest, name: string): string {
  const index = request.rawHeaders.findIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name.toLowerCase());
  return request.rawHeaders[index + 1] ?? '';
}

type SmithyRequest = ReturnType<typeof smithyRequest>;

function smithyRequest({ method, path, query = {}, headers = {}, body = '' }: Unsigned) {
  return { method, protocol: 'http:', hostname: 'localhost', path, query, headers: { host: HOST, ...headers }, body };
}

function signerOf({ accessKeyId, secretAccessKey, sessionToken, region, service }: SigningOptions): SignatureV4 {
  return new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    region: region ?? 'us-east-1',
    service: service ?? 'sqs',
    sha256: Sha256,
  });
}

function fromSmithy({ method, path, query, headers }: SmithyRequest, body = ''): SignedRequest {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  return {
    method,
    path,
    query: pairs.join('&'),
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from(body),
  };
}

/** What the signer wants of a hash. */
class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (ArrayBuffer.isView(secret)) this.#secret = new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
    else if (secret instanceof ArrayBuffer) this.#secret = new Uint8Array(secret);
    else this.#secret = secret;
    this.#hash = this.#make();
  }

  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#make();
  }

  #make(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}
