import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TlsDetails } from '../protocol/wire.ts';

/** How an IPv4 client looks to a socket that takes both. */
const MAPPED_IPV4 = /^::ffff:(?=\d+\.)/i;

/** The address at the other end. Undefined, when the connection is gone. */
export function sourceAddressOf(socket: Socket): string | undefined {
  return socket.remoteAddress?.replace(MAPPED_IPV4, '');
}

const detailsOf = new WeakMap<TLSSocket, TlsDetails>();

/** How the connection is encrypted: undefined, when it is not. Asked of each request, and the same for all of a connection. */
export function tlsDetailsOf(socket: Socket): TlsDetails | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  let details = detailsOf.get(socket);
  if (details === undefined) {
    details = { version: socket.getProtocol() ?? '', cipherSuite: socket.getCipher()?.standardName ?? '' };
    detailsOf.set(socket, details);
  }
  return details;
}
