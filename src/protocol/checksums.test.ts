import { describe, expect, it } from 'vitest';
import { type DigestedAttribute, md5OfBody, md5OfMessageAttributes } from './checksums.ts';

function text(name: string, value: string, dataType = 'String'): DigestedAttribute {
  return { name, dataType, value };
}

describe('md5OfBody', () => {
  it('is that of the UTF-8 bytes', () => {
    expect(md5OfBody('message')).toBe('78e731027d8fd50ed642340b7c9a63b3');
    // printf '\303\274' | md5sum
    expect(md5OfBody('\u00fc')).toBe('c03410a5204b21cd8229ff754688d743');
  });
});

describe('md5OfMessageAttributes', () => {
  const general = text('General', 'Kenobi');
  const hello = text('Hello', 'There');
  const helpMe = text('Help.Me', 'Me');

  it.each([
    ['a Number', [text('timestamp', '1493147359900', 'Number')], '235c5c510d26fb653d073faed50ae77c'],
    [
      'a custom label',
      [text('timestamp', '1493147359900', 'Number.java.lang.Long')],
      '2e2e4876d8e0bd6b8c2c8f556831c349',
    ],
    ['a String', [text('k', 'x')], 'a45daa70926828a2f0a1db3418e6feb4'],
    [
      'a Binary',
      [
        {
          name: 'attr1',
          dataType: 'Binary',
          value: Buffer.from('traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01'),
        },
      ],
      '8cbe4db156db8a94db8b801b7addb984',
    ],
    ['another String', [text('MyAttribute', 'foobar')], 'adb59cd4678ea5a855436b949cd07ab6'],
    ['three', [general, hello, helpMe], '4c360f3fdafd970e05fae2f149d997f5'],
    ['the last two', [hello, helpMe], '83fee93c1bcd8b9a5a923ffacdc636c7'],
    ['the first two', [general, hello], 'fca026605781cb4126a1e9044df24232'],
    ['one of them', [hello], 'a311262e065454b75da111d535b8dacd'],
    [
      'mixed types',
      [text('Author', 'John Grisham'), text('Title', 'The Whistler'), text('WeeksOn', '6', 'Number')],
      'd25a6aea97eb8f585bfa92d314504a92',
    ],
    [
      'a system attribute',
      [text('AWSTraceHeader', 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1')],
      '5ae4d5d7636402d80f4eb6d213245a88',
    ],
  ])('is what AWS answers for %s', (_, attributes, digest) => {
    expect(md5OfMessageAttributes(attributes)).toBe(digest);
  });

  it('does not depend on the order of the attributes, and leaves it alone', () => {
    const attributes = [helpMe, general, hello];
    expect(md5OfMessageAttributes(attributes)).toBe('4c360f3fdafd970e05fae2f149d997f5');
    expect(attributes).toEqual([helpMe, general, hello]);
  });
});
