import { isIPv6 } from 'node:net';

/** A host name or address with an optional port: what may stand in the URL of a queue. */
const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

export interface BoundAddress {
  host: string;
  port: number;
}

/**
 * Makes the function that gives the base of the queue URLs in a reply: the configured public URL, or else `http://` and
 * the Host the client used, so that the same server works from this machine, from a container beside it and behind a
 * proxy. A Host that is absent (HTTP/1.0) or no valid authority gives the address the server is bound to.
 */
export function baseUrlResolver(
  publicUrl: string | undefined,
  bound: BoundAddress,
): (host: string | undefined) => string {
  if (publicUrl !== undefined) return () => publicUrl;
  const boundUrl = urlOf(bound);
  // Nearly every request of a process names the same Host: remember the last one instead of matching it again.
  let lastHost: string | undefined;
  let lastUrl = boundUrl;
  return (host) => {
    if (host !== lastHost) {
      lastHost = host;
      lastUrl = host !== undefined && AUTHORITY.test(host) ? `http://${host}` : boundUrl;
    }
    return lastUrl;
  };
}

/** The URL at which this machine reaches a server bound to the address. */
export function urlOf({ host, port }: BoundAddress): string {
  // The wildcard addresses are no destinations.
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Whether only this machine can reach a server bound to `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
