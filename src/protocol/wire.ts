import type { IncomingHttpHeaders } from 'node:http';
import type { SqsError } from './model/errors.ts';
import type { ActionName } from './model/shapes.ts';

/** An HTTP request, read to its end. */
export interface WireRequest {
  method: string;
  /** Without the query string. */
  path: string;
  /** Still encoded, without the `?`; empty when there is none. */
  query: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The address at the other end of the connection: of the client, or of a proxy before it. */
  sourceAddress?: string;
  /** Of the connection. Absent: it is not encrypted. */
  tls?: TlsDetails;
}

export interface TlsDetails {
  /** `TLSv1.3` */
  version: string;
  /** As the standard names it: `TLS_AES_128_GCM_SHA256`. */
  cipherSuite: string;
}

/** Whether nobody on the way could read or change the request (aws:SecureTransport). */
export function isSecure(request: Pick<WireRequest, 'tls'>): boolean {
  return request.tls !== undefined;
}

/** The same with what its signature was made over. */
export interface ReceivedRequest extends WireRequest {
  /** As the headers came: name, value, name, value, ... `headers` joins some and drops others. */
  rawHeaders: readonly string[];
}

/** An HTTP response but for `Content-Length` and `Date`, which the server adds. */
export interface WireReply {
  status: number;
  headers: Record<string, string>;
  /** A large one is bytes already, to keep it out of the heap until it is sent. */
  body: string | Buffer;
}

/** What a request asks for. The input is the `ActionInputs` type of the action. */
export interface Call {
  action: ActionName;
  input: unknown;
}

/** One wire protocol, as one request chose it. */
export interface Codec {
  readonly protocol: 'awsJson1_0' | 'awsQuery';
  /** @throws SqsError when the request is no call of a known action, or its input has the wrong types. */
  decode(request: WireRequest): Call;
  /** `output` is the `ActionOutputs` type of the action. */
  encodeReply(action: ActionName, output: unknown, requestId: string): WireReply;
  encodeError(error: SqsError, requestId: string): WireReply;
}
