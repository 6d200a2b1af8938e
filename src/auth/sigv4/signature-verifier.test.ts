import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { headerOf, presign, type SigningOptions, sign, withHeader } from '../../../test/support/signer.ts';
import { SqsError } from '../../protocol/model/errors.ts';
import { nodeDigests } from './digests.ts';
import { type Credential, SignatureVerifier, type SignedRequest } from './signature-verifier.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);
const MINUTE = 60_000;
const KEY: SigningOptions = { accessKeyId: 'AKIAALICE', secretAccessKey: 'secret of alice', at: NOW };
const SEND = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
  body: '{"QueueUrl":"q","MessageBody":"ü"}',
};

interface Setup {
  now?: number;
}

function verifierWith({ now = NOW }: Setup = {}) {
  const counts = { hashes: 0, hmacs: 0 };
  const verifier = new SignatureVerifier<string>({
    findCredential: find,
    now: () => now,
    isRegion: (region) => region === 'us-east-1',
    digests: {
      sha256Hex: (data) => {
        counts.hashes++;
        return nodeDigests.sha256Hex(data);
      },
      hmac: (key, text) => {
        counts.hmacs++;
        return nodeDigests.hmac(key, text);
      },
    },
  });
  return { verifier, counts };
}

function find(accessKeyId: string, sessionToken: string | undefined): Credential<string> {
  if (accessKeyId === KEY.accessKeyId && sessionToken === undefined) {
    return { status: 'valid', secret: KEY.secretAccessKey, owner: 'alice' };
  }
  if (sessionToken === 'token+of/session==') return { status: 'valid', secret: 'of session', owner: 'session' };
  return { status: sessionToken === 'old token' ? 'expired' : 'unknown' };
}

/** What a request is refused with. */
function refusal(request: SignedRequest, setup?: Setup, service = 'sqs'): SqsError {
  try {
    verifierWith(setup).verifier.verify(request, service);
  } catch (error) {
    if (error instanceof SqsError) return error;
    throw error;
  }
  throw new Error('The request was accepted.');
}

function accepts(request: SignedRequest, setup?: Setup, service = 'sqs') {
  return verifierWith(setup).verifier.verify(request, service);
}

/** Replaces a part of the Authorization header. */
function withAuthorization(request: SignedRequest, from: string | RegExp, to: string): SignedRequest {
  const old = headerOf(request, 'authorization');
  const changed = old.replace(from, to);
  expect(changed).not.toBe(old);
  return withHeader(request, 'authorization', changed);
}

describe('a signed request', () => {
  it('is accepted, and tells whose it is', async () => {
    expect(accepts(await sign(SEND, KEY))).toEqual({
      owner: 'alice',
      accessKeyId: 'AKIAALICE',
      scope: { date: '20260131', region: 'us-east-1', service: 'sqs' },
      signedAt: NOW,
      form: 'header',
    });
  });

  it('may be of another service, where that is asked for', async () => {
    const request = await sign(SEND, { ...KEY, service: 'sts' });
    expect(accepts(request, {}, 'sts').owner).toBe('alice');
    expect(refusal(request).message).toBe("Credential should be scoped to correct service: 'sqs'. ");
  });

  it('may be of a session', async () => {
    const session = { ...KEY, secretAccessKey: 'of session', sessionToken: 'token+of/session==' };
    expect(accepts(await sign(SEND, session)).owner).toBe('session');
    expect(accepts(await presign(SEND, session, 60)).owner).toBe('session');
  });

  it('may have a Date header in place of X-Amz-Date, in either form', () => {
    for (const date of ['20260131T120000Z', 'Sat, 31 Jan 2026 12:00:00 GMT']) {
      expect(accepts(signedByHand(['Date', date])).owner).toBe('alice');
    }
  });

  it('may hold headers that are not signed', async () => {
    const request = await sign(SEND, KEY);
    expect(accepts(withHeader(request, 'X-Amzn-Trace-Id', 'Root=1-2-3')).owner).toBe('alice');
  });

  it('may leave out its body over TLS', async () => {
    const request = await sign({ ...SEND, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }, KEY);
    const changed = { ...request, body: Buffer.from('{}') };
    const tls = { version: 'TLSv1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256' };
    expect(accepts({ ...changed, tls }).owner).toBe('alice');
    expect(refusal(request)).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      message: 'The payload of the request must be signed.',
    });
  });
});

describe('a presigned request', () => {
  it('is accepted for as long as it says', async () => {
    const request = await presign({ method: 'GET', path: '/', query: { Action: 'ListQueues' } }, KEY, 3600);
    expect(accepts(request)).toMatchObject({ owner: 'alice', form: 'query' });
    expect(accepts(request, { now: NOW + 60 * MINUTE }).owner).toBe('alice');
    expect(refusal(request, { now: NOW + 60 * MINUTE + 1000 })).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      message: 'Signature expired: 20260131T120000Z is now earlier than 20260131T120001Z (20260131T130001Z - 60 min.)',
    });
  });

  it('says so in seconds, where they are no minutes', async () => {
    const request = await presign({ method: 'GET', path: '/' }, KEY, 10);
    expect(refusal(request, { now: NOW + 11_000 }).message).toContain('(20260131T120011Z - 10 sec.)');
  });

  it.each(['0', '604801', '-1', '1.5', 'x', ''])('is refused with X-Amz-Expires=%s', async (expires) => {
    const request = await presign({ method: 'GET', path: '/' }, KEY, 60);
    const changed = { ...request, query: request.query.replace('X-Amz-Expires=60', `X-Amz-Expires=${expires}`) };
    expect(refusal(changed)).toMatchObject({
      queryCode: 'IncompleteSignature',
      message: 'X-Amz-Expires must be a number of seconds from 1 to 604800.',
    });
  });

  it('is good for as long as any other, without X-Amz-Expires', async () => {
    const request = await presign({ method: 'GET', path: '/' }, KEY, 60);
    const without = { ...request, query: request.query.replace('X-Amz-Expires=60', '') };
    expect(refusal(without, { now: NOW + 16 * MINUTE }).message).toContain('- 15 min.');
  });

  it('is refused when something of the signature is missing, twice there, or in the header too', async () => {
    const request = await presign({ method: 'GET', path: '/' }, KEY, 60);
    const { query } = request;
    expect(
      refusal({ ...request, query: query.replace(/X-Amz-Date=\w+/, '').replace(/X-Amz-Cr[^&]+/, '') }),
    ).toMatchObject({
      queryCode: 'IncompleteSignature',
      httpStatus: 400,
      message:
        "AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Date'. " +
        'Re-examine the query-string parameters.',
    });
    expect(refusal({ ...request, query: `${query}&X-Amz-Date=20260131T120000Z` }).message).toBe(
      "AWS query-string parameters must not include 'X-Amz-Date' twice.",
    );
    const both = withHeader(request, 'authorization', headerOf(await sign(SEND, KEY), 'authorization'));
    expect(refusal(both).queryCode).toBe('IncompleteSignature');
  });
});

describe('what is refused', () => {
  it('a request without a signature', () => {
    expect(refusal({ ...bare(), rawHeaders: ['Host', 'localhost'] })).toMatchObject({
      shape: 'MissingAuthenticationTokenException',
      queryCode: 'MissingAuthenticationToken',
      httpStatus: 403,
      message: 'Request is missing Authentication Token',
    });
  });

  it.each(['Bearer abc', 'Basic YWxpY2U6c2VjcmV0', 'AWS4-HMAC-SHA256', ''])(
    'the Authorization "%s"',
    (authorization) => {
      const error = refusal({ ...bare(), rawHeaders: ['Host', 'localhost', 'Authorization', authorization] });
      expect(error).toMatchObject({
        shape: 'IncompleteSignatureException',
        queryCode: 'IncompleteSignature',
        httpStatus: 400,
      });
      expect(error.message).toMatch(
        /^Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. \(Hashed with SHA-256 and encoded with Base64\) Authorization=[\w+/]{43}=$/,
      );
    },
  );

  it('an Authorization header that is not well formed', async () => {
    const request = await sign(SEND, KEY);
    expect(refusal(withAuthorization(request, 'SignedHeaders=', 'SignedHeaders ')).message).toMatch(
      /^'SignedHeaders [\w;-]+' not a valid key=value pair \(missing equal-sign\)/,
    );
    expect(refusal(withAuthorization(request, /$/, ', Signature=abc')).message).toMatch(/has 'Signature' twice/);
    expect(refusal(withAuthorization(request, /, Signature=.*/, '')).message).toMatch(
      /^Authorization header requires 'Signature' parameter\. \(Hashed/,
    );
  });

  it('a credential with a part too few or too many, or without an access key', async () => {
    const request = await sign(SEND, KEY);
    for (const [from, to] of [
      ['/aws4_request', ''],
      ['/aws4_request', '/aws4_request/more'],
      ['Credential=AKIAALICE', 'Credential='],
    ] as const) {
      expect(refusal(withAuthorization(request, from, to))).toMatchObject({
        queryCode: 'IncompleteSignature',
        message: expect.stringMatching(
          /^Credential must have exactly 5 slash-delimited elements, e.g. keyid\/date\/region\/service\/term, got '/,
        ),
      });
    }
  });

  it('a date that is none', async () => {
    for (const date of ['2026-01-31T12:00:00Z', '20260230T120000Z', 'yesterday', '']) {
      expect(refusal(withHeader(await sign(SEND, KEY), 'x-amz-date', date))).toMatchObject({
        queryCode: 'IncompleteSignature',
        message: `Date must be in ISO-8601 'basic format'. Got '${date}'. See http://en.wikipedia.org/wiki/ISO_8601`,
      });
    }
  });

  it('SigV4a, and algorithms that nobody knows', async () => {
    const request = await sign(SEND, KEY);
    expect(refusal(withAuthorization(request, 'AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'))).toMatchObject({
      queryCode: 'IncompleteSignature',
      message: 'AWS4-ECDSA-P256-SHA256 (SigV4a) is not supported. Sign with AWS4-HMAC-SHA256.',
    });
    expect(refusal(withAuthorization(request, 'AWS4-HMAC-SHA256', 'AWS4-HMAC-MD5')).message).toBe(
      "Unsupported AWS 'algorithm': 'AWS4-HMAC-MD5'.",
    );
    const presigned = await presign({ method: 'GET', path: '/' }, KEY, 60);
    const query = presigned.query.replace('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256');
    expect(refusal({ ...presigned, query }).message).toContain('SigV4a');
  });

  it.each<[string, string, string, string]>([
    [
      'another region',
      '/us-east-1/',
      '/eu-west-9/',
      "Credential should be scoped to a valid region, not 'eu-west-9'. ",
    ],
    ['another service', '/sqs/', '/s3/', "Credential should be scoped to correct service: 'sqs'. "],
    [
      'another terminator',
      'aws4_request',
      'aws4_reques',
      "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws4_reques'. ",
    ],
    [
      'another day',
      '/20260131/',
      '/20260130/',
      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20260130' != '20260131', from '20260131T120000Z'.",
    ],
  ])('%s in the scope', async (_, from, to, message) => {
    const error = refusal(withAuthorization(await sign(SEND, KEY), from, to));
    expect(error).toMatchObject({
      shape: 'InvalidSignatureException',
      queryCode: 'SignatureDoesNotMatch',
      httpStatus: 403,
    });
    expect(error.message).toBe(message);
  });

  it('a signature that is too old, or of a clock that is ahead', async () => {
    const request = await sign(SEND, KEY);
    expect(accepts(request, { now: NOW + 15 * MINUTE }).owner).toBe('alice');
    expect(accepts(request, { now: NOW - 5 * MINUTE }).owner).toBe('alice');
    expect(refusal(request, { now: NOW + 15 * MINUTE + 7000 })).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      httpStatus: 403,
      message: 'Signature expired: 20260131T120000Z is now earlier than 20260131T120007Z (20260131T121507Z - 15 min.)',
    });
    expect(refusal(request, { now: NOW - 5 * MINUTE - 9000 })).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      httpStatus: 403,
      message:
        'Signature not yet current: 20260131T120000Z is still later than 20260131T115951Z (20260131T115451Z + 5 min.)',
    });
  });

  it('a request whose host is not signed', async () => {
    const text = "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
    const request = await sign(SEND, KEY);
    expect(refusal(withAuthorization(request, ';host;', ';'))).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      message: text,
    });
    expect(refusal(withHeader(request, 'host', undefined)).message).toBe(text);
  });

  it.each([
    ['x-amz-target', 'X-Amz-Target'],
    ['x-amz-date', 'X-Amz-Date'],
    ['x-amz-content-sha256', 'X-Amz-Content-Sha256'],
  ])('a request whose %s is not signed', async (name, shown) => {
    const request = await sign(SEND, KEY);
    expect(refusal(withAuthorization(request, new RegExp(`;${name}`), '')).message).toBe(
      `'${shown}' must be a 'SignedHeader' in the AWS Authorization.`,
    );
  });

  it('a header that is named twice, whose value would be hashed as often', async () => {
    const request = await sign(SEND, KEY);
    const many = withAuthorization(request, ';host;', `;host${';x-large'.repeat(5000)};`);
    expect(refusal(withHeader(many, 'x-large', 'x'.repeat(20_000)))).toMatchObject({
      queryCode: 'IncompleteSignature',
      message: "'SignedHeaders' must not name 'x-large' twice.",
    });
    const presigned = await presign({ method: 'GET', path: '/' }, KEY, 60);
    const query = presigned.query.replace('SignedHeaders=host', 'SignedHeaders=host%3Bhost');
    expect(refusal({ ...presigned, query }).message).toBe("'SignedHeaders' must not name 'host' twice.");
  });

  it('an access key that nobody has', async () => {
    expect(refusal(await sign(SEND, { ...KEY, accessKeyId: 'AKIANOBODY' }))).toMatchObject({
      shape: 'UnrecognizedClientException',
      queryCode: 'InvalidClientTokenId',
      httpStatus: 403,
      message: 'The security token included in the request is invalid.',
    });
  });

  it('a session token that is expired, or comes with a long-term access key', async () => {
    expect(refusal(await sign(SEND, { ...KEY, sessionToken: 'old token' }))).toMatchObject({
      shape: 'ExpiredTokenException',
      queryCode: 'ExpiredToken',
      httpStatus: 403,
      message: 'The security token included in the request is expired',
    });
    expect(refusal(await sign(SEND, { ...KEY, sessionToken: 'made up' })).queryCode).toBe('InvalidClientTokenId');
  });

  it('a wrong secret, showing what should have been signed', async () => {
    const request = await sign({ ...SEND, headers: {}, body: '' }, { ...KEY, secretAccessKey: 'guessed' });
    const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const canonical = `POST\n/\n\nhost:localhost:9324\nx-amz-content-sha256:${emptyHash}\nx-amz-date:20260131T120000Z\n\nhost;x-amz-content-sha256;x-amz-date\n${emptyHash}`;
    const canonicalHash = nodeDigests.sha256Hex(Buffer.from(canonical));
    expect(refusal(request)).toMatchObject({
      shape: 'InvalidSignatureException',
      queryCode: 'SignatureDoesNotMatch',
      httpStatus: 403,
      message:
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.\n\n' +
        `The Canonical String for this request should have been\n'${canonical}'\n\n` +
        `The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20260131T120000Z\n20260131/us-east-1/sqs/aws4_request\n${canonicalHash}'\n`,
    });
  });

  it('a signature of another length, or in other characters', async () => {
    const request = await sign(SEND, KEY);
    for (const signature of ['ab', 'é'.repeat(64), 'A'.repeat(64), `${'0'.repeat(64)}0`]) {
      const changed = withAuthorization(request, /Signature=\w+/, `Signature=${signature}`);
      expect(refusal(changed).queryCode).toBe('SignatureDoesNotMatch');
    }
  });

  it('a body other than x-amz-content-sha256 says', async () => {
    expect(refusal({ ...(await sign(SEND, KEY)), body: Buffer.from('{}') })).toMatchObject({
      queryCode: 'SignatureDoesNotMatch',
      message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
    });
  });

  it('the signature of a header moved into a presigned request', async () => {
    // A header signature covers X-Amz-Signature in the query, a presigned one does not.
    const request = await sign(SEND, KEY);
    expect(refusal({ ...request, query: 'X-Amz-Signature=abc' }).queryCode).toBe('IncompleteSignature');
  });
});

describe('the work', () => {
  /** Of a second request, when the signing keys of the first one are known. */
  async function workFor(key: SigningOptions): Promise<object> {
    const { verifier, counts } = verifierWith();
    const request = await sign(SEND, key);
    const attempt = () => {
      try {
        verifier.verify(request, 'sqs');
      } catch {}
    };
    attempt();
    const first = { ...counts };
    attempt();
    return { first, second: { hashes: counts.hashes - first.hashes, hmacs: counts.hmacs - first.hmacs } };
  }

  it('is the same for a right, a wrong and an unknown access key: two hashes and one HMAC with a known key', async () => {
    const expected = { first: { hashes: 2, hmacs: 5 }, second: { hashes: 2, hmacs: 1 } };
    expect(await workFor(KEY)).toEqual(expected);
    expect(await workFor({ ...KEY, secretAccessKey: 'guessed' })).toEqual(expected);
    expect(await workFor({ ...KEY, accessKeyId: 'AKIANOBODY' })).toEqual(expected);
    expect(await workFor({ ...KEY, sessionToken: 'old token' })).toEqual(expected);
    expect(await workFor({ ...KEY, sessionToken: 'made up' })).toEqual(expected);
  });
});

it('follows an access key to its new secret', async () => {
  let secret = 'first';
  const verifier = new SignatureVerifier<string>({
    findCredential: () => ({ status: 'valid', secret, owner: 'alice' }),
    now: () => NOW,
    isRegion: () => true,
  });
  const first = await sign(SEND, { ...KEY, secretAccessKey: 'first' });
  verifier.verify(first, 'sqs');
  secret = 'second';
  expect(() => verifier.verify(first, 'sqs')).toThrow('does not match');
  expect(verifier.verify(await sign(SEND, { ...KEY, secretAccessKey: 'second' }), 'sqs').owner).toBe('alice');
});

function bare(): SignedRequest {
  return { method: 'GET', path: '/', query: '', rawHeaders: [], body: Buffer.alloc(0) };
}

/** No signer of SDKs can do without X-Amz-Date. */
function signedByHand(date: string[]): SignedRequest {
  const emptyHash = nodeDigests.sha256Hex(Buffer.alloc(0));
  const canonical = `GET\n/\n\ndate:${date[1]}\nhost:localhost\n\ndate;host\n${emptyHash}`;
  const scope = '20260131/us-east-1/sqs/aws4_request';
  const canonicalHash = nodeDigests.sha256Hex(Buffer.from(canonical));
  let key: string | Buffer = `AWS4${KEY.secretAccessKey}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const signature = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n20260131T120000Z\n${scope}\n${canonicalHash}`)
    .digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAALICE/${scope},SignedHeaders=date;host,Signature=${signature}`;
  return { ...bare(), rawHeaders: ['Host', 'localhost', ...date, 'Authorization', authorization] };
}
