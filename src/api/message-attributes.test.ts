import { describe, expect, it } from 'vitest';
import type { MessageAttributeValue } from '../protocol/model/shapes.ts';
import { parseMessageAttributes, parseSystemAttributes, toAttributeValue } from './message-attributes.ts';
import { errorOf } from './testing/context.ts';

const text = (StringValue: string, DataType = 'String'): MessageAttributeValue => ({ DataType, StringValue });
const bytes = (length: number, DataType = 'Binary'): MessageAttributeValue => ({
  DataType,
  BinaryValue: new Uint8Array(length),
});

describe('message attributes', () => {
  it('keep their data type with its label', () => {
    const values = { timestamp: text('1493147359900', 'Number.java.lang.Long'), png: bytes(3, 'Binary.png') };
    const attributes = parseMessageAttributes(values);
    expect(attributes).toEqual([
      { name: 'timestamp', dataType: 'Number.java.lang.Long', value: '1493147359900' },
      { name: 'png', dataType: 'Binary.png', value: new Uint8Array(3) },
    ]);
    expect(attributes.map(toAttributeValue)).toEqual(Object.values(values));
  });

  it.each(['a', 'attr.1øßä', 'x'.repeat(256), 'Hello-World_1.2', 'AWSTrace', 'Amazonas', '__proto__', 'constructor'])(
    'may be called %s',
    (name) => {
      const values = Object.fromEntries([[name, text('x')]]);
      expect(parseMessageAttributes(values)).toEqual([{ name, dataType: 'String', value: 'x' }]);
    },
  );

  it('treat empty fields as absent', () => {
    const values = { a: { ...text('x'), BinaryValue: new Uint8Array(), StringListValues: [], BinaryListValues: [] } };
    expect(parseMessageAttributes(values)).toEqual([{ name: 'a', dataType: 'String', value: 'x' }]);
  });

  it.each([
    '0',
    '-1',
    '+1.5',
    '.5',
    '5.',
    '1e10',
    '1E-128',
    '9.99e126',
    `0.${'0'.repeat(127)}1`,
    '1'.repeat(38),
    `1${'0'.repeat(126)}`,
  ])('may have the number %s', (number) => {
    expect(parseMessageAttributes({ n: text(number, 'Number') })).toHaveLength(1);
  });

  it.each([
    'abc',
    '1x',
    '',
    'e5',
    '.',
    '0x10',
    'Infinity',
    'NaN',
    '1 ',
    '1e127',
    '1e-129',
    '1'.repeat(39),
    `1${'0'.repeat(127)}`,
    '0'.repeat(2_000_000),
    `${'1'.repeat(1_000_000)}x`,
  ])('may not have the number %s', async (number) => {
    const reason = number === '' ? "Message (user) attribute 'n' must contain" : "Can't cast the value of message";
    expect(await errorOf(() => parseMessageAttributes({ n: text(number, 'Number') }))).toContain(reason);
  });

  const reserved =
    "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for internal use.";
  it.each<[string, Record<string, MessageAttributeValue>, string]>([
    [
      'count',
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, text('x')])),
      'Number of message attributes [11] exceeds the allowed maximum [10].',
    ],
    ['blank name', { ' ': text('x') }, 'The request must contain non-empty message (user) attribute names.'],
    ['empty name', { '': text('x') }, 'The request must contain non-empty message (user) attribute names.'],
    ['long name', { ['é'.repeat(129)]: text('x') }, 'Message (user) attribute name must be shorter than 256 bytes.'],
    ['reserved', { 'aWs.x': text('x') }, reserved],
    ['reserved', { 'AMAZON.x': text('x') }, reserved],
    ['dot first', { '.a': text('x') }, "Message (user) attribute name must not begin with character '.'."],
    ['dot last', { 'a.': text('x') }, "Message (user) attribute name must not end with character '.'."],
    ['two dots', { 'a..b': text('x') }, "Message (user) attribute name must not have successive '.' characters."],
    [
      'symbol',
      { 'a!': text('x') },
      "Message (user) attribute name 'a!' is invalid. It can only include alphanumeric characters, hyphens, underscores, or periods.",
    ],
    ['no value', { a: {} }, "The message (user) attribute 'a' must contain a non-empty message attribute value."],
    [
      'no type',
      { a: { StringValue: 'x' } },
      "The message (user) attribute 'a' must contain a non-empty message attribute type.",
    ],
    [
      'empty type',
      { a: text('x', '') },
      "The message (user) attribute 'a' must contain a non-empty message attribute type.",
    ],
    [
      'bad type',
      { a: text('x', 'string') },
      "The type of message (user) attribute 'a' is invalid. You must use only the following supported type prefixes: Binary, Number, String.",
    ],
    [
      'long type',
      { a: text('x', `String.${'x'.repeat(250)}`) },
      'Message (user) attribute type must be shorter than 256 bytes.',
    ],
    [
      'empty text',
      { ErrorDetails: text('') },
      "Message (user) attribute 'ErrorDetails' must contain a non-empty value of type 'String'.",
    ],
    [
      'type only',
      { a: { DataType: 'Binary' } },
      "Message (user) attribute 'a' must contain a non-empty value of type 'Binary'.",
    ],
    ['empty bytes', { a: bytes(0) }, "Message (user) attribute 'a' must contain a non-empty value of type 'Binary'."],
    ['both', { a: { ...text('x'), ...bytes(1) } }, "Message (user) attribute 'a' must have a single value."],
    [
      'bytes as text',
      { a: bytes(1, 'String') },
      "Message (user) attribute 'a' with type 'String' must use field 'String'.",
    ],
    [
      'bytes as number',
      { a: bytes(1, 'Number') },
      "Message (user) attribute 'a' with type 'Number' must use field 'String'.",
    ],
    [
      'text as bytes',
      { a: text('x', 'Binary') },
      "Message (user) attribute 'a' with type 'Binary' must use field 'Binary'.",
    ],
    [
      'control character',
      { a: text('\u0000') },
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    ],
  ])('refuse: %s', async (_what, values, message) => {
    expect(await errorOf(() => parseMessageAttributes(values))).toBe(`InvalidParameterValueException: ${message}`);
  });

  it.each<MessageAttributeValue>([
    { ...text('x'), StringListValues: ['y'] },
    { BinaryListValues: [new Uint8Array(1)] },
  ])('refuse lists before anything else', async (value) => {
    expect(await errorOf(() => parseMessageAttributes({ '..': text(''), a: value }))).toBe(
      'UnsupportedOperation: Message attribute list values in SendMessage operation are not supported.',
    );
  });
});

describe('system attributes', () => {
  it('know one name', async () => {
    expect(parseSystemAttributes(undefined)).toBeUndefined();
    expect(parseSystemAttributes({})).toBeUndefined();
    expect(parseSystemAttributes({ AWSTraceHeader: text('Root=1') })).toEqual({
      name: 'AWSTraceHeader',
      dataType: 'String',
      value: 'Root=1',
    });
    expect(await errorOf(() => parseSystemAttributes({ AWSTraceHeader: text('x'), constructor: text('x') }))).toBe(
      "InvalidParameterValueException: Message system attribute name 'constructor' is invalid.",
    );
  });

  it('are called system attributes in the texts', async () => {
    expect(await errorOf(() => parseSystemAttributes({ AWSTraceHeader: text('') }))).toBe(
      "InvalidParameterValueException: Message system attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'.",
    );
    expect(await errorOf(() => parseSystemAttributes({ AWSTraceHeader: text('1', 'Number') }))).toBe(
      "InvalidParameterValueException: The type of message system attribute 'AWSTraceHeader' is invalid. You must use only the following supported type prefixes: String.",
    );
  });
});
