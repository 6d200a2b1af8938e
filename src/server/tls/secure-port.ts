import { createServer, type Socket } from 'node:net';
import { type SecureContextOptions, Server, type TLSSocket } from 'node:tls';
import { listenAt } from '../listen.ts';
import type { BoundAddress } from '../public-url.ts';
import type { Certificate } from './certificate.ts';

/** For the handshake. Every client is done in a few round trips. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

export interface SecurePortOptions {
  certificate: Certificate;
  /** A connection has come. Returns whether it may stay; otherwise it has been closed. */
  admit(socket: Socket): boolean;
  /** Its handshake is done: from here on `secure` takes the place of `socket`. */
  established(socket: Socket, secure: TLSSocket): void;
}

/**
 * Makes encrypted connections of plain ones. Those count from the first moment on, not only after the handshake: who opens
 * thousands and says nothing must not get past the limit.
 */
export class SecurePort {
  // As a server for HTTP makes them: small replies go at once.
  readonly #port = createServer({ noDelay: true }, (socket) => this.accept(socket));
  /** Never listens: it is given the connections that may stay. */
  readonly #server: Server;
  readonly #options: SecurePortOptions;
  /** Those whose handshake is under way, by the address of their client: Node does not tell which one has become secure. */
  readonly #handshaking = new Map<string, Socket>();

  constructor(options: SecurePortOptions) {
    this.#options = options;
    this.#server = new Server({
      ...contextOf(options.certificate),
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ALPNProtocols: ['http/1.1'],
    });
    this.#server.on('secureConnection', (secure) => this.#onSecure(secure));
    // Scanners, plain HTTP, clients that do not trust the certificate: no business of ours. Node destroys the connection.
    this.#server.on('tlsClientError', (_error, secure) => secure.destroy());
  }

  /** Rejects with the error of the operating system, such as EADDRINUSE. */
  listen(address: BoundAddress, onError: (error: Error) => void): Promise<BoundAddress> {
    return listenAt(this.#port, address, onError);
  }

  /** Begins the handshake. */
  accept(socket: Socket): void {
    const client = clientOf(socket);
    if (client === undefined) {
      socket.destroy();
      return;
    }
    if (!this.#options.admit(socket)) return;
    socket.allowHalfOpen = false;
    this.#handshaking.set(client, socket);
    socket.once('close', () => {
      if (this.#handshaking.get(client) === socket) this.#handshaking.delete(client);
    });
    this.#server.emit('connection', socket);
  }

  /** For connections to come. Those that are there go on with what they have. */
  useCertificate(certificate: Certificate): void {
    this.#server.setSecureContext(contextOf(certificate));
  }

  /** Takes no further connections, and closes those that have not got past their handshake. */
  close(): void {
    this.#port.close();
    for (const socket of this.#handshaking.values()) socket.destroy();
  }

  #onSecure(secure: TLSSocket): void {
    const client = clientOf(secure);
    const socket = client === undefined ? undefined : this.#handshaking.get(client);
    if (client === undefined || socket === undefined) {
      // It has closed in this moment.
      secure.destroy();
      return;
    }
    this.#handshaking.delete(client);
    // Not before: a handshake is nothing without the other end. Now it is for HTTP to say who may still get a reply.
    secure.allowHalfOpen = true;
    this.#options.established(socket, secure);
  }
}

function contextOf({ cert, key }: Certificate): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/** No two open connections to one port have it in common. Undefined for one that has closed already. */
function clientOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort}`;
}
