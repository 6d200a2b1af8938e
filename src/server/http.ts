import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { WireReply, WireRequest } from '../protocol/codec.ts';
import { SqsError } from '../protocol/model/errors.ts';
import { listenAt } from './listen.ts';
import type { Logger } from './logger.ts';
import type { BoundAddress } from './public-url.ts';

/** Ten messages of 1 MiB in base64 and their JSON are 14 MiB; nothing legitimate is larger (SQS: section 1.9). */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/**
 * All bodies under way together: 192 of the largest messages. Without it sixty slow clients could make the server hold a
 * gigabyte for as long as a request may take.
 */
export const HELD_BODY_BYTES_MAX = 12 * BODY_BYTES_MAX;
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
/**
 * What is still read, and dropped, of a connection that has had its last reply: closing while something is unread resets
 * the connection, which often destroys the reply on its way.
 */
const LINGER_BYTES_MAX = 2 * BODY_BYTES_MAX;
const LINGER_IDLE_MS = 5_000;

export interface HttpOptions {
  /** Answers a request. Must not reject. */
  handle(request: WireRequest, goneSignal: () => AbortSignal): Promise<WireReply>;
  /** Answers a request that the listener itself refuses. */
  refuse(request: WireRequest, error: SqsError): WireReply;
  /** Reported by `GET /health`. */
  version: string;
  logger: Logger;
  /** Bytes of all bodies under way together; that of a process alone when left out. */
  heldBodyBytesMax?: number;
}

/**
 * The HTTP side of the server: reads requests whole, hands them on, writes replies in one piece, and sees to it that no
 * client - slow, gone, oversized or speaking something else - costs the others anything.
 */
export class HttpListener {
  readonly #options: HttpOptions;
  readonly #heldBodyBytesMax: number;
  /** Bytes of all bodies under way, see `HELD_BODY_BYTES_MAX`. */
  #heldBodyBytes = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The responses of a connection that are not over: more than one when requests are pipelined. */
  readonly #responses = new WeakMap<Socket, Set<ServerResponse>>();
  /** What is said last on connections that turned out to speak no HTTP while earlier requests wait for their replies. */
  readonly #lastWords = new WeakMap<Socket, string>();
  /** How many bytes had been read of a connection when it got its last reply. */
  readonly #bytesAtEnd = new WeakMap<Socket, number>();
  /** Connections that have not sent a request yet. Node does not count them as idle, so closing is on us. */
  readonly #unusedSockets = new Set<Socket>();
  #health: 'starting' | 'ok' | 'stopping' = 'starting';

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#heldBodyBytesMax = options.heldBodyBytesMax ?? HELD_BODY_BYTES_MAX;
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    });
    // By itself Node drops those beyond a thousand, without a word. Their size is limited anyway.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      this.#unusedSockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#unusedSockets.delete(socket);
      });
    });
    this.#server.on('request', (request, response) => this.#onRequest(request, response));
    this.#server.on('checkContinue', (request, response) => this.#onRequest(request, response, true));
    this.#server.on('clientError', (error, socket) => this.#onClientError(error, socket as Socket));
  }

  /** Rejects with the error of the operating system, such as EADDRINUSE. */
  listen(address: BoundAddress): Promise<BoundAddress> {
    return listenAt(this.#server, address, (error) =>
      this.#options.logger.error({ stack: error.stack }, 'listener failed'),
    );
  }

  /**
   * Instead of listening: connections come from somebody else, through `accept`. A server of Node begins to watch over the
   * timeouts of its connections with this event.
   */
  listenToNobody(): void {
    this.#server.emit('listening');
  }

  /** Takes a connection that another process has accepted. */
  accept(socket: Socket): void {
    // As a server that listens makes them: it is for HTTP to decide what a client that has sent its last may still get.
    socket.allowHalfOpen = true;
    if (this.#health === 'stopping') socket.destroy();
    else this.#server.emit('connection', socket);
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
    for (const socket of this.#unusedSockets) socket.destroy();
    // The server itself knows only of connections that it has accepted.
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  /** Cuts every connection that is left. */
  abandon(): void {
    this.#server.closeAllConnections();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    this.#unusedSockets.delete(request.socket);
    this.#keepTrackOf(response, request.socket);
    if (request.url === '/health' && (request.method === 'GET' || request.method === 'HEAD')) {
      request.resume();
      this.#answerHealth(response);
      return;
    }
    if (this.#health === 'stopping') {
      this.#refuse(request, response, new SqsError('ServiceUnavailable', 'The server is shutting down.'));
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) {
      // A client that was told not to send its body may reuse the connection or may send it after all: who knows.
      if (expectsContinue) response.shouldKeepAlive = false;
      this.#refuse(request, response, tooLarge());
      return;
    }
    if (expectsContinue) response.writeContinue();
    this.#readBody(request, response);
  }

  #readBody(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // What this body takes of the common limit, until its response is over. First pieces are not counted: they are all
    // there is of nearly every request, and no larger than 64 KiB.
    let heldBytes = 0;
    let refused = false;
    const hold = (more: number) => {
      if (heldBytes === 0) {
        response.once('close', () => {
          this.#heldBodyBytes -= heldBytes;
        });
      }
      heldBytes += more;
      this.#heldBodyBytes += more;
    };
    const refuse = (error: SqsError) => {
      refused = true;
      chunks.length = 0;
      this.#refuse(request, response, error);
    };
    request.on('data', (chunk: Buffer) => {
      if (refused) return;
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > BODY_BYTES_MAX) refuse(tooLarge());
      else if (chunks.length > 1) hold(chunk.length);
      if (this.#heldBodyBytes > this.#heldBodyBytesMax && heldBytes > 0 && !refused) refuse(tooManyBodies());
    });
    // A request that is cut off never ends: there is nobody to answer, and nothing to undo.
    request.on('end', () => {
      if (refused) return;
      void this.#answer(request, response, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const reply = await this.#options.handle(wireRequest(request, body), () => goneSignal(response));
    this.#write(response, reply);
  }

  /**
   * Answers without waiting for the body. Node goes on reading and dropping what the client still sends (for as long as
   * a request may take), because closing at once would reset the connection and often destroy the reply on its way.
   */
  #refuse(request: IncomingMessage, response: ServerResponse, error: SqsError): void {
    this.#write(response, this.#options.refuse(wireRequest(request, Buffer.alloc(0)), error));
    request.resume();
  }

  #answerHealth(response: ServerResponse): void {
    const status = this.#health === 'ok' ? 200 : 503;
    const body = JSON.stringify({ status: this.#health, version: this.#options.version });
    this.#write(response, { status, headers: { 'Content-Type': 'application/json' }, body });
  }

  #write(response: ServerResponse, { status, headers, body }: WireReply): void {
    if (response.destroyed) return;
    if (this.#health === 'stopping') response.shouldKeepAlive = false;
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
  }

  #keepTrackOf(response: ServerResponse, socket: Socket): void {
    let responses = this.#responses.get(socket);
    if (responses === undefined) {
      responses = new Set();
      this.#responses.set(socket, responses);
    }
    responses.add(response);
    response.once('close', () => {
      responses.delete(response);
      const lastWords = this.#lastWords.get(socket);
      if (lastWords !== undefined && !this.#hasRepliesToCome(socket)) this.#end(socket, lastWords);
    });
  }

  /** A request that was cut off in the middle gets none, unless it has been refused already. */
  #hasRepliesToCome(socket: Socket): boolean {
    for (const response of this.#responses.get(socket) ?? []) {
      if (response.req.complete || response.headersSent) return true;
    }
    return false;
  }

  /**
   * What arrived is no HTTP, or did not arrive in time. Requests before it may still be waiting for their replies, and
   * theirs come first: anything else would be taken for the reply to one of them.
   */
  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const bytesAtEnd = this.#bytesAtEnd.get(socket);
    if (bytesAtEnd !== undefined) {
      // More of what was refused.
      if (socket.bytesRead - bytesAtEnd > LINGER_BYTES_MAX) socket.destroy();
      return;
    }
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS_OF_CLIENT_ERROR[error.code ?? ''] ?? '400 Bad Request';
    this.#options.logger.debug({ code: error.code, status: Number.parseInt(status, 10) }, 'request refused: malformed');
    const lastWords = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    if (this.#hasRepliesToCome(socket)) this.#lastWords.set(socket, lastWords);
    else this.#end(socket, lastWords);
  }

  #end(socket: Socket, lastWords: string): void {
    this.#bytesAtEnd.set(socket, socket.bytesRead);
    socket.setTimeout(LINGER_IDLE_MS, () => socket.destroy());
    socket.end(lastWords);
  }
}

const STATUS_OF_CLIENT_ERROR: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function tooLarge(): SqsError {
  return new SqsError('RequestEntityTooLargeException', `Request must be no longer than ${BODY_BYTES_MAX} bytes.`);
}

function tooManyBodies(): SqsError {
  return new SqsError('ServiceUnavailable', 'Too many large requests at the same time; try again.');
}

/** A signal that is aborted when the connection closes before the response is written. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    // Every response closes in the end. Aborting after the reply would be pointless, and is not free.
    if (!response.writableEnded) controller.abort();
  });
  return controller.signal;
}

function wireRequest(request: IncomingMessage, body: Buffer): WireRequest {
  const target = originForm(request.url ?? '/');
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: request.headers,
    body,
  };
}

/** Clients that take the server for a proxy send the whole URL: `http://host/path?query` -> `/path?query`. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
