import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SqsError } from '../../protocol/model/errors.ts';
import { testIdentities } from '../testing/identities.ts';

// Whatever a client sends, it is told what is wrong; nothing it sends is a bug of the server.

const { authenticator } = testIdentities();

const latin1 = fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)) });
const fragment = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'AWS4-HMAC-SHA256',
      ' ',
      ', ',
      ',',
      '=',
      ';',
      '/',
      'Credential=',
      'AKIAALICE/20260131/us-east-1/sqs/aws4_request',
      'SignedHeaders=',
      'host;x-amz-date',
      'Signature=',
      '0'.repeat(64),
      '20260131T120000Z',
      'Sat, 31 Jan 2026 12:00:00 GMT',
      'UNSIGNED-PAYLOAD',
      '__proto__',
    ),
  },
  latin1,
);
const value = fc.oneof(
  fc.array(fragment, { maxLength: 10 }).map((parts) => parts.join('')),
  fc.constant(
    `AWS4-HMAC-SHA256 Credential=AKIAALICE/20260131/us-east-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  ),
  fc.constant('20260131T120000Z'),
);
const names = [
  'Authorization',
  'X-Amz-Date',
  'Date',
  'Host',
  'X-Amz-Security-Token',
  'X-Amz-Content-Sha256',
  '__proto__',
];
const queryNames = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature', 'Security-Token'].map(
  (name) => `X-Amz-${name}`,
);

it('answers every malformed request with an error of SQS', () => {
  fc.assert(
    fc.property(
      fc.record({
        method: fc.constantFrom('GET', 'POST', 'PUT'),
        path: fc.oneof(latin1, fc.constant('/')),
        query: fc
          .array(fc.tuple(fc.constantFrom(...queryNames, 'a', '%', '%ff'), fc.oneof(value, value.map(escaped))), {
            maxLength: 8,
          })
          .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
        rawHeaders: fc
          .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 })
          .map((headers) => headers.flat()),
        body: fc.uint8Array({ maxLength: 10 }),
      }),
      (request) => {
        try {
          authenticator.authenticate(request, 'sqs');
        } catch (error) {
          expect(error).toBeInstanceOf(SqsError);
          expect((error as SqsError).fault).toBe('Sender');
          return;
        }
        throw new Error('A request that nobody signed was accepted.');
      },
    ),
    { numRuns: 3000 },
  );
});

function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
