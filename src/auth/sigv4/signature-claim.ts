import { hash } from 'node:crypto';
import { AMZ_DATE_LENGTH, formatAmzDate, parseAmzDate, parseDateHeader } from './amz-date.ts';
import { decode, parseQuery, type QueryParameter } from './canonical-query.ts';
import type { HeaderFields } from './header-fields.ts';
import { incompleteSignature, missingAuthenticationToken, refusedSignature } from './signature-errors.ts';

export const ALGORITHM = 'AWS4-HMAC-SHA256';
/** SigV4a, with a key pair. Its own text, as a client that asks for it would not understand a general one. */
const ASYMMETRIC_ALGORITHM = 'AWS4-ECDSA-P256-SHA256';
const TERMINATOR = 'aws4_request';

const LIFETIME_SECONDS_MAX = 604_800;

/** What a request says about its signature: well formed, but not yet true. */
export interface SignatureClaim {
  form: 'header' | 'query';
  accessKeyId: string;
  scope: CredentialScope;
  /** Lower case, in the order in which the client has named them. */
  signedHeaders: ReadonlySet<string>;
  signature: string;
  /** When it was signed: epoch milliseconds, and the same as `20150830T123600Z`. */
  signedAt: number;
  timestamp: string;
  /** How long a presigned request is valid, in seconds; absent where it does not say. */
  lifetimeSeconds?: number;
  sessionToken?: string;
  /** What the client says that it has signed in place of the body: a digest or a word such as `UNSIGNED-PAYLOAD`. */
  payload?: string;
}

export interface CredentialScope {
  /** `20150830` */
  date: string;
  region: string;
  service: string;
}

/** `20150830/us-east-1/sqs/aws4_request` */
export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/${TERMINATOR}`;
}

/**
 * @throws SqsError MissingAuthenticationToken for a request that is not signed at all, IncompleteSignature for one that
 *   is not signed as it must be, SignatureDoesNotMatch when the scope ends wrongly or is of another day than the request.
 */
export function signatureClaim(fields: HeaderFields, query: readonly QueryParameter[]): SignatureClaim {
  const authorization = fields.get('authorization');
  const isPresigned = query.some(({ name }) => PRESIGNED.includes(name));
  if (authorization === undefined) {
    if (!isPresigned) throw missingAuthenticationToken();
    return claimOfQuery(query, fields);
  }
  if (isPresigned) {
    throw incompleteSignature('A request is signed by its Authorization header or by its query string, not by both.');
  }
  return claimOfHeader(authorization, fields);
}

/** What a presigned request has to have, in the order in which SQS would miss it. */
const PRESIGNED = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-SignedHeaders', 'X-Amz-Date'];

/** Whether a request does not even claim to be signed: for those there are callers without a name. */
export function isUnsigned(authorization: string | undefined, query: string): boolean {
  if (authorization !== undefined) return false;
  return query === '' || !parseQuery(query).some(({ name }) => PRESIGNED.includes(name));
}

function claimOfHeader(authorization: string, fields: HeaderFields): SignatureClaim {
  // Its digest in place of the header: errors end up in logs.
  const shown = `(Hashed with SHA-256 and encoded with Base64) Authorization=${hash('sha256', authorization, 'base64')}`;
  const blank = authorization.indexOf(' ');
  const algorithm = blank < 0 ? authorization : authorization.slice(0, blank);
  if (algorithm.startsWith('AWS4-')) requireAlgorithm(algorithm);
  const parts = algorithm === ALGORITHM && blank > 0 ? authorizationParts(authorization.slice(blank), shown) : {};
  const { Credential, Signature, SignedHeaders } = parts;
  const amzDate = fields.get('x-amz-date');
  const date = amzDate ?? fields.get('date');
  if (!Credential || !Signature || !SignedHeaders || date === undefined) {
    const missing = ['Credential', 'Signature', 'SignedHeaders'].filter((name) => !parts[name]);
    const texts = missing.map((name) => `Authorization header requires '${name}' parameter.`);
    if (date === undefined) {
      texts.push("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.");
    }
    throw incompleteSignature(`${texts.join(' ')} ${shown}`);
  }
  return {
    form: 'header',
    ...credentialAndTime(Credential, date, amzDate === undefined ? parseDateHeader(date) : parseAmzDate(date)),
    signedHeaders: namesIn(SignedHeaders),
    signature: Signature,
    sessionToken: fields.get('x-amz-security-token'),
    payload: fields.get('x-amz-content-sha256'),
  };
}

function authorizationParts(text: string, shown: string): Record<string, string | undefined> {
  const parts: Record<string, string> = Object.create(null);
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=');
    if (equals < 0) {
      throw incompleteSignature(`'${pair.trim()}' not a valid key=value pair (missing equal-sign). ${shown}`);
    }
    const name = pair.slice(0, equals).trim();
    if (parts[name] !== undefined) throw incompleteSignature(`Authorization header has '${name}' twice. ${shown}`);
    parts[name] = pair.slice(equals + 1).trim();
  }
  return parts;
}

function claimOfQuery(query: readonly QueryParameter[], fields: HeaderFields): SignatureClaim {
  const values = new Map<string, string>();
  for (const { name, value } of query) {
    if (!name.startsWith('X-Amz-')) continue;
    if (values.has(name)) throw incompleteSignature(`AWS query-string parameters must not include '${name}' twice.`);
    values.set(name, decode(value));
  }
  const missing = PRESIGNED.filter((name) => !values.get(name));
  if (missing.length > 0) {
    const texts = missing.map((name) => `AWS query-string parameters must include '${name}'.`);
    throw incompleteSignature(`${texts.join(' ')} Re-examine the query-string parameters.`);
  }
  const [algorithm, credential, signature, signedHeaders, date] = PRESIGNED.map((name) => values.get(name)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  requireAlgorithm(algorithm);
  return {
    form: 'query',
    ...credentialAndTime(credential, date, parseAmzDate(date)),
    signedHeaders: namesIn(signedHeaders),
    signature,
    lifetimeSeconds: lifetimeOf(values.get('X-Amz-Expires')),
    sessionToken: values.get('X-Amz-Security-Token') ?? fields.get('x-amz-security-token'),
    payload: values.get('X-Amz-Content-Sha256') ?? fields.get('x-amz-content-sha256'),
  };
}

/** Each once: one that is named a thousand times would have its value, however long, hashed as often. */
function namesIn(signedHeaders: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of signedHeaders.split(';')) {
    if (names.has(name)) throw incompleteSignature(`'SignedHeaders' must not name '${name}' twice.`);
    names.add(name);
  }
  return names;
}

function requireAlgorithm(algorithm: string): void {
  if (algorithm === ALGORITHM) return;
  if (algorithm === ASYMMETRIC_ALGORITHM) {
    throw incompleteSignature(`${algorithm} (SigV4a) is not supported. Sign with ${ALGORITHM}.`);
  }
  throw incompleteSignature(`Unsupported AWS 'algorithm': '${algorithm}'.`);
}

function lifetimeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > LIFETIME_SECONDS_MAX) {
    throw incompleteSignature(`X-Amz-Expires must be a number of seconds from 1 to ${LIFETIME_SECONDS_MAX}.`);
  }
  return seconds;
}

function credentialAndTime(
  credential: string,
  date: string,
  signedAt: number | undefined,
): Pick<SignatureClaim, 'accessKeyId' | 'scope' | 'signedAt' | 'timestamp'> {
  if (signedAt === undefined) {
    throw incompleteSignature(
      `Date must be in ISO-8601 'basic format'. Got '${date}'. See http://en.wikipedia.org/wiki/ISO_8601`,
    );
  }
  const parts = credential.split('/');
  const [accessKeyId = '', day = '', region = '', service = '', terminator] = parts;
  if (parts.length !== 5 || accessKeyId === '') {
    throw incompleteSignature(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  if (terminator !== TERMINATOR) {
    throw refusedSignature(
      `Credential should be scoped with a valid terminator: '${TERMINATOR}', not '${terminator}'. `,
    );
  }
  const timestamp = date.length === AMZ_DATE_LENGTH ? date : formatAmzDate(signedAt);
  if (day !== timestamp.slice(0, 8)) {
    throw refusedSignature(
      'Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: ' +
        `'${day}' != '${timestamp.slice(0, 8)}', from '${timestamp}'.`,
    );
  }
  return { accessKeyId, scope: { date: day, region, service }, signedAt, timestamp };
}
