/**
 * Query strings and paths as signatures see them: every byte but the unreserved ones of RFC 3986 as `%XX`. Strings are
 * binary here, a character a byte, as Node reads the request line.
 */

export interface QueryParameter {
  /** Canonical: encoded anew, so that it does not matter how the client has encoded them. */
  name: string;
  value: string;
}

const UNRESERVED = /^[A-Za-z0-9_.~-]*$/;
const UNRESERVED_PATH = /^[A-Za-z0-9_.~/-]*$/;

const BYTE_CODES: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** The parameters in the order in which they came. One without `=` has an empty value. */
export function parseQuery(query: string): QueryParameter[] {
  if (query === '') return [];
  const parameters: QueryParameter[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    parameters.push({
      name: reencode(equals < 0 ? pair : pair.slice(0, equals)),
      value: equals < 0 ? '' : reencode(pair.slice(equals + 1)),
    });
  }
  return parameters;
}

/** By name, then by value, byte by byte. */
export function canonicalQuery(parameters: readonly QueryParameter[]): string {
  return parameters
    .toSorted((left, right) => compare(left.name, right.name) || compare(left.value, right.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/**
 * The path without `.`, `..` and empty segments, and encoded once more than it came: only S3 signs it as it is.
 */
export function canonicalPath(path: string): string {
  const normal = /\/\/|\/\./.test(path) || !path.startsWith('/') ? normalPath(path) : path;
  return UNRESERVED_PATH.test(normal) ? normal : normal.split('/').map(encode).join('/');
}

function normalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${end}`;
}

/** Decodes a canonical value, or any other. What is no valid escape stands for itself. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

function reencode(text: string): string {
  return UNRESERVED.test(text) ? text : encode(decode(text));
}

function encode(binary: string): string {
  let encoded = '';
  for (let index = 0; index < binary.length; index++) encoded += BYTE_CODES[binary.charCodeAt(index) & 0xff];
  return encoded;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
