import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Platform } from '../platform/platform.ts';
import type { ReceivedRequest, WireReply, WireRequest } from '../protocol/codec.ts';
import { SqsError } from '../protocol/model/errors.ts';
import { Admission, type BodyLease } from './admission.ts';
import { Connections } from './connections.ts';
import { type Client, Exchange } from './exchange.ts';
import { listenAt } from './listen.ts';
import type { Logger } from './logger.ts';
import { sourceAddressOf, tlsDetailsOf } from './peer.ts';
import type { BoundAddress } from './public-url.ts';
import type { Certificate } from './tls/certificate.ts';
import { SecurePort } from './tls/secure-port.ts';

/** Ten messages of 1 MiB in base64 and their JSON are 14 MiB; nothing legitimate is larger (SQS: section 1.9). */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Request line and headers together. Room for a session token and for a Query call in the URL. */
const HEADER_BYTES_MAX = 64 * 1024;
/** For the headers to arrive, and also how long a connection may stay open before its first request. */
const HEADERS_TIMEOUT_MS = 30_000;
/** For a whole request to arrive. A long poll is a request that has arrived, so its wait does not count. */
const REQUEST_TIMEOUT_MS = 300_000;
/**
 * How long an idle connection stays open. Longer than the 60 s after which the Java SDK and common load balancers drop
 * theirs: the side that sends requests should be the one to close, or a request may cross the close and be lost.
 */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How long a client may pause in the middle of a body, for which others may be waiting, or of fetching a large reply. */
const BODY_IDLE_MS = 20_000;
const REPLY_IDLE_MS = 30_000;
/** From here on a reply is large. A smaller one fits into the buffers of the network. */
const LARGE_REPLY_LENGTH = 64 * 1024;
/** How often the log says that the server is busy. */
const BUSY_LOG_INTERVAL_MS = 10_000;

export interface HttpOptions {
  /** Answers a request. Must not reject. */
  handle(request: ReceivedRequest, client: Client): Promise<WireReply>;
  /** Answers a request that the listener itself refuses. */
  refuse(request: WireRequest, error: SqsError): WireReply;
  /** Reported by `GET /health`. */
  version: string;
  logger: Logger;
  /** Of the real world, whatever the clock of the queues: the clients are real. */
  timers: Pick<Platform, 'now' | 'at'>;
  maxConnections: number;
  /** How many bytes of requests may be under way at a time. */
  requestBytesMax: number;
}

/**
 * The HTTP side of the server: reads requests whole, hands them on, writes replies in one piece, and sees to it that no
 * client - slow, gone, oversized or speaking something else - costs the others anything.
 */
export class HttpListener {
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #admission: Admission;
  #securePort: SecurePort | undefined;
  #busySince: number | undefined;
  #refusedWhileBusy = 0;
  #health: 'starting' | 'ok' | 'stopping' = 'starting';

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Node would refuse it by closing at once, which destroys the replies before.
      requireHostHeader: false,
    });
    // By itself Node drops those beyond a thousand, without a word. Their size is limited anyway.
    this.#server.maxHeadersCount = 0;
    this.#connections = new Connections(options.maxConnections);
    this.#admission = new Admission(options.requestBytesMax, options.timers);
    this.#server.on('connection', (socket: Socket) => {
      // A secure one has been counted since before its handshake.
      if (!this.#connections.has(socket)) this.#admit(socket);
    });
    this.#server.on('request', (request, response) => this.#onRequest(new Exchange(request, response)));
    this.#server.on('checkContinue', (request, response) => this.#onRequest(new Exchange(request, response), true));
    this.#server.on('clientError', (error, socket) => this.#onClientError(error, socket as Socket));
  }

  /** Rejects with the error of the operating system, such as EADDRINUSE. */
  listen(address: BoundAddress): Promise<BoundAddress> {
    return listenAt(this.#server, address, (error) =>
      this.#options.logger.error({ stack: error.stack }, 'listener failed'),
    );
  }

  /** HTTPS: beside HTTP, or instead of it. All connections are held to one limit together. */
  listenSecurely(address: BoundAddress, certificate: Certificate): Promise<BoundAddress> {
    return this.#openSecurePort(certificate).listen(address, (error) =>
      this.#options.logger.error({ stack: error.stack }, 'listener failed'),
    );
  }

  /** For connections to come: at first before any of `accept` that are to be secure, later to replace it. */
  useCertificate(certificate: Certificate): void {
    if (this.#securePort === undefined) this.#openSecurePort(certificate);
    else this.#securePort.useCertificate(certificate);
  }

  /**
   * Instead of listening: connections come from somebody else, through `accept`. A server of Node begins to watch over the
   * timeouts of its connections with this event.
   */
  listenToNobody(): void {
    this.#server.emit('listening');
  }

  /** Takes a connection that another process has accepted, at the port for HTTPS if it is to be secure. */
  accept(socket: Socket, isSecure = false): void {
    if (this.#health === 'stopping' || (isSecure && this.#securePort === undefined)) socket.destroy();
    else if (isSecure) this.#securePort?.accept(socket);
    else {
      // As a server that listens makes them: it is for HTTP to decide what a client that has sent its last may still get.
      socket.allowHalfOpen = true;
      this.#server.emit('connection', socket);
    }
  }

  /** From here on `GET /health` says so. Requests are taken before, too: `handle` may let them wait. */
  ready(): void {
    this.#health = 'ok';
  }

  /**
   * Takes no further connections or requests; those under way are answered, and their connections closed. Resolves
   * when the last connection is closed. `abandon` ends that wait.
   */
  async drain(): Promise<void> {
    this.#health = 'stopping';
    this.#server.close();
    this.#securePort?.close();
    this.#connections.closeUnused();
    // The server itself knows only of connections that it has accepted.
    await this.#connections.allClosed();
  }

  /** Cuts every connection that is left. */
  abandon(): void {
    this.#server.closeAllConnections();
  }

  #admit(socket: Socket): boolean {
    const isOpen = this.#connections.open(socket);
    if (!isOpen) this.#noteBusy();
    return isOpen;
  }

  #openSecurePort(certificate: Certificate): SecurePort {
    this.#securePort = new SecurePort({
      certificate,
      admit: (socket) => this.#admit(socket),
      established: (socket, secure) => {
        this.#connections.replace(socket, secure);
        this.#server.emit('connection', secure);
      },
    });
    return this.#securePort;
  }

  #onRequest(exchange: Exchange, expectsContinue = false): void {
    const { request, response } = exchange;
    if (request.httpVersion === '1.1' && !request.headers.host) {
      request.resume();
      this.#connections.close(request.socket, lastWords('400 Bad Request'));
      return;
    }
    if (!this.#connections.begin(exchange)) {
      request.resume();
      return;
    }
    if (request.url === '/health' && (request.method === 'GET' || request.method === 'HEAD')) {
      request.resume();
      this.#answerHealth(response);
      return;
    }
    if (this.#health === 'stopping') {
      this.#refuse(exchange, new SqsError('ServiceUnavailable', 'The server is shutting down.'));
      return;
    }
    if (this.#connections.isExcess(request.socket)) {
      response.shouldKeepAlive = false;
      this.#refuseBusy(exchange, 'Too many connections; try again.');
      return;
    }
    const bodyBytes = lengthOf(request);
    if (bodyBytes !== undefined && bodyBytes > BODY_BYTES_MAX) {
      // A client that was told not to send its body may reuse the connection or may send it after all: who knows.
      if (expectsContinue) response.shouldKeepAlive = false;
      this.#refuse(exchange, tooLarge(), !expectsContinue);
      return;
    }
    this.#admission.enter(
      exchange,
      bodyBytes,
      (lease) => {
        if (expectsContinue) response.writeContinue();
        this.#readBody(exchange, bodyBytes, lease);
      },
      () => this.#refuseBusy(exchange, 'Too many requests at the same time; try again.'),
    );
  }

  #readBody(exchange: Exchange, bodyBytes: number | undefined, lease: BodyLease): void {
    const { request } = exchange;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let refused = false;
    const stop = () => {
      refused = true;
      chunks.length = 0;
      lease.release();
    };
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      bytes += chunk.length;
      chunks.push(chunk);
      // Of a body that arrives in one piece, as nearly all do, it is never asked.
      if (chunks.length === 2) this.#limitPauses(request);
      if (bytes > BODY_BYTES_MAX) {
        stop();
        this.#refuse(exchange, tooLarge());
      } else if (bodyBytes === undefined && !lease.tryReach(bytes)) {
        stop();
        this.#refuseBusy(exchange, 'Too many requests at the same time; try again.');
      }
    });
    // A request that is cut off never ends: there is nobody to answer, and nothing to undo.
    request.on('end', () => {
      if (chunks.length > 1) request.setTimeout(0);
      if (refused) return;
      void this.#answer(exchange, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes), lease);
    });
  }

  #limitPauses(request: IncomingMessage): void {
    request.setTimeout(BODY_IDLE_MS, () => this.#connections.close(request.socket, lastWords('408 Request Timeout')));
  }

  async #answer(exchange: Exchange, body: Buffer, lease: BodyLease): Promise<void> {
    const reply = await this.#options.handle(wireRequest(exchange.request, body), exchange);
    lease.release();
    this.#write(exchange.response, reply);
  }

  /**
   * Answers without waiting for the body. Node goes on reading and dropping what the client still sends (for as long as
   * a request may take), because closing at once would reset the connection and often destroy the reply on its way. Hence
   * a connection that is to be closed is closed when all of the request is here.
   */
  #refuse(exchange: Exchange, error: SqsError, bodyComes = lengthOf(exchange.request) !== 0): void {
    const { request, response } = exchange;
    if (bodyComes && !response.shouldKeepAlive) {
      response.shouldKeepAlive = true;
      request.once('end', () => exchange.onceOver(() => request.socket.end()));
    }
    this.#write(response, this.#options.refuse(wireRequest(request, Buffer.alloc(0)), error));
    request.resume();
  }

  /** With an error that every SDK takes for a reason to try again later, by its status alone. */
  #refuseBusy(exchange: Exchange, message: string): void {
    this.#noteBusy();
    this.#refuse(exchange, new SqsError('ServiceUnavailable', message));
  }

  /** Who refuses thousands of requests should not write thousands of lines about it. */
  #noteBusy(): void {
    this.#refusedWhileBusy++;
    const now = this.#options.timers.now();
    if (this.#busySince !== undefined && now < this.#busySince + BUSY_LOG_INTERVAL_MS) return;
    this.#options.logger.warn({ refused: this.#refusedWhileBusy }, 'busy: requests or connections were refused');
    this.#busySince = now;
    this.#refusedWhileBusy = 0;
  }

  #answerHealth(response: ServerResponse): void {
    const status = this.#health === 'ok' ? 200 : 503;
    const body = JSON.stringify({ status: this.#health, version: this.#options.version });
    this.#write(response, { status, headers: { 'Content-Type': 'application/json' }, body });
  }

  #write(response: ServerResponse, { status, headers, body: anyBody }: WireReply): void {
    if (response.destroyed) return;
    if (this.#health === 'stopping') response.shouldKeepAlive = false;
    // A client may take its time; what it takes it from need not be in the heap.
    const isLarge = anyBody.length > LARGE_REPLY_LENGTH;
    const body = isLarge && typeof anyBody === 'string' ? Buffer.from(anyBody) : anyBody;
    if (isLarge) response.setTimeout(REPLY_IDLE_MS, () => response.socket?.destroy());
    // A list of names and values: of an object Node would make a copy, name by name.
    const head: string[] = [];
    for (const name in headers) head.push(name, headers[name] as string);
    head.push('Content-Length', String(Buffer.byteLength(body)));
    response.writeHead(status, head);
    response.end(body);
  }

  /** What arrived is no HTTP, or did not arrive in time. */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const status = STATUS_OF_CLIENT_ERROR[error.code ?? ''] ?? '400 Bad Request';
    this.#options.logger.debug({ code: error.code, status: Number.parseInt(status, 10) }, 'request refused: malformed');
    this.#connections.close(socket, lastWords(status));
  }
}

function lastWords(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** Of the body, undefined where it comes in chunks. */
function lengthOf(request: IncomingMessage): number | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length !== undefined) return Number(length);
  return encoding === undefined ? 0 : undefined;
}

const STATUS_OF_CLIENT_ERROR: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function tooLarge(): SqsError {
  return new SqsError('RequestEntityTooLargeException', `Request must be no longer than ${BODY_BYTES_MAX} bytes.`);
}

function wireRequest(request: IncomingMessage, body: Buffer): ReceivedRequest {
  const target = originForm(request.url ?? '/');
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    body,
    sourceAddress: sourceAddressOf(request.socket),
    tls: tlsDetailsOf(request.socket),
  };
}

/** Clients that take the server for a proxy send the whole URL: `http://host/path?query` -> `/path?query`. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
