import { isIPv6 } from 'node:net';

/** A host name or address with an optional port: what may stand in the URL of a queue. */
const AUTHORITY = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

export interface BoundAddress {
  host: string;
  port: number;
}

/** Where a server listens: for HTTP, for HTTPS, or for both. */
export interface Listeners {
  http?: BoundAddress;
  https?: BoundAddress;
}

/**
 * Makes the function that gives the base of the queue URLs in a reply: the configured public URL, or else the scheme and
 * the Host the client used, so that the same server works from this machine, from a container beside it and behind a
 * proxy. A Host that is absent (HTTP/1.0) or no valid authority gives the address the server is bound to.
 */
export function baseUrlResolver(
  publicUrl: string | undefined,
  { http, https }: Listeners,
): (host: string | undefined, isSecure?: boolean) => string {
  if (publicUrl !== undefined) return () => publicUrl;
  const plain = http && rememberingBase('http', http);
  const secure = https && rememberingBase('https', https);
  return (host, isSecure = plain === undefined) => (isSecure ? (secure ?? plain) : (plain ?? secure))?.(host) ?? '';
}

function rememberingBase(scheme: 'http' | 'https', bound: BoundAddress): (host: string | undefined) => string {
  const boundUrl = urlOf(bound, scheme);
  // Nearly every request of a process names the same Host: remember the last one instead of matching it again.
  let lastHost: string | undefined;
  let lastUrl = boundUrl;
  return (host) => {
    if (host !== lastHost) {
      lastHost = host;
      lastUrl = host !== undefined && AUTHORITY.test(host) ? `${scheme}://${host}` : boundUrl;
    }
    return lastUrl;
  };
}

/** The URL at which this machine reaches a server bound to the address. */
export function urlOf({ host, port }: BoundAddress, scheme: 'http' | 'https' = 'http'): string {
  // The wildcard addresses are no destinations.
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${isIPv6(name) ? `[${name}]` : name}:${port}`;
}

/** Whether only this machine can reach a server bound to `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
