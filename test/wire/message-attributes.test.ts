import { describe, expect, it } from 'vitest';
import type { ActionInputs } from '../../src/protocol/model/shapes.ts';
import { invalidParameterValue, sqsError } from '../support/errors.ts';
import { overBothProtocols } from '../support/sqs.ts';

type MessageAttributes = NonNullable<ActionInputs['SendMessage']['MessageAttributes']>;

const string = (StringValue: string, DataType = 'String') => ({ DataType, StringValue });
const number = (StringValue: string, DataType = 'Number') => ({ DataType, StringValue });
const binary = (text: string, DataType = 'Binary') => ({ DataType, BinaryValue: new TextEncoder().encode(text) });
const TRACE = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

/** SQS: section 4.1 */
overBothProtocols('MessageAttributes', (sqs) => {
  const failureOf = async (attributes: MessageAttributes) =>
    sqs.failure('SendMessage', {
      QueueUrl: await sqs.createQueue(),
      MessageBody: 'm',
      MessageAttributes: attributes,
    });

  const roundTrip = async (attributes: MessageAttributes) => {
    const queue = await sqs.createQueue();
    const sent = await sqs.send(queue, 'm', { MessageAttributes: attributes });
    const [message] = await sqs.receive(queue, { MessageAttributeNames: ['All'] });
    expect(message?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    return message;
  };

  it('are returned as they were sent', async () => {
    const attributes = {
      Text: string('Grüße\r\n<&">'),
      Labelled: string('x', 'String.custom.label'),
      Long: number('1493147359900', 'Number.java.lang.Long'),
      Small: number('-1.50e-3'),
      Bytes: binary('\0\x01\u00ff', 'Binary.png'),
    };
    expect((await roundTrip(attributes))?.MessageAttributes).toEqual(attributes);
  });

  it('may be ten', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, string('v')]));
    expect((await roundTrip(attributes))?.MessageAttributes).toEqual(attributes);
  });

  it.each([
    ['a letter with a diacritic', 'attr.1øßä'],
    ['256 characters', 'n'.repeat(256)],
    ['every kind of allowed character', 'aZ09_-.b'],
    ['a reserved word without a dot', 'Awsome'],
  ])('may have a name with %s', async (_, name) => {
    expect((await roundTrip({ [name]: string('v') }))?.MessageAttributes).toEqual({ [name]: string('v') });
  });

  it('have names that mind the case', async () => {
    const attributes = { name: string('1'), Name: string('2') };
    expect((await roundTrip(attributes))?.MessageAttributes).toEqual(attributes);
  });

  it('may have a type of 256 characters', async () => {
    const attributes = { a: string('v', `String.${'l'.repeat(249)}`) };
    expect((await roundTrip(attributes))?.MessageAttributes).toEqual(attributes);
  });

  it.each(['0', '-7', '3.14', '1e10', '12345678901234567890123456789012345678'])(
    'may be the number %s',
    async (value) => {
      expect((await roundTrip({ n: number(value) }))?.MessageAttributes).toEqual({ n: number(value) });
    },
  );

  /** SQS: section 4.6 */
  it.each([
    [{ timestamp: number('1493147359900') }, '235c5c510d26fb653d073faed50ae77c'],
    [{ timestamp: number('1493147359900', 'Number.java.lang.Long') }, '2e2e4876d8e0bd6b8c2c8f556831c349'],
    [{ k: string('x') }, 'a45daa70926828a2f0a1db3418e6feb4'],
    [
      { attr1: binary('traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01') },
      '8cbe4db156db8a94db8b801b7addb984',
    ],
    [{ MyAttribute: string('foobar') }, 'adb59cd4678ea5a855436b949cd07ab6'],
    [
      { 'Help.Me': string('Me'), Hello: string('There'), General: string('Kenobi') },
      '4c360f3fdafd970e05fae2f149d997f5',
    ],
    [
      { WeeksOn: number('6'), Title: string('The Whistler'), Author: string('John Grisham') },
      'd25a6aea97eb8f585bfa92d314504a92',
    ],
  ] as [MessageAttributes, string][])('%j have the digest %s', async (MessageAttributes, digest) => {
    const queue = await sqs.createQueue();
    expect((await sqs.send(queue, 'm', { MessageAttributes })).MD5OfMessageAttributes).toBe(digest);
  });

  it.each([
    [
      'eleven of them',
      Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, string('v')])),
      'Number of message attributes [11] exceeds the allowed maximum [10].',
    ],
    [
      'an empty string',
      { ErrorDetails: string('') },
      "Message (user) attribute 'ErrorDetails' must contain a non-empty value of type 'String'.",
    ],
    [
      'an unknown type',
      { X: string('v', 'Text') },
      "The type of message (user) attribute 'X' is invalid. You must use only the following supported type prefixes: " +
        'Binary, Number, String.',
    ],
    [
      'a type in the wrong case',
      { X: string('v', 'string') },
      "The type of message (user) attribute 'X' is invalid. You must use only the following supported type prefixes: " +
        'Binary, Number, String.',
    ],
    [
      'a type that only begins like one',
      { X: string('v', 'Stringent') },
      "The type of message (user) attribute 'X' is invalid. You must use only the following supported type prefixes: " +
        'Binary, Number, String.',
    ],
    [
      'no type',
      { X: { StringValue: 'v' } },
      "The message (user) attribute 'X' must contain a non-empty message attribute type.",
    ],
    [
      'an empty type',
      { X: string('v', '') },
      "The message (user) attribute 'X' must contain a non-empty message attribute type.",
    ],
    ['nothing in it', { X: {} }, "The message (user) attribute 'X' must contain a non-empty message attribute value."],
    [
      'two values',
      { X: { DataType: 'String', StringValue: 'v', BinaryValue: new Uint8Array([1]) } },
      "Message (user) attribute 'X' must have a single value.",
    ],
    [
      'a binary value for a string',
      { X: { DataType: 'String', BinaryValue: new Uint8Array([1]) } },
      "Message (user) attribute 'X' with type 'String' must use field 'String'.",
    ],
    [
      'a string value for a binary',
      { X: { DataType: 'Binary', StringValue: 'v' } },
      "Message (user) attribute 'X' with type 'Binary' must use field 'Binary'.",
    ],
    ['text for a number', { X: number('seven') }, "Can't cast the value of message (user) attribute 'X' to a number."],
    [
      'a name of 257 characters',
      { ['n'.repeat(257)]: string('v') },
      'Message (user) attribute name must be shorter than 256 bytes.',
    ],
    [
      'a type of 257 characters',
      { X: string('v', `String.${'l'.repeat(250)}`) },
      'Message (user) attribute type must be shorter than 256 bytes.',
    ],
    ...['AWS.a', 'aWs.a', 'Amazon.a', 'AMAZON.a'].map((name): [string, MessageAttributes, string] => [
      `the reserved name ${name}`,
      { [name]: string('v') },
      "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for " +
        'internal use.',
    ]),
    ['a leading dot', { '.a': string('v') }, "Message (user) attribute name must not begin with character '.'."],
    ['a trailing dot', { 'a.': string('v') }, "Message (user) attribute name must not end with character '.'."],
    ['two dots', { 'a..b': string('v') }, "Message (user) attribute name must not have successive '.' characters."],
    ['no name', { '': string('v') }, 'The request must contain non-empty message (user) attribute names.'],
  ] as [string, MessageAttributes, string][])('are refused with %s', async (_, attributes, message) => {
    expect(await failureOf(attributes)).toEqual(invalidParameterValue(message));
  });

  it.each(['!', '"', '§', '(', '?', ' ', '/'])('are refused with %s in the name', async (character) => {
    // The text is not known (SQS: section 4.1).
    expect(await failureOf({ [`attr.1${character}`]: string('v') })).toMatchObject({
      code: 'InvalidParameterValue',
      status: 400,
    });
  });

  it.each(['\0', '\x08', '\uffff'])(
    'are refused with the character %j in a string, as a parameter',
    async (character) => {
      expect(await failureOf({ X: string(`a${character}`) })).toMatchObject({
        code: 'InvalidParameterValue',
        status: 400,
      });
    },
  );

  it.each([
    ['strings', { DataType: 'String', StringListValues: ['a', 'b'] }],
    ['binaries', { DataType: 'Binary', BinaryListValues: [new Uint8Array([1])] }],
  ])('are refused as lists of %s', async (_, value) => {
    expect(await failureOf({ X: value })).toEqual(
      sqsError('UnsupportedOperation', 'Message attribute list values in SendMessage operation are not supported.'),
    );
  });
});

/** SQS: section 4.2 */
overBothProtocols('MessageSystemAttributes', (sqs) => {
  it('carry a trace header, which has no part in the digest of the user attributes', async () => {
    const queue = await sqs.createQueue();
    const sent = await sqs.send(queue, 'm', {
      MessageAttributes: { k: string('x') },
      MessageSystemAttributes: { AWSTraceHeader: string(TRACE) },
    });
    expect(sent).toMatchObject({
      MD5OfMessageAttributes: 'a45daa70926828a2f0a1db3418e6feb4',
      MD5OfMessageSystemAttributes: '5ae4d5d7636402d80f4eb6d213245a88',
    });
    expect(await sqs.receive(queue)).toMatchObject([{ Attributes: { AWSTraceHeader: TRACE } }]);
  });

  it.each(['SenderId', 'X', 'awstraceheader'])('cannot be %s', async (name) => {
    expect(
      await sqs.failure('SendMessage', {
        QueueUrl: await sqs.createQueue(),
        MessageBody: 'm',
        MessageSystemAttributes: { [name]: string('v') },
      }),
    ).toEqual(invalidParameterValue(`Message system attribute name '${name}' is invalid.`));
  });

  it('are refused when they are empty', async () => {
    expect(
      await sqs.failure('SendMessage', {
        QueueUrl: await sqs.createQueue(),
        MessageBody: 'm',
        MessageSystemAttributes: { AWSTraceHeader: string('') },
      }),
    ).toEqual(
      invalidParameterValue(
        "Message system attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'.",
      ),
    );
  });

  it('are refused when they are longer than any trace header', async () => {
    const queue = await sqs.createQueue();
    const send = (value: string) => ({
      QueueUrl: queue,
      MessageBody: 'm',
      MessageSystemAttributes: { AWSTraceHeader: string(value) },
    });
    for (const value of ['x'.repeat(4097), 'ü'.repeat(2049), 'x'.repeat(70_000)]) {
      expect(await sqs.failure('SendMessage', send(value))).toEqual(
        invalidParameterValue("Message system attribute 'AWSTraceHeader' must be no longer than 4096 bytes."),
      );
    }
    expect(await sqs.counts(queue)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    await sqs.call('SendMessage', send('ü'.repeat(2048)));
    expect(await sqs.receive(queue)).toMatchObject([{ Attributes: { AWSTraceHeader: 'ü'.repeat(2048) } }]);
  });

  describe('come from the HTTP request', () => {
    const sendWithHeader = (queue: string, more: ActionInputs['SendMessage'] = {}, header = TRACE) =>
      sqs.call('SendMessage', { QueueUrl: queue, MessageBody: 'm', ...more }, { 'X-Amzn-Trace-Id': header });

    it('but not when they are longer than any trace header', async () => {
      const queue = await sqs.createQueue();
      // Twice as many bytes in UTF-8 as in the header.
      await sendWithHeader(queue, {}, '\xff'.repeat(40_000));
      const [message] = await sqs.receive(queue);
      expect(message?.Attributes).toHaveProperty('SentTimestamp');
      expect(message?.Attributes).not.toHaveProperty('AWSTraceHeader');
    });

    it('when they are not in the input', async () => {
      const queue = await sqs.createQueue();
      expect(await sendWithHeader(queue)).not.toHaveProperty('MD5OfMessageSystemAttributes');
      expect(await sqs.receive(queue)).toMatchObject([{ Attributes: { AWSTraceHeader: TRACE } }]);
    });

    it('but not when they are in the input', async () => {
      const queue = await sqs.createQueue();
      const explicit = 'Root=1-00000000-000000000000000000000000';
      await sendWithHeader(queue, { MessageSystemAttributes: { AWSTraceHeader: string(explicit) } });
      expect(await sqs.receive(queue)).toMatchObject([{ Attributes: { AWSTraceHeader: explicit } }]);
    });
  });
});
