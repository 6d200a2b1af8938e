import type { Random } from '../../sim/random.ts';

/** What nobody in his right mind would send, or everybody does by mistake. */

const TEXTS = [
  ...['', ' ', '\0', '\n', '\r\n', '\t', '.', '..', '*', '.*', '-1', '0', '1', '01', '+5', '1e9', '2147483648'],
  ...['9'.repeat(30), 'true', 'True', 'null', 'NaN', 'All', '[]', '{}', '{"a":1}', '[{}]', '"', '\\', "'", '%', '%41'],
  ...['<a>&amp;]]>', '<![CDATA[', '<!DOCTYPE a [<!ENTITY b "c">]>', '&#0;', '+', '=', '&', ';', '%zz', '$(x)'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'AWS.x', 'Amazon.x', 'aws:x', 'String', 'Number'],
  ...['Binary', 'String.', 'Number.x', 'Binary.gzip', '\ud800', '\udfff', '\uffff', '\ufffe', '\ufeff', '\u202e', 'é'],
  ...['e\u0301', '🐦', '\u{10ffff}', 'a'.repeat(81), 'a'.repeat(129), 'a'.repeat(300), 'ä'.repeat(200), '/', '//'],
  ...[
    'http://',
    'http:///x',
    '/000000000000/x',
    '000000000000/x',
    'x.fifo',
    '.fifo',
    'arn:',
    'arn:aws:sqs:us-east-1::x',
  ],
  ...['arn:aws:sqs:us-east-1:000000000000:x', 'arn:aws:sns:us-east-1:000000000000:x', 'eyJhIjoxfQ==', '===', 'YQ'],
  ...['{"redrivePermission":"byQueue"}', '{"maxReceiveCount":1}', '{"Version":"2012-10-17","Statement":[]}'],
  ...['{"redrivePermission":"byQueue","sourceQueueArns":[[]]}', '{"deadLetterTargetArn":"x","maxReceiveCount":"1"}'],
];
const SCALARS: readonly unknown[] = [null, true, false, 0, -0, -1, 1, 11, 0.5, 1e21, -1e300, 2 ** 31, 2 ** 53];
const ALPHABET = [
  'a',
  'B',
  '7',
  '-',
  '_',
  '.',
  ' ',
  '"',
  '\\',
  '<',
  '&',
  '\0',
  '\r',
  '\n',
  'ü',
  '\ud83d',
  '\udc26',
  '%',
];

export function strangeText(random: Random): string {
  if (random.chance(700)) return random.pick(TEXTS);
  return Array.from({ length: random.below(20) }, () => random.pick(ALPHABET)).join('');
}

export function strangeValue(random: Random, depth = 3): unknown {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind < 3) return strangeText(random);
  if (kind < 5) return random.pick(SCALARS);
  if (kind === 5) return Array.from({ length: random.below(4) }, () => strangeValue(random, depth - 1));
  const members = Array.from({ length: random.below(4) }, () => [strangeText(random), strangeValue(random, depth - 1)]);
  return Object.fromEntries(members);
}

/** A text of up to some MiB, now and then. */
export function largeText(random: Random): string {
  const unit = random.pick(['x', '<', '"', 'ü', '🐦', '\r\n', ' ', '\\', '&', '\u0001', 'x y ']);
  const size = random.pick([1_000, 60_000, 262_144, 262_145, 1_048_576, 1_048_577, 3_000_000]);
  return unit.repeat(Math.ceil(size / Buffer.byteLength(unit)));
}
