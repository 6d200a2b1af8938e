import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageTiming } from '../queue/change.ts';
import type { MessageContent } from '../queue/message.ts';
import {
  decodeAttempt,
  decodeCounters,
  decodeDedup,
  decodeDedupHead,
  decodeDelay,
  decodeDelivery,
  decodeJson,
  decodeMessage,
  decodeMessageHead,
  encodeAttempt,
  encodeCounters,
  encodeDedup,
  encodeDelay,
  encodeDelivery,
  encodeJson,
  encodeMessage,
  hasSeparateBody,
  INLINE_CONTENT_BYTES,
  RecordError,
  rewriteMessage,
  sealedContentOf,
} from './records.ts';

const CRC_BYTES = 4;

function withCrc(hex: string): Buffer {
  const record = Buffer.from(`${hex}00000000`, 'hex');
  record.writeUInt32BE(crc32(record.subarray(0, -CRC_BYTES)), record.length - CRC_BYTES);
  return record;
}

const time = fc.maxSafeNat();
const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const md5 = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));

const timing: fc.Arbitrary<MessageTiming> = fc.record({
  sentAt: time,
  retentionFrom: time,
  dueAt: time,
  receivesBefore: count,
  firstReceivedBefore: time,
});

const content: fc.Arbitrary<MessageContent> = fc.record({
  messageId: fc.uuid(),
  body: fc.oneof(
    text(50),
    fc.integer({ min: 1900, max: 2100 }).map((length) => 'é'.repeat(length / 2)),
  ),
  bodyMd5: md5,
  attributes: fc.array(
    fc.record({
      name: text(20),
      dataType: text(20),
      value: fc.oneof(text(20), fc.uint8Array({ maxLength: 20 })),
    }),
    { maxLength: 10 },
  ),
  senderId: text(20),
  groupId: optional(text(128)),
  deduplicationId: optional(text(128)),
  traceHeader: optional(text(20)),
  deadLetterSourceArn: optional(text(20)),
});

/** The same bytes in the middle of a larger buffer and as a plain Uint8Array, as some stores give them. */
function asStored(record: Buffer): Uint8Array {
  const larger = new Uint8Array(record.length + 7).fill(0xee);
  larger.set(record, 3);
  return larger.subarray(3, 3 + record.length);
}

describe('every record comes back as it was written', () => {
  it('message', () => {
    fc.assert(
      fc.property(timing, content, (timingIn, contentIn) => {
        const { message, body } = encodeMessage(timingIn, contentIn);
        const decoded = decodeMessage(asStored(message), body && asStored(body));
        expect(decoded).toEqual({ timing: timingIn, content: contentIn });
        expect(decodeMessageHead(asStored(message))).toEqual({
          timing: timingIn,
          groupId: contentIn.groupId,
          isInline: body === undefined,
        });
        expect(hasSeparateBody(asStored(message))).toBe(body !== undefined);
        const rewritten = rewriteMessage(asStored(message), (old, envelope) => ({
          timing: { ...old, sentAt: 5 },
          envelope: { ...envelope, deadLetterSourceArn: 'arn' },
        }));
        expect(rewritten).toEqual(
          encodeMessage({ ...timingIn, sentAt: 5 }, { ...contentIn, deadLetterSourceArn: 'arn' }).message,
        );
      }),
    );
  });

  /** Of records that are written from one value. */
  function comesBack<T>(value: fc.Arbitrary<T>, encode: (value: T) => Buffer, decode: (bytes: Uint8Array) => T): void {
    fc.assert(
      fc.property(value, (record) => {
        expect(decode(asStored(encode(record)))).toEqual(record);
      }),
    );
  }

  it('delivery', () => {
    const delivery = fc.record({ receiveCount: count, firstReceivedAt: time, receivedAt: time, visibleAt: time });
    comesBack(delivery, encodeDelivery, decodeDelivery);
  });

  it('delay', () => {
    comesBack(time, encodeDelay, decodeDelay);
  });

  it('dedup', () => {
    const hash = fc.integer({ min: 1, max: 2 ** 32 - 1 });
    const record = fc.record({ id: text(256), hash, messageId: fc.uuid(), sentAt: time });
    comesBack(record, encodeDedup, decodeDedup);
    fc.assert(
      fc.property(record, (dedup) => {
        expect(decodeDedupHead(encodeDedup(dedup))).toEqual({ hash: dedup.hash, sentAt: dedup.sentAt });
      }),
    );
  });

  it('counters', () => {
    const counters = fc.record({ nextSeq: time, live: time, delayed: time, purgedBelow: time, reclaimedBelow: time });
    comesBack(counters, encodeCounters, decodeCounters);
  });

  it('attempt', () => {
    const deliveries = fc.array(fc.record({ seq: time, receiveCount: count }), { maxLength: 10 });
    comesBack(fc.record({ at: time, visibleAt: time, deliveries }), encodeAttempt, decodeAttempt);
  });

  it('JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const record = asStored(encodeJson(value));
        // What JSON itself changes (-0) is not the codec's business.
        expect(decodeJson(record, 'queue')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a message record', () => {
  const anyTiming = { sentAt: 1, retentionFrom: 1, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 };
  const plain = (body: string): MessageContent => ({
    messageId: '01234567-89ab-4cde-8f01-23456789abcd',
    body,
    bodyMd5: '0'.repeat(32),
    attributes: [],
    senderId: '',
  });

  it('holds small contents itself, and leaves large ones to a record of their own', () => {
    // One byte of the content counts the attributes.
    const largestInside = encodeMessage(anyTiming, plain('x'.repeat(INLINE_CONTENT_BYTES - 1)));
    expect(largestInside.body).toBeUndefined();
    const smallestOutside = encodeMessage(anyTiming, plain('x'.repeat(INLINE_CONTENT_BYTES)));
    expect(smallestOutside.body).toHaveLength(INLINE_CONTENT_BYTES + 1 + CRC_BYTES);
    expect(smallestOutside.message.length).toBeLessThan(100);
  });

  it('holds the largest message there is', () => {
    const body = '😀'.repeat(262_144);
    const { message, body: separate } = encodeMessage(anyTiming, plain(body));
    expect(decodeMessage(message, separate).content.body).toBe(body);
  });

  it('does not share memory with what was read', () => {
    const value = Uint8Array.of(1, 2, 3);
    const { message } = encodeMessage(anyTiming, {
      ...plain(''),
      attributes: [{ name: 'a', dataType: 'Binary', value }],
    });
    const { attributes } = decodeMessage(message, undefined).content;
    message.fill(0xff);
    expect(attributes[0]?.value).toEqual(value);
  });
});

/** What version 2 has written, byte for byte. Not to be changed: stores of that version are out there. */
describe('format version 2', () => {
  const messageTiming = {
    sentAt: 1767225600123,
    retentionFrom: 1767225600456,
    dueAt: 1767226500456,
    receivesBefore: 3,
    firstReceivedBefore: 1767225600321,
  };
  const fullContent: MessageContent = {
    messageId: '01234567-89ab-4cde-8f01-23456789abcd',
    body: 'Grüße',
    bodyMd5: '6e7ef19ba7e1b3e2b4dd1cf0a8c0a4b1',
    senderId: '000000000000',
    groupId: 'g1',
    deduplicationId: 'd1',
    traceHeader: 'Root=1-5759e988',
    deadLetterSourceArn: 'arn:aws:sqs:us-east-1:000000000000:q',
    attributes: [
      { name: 'n', dataType: 'Number.int', value: '42' },
      { name: 'b', dataType: 'Binary', value: Uint8Array.of(0, 255) },
    ],
  };

  it('of a message', () => {
    const bytes = withCrc(
      '021e4279b76daa87b0004279b76daa9c80004279b76e865680004279b76daa94100000000003' +
        '0123456789ab4cde8f0123456789abcd6e7ef19ba7e1b3e2b4dd1cf0a8c0a4b1000c30303030' +
        '30303030303030300002673100026431000f526f6f743d312d3537353965393838002461726e' +
        '3a6177733a7371733a75732d656173742d313a3030303030303030303030303a710200016e00' +
        '0a4e756d6265722e696e7400000000023432000162000642696e617279010000000200ff4772' +
        'c3bcc39f65',
    );
    expect(decodeMessage(bytes, undefined)).toEqual({ timing: messageTiming, content: fullContent });
    expect(encodeMessage(messageTiming, fullContent)).toEqual({ message: bytes });
  });

  it('of a message without anything optional', () => {
    const bytes = withCrc(
      '02004279b76daa87b0004279b76daa9c80000000000000000000000000000000000000000000' +
        '0123456789ab4cde8f0123456789abcd6e7ef19ba7e1b3e2b4dd1cf0a8c0a4b10001730078',
    );
    const { messageId, bodyMd5 } = fullContent;
    const content = { messageId, body: 'x', bodyMd5, attributes: [], senderId: 's' };
    const timing = { ...messageTiming, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 };
    expect(decodeMessage(bytes, undefined)).toEqual({ timing, content });
    expect(encodeMessage(timing, content)).toEqual({ message: bytes });
  });

  it('of a message whose body lies apart', () => {
    const bytes = withCrc(
      '02014279b76daa87b0004279b76daa9c80004279b76e865680004279b76daa94100000000003' +
        '0123456789ab4cde8f0123456789abcd6e7ef19ba7e1b3e2b4dd1cf0a8c0a4b1000173',
    );
    const { messageId, bodyMd5 } = fullContent;
    const content = { messageId, body: 'y'.repeat(2048), bodyMd5, attributes: [], senderId: 's' };
    const body = withCrc(`00${'79'.repeat(2048)}`);
    expect(hasSeparateBody(bytes)).toBe(true);
    expect(decodeMessage(bytes, body)).toEqual({ timing: messageTiming, content });
    expect(encodeMessage(messageTiming, content)).toEqual({ message: bytes, body });
  });

  it.each([
    {
      what: 'delivery',
      hex: '02000000024279b76daa9410004279b76daad290004279b76db2259000',
      encode: encodeDelivery,
      decode: decodeDelivery,
      value: {
        receiveCount: 2,
        firstReceivedAt: 1767225600321,
        receivedAt: 1767225601321,
        visibleAt: 1767225631321,
      },
    },
    {
      what: 'delay',
      hex: '024279b76daa9c8000',
      encode: encodeDelay,
      decode: decodeDelay,
      value: 1767225600456,
    },
    {
      what: 'dedup',
      hex: '02941ed9af4279b76daa87b0000123456789ab4cde8f0123456789abcd6431',
      encode: encodeDedup,
      decode: decodeDedup,
      value: {
        id: 'd1',
        hash: 2_485_049_775,
        messageId: '01234567-89ab-4cde-8f01-23456789abcd',
        sentAt: 1767225600123,
      },
    },
    {
      what: 'counters',
      hex: '02402200000000000040140000000000003ff000000000000040080000000000004000000000000000',
      encode: encodeCounters,
      decode: decodeCounters,
      value: { nextSeq: 9, live: 5, delayed: 1, purgedBelow: 3, reclaimedBelow: 2 },
    },
    {
      what: 'attempt',
      hex: `02${Buffer.from('{"at":1,"visibleAt":2,"deliveries":[{"seq":3,"receiveCount":4}]}').toString('hex')}`,
      encode: encodeAttempt,
      decode: decodeAttempt,
      value: { at: 1, visibleAt: 2, deliveries: [{ seq: 3, receiveCount: 4 }] },
    },
    {
      what: 'JSON',
      hex: '027b226e616d65223a226f7264657273222c226964223a377d',
      encode: encodeJson,
      decode: (bytes: Uint8Array) => decodeJson(bytes, 'queue'),
      value: { name: 'orders', id: 7 },
    },
  ])('of a $what record', ({ hex, encode, decode, value }) => {
    const bytes = withCrc(hex);
    expect(decode(bytes)).toEqual(value);
    expect((encode as (value: unknown) => Buffer)(value)).toEqual(bytes);
  });
});

describe('a record of another version', () => {
  const readers: [string, (bytes: Uint8Array) => unknown][] = [
    ['message', (bytes) => decodeMessage(bytes, undefined)],
    ['message', decodeMessageHead],
    ['delivery', decodeDelivery],
    ['delay', decodeDelay],
    ['dedup', decodeDedup],
    ['counters', decodeCounters],
    ['attempt', decodeAttempt],
    ['queue', (bytes) => decodeJson(bytes, 'queue')],
  ];

  it.each(readers)('is refused: %s', (what, decode) => {
    for (const version of [0, 1, 4, 255]) {
      const bytes = Buffer.alloc(100);
      bytes[0] = version;
      expect(() => decode(bytes)).toThrow(RecordError);
      expect(() => decode(bytes)).toThrow(`A stored ${what} record has format ${version}; this server reads format 2.`);
    }
  });
});

describe('a record of which the disk has changed a byte', () => {
  const content: MessageContent = {
    messageId: '01234567-89ab-4cde-8f01-23456789abcd',
    body: 'x',
    bodyMd5: '0'.repeat(32),
    attributes: [],
    senderId: '',
  };
  const timing = { sentAt: 1, retentionFrom: 1, dueAt: 0, receivesBefore: 0, firstReceivedBefore: 0 };
  const inside = encodeMessage(timing, content).message;
  const apart = encodeMessage(timing, { ...content, body: 'x'.repeat(3000) });
  const records: [string, Buffer, (bytes: Uint8Array) => unknown][] = [
    ['message', inside, (bytes) => decodeMessage(bytes, undefined)],
    ['message', inside, decodeMessageHead],
    ['body', apart.body as Buffer, (bytes) => decodeMessage(apart.message, bytes)],
    ['delivery', encodeDelivery({ receiveCount: 1, firstReceivedAt: 2, receivedAt: 2, visibleAt: 3 }), decodeDelivery],
    ['queue', encodeJson({ name: 'orders' }), (bytes) => decodeJson(bytes, 'queue')],
  ];

  it.each(records)('is refused, wherever the byte is: %s', (what, record, decode) => {
    expect(() => decode(record)).not.toThrow();
    for (let index = 0; index < record.length; index++) {
      const changed = Buffer.from(record);
      changed[index] = (changed[index] as number) ^ (1 << (index % 8));
      expect(() => decode(changed)).toThrow(RecordError);
      if (index > 0) expect(() => decode(changed)).toThrow(`A stored ${what} record is damaged.`);
    }
  });

  it.each(records)('is refused when its end is missing: %s', (_, record, decode) => {
    for (let length = 0; length < record.length; length++) {
      expect(() => decode(record.subarray(0, length))).toThrow(RecordError);
    }
  });
});

describe('a sealed message', () => {
  const timing: MessageTiming = { sentAt: 1, retentionFrom: 2, dueAt: 3, receivesBefore: 4, firstReceivedBefore: 5 };
  const content: MessageContent = {
    messageId: '00112233-4455-6677-8899-aabbccddeeff',
    body: 'body',
    bodyMd5: '0123456789abcdef0123456789abcdef',
    attributes: [{ name: 'n', dataType: 'String', value: 'v' }],
    senderId: 'me',
    groupId: 'g',
    traceHeader: 'Root=1',
  };
  /** Shows what it was given. */
  const seal = (secret: Buffer, boundTo: Buffer) => Buffer.concat([boundTo, secret]);
  const open = (sealed: Buffer) => sealed.subarray(16);
  const BOUND_TO = '00112233445566778899aabbccddeeff';

  /** Format 3, as it was first released: never to change. */
  const bytes = withCrc(
    `0302${'3ff0000000000000'}${'4000000000000000'}${'4008000000000000'}${'4014000000000000'}00000004` +
      `${BOUND_TO}${BOUND_TO}00026d65000167` +
      `${BOUND_TO}0123456789abcdef0123456789abcdef010006526f6f743d31` +
      `0100016e0006537472696e67000000000176626f6479`,
  );

  it('has the bytes of format 3', () => {
    expect(encodeMessage(timing, content, seal)).toEqual({ message: bytes });
    const secret = sealedContentOf(asStored(bytes), undefined);
    expect(secret?.boundTo.toString('hex')).toBe(BOUND_TO);
    expect(decodeMessage(bytes, undefined, open(secret!.sealed))).toEqual({ timing, content });
    expect(decodeMessageHead(bytes)).toEqual({ timing, groupId: 'g', isInline: true });
  });

  it('shows nothing without what was opened', () => {
    expect(() => decodeMessage(bytes, undefined)).toThrow(RecordError);
    expect(sealedContentOf(encodeMessage(timing, content).message, undefined)).toBeUndefined();
  });

  it.each([10, 5000])('with %i bytes keeps what it is bound to when it is moved and gets another id', (length) => {
    const large = { ...content, traceHeader: undefined, body: 'x'.repeat(length) };
    const { message, body } = encodeMessage(timing, large, seal);
    const messageId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    const moved = rewriteMessage(message, (_, envelope) => ({ timing, envelope: { ...envelope, messageId } }));
    const secret = sealedContentOf(moved, body);
    expect(secret?.boundTo.toString('hex')).toBe(BOUND_TO);
    expect(decodeMessage(moved, body, open(secret!.sealed)).content).toEqual({ ...large, messageId });
  });

  it('is refused with any byte of its record or of its body changed', () => {
    const { message, body } = encodeMessage(timing, { ...content, body: 'x'.repeat(3000) }, seal);
    const damaged = (record: Buffer) => {
      const copy = Buffer.from(record);
      copy[record.length - 10] = (copy[record.length - 10] as number) ^ 1;
      return copy;
    };
    expect(() => sealedContentOf(damaged(message), body)).toThrow(RecordError);
    expect(() => sealedContentOf(message, damaged(body!))).toThrow(RecordError);
  });
});
