import type { WireRequest } from '../protocol/wire.ts';
import type { Scope } from '../queue/record.ts';

const ACCOUNT = /^\d{12}$/;
/** Looser than AWS's own names: `local` and `elasticmq` are regions people configure for servers like this one. */
const REGION = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
/** The names a credential goes by: in the Authorization header, and in the query string or form of a presigned request. */
const HEADER_KEY = 'Credential=';
const PARAMETER_KEY = 'X-Amz-Credential';

/**
 * Makes the function that gives the account and region a request acts in. SigV4 clients state their region in the
 * credential scope, `AKID/20251130/eu-west-1/sqs/aws4_request`. An access key id of 12 digits is taken as an account, so
 * that a test can have several. Nothing is verified here, and what is missing or makes no sense falls back to `defaults`.
 */
export function scopeResolver(defaults: Scope): (request: WireRequest) => Scope {
  // Nearly every request of a process has the same credential. Taking one apart takes as long as parsing a small body.
  let lastCredential: string | undefined;
  let lastScope = defaults;
  return (request) => {
    const credential = credentialOf(request);
    if (credential !== lastCredential) {
      lastCredential = credential;
      lastScope = scopeOfCredential(credential, defaults);
    }
    return lastScope;
  };
}

function scopeOfCredential(credential: string | undefined, defaults: Scope): Scope {
  if (credential === undefined) return defaults;
  const [accessKeyId = '', , region = '', , terminator] = credential.split('/', 6);
  // The last part is a constant; without it this is no credential scope but something cut off or made up.
  if (terminator !== 'aws4_request') return defaults;
  return {
    account: ACCOUNT.test(accessKeyId) ? accessKeyId : defaults.account,
    region: REGION.test(region) ? region : defaults.region,
  };
}

/**
 * The SenderId of what a caller sends. While every credential is accepted nobody is a known user, so the caller is the
 * account itself, and that is what SQS reports for an account's root user: the account id. The access key id would say
 * more, but it would put a part of a credential into every message.
 */
export function senderIdOf(scope: Scope): string {
  return scope.account;
}

function credentialOf(request: WireRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const start = authorization.indexOf(HEADER_KEY);
    if (start < 0) return undefined;
    const end = authorization.indexOf(',', start);
    return authorization.slice(start + HEADER_KEY.length, end < 0 ? undefined : end).trim();
  }
  if (request.query.includes(PARAMETER_KEY)) return parameter(request.query);
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return request.body.includes(PARAMETER_KEY) ? parameter(request.body.toString('latin1')) : undefined;
  }
  return undefined;
}

function parameter(encoded: string): string | undefined {
  return new URLSearchParams(encoded).get(PARAMETER_KEY) ?? undefined;
}
