import fc from 'fast-check';
import type { Shape, StructureShape } from '../../src/protocol/model/shape.ts';

/**
 * Any value that a shape allows: every member there or absent, lists and maps empty or not, numbers up to their limits,
 * text of the characters that JSON, XML and forms stumble over.
 */

/** `anything` includes what no UTF-8 can carry (lone surrogates) and what XML forbids. */
export type Alphabet = 'anything' | 'unicode';

const ODD_CHARACTERS = [
  ...['\0', '\b', '\x0b', '\f', '\x1b', '\x1f', '\x7f', '\x80', '\x85', '\x9f', '\xa0', '\xad'],
  ...[
    '\t',
    '\n',
    '\r',
    '\r\n',
    ' ',
    '  ',
    '"',
    "'",
    '\\',
    '/',
    '&',
    '<',
    '>',
    '&amp;',
    '&#13;',
    '&#xD;',
    ']]>',
    '<!--',
  ],
  ...['<![CDATA[', '<?', '=', '+', '%', '%41', '%zz', ';', '.', ',', ':', '{', '}', '[', ']', '*', '~', '!', '(', '#'],
  ...['\u2028', '\u2029', '\u200b', '\u202e', '\ufeff', '\ufffd', '\ufffe', '\uffff', '\ud7ff', '\ue000'],
  ...['é', 'e\u0301', 'ß', '中', '🐦', '\u{10000}', '\u{1fffe}', '\u{10ffff}', '👩‍👩‍👧'],
];
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const FORBIDDEN_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const LONE_SURROGATES = ['\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud800'];

function textOf(alphabet: Alphabet): fc.Arbitrary<string> {
  const odd = alphabet === 'anything' ? [...ODD_CHARACTERS, ...LONE_SURROGATES] : ODD_CHARACTERS;
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...odd) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  );
  return fc.array(unit, { maxLength: 12 }).map((units) => {
    const text = units.join('');
    // Two units may have become a pair, which is fine; a half that is left over is not.
    return alphabet === 'unicode' ? text.replaceAll(/\p{Surrogate}/gu, '') : text;
  });
}

const TEXTS: Record<Alphabet, fc.Arbitrary<string>> = { anything: textOf('anything'), unicode: textOf('unicode') };
const INTEGERS = fc.oneof(
  fc.constantFrom(0, 1, -1, 10, 43_200, 2 ** 31 - 1, -(2 ** 31)),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
);
const LONGS = fc.oneof(
  fc.constantFrom(0, 2 ** 31, 2 ** 32, 1_700_000_000_000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.maxSafeInteger(),
);
const BYTES = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(0xfb, 0xff, 0xfe), new Uint8Array(1000).fill(255)),
);

export function valuesOf(shape: Shape, alphabet: Alphabet): fc.Arbitrary<unknown> {
  switch (shape.type) {
    case 'string':
      return TEXTS[alphabet];
    case 'integer':
      return INTEGERS;
    case 'long':
      return LONGS;
    case 'boolean':
      return fc.boolean();
    case 'blob':
      return BYTES;
    case 'list':
      return fc.array(valuesOf(shape.member, alphabet), { maxLength: 12, size: 'small' });
    case 'map':
      return fc.dictionary(TEXTS[alphabet].filter(isKey), valuesOf(shape.value, alphabet), {
        maxKeys: 12,
        size: 'small',
      });
    case 'structure':
      return structuresOf(shape, alphabet);
  }
}

/**
 * Not a text that could become another key on its way: the SDKs assign to __proto__, which sets a prototype (that our side
 * is safe from it has a test of its own), and in XML all forbidden characters look the same.
 */
function isKey(text: string): boolean {
  return text !== '__proto__' && /\S/.test(text) && !FORBIDDEN_IN_XML.test(text);
}

export function structuresOf(shape: StructureShape, alphabet: Alphabet): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(shape.members).map(([name, member]) => [name, valuesOf(member.shape, alphabet)]);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}
