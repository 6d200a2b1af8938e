import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeXml, escapeXmlToBytes, XmlWriter } from './xml.ts';

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '&',
      '<',
      '>',
      '"',
      '\r',
      '\n',
      '\0',
      '\x1f',
      '\ufffe',
      '\uffff',
      '\ud800',
      '\udfff',
      'ü',
      '🐦',
      'x',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('escaping on bytes', () => {
  it('is the same as in text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(escapeXmlToBytes(text).toString()).toBe(escapeXml(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a document', () => {
  it('is the same whether its texts are large or not', () => {
    fc.assert(
      fc.property(fc.array(texts), fc.nat(3), (someTexts, large) => {
        const xml = new XmlWriter();
        const expected = someTexts.map((text, index) => {
          const element = index === large ? text.repeat(20_000) : text;
          xml.element('a', element);
          return `<a>${escapeXml(element)}</a>`;
        });
        expect(String(xml.end())).toBe(expected.join(''));
      }),
    );
  });

  it('is no string when it is large', () => {
    const xml = new XmlWriter();
    xml.text('"'.repeat(100_000));
    expect(Buffer.from('&quot;'.repeat(100_000)).equals(xml.end() as Buffer)).toBe(true);
  });
});
