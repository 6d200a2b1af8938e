import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presign, type SigningOptions, sign, type Unsigned } from '../../../test/support/signer.ts';
import { SignatureVerifier, type SignedRequest } from './signature-verifier.ts';

// The signer of the AWS SDK says what a signature is; the verifier has to agree about every request, and about nothing else.

const NOW = Date.UTC(2026, 5, 30, 23, 59, 59);
const verifierOf = ({ accessKeyId, secretAccessKey, sessionToken }: SigningOptions) =>
  new SignatureVerifier<string>({
    findCredential: (id, token) => {
      if (id !== accessKeyId || token !== sessionToken) return { status: 'unknown' };
      return { status: 'valid', secret: secretAccessKey, owner: 'somebody' };
    },
    now: () => NOW,
    isRegion: () => true,
  });

const printable = fc.string({ unit: fc.constantFrom(...' !"#$%&\'()*+,-./0:;<=>?@AZ[\\]^_`az{|}~') });
const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...' +%&=/?#~*!\'()"'), fc.constantFrom('a', 'Z', 'é', '漢', '😀')),
});

const key: fc.Arbitrary<SigningOptions> = fc.record({
  accessKeyId: fc.stringMatching(/^[A-Z0-9]{4,20}$/),
  secretAccessKey: fc.string({ minLength: 1 }),
  sessionToken: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'local'),
  at: fc.integer({ min: NOW - 14 * 60_000, max: NOW + 4 * 60_000 }).map((ms) => ms - (ms % 1000)),
});

const path = fc
  .array(
    fc.oneof(fc.constantFrom('', '.', '..', 'q.fifo', '000000000000', 'a..b', '...'), text.map(encodeURIComponent)),
    { maxLength: 5 },
  )
  .map((segments) => `/${segments.join('/')}`);

const request: fc.Arbitrary<Unsigned> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path,
  query: fc.dictionary(
    text.filter((name) => name !== '' && !/^x-amz-/i.test(name)),
    fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 4 })),
    { maxKeys: 6, noNullPrototype: true },
  ),
  headers: fc.dictionary(fc.constantFrom('content-type', 'x-amz-target', 'x-amz-foo', 'x-other', 'accept'), printable, {
    noNullPrototype: true,
  }),
  body: fc.string({ unit: 'grapheme' }),
});

/** Any change of one bit of one byte, somewhere in a text. */
const flip = fc.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 6 }) });

function flipped(value: string, { at, bit }: { at: number; bit: number }): string {
  const bytes = Buffer.from(value, 'latin1');
  const index = at % bytes.length;
  bytes[index] = (bytes[index] as number) ^ (1 << bit);
  return bytes.toString('latin1');
}

describe('the verifier and the signer of the AWS SDK', () => {
  it('agree about signed headers', async () => {
    await fc.assert(
      fc.asyncProperty(key, request, async (options, unsigned) => {
        const signed = await sign(unsigned, options);
        expect(verifierOf(options).verify(signed, 'sqs').owner).toBe('somebody');
      }),
      { numRuns: 400 },
    );
  });

  it('agree about presigned requests', async () => {
    await fc.assert(
      fc.asyncProperty(key, request, fc.integer({ min: 900, max: 604_800 }), async (options, unsigned, seconds) => {
        const signed = await presign(unsigned, options, seconds);
        expect(verifierOf(options).verify(signed, 'sqs')).toMatchObject({ owner: 'somebody', form: 'query' });
      }),
      { numRuns: 400 },
    );
  });
});

interface Part {
  name: string;
  value: string;
  replace(value: string): SignedRequest;
}

describe('a request changed on its way', () => {
  const options: SigningOptions = { accessKeyId: 'AKIAALICE', secretAccessKey: 'secret', at: NOW };
  const unsigned: Unsigned = {
    method: 'POST',
    path: '/000000000000/orders',
    query: { Name: 'value' },
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.SendMessage' },
    body: '{"MessageBody":"hello"}',
  };
  const verifier = verifierOf(options);

  /** Every text that the signature covers, and what the request is with another in its place. */
  function parts(signed: SignedRequest): Part[] {
    const { method, path: itsPath, query, rawHeaders, body } = signed;
    const headers = rawHeaders.flatMap((value, index) => {
      const replace = (other: string) => ({ ...signed, rawHeaders: rawHeaders.with(index, other) });
      return [{ name: `header ${index}`, value, replace }];
    });
    const all: Part[] = [
      { name: 'method', value: method, replace: (value) => ({ ...signed, method: value }) },
      { name: 'path', value: itsPath, replace: (value) => ({ ...signed, path: value }) },
      { name: 'query', value: query, replace: (value) => ({ ...signed, query: value }) },
      {
        name: 'body',
        value: Buffer.from(body).toString('latin1'),
        replace: (value) => ({ ...signed, body: Buffer.from(value, 'latin1') }),
      },
      ...headers,
    ];
    return all.filter(({ value }) => value !== '');
  }

  it.each([
    ['in its header', () => sign(unsigned, options)],
    ['in its query string', () => presign(unsigned, options, 60)],
  ])('in any bit is refused when it is signed %s', async (_, signedRequest) => {
    const signed = await signedRequest();
    expect(verifier.verify(signed, 'sqs').owner).toBe('somebody');
    fc.assert(
      fc.property(fc.constantFrom(...parts(signed)), flip, ({ value, replace }, change) => {
        const changed = flipped(value, change);
        // Letters in another case are the same header name, and the same escape.
        fc.pre(!isSame(value, changed));
        expect(() => verifier.verify(replace(changed), 'sqs')).toThrow();
      }),
      { numRuns: 4000 },
    );
  });

  function isSame(value: string, changed: string): boolean {
    const isHeaderName = /^[a-z0-9-]+$/.test(value) && value.includes('-') && value.length < 30;
    if ((isHeaderName || value === 'host' || value === 'authorization') && changed.toLowerCase() === value) return true;
    const decode = (text: string) => text.replaceAll(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
    return decode(changed) === decode(value);
  }
});
