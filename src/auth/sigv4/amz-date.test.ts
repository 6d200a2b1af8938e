import { describe, expect, it } from 'vitest';
import { formatAmzDate, parseAmzDate, parseDateHeader } from './amz-date.ts';

const AT = Date.UTC(2015, 7, 30, 12, 36, 9);

describe('parseAmzDate', () => {
  it('reads what formatAmzDate writes', () => {
    expect(formatAmzDate(AT + 999)).toBe('20150830T123609Z');
    expect(parseAmzDate('20150830T123609Z')).toBe(AT);
  });

  it.each([
    '20150230T000000Z',
    '20151301T000000Z',
    '20150830T240000Z',
    '20150830T123660Z',
    '20150830T123609',
    '20150830',
    '',
  ])('takes "%s" for no time', (text) => {
    expect(parseAmzDate(text)).toBeUndefined();
  });
});

describe('parseDateHeader', () => {
  it.each(['20150830T123609Z', 'Sun, 30 Aug 2015 12:36:09 GMT'])('reads %s', (text) => {
    expect(parseDateHeader(text)).toBe(AT);
  });

  it.each(['2015-08-30T12:36:09Z', 'Sun, 30 Foo 2015 12:36:09 GMT', '30 Aug 2015', '1440938169000'])(
    'takes "%s" for no time',
    (text) => {
      expect(parseDateHeader(text)).toBeUndefined();
    },
  );
});
