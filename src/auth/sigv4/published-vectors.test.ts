import { expect, it } from 'vitest';
import { headerFields } from './header-fields.ts';
import { SignatureVerifier } from './signature-verifier.ts';

// The test suite that AWS has published for Signature Version 4: requests and the signatures they must have.

const ACCESS_KEY_ID = 'AKIDEXAMPLE';
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const HOST = ['Host', 'example.amazonaws.com'];
const DATE = ['X-Amz-Date', '20150830T123600Z'];
const FORM = 'application/x-www-form-urlencoded';
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SESSION_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

interface Vector {
  name: string;
  request: string;
  /** Beside host and date. */
  headers?: string[];
  body?: string;
  signature: string;
}

const VECTORS: Vector[] = [
  {
    name: 'get-vanilla',
    request: 'GET /',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-empty-query-key',
    request: 'GET /?Param1=value1',
    signature: 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  },
  {
    name: 'get-vanilla-query-order-key',
    request: 'GET /?Param1=value2&Param1=Value1',
    signature: 'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    request: 'GET /?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'get-vanilla-query-order-value',
    request: 'GET /?Param1=value2&Param1=value1',
    signature: '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  },
  {
    name: 'get-vanilla-query-unreserved',
    request: `GET /?${UNRESERVED}=${UNRESERVED}`,
    signature: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  },
  {
    name: 'get-vanilla-utf8-query',
    request: 'GET /?ሴ=bar',
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  {
    name: 'get-unreserved',
    request: `GET /${UNRESERVED}`,
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  {
    name: 'get-utf8',
    request: 'GET /ሴ',
    signature: '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  },
  {
    name: 'get-space',
    request: 'GET /example space/',
    signature: '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
  },
  {
    name: 'get-slash',
    request: 'GET //',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-slash-dot-slash',
    request: 'GET /./',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-slash-pointless-dot',
    request: 'GET /./example',
    signature: 'ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5',
  },
  {
    name: 'get-slashes',
    request: 'GET //example//',
    signature: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
  },
  {
    name: 'get-relative',
    request: 'GET /example/..',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-relative-relative',
    request: 'GET /example1/example2/../..',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-header-key-duplicate',
    request: 'GET /',
    headers: ['My-Header1', 'value2', 'My-Header1', 'value2', 'My-Header1', 'value1'],
    signature: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  },
  {
    name: 'get-header-value-multiline',
    request: 'GET /',
    headers: ['My-Header1', 'value1', 'My-Header1', 'value2', 'My-Header1', 'value3'],
    signature: 'ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790',
  },
  {
    name: 'get-header-value-order',
    request: 'GET /',
    headers: ['My-Header1', 'value4', 'My-Header1', 'value1', 'My-Header1', 'value3', 'My-Header1', 'value2'],
    signature: '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  },
  {
    name: 'get-header-value-trim',
    request: 'GET /',
    headers: ['My-Header1', ' value1', 'My-Header2', ' "a   b   c"'],
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  {
    name: 'post-vanilla',
    request: 'POST /',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  {
    name: 'post-vanilla-query',
    request: 'POST /?Param1=value1',
    signature: '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  },
  {
    name: 'post-header-key-sort',
    request: 'POST /',
    headers: ['My-Header1', 'value1'],
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  {
    name: 'post-header-value-case',
    request: 'POST /',
    headers: ['My-Header1', 'VALUE1'],
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  {
    name: 'post-sts-header-before',
    request: 'POST /',
    headers: ['X-Amz-Security-Token', SESSION_TOKEN],
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  {
    name: 'post-x-www-form-urlencoded',
    request: 'POST /',
    headers: ['Content-Type', FORM],
    body: 'Param1=value1',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  {
    name: 'post-x-www-form-urlencoded-parameters',
    request: 'POST /',
    headers: ['Content-Type', `${FORM}; charset=utf8`],
    body: 'Param1=value1',
    signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  },
];

const verifier = new SignatureVerifier<string>({
  findCredential: () => ({ status: 'valid', secret: SECRET, owner: 'example' }),
  now: () => Date.UTC(2015, 7, 30, 12, 36),
  isRegion: (region) => region === 'us-east-1',
});

function signed({ request, headers = [], body = '', signature }: Vector, unsigned: string[] = []) {
  const [, method = '', path = '', query = ''] = /^(\w+) ([^?]*)\??(.*)$/.exec(request) ?? [];
  const covered = [...headers, ...HOST, ...DATE];
  const signedHeaders = [...headerFields(covered).keys()].sort().join(';');
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/20150830/us-east-1/service/aws4_request, ` +
    `SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return {
    method,
    path: binary(path),
    query: binary(query),
    rawHeaders: [...covered, ...unsigned, 'Authorization', authorization],
    body: Buffer.from(body),
  };
}

/** As Node reads UTF-8 in a request line. */
function binary(text: string): string {
  return Buffer.from(text).toString('latin1');
}

it.each(VECTORS)('accepts $name', (vector) => {
  expect(verifier.verify(signed(vector), 'service')).toMatchObject({ owner: 'example', accessKeyId: ACCESS_KEY_ID });
});

it('refuses post-sts-header-after, whose session token is not signed', () => {
  const vector = VECTORS.find(({ name }) => name === 'post-vanilla') as Vector;
  const request = signed(vector, ['X-Amz-Security-Token', SESSION_TOKEN]);
  expect(() => verifier.verify(request, 'service')).toThrow(
    "'X-Amz-Security-Token' must be a 'SignedHeader' in the AWS Authorization.",
  );
});
