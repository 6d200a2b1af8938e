import { expect, it } from 'vitest';
import { Signer } from './signature.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};

it("signs 'post-vanilla' of the published test suite as it is signed there", () => {
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
  expect(new Signer(CREDENTIALS, 'service').authorization(headers, '')).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      'SignedHeaders=host;x-amz-date, ' +
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  );
});

it('takes another key on another day', () => {
  const signer = new Signer(CREDENTIALS);
  const on = (date: string) => signer.authorization({ host: 'h', 'x-amz-date': date }, 'body');
  const first = on('20250101T235959Z');
  expect(on('20250102T000000Z')).not.toBe(first);
  expect(on('20250101T235959Z')).toBe(first);
});
