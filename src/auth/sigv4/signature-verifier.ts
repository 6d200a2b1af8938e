import { timingSafeEqual } from 'node:crypto';
import { isSecure, type WireRequest } from '../../protocol/wire.ts';
import { formatAmzDate } from './amz-date.ts';
import { canonicalPath, canonicalQuery, parseQuery, type QueryParameter } from './canonical-query.ts';
import { type Digests, nodeDigests } from './digests.ts';
import { type HeaderFields, headerFields } from './header-fields.ts';
import { ALGORITHM, type CredentialScope, type SignatureClaim, scopeText, signatureClaim } from './signature-claim.ts';
import { expiredToken, refusedSignature, signatureMismatch, unknownCredentials } from './signature-errors.ts';
import { SigningKeys } from './signing-keys.ts';

/**
 * AWS Signature Version 4, checked: that a request was made by who knows the secret of its access key, for this service,
 * now, and arrived as it was sent. The order of the checks: what the request says, its scope, its time, then the signature.
 * Before the signature nothing depends on whether the access key exists.
 */

/** What of a request the signature covers. */
export interface SignedRequest extends Pick<WireRequest, 'method' | 'path' | 'query' | 'tls'> {
  /** As Node has read them: name, value, name, value, ... */
  rawHeaders: readonly string[];
  body: Uint8Array;
}

/** What is known about an access key; `owner` is whatever the caller of the verifier wants to be told. */
export type Credential<Owner> =
  | { status: 'valid'; secret: string; owner: Owner }
  | { status: 'unknown' }
  | { status: 'expired' };

/** Gets the session token where there is one; has to refuse a long-term access key with one. */
export type FindCredential<Owner> = (accessKeyId: string, sessionToken: string | undefined) => Credential<Owner>;

export interface VerifiedSignature<Owner> {
  owner: Owner;
  accessKeyId: string;
  scope: CredentialScope;
  /** By the clock of the client: epoch milliseconds. */
  signedAt: number;
  form: 'header' | 'query';
}

export interface SignatureVerifierOptions<Owner> {
  findCredential: FindCredential<Owner>;
  /** Epoch milliseconds. */
  now(): number;
  isRegion(region: string): boolean;
  digests?: Digests;
}

/** A signature may be this old, or of a clock so far ahead (SQS: section 1.7, which leaves the second one open). */
const AGE_MAX_MINUTES = 15;
const LEAD_MAX_MINUTES = 5;

const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const SIGNATURE_LENGTH = 64;

/** Stands in for an access key that nobody has. Whether its signature matches is never asked. */
const NOBODY = { accessKeyId: '-', secret: 'nobody has this access key, and its signature costs the same' };

export class SignatureVerifier<Owner> {
  readonly #options: SignatureVerifierOptions<Owner>;
  readonly #digests: Digests;
  readonly #keys: SigningKeys;

  constructor(options: SignatureVerifierOptions<Owner>) {
    this.#options = options;
    this.#digests = options.digests ?? nodeDigests;
    this.#keys = new SigningKeys(this.#digests);
  }

  /**
   * `service`: what the scope has to name, `sqs` or `sts`.
   *
   * @throws SqsError with the codes and texts of SQS (SQS: section 1.7).
   */
  verify(request: SignedRequest, service: string): VerifiedSignature<Owner> {
    const fields = headerFields(request.rawHeaders);
    const query = parseQuery(request.query);
    const claim = signatureClaim(fields, query);
    this.#requireScope(claim.scope, service);
    requireSignedHeaders(fields, claim.signedHeaders);
    requireTime(claim, this.#options.now());

    const bodyHash = this.#bodyHash(claim, request);
    const canonical = canonicalRequest(request, fields, query, claim, bodyHash);
    const toSign = stringToSign(claim, this.#digests.sha256Hex(Buffer.from(canonical, 'latin1')));
    const found = this.#options.findCredential(claim.accessKeyId, claim.sessionToken);
    const key =
      found.status === 'valid'
        ? this.#keys.get(claim.accessKeyId, found.secret, claim.scope)
        : this.#keys.get(NOBODY.accessKeyId, NOBODY.secret, claim.scope);
    const matches = isEqual(this.#digests.hmac(key, toSign).toString('hex'), claim.signature);

    if (found.status === 'expired') throw expiredToken();
    if (found.status === 'unknown') throw unknownCredentials();
    if (!matches) throw signatureMismatch(Buffer.from(canonical, 'latin1').toString(), toSign);
    const { accessKeyId, scope, signedAt, form } = claim;
    return { owner: found.owner, accessKeyId, scope, signedAt, form };
  }

  #requireScope(scope: CredentialScope, service: string): void {
    if (!this.#options.isRegion(scope.region)) {
      throw refusedSignature(`Credential should be scoped to a valid region, not '${scope.region}'. `);
    }
    if (scope.service !== service) {
      throw refusedSignature(`Credential should be scoped to correct service: '${service}'. `);
    }
  }

  /** What stands for the body in the canonical request. */
  #bodyHash({ payload }: SignatureClaim, request: SignedRequest): string {
    // Over TLS nobody can change a body on its way, and a client may leave it out of what it signs.
    if (payload === UNSIGNED_PAYLOAD && isSecure(request)) return payload;
    const actual = this.#digests.sha256Hex(request.body);
    if (payload === UNSIGNED_PAYLOAD) throw refusedSignature('The payload of the request must be signed.');
    if (payload !== undefined && payload !== actual) {
      throw refusedSignature("The provided 'x-amz-content-sha256' header does not match what was computed.");
    }
    return actual;
  }
}

/** The host, so that a request cannot be sent on to another server, and all that AWS gives a meaning to. */
function requireSignedHeaders(fields: HeaderFields, signedHeaders: ReadonlySet<string>): void {
  if (!signedHeaders.has('host') || !fields.has('host')) {
    throw refusedSignature("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  for (const name of fields.keys()) {
    if (name.startsWith('x-amz-') && !signedHeaders.has(name)) {
      throw refusedSignature(`'${titleCase(name)}' must be a 'SignedHeader' in the AWS Authorization.`);
    }
  }
}

/** `x-amz-date` -> `X-Amz-Date` */
function titleCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

function requireTime({ signedAt, lifetimeSeconds }: SignatureClaim, now: number): void {
  const seconds = lifetimeSeconds ?? AGE_MAX_MINUTES * 60;
  const oldest = now - seconds * 1000;
  if (signedAt < oldest) {
    const age = seconds % 60 === 0 ? `${seconds / 60} min.` : `${seconds} sec.`;
    throw refusedSignature(
      `Signature expired: ${formatAmzDate(signedAt)} is now earlier than ${formatAmzDate(oldest)} ` +
        `(${formatAmzDate(now)} - ${age})`,
    );
  }
  const latest = now + LEAD_MAX_MINUTES * 60_000;
  if (signedAt > latest) {
    throw refusedSignature(
      `Signature not yet current: ${formatAmzDate(signedAt)} is still later than ${formatAmzDate(latest)} ` +
        `(${formatAmzDate(now)} + ${LEAD_MAX_MINUTES} min.)`,
    );
  }
}

/** Binary, as header values are: a character a byte. */
function canonicalRequest(
  { method, path }: SignedRequest,
  fields: HeaderFields,
  query: readonly QueryParameter[],
  { form, signedHeaders }: SignatureClaim,
  bodyHash: string,
): string {
  const signed = form === 'header' ? query : query.filter(({ name }) => name !== 'X-Amz-Signature');
  let headers = '';
  for (const name of signedHeaders) headers += `${name}:${fields.get(name) ?? ''}\n`;
  const lines = [method, canonicalPath(path), canonicalQuery(signed), headers, [...signedHeaders].join(';'), bodyHash];
  return lines.join('\n');
}

function stringToSign({ timestamp, scope }: SignatureClaim, canonicalHash: string): string {
  return `${ALGORITHM}\n${timestamp}\n${scopeText(scope)}\n${canonicalHash}`;
}

function isEqual(expected: string, presented: string): boolean {
  if (presented.length !== SIGNATURE_LENGTH) return false;
  return timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(presented, 'latin1'));
}
