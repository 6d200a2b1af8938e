import type { Random } from '../../sim/random.ts';
import type { CallToMake } from './call.ts';

/** One request as bytes, and what is known about them. */
export interface Wrapped {
  bytes: Buffer;
  /** HTTP as it should be: there has to be a reply, and a whole one. */
  isWellFormed: boolean;
  /** The request is complete, so that an answer must come. */
  isComplete: boolean;
  /** It asks for the end of the connection: what comes after it is not read. */
  closes: boolean;
  protocol: CallToMake['protocol'];
  /** AWS Query with replies in JSON. */
  asksForJson: boolean;
}

type Header = [name: string, value: string];

const HEADER_ODDITIES: Record<string, (random: Random) => Header[]> = {
  charset: (random) => [
    [
      'Content-Type',
      `${random.pick(['application/x-amz-json-1.0', 'APPLICATION/X-WWW-FORM-URLENCODED'])}; charset=${random.pick(['utf-8', 'UTF-16', 'latin1', '"'])}`,
    ],
  ],
  type: (random) => [
    [
      'Content-Type',
      random.pick([
        '',
        'x',
        'text/plain',
        'application/json',
        'multipart/form-data; boundary=a',
        ';;;',
        '\xff',
        'application/x-amz-json-1.1',
        'application/cbor',
      ]),
    ],
  ],
  encoding: (random) => [
    ['Content-Encoding', random.pick(['gzip', 'br', 'deflate', 'identity', 'aws-chunked', 'nonsense'])],
  ],
  accept: (random) => [
    [
      'Accept',
      random.pick([
        '',
        '*/*',
        'application/json',
        'text/html, application/json;q=0',
        'image/png',
        ';q=',
        '\xff',
        'x'.repeat(5_000),
      ]),
    ],
    ['Accept-Encoding', 'gzip, br'],
  ],
  target: (random) => [
    [
      'X-Amz-Target',
      random.pick([
        '',
        'AmazonSQS.',
        'AmazonSQS.Nothing',
        'amazonsqs.ListQueues',
        'AmazonSQS.__proto__',
        'DynamoDB_20120810.ListTables',
        '\xff',
        'AmazonSQS.toString',
      ]),
    ],
  ],
  authorization: (random) => [
    [
      'Authorization',
      random.pick([
        '',
        'x',
        'Basic YTpi',
        'AWS4-HMAC-SHA256 Credential=',
        'AWS4-HMAC-SHA256 Credential=////',
        'AWS4-HMAC-SHA256 Credential=__proto__/20231114/constructor/sqs/aws4_request',
        'AWS4-HMAC-SHA256 Credential=\xff/20231114/us-east-1/sqs/aws4_request, SignedHeaders=, Signature=',
        `AWS4-HMAC-SHA256 Credential=${'x'.repeat(5_000)}/20231114/us-east-1/sqs/aws4_request`,
      ]),
    ],
  ],
  host: (random) => [
    [
      'Host',
      random.pick([
        ' ',
        'a b',
        '"><script>',
        '\xff',
        'a:b:c',
        ':80',
        '[::1',
        'a/b?c#d',
        'x'.repeat(5_000),
        '__proto__',
        '127.0.0.1:1',
      ]),
    ],
  ],
  trace: (random) => [
    [
      'X-Amzn-Trace-Id',
      random.pick([
        '',
        'Root=1-5759e988-bd862e3fe1be46a994272793',
        '\xff\xfe',
        '<a>&amp;"',
        '\t',
        'x'.repeat(5_000),
        '__proto__',
      ]),
    ],
  ],
  twice: (random) => [
    ['X-Amz-Date', 'x'],
    ['X-Amz-Date', 'y'],
    ['Accept', random.pick(['*/*', 'application/json'])],
    ['Authorization', 'a'],
    ['Authorization', 'b'],
    ['X-Amzn-Trace-Id', 'a'],
  ],
  many: (random) => Array.from({ length: random.pick([50, 500, 1_500]) }, (_, index): Header => [`X-${index}`, 'a']),
  unusual: () => [
    ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
    ['X-Forwarded-For', '1.2.3.4, \xff'],
    ['Cookie', 'a=b; c'],
    ['Range', 'bytes=0-1'],
    ['If-None-Match', '*'],
    ['TE', 'trailers'],
    ['X-Amz-Security-Token', 'x'.repeat(2_000)],
    ['X-Amz-Query-Mode', 'true'],
  ],
  browser: (random) => [
    ['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', ''])],
    ['Origin', 'https://elsewhere.example'],
    ['Referer', '\xff'],
  ],
  keepAlive: (random) => [
    ['Connection', random.pick(['close', 'keep-alive', 'Keep-Alive, TE', 'x'])],
    ['Keep-Alive', 'timeout=0'],
  ],
};
const ODDITY_NAMES = Object.keys(HEADER_ODDITIES);

/** What makes it no HTTP. It replaces the end of the head. */
const MALFORMATIONS = [
  'A header without a colon',
  ': no name',
  'A B: c',
  'X: \0',
  'X: a\x01b',
  'Content-Length: many',
  'Content-Length: -1',
  'Content-Length: 1\r\nContent-Length: 2',
  'Transfer-Encoding: nonsense',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  `X: ${'x'.repeat(70_000)}`,
  'Expect: a miracle',
  ' folded: x',
  'X: a\rb',
];
const METHODS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'SEARCH', 'QUERY'];
const METHODS_OF_NOBODY = ['FETCH', 'get', 'P OST', ''];

export function wrap(call: CallToMake, random: Random): Wrapped {
  let isWellFormed = true;
  let isComplete = true;
  let { method } = call;
  if (random.chance(30)) method = random.pick(METHODS);
  if (random.chance(8)) {
    method = random.pick(METHODS_OF_NOBODY);
    isWellFormed = false;
  }
  const headers = new Map<string, Header[]>([['host', [['Host', 'localhost']]]]);
  for (const header of call.headers) headers.set(header[0].toLowerCase(), [header]);
  for (let oddities = random.chance(400) ? random.between(1, 3) : 0; oddities > 0; oddities--) {
    const odd = HEADER_ODDITIES[random.pick(ODDITY_NAMES)]!(random);
    for (const [name] of odd) headers.delete(name.toLowerCase());
    for (const header of odd)
      headers.set(header[0].toLowerCase(), [...(headers.get(header[0].toLowerCase()) ?? []), header]);
  }
  if (random.chance(30)) headers.delete(random.pick([...headers.keys()]));
  // HTTP itself wants one.
  if ((headers.get('host')?.[0]?.[1].trim() ?? '') === '') isWellFormed = false;

  const framed = frame(call.body, random);
  if (framed.fault === 'cut') isComplete = false;
  if (framed.fault === 'malformed') isWellFormed = false;
  let head = `${method} ${call.target} HTTP/1.1\r\n`;
  for (const list of headers.values()) {
    for (const [name, value] of list)
      head += `${random.chance(20) ? name.toUpperCase() : name}:${random.chance(20) ? '' : ' '}${value}\r\n`;
  }
  head += framed.header;
  if (random.chance(15)) {
    head += `${random.pick(MALFORMATIONS)}\r\n`;
    isWellFormed = false;
  }
  const contentType = headers.get('content-type')?.[0]?.[1].trim().toLowerCase() ?? '';
  const isJson = headers.has('x-amz-target') || contentType.startsWith('application/x-amz-json');
  return {
    bytes: Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), framed.body]),
    isWellFormed,
    isComplete,
    closes: headers.get('connection')?.some(([, value]) => value === 'close') === true,
    protocol: isJson ? 'AWS JSON' : 'AWS Query',
    asksForJson: headers.get('accept')?.some(([, value]) => value.includes('application/json')) === true,
  };
}

interface Framed {
  header: string;
  body: Buffer;
  fault?: 'cut' | 'malformed';
}

/** How HTTP tells where the body ends. */
function frame(body: Buffer, random: Random): Framed {
  const length = body.length === 0 && random.chance(500) ? '' : `Content-Length: ${body.length}\r\n`;
  switch (
    random.weighted({ length: 700, chunks: 200, oddChunks: 60, tooShort: 10, tooLong: 10, absurd: 10, badChunks: 10 })
  ) {
    case 'length':
      return { header: length, body };
    case 'chunks':
      return { header: 'Transfer-Encoding: chunked\r\n', body: chunks(body, random, '') };
    case 'oddChunks':
      return {
        header: 'Transfer-Encoding: Chunked\r\nTrailer: X-Checksum\r\n',
        body: chunks(body, random, ';name="value"'),
      };
    case 'tooShort':
      // What is left over is taken for another request.
      return body.length < 2
        ? { header: length, body }
        : { header: `Content-Length: ${random.below(body.length)}\r\n`, body, fault: 'malformed' };
    case 'tooLong':
      return { header: `Content-Length: ${body.length + random.between(1, 100_000)}\r\n`, body, fault: 'cut' };
    case 'absurd':
      return {
        header: `Content-Length: ${random.pick(['16777217', '999999999999999'])}\r\n`,
        body,
        fault: 'malformed',
      };
    case 'badChunks':
      return {
        header: 'Transfer-Encoding: chunked\r\n',
        body: Buffer.from(
          random.pick(['many\r\n', 'ffffffffffffffffff\r\n', '1\r\nab\r\n', '-1\r\n\r\n', '3;\0\r\nabc']),
        ),
        fault: 'malformed',
      };
  }
}

function chunks(body: Buffer, random: Random, extension: string): Buffer {
  const parts: Buffer[] = [];
  const size = random.pick([1, 2, 7, 100, 5_000]);
  const step = Math.max(size, Math.ceil(body.length / 500));
  for (let start = 0; start < body.length; start += step) {
    const piece = body.subarray(start, start + step);
    parts.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'));
  }
  const trailer = extension === '' ? '' : 'X-Checksum: \xff\r\n';
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`, 'latin1')]);
}
