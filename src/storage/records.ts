/**
 * The one codec of everything stored. Each record starts with its version, so that a later format can read this one, and
 * ends with a CRC-32 of all before it, because no store promises to notice when its disk has changed a byte:
 *
 *   1  before the first release; without the CRC
 *   2  first release
 *   3  a message whose content is sealed (encrypted); other records stay at 2, and so do messages in the clear
 *
 * To change a format: raise `VERSION`, keep a reader for every released version here, keep a fixture of the old bytes in
 * the test. Hot records (message, delivery, dedup) are binary; the rest is JSON behind the version byte. A body of its
 * own has no version byte: it has that of its message record.
 *
 * The CRC takes 0.5 us per KiB, twice in the life of a message that takes 40 us behind HTTP.
 */
import { crc32 } from 'node:zlib';
import type { AttemptRecord, Counters, DedupRecord, Delivery, MessageTiming } from '../queue/change.ts';
import type { MessageAttribute, MessageContent } from '../queue/message.ts';
import { ReadError } from './store.ts';

const VERSION = 2;
const SEALED_MESSAGE_VERSION = 3;
const CRC_BYTES = 4;

/**
 * Bodies up to this many bytes (with attributes) sit in the message record, larger ones in a record of their own. LMDB
 * keeps values below half a page (8 KiB pages) in the leaf; a page of metadata then never drags large bodies in.
 */
export const INLINE_CONTENT_BYTES = 2048;

/** A record that this version cannot read: written by a newer server, or damaged. */
export class RecordError extends ReadError {
  override name = 'RecordError';
}

const Flag = { separateBody: 1, groupId: 2, deduplicationId: 4, traceHeader: 8, deadLetterSource: 16 } as const;

const FIXED_BYTES = 1 + 1 + 8 * 4 + 4 + 16 + 16;
const TEXTS_OFFSET = FIXED_BYTES;

export interface EncodedMessage {
  message: Buffer;
  /** Present when the content is too large to sit in the message record. */
  body?: Buffer;
}

/**
 * Encrypts the content of a message. `boundTo`: what the ciphertext is good for, and nothing else; 16 bytes. Synchronous,
 * as a commit gathers within one turn of the event loop.
 */
export type Seal = (content: Buffer, boundTo: Buffer) => Buffer;

/** A message but for its body and attributes. */
export type Envelope = Omit<MessageContent, 'body' | 'attributes'>;

export function encodeMessage(timing: MessageTiming, content: MessageContent, seal?: Seal): EncodedMessage {
  if (seal !== undefined) return encodeSealedMessage(timing, content, seal);
  const payload = encodePayload(content);
  const inline = payload.subarray(0, payload.length - CRC_BYTES);
  if (inline.length <= INLINE_CONTENT_BYTES) return { message: encodeRecord(timing, content, inline) };
  return { message: encodeRecord(timing, content, undefined), body: sealed(payload) };
}

/**
 * What the engine needs without a key stays readable. The MD5 of the body does not: it would tell whoever guesses the
 * body that he is right. In its place is the message id at the time of the send, which binds the content to the record;
 * a move may give the message another id, and keeps this one, so that it needs no key.
 */
function encodeSealedMessage(timing: MessageTiming, content: MessageContent, seal: Seal): EncodedMessage {
  const boundTo = Buffer.from(content.messageId.replaceAll('-', ''), 'hex');
  const secured = seal(encodeSecret(content), boundTo);
  const envelope = { ...content, traceHeader: undefined, bodyMd5: boundTo.toString('hex') };
  if (secured.length <= INLINE_CONTENT_BYTES) {
    return { message: encodeRecord(timing, envelope, secured, SEALED_MESSAGE_VERSION) };
  }
  return {
    message: encodeRecord(timing, envelope, undefined, SEALED_MESSAGE_VERSION),
    body: sealed(Buffer.concat([secured, Buffer.alloc(CRC_BYTES)])),
  };
}

/** The MD5 of the body, the trace header with a byte before it that says whether there is one, and the payload. */
function encodeSecret(content: MessageContent): Buffer {
  const { bodyMd5, traceHeader } = content;
  const payload = encodePayload(content);
  const headBytes = 16 + 1 + (traceHeader === undefined ? 0 : 2 + Buffer.byteLength(traceHeader));
  const secret = Buffer.allocUnsafe(headBytes + payload.length - CRC_BYTES);
  secret.write(bodyMd5, 0, 16, 'hex');
  secret[16] = traceHeader === undefined ? 0 : 1;
  if (traceHeader !== undefined) writeText(secret, traceHeader, 17);
  payload.copy(secret, headBytes, 0, payload.length - CRC_BYTES);
  return secret;
}

function decodeSecret(secret: Buffer): Pick<MessageContent, 'body' | 'attributes' | 'bodyMd5' | 'traceHeader'> {
  const trace = secret[16] === 0 ? { text: undefined, end: 17 } : readText(secret, 17);
  return {
    bodyMd5: secret.toString('hex', 0, 16),
    traceHeader: trace.text,
    ...decodePayload(secret.subarray(trace.end)),
  };
}

/** What `Seal` has made, and what it was bound to; undefined when the message is in the clear. */
export function sealedContentOf(
  bytes: Uint8Array,
  body: Uint8Array | undefined,
): { sealed: Buffer; boundTo: Buffer } | undefined {
  if (bytes[0] !== SEALED_MESSAGE_VERSION) return undefined;
  const record = messageRecord(bytes);
  const content = hasSeparateBody(record)
    ? unsealed(body as Uint8Array, 'body')
    : record.subarray(envelopeOf(record).end);
  return { sealed: content, boundTo: record.subarray(54, 70) };
}

/** The same message with another envelope. A body of its own stays as it is, and need not be read. */
export function rewriteMessage(
  bytes: Uint8Array,
  rewrite: (timing: MessageTiming, envelope: Envelope) => { timing: MessageTiming; envelope: Envelope },
): Buffer {
  const record = messageRecord(bytes);
  const { envelope: before, end } = envelopeOf(record);
  const { timing, envelope } = rewrite(timingOf(record), before);
  return encodeRecord(timing, envelope, hasSeparateBody(record) ? undefined : record.subarray(end), record[0]);
}

/** `inline`: what the content is encoded as; undefined when it has a record of its own. */
function encodeRecord(
  timing: MessageTiming,
  envelope: Envelope,
  inline: Buffer | undefined,
  version = VERSION,
): Buffer {
  const texts: string[] = [envelope.senderId];
  let flags = inline === undefined ? Flag.separateBody : 0;
  const optional = (flag: number, text: string | undefined) => {
    if (text === undefined) return;
    flags |= flag;
    texts.push(text);
  };
  optional(Flag.groupId, envelope.groupId);
  optional(Flag.deduplicationId, envelope.deduplicationId);
  optional(Flag.traceHeader, envelope.traceHeader);
  optional(Flag.deadLetterSource, envelope.deadLetterSourceArn);

  let size = TEXTS_OFFSET + (inline?.length ?? 0);
  for (const text of texts) size += 2 + Buffer.byteLength(text);
  const record = newRecord(size);
  record[0] = version;
  record[1] = flags;
  record.writeDoubleBE(timing.sentAt, 2);
  record.writeDoubleBE(timing.retentionFrom, 10);
  record.writeDoubleBE(timing.dueAt, 18);
  record.writeDoubleBE(timing.firstReceivedBefore, 26);
  record.writeUInt32BE(timing.receivesBefore, 34);
  record.write(envelope.messageId.replaceAll('-', ''), 38, 16, 'hex');
  record.write(envelope.bodyMd5, 54, 16, 'hex');
  let offset = TEXTS_OFFSET;
  for (const text of texts) offset = writeText(record, text, offset);
  inline?.copy(record, offset);
  return sealed(record);
}

/** What the window of a queue needs of a message, without touching its content. */
export interface MessageHead {
  timing: MessageTiming;
  groupId?: string;
  /** Whether the record holds the content, too. */
  isInline: boolean;
}

/** Whether the content of this message record is in a record of its own. */
export function hasSeparateBody(message: Uint8Array): boolean {
  return ((message[1] as number) & Flag.separateBody) !== 0;
}

export function decodeMessageHead(bytes: Uint8Array): MessageHead {
  const record = messageRecord(bytes);
  const flags = record[1] as number;
  const head: MessageHead = {
    timing: timingOf(record),
    isInline: !hasSeparateBody(record),
  };
  if (flags & Flag.groupId) {
    const sender = readText(record, TEXTS_OFFSET);
    head.groupId = readText(record, sender.end).text;
  }
  return head;
}

function timingOf(record: Buffer): MessageTiming {
  return {
    sentAt: record.readDoubleBE(2),
    retentionFrom: record.readDoubleBE(10),
    dueAt: record.readDoubleBE(18),
    firstReceivedBefore: record.readDoubleBE(26),
    receivesBefore: record.readUInt32BE(34),
  };
}

/** All that can be read of a message without its content. Of a sealed one there is no MD5 in it. */
export function decodeEnvelope(bytes: Uint8Array): Omit<Envelope, 'bodyMd5' | 'traceHeader'> {
  return envelopeOf(messageRecord(bytes)).envelope;
}

/**
 * `body` is the record of its own, where `hasSeparateBody` says there is one; `opened` the content that was sealed, where
 * `sealedContentOf` says that it was.
 */
export function decodeMessage(
  bytes: Uint8Array,
  body: Uint8Array | undefined,
  opened?: Buffer,
): { timing: MessageTiming; content: MessageContent } {
  const record = messageRecord(bytes);
  const { envelope, end } = envelopeOf(record);
  if (record[0] === SEALED_MESSAGE_VERSION) {
    if (opened === undefined) throw new RecordError('A stored message record is encrypted.');
    return { timing: timingOf(record), content: { ...envelope, ...decodeSecret(opened) } };
  }
  const payload = hasSeparateBody(record) ? unsealed(body as Uint8Array, 'body') : record.subarray(end);
  return { timing: timingOf(record), content: { ...envelope, ...decodePayload(payload) } };
}

/** `end`: where the content begins, if it is inside. */
function envelopeOf(record: Buffer): { envelope: Envelope; end: number } {
  const flags = record[1] as number;
  let end = TEXTS_OFFSET;
  const text = (): string => {
    const read = readText(record, end);
    end = read.end;
    return read.text;
  };
  const envelope: Envelope = {
    messageId: uuidText(record.toString('hex', 38, 54)),
    bodyMd5: record.toString('hex', 54, 70),
    // In the order in which they were written.
    senderId: text(),
    groupId: flags & Flag.groupId ? text() : undefined,
    deduplicationId: flags & Flag.deduplicationId ? text() : undefined,
    traceHeader: flags & Flag.traceHeader ? text() : undefined,
    deadLetterSourceArn: flags & Flag.deadLetterSource ? text() : undefined,
  };
  return { envelope, end };
}

const ValueKind = { text: 0, binary: 1 } as const;

/** Attributes, then the body, then room for the CRC of a record of its own. */
function encodePayload(content: MessageContent): Buffer {
  const { attributes, body } = content;
  const values: Buffer[] = [];
  let size = 1 + Buffer.byteLength(body);
  for (const { name, dataType, value } of attributes) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : buffer(value);
    values.push(bytes);
    size += 2 + Buffer.byteLength(name) + 2 + Buffer.byteLength(dataType) + 1 + 4 + bytes.length;
  }
  const payload = Buffer.allocUnsafe(size + CRC_BYTES);
  payload[0] = attributes.length;
  let offset = 1;
  attributes.forEach(({ name, dataType, value }, index) => {
    const bytes = values[index] as Buffer;
    offset = writeText(payload, name, offset);
    offset = writeText(payload, dataType, offset);
    offset = payload.writeUInt8(typeof value === 'string' ? ValueKind.text : ValueKind.binary, offset);
    offset = payload.writeUInt32BE(bytes.length, offset);
    offset += bytes.copy(payload, offset);
  });
  payload.write(body, offset);
  return payload;
}

function decodePayload(payload: Buffer): { attributes: MessageAttribute[]; body: string } {
  const attributes: MessageAttribute[] = [];
  let offset = 1;
  for (let count = payload[0] as number; count > 0; count--) {
    const name = readText(payload, offset);
    const dataType = readText(payload, name.end);
    const kind = payload[dataType.end];
    const start = dataType.end + 5;
    const end = start + payload.readUInt32BE(dataType.end + 1);
    attributes.push({
      name: name.text,
      dataType: dataType.text,
      // A copy: the record may sit in memory that the store reuses.
      value:
        kind === ValueKind.text ? payload.toString('utf8', start, end) : Uint8Array.from(payload.subarray(start, end)),
    });
    offset = end;
  }
  return { attributes, body: payload.toString('utf8', offset) };
}

export function encodeDelivery(delivery: Delivery): Buffer {
  const record = newRecord(29);
  record.writeUInt32BE(delivery.receiveCount, 1);
  record.writeDoubleBE(delivery.firstReceivedAt, 5);
  record.writeDoubleBE(delivery.receivedAt, 13);
  record.writeDoubleBE(delivery.visibleAt, 21);
  return sealed(record);
}

export function decodeDelivery(bytes: Uint8Array): Delivery {
  const record = versioned(bytes, 'delivery');
  return {
    receiveCount: record.readUInt32BE(1),
    firstReceivedAt: record.readDoubleBE(5),
    receivedAt: record.readDoubleBE(13),
    visibleAt: record.readDoubleBE(21),
  };
}

/** The row of a delay: when its message's retention started. */
export function encodeDelay(retentionFrom: number): Buffer {
  const record = newRecord(9);
  record.writeDoubleBE(retentionFrom, 1);
  return sealed(record);
}

export function decodeDelay(bytes: Uint8Array): number {
  return versioned(bytes, 'delay').readDoubleBE(1);
}

const DEDUP_FIXED_BYTES = 1 + 4 + 8 + 16;

/** The sequence number is in the key. */
export function encodeDedup({ id, hash, messageId, sentAt }: Omit<DedupRecord, 'seq'>): Buffer {
  const record = newRecord(DEDUP_FIXED_BYTES + Buffer.byteLength(id));
  record.writeUInt32BE(hash, 1);
  record.writeDoubleBE(sentAt, 5);
  record.write(messageId.replaceAll('-', ''), 13, 16, 'hex');
  record.write(id, DEDUP_FIXED_BYTES);
  return sealed(record);
}

export function decodeDedup(bytes: Uint8Array): Omit<DedupRecord, 'seq'> {
  const record = versioned(bytes, 'dedup');
  return {
    ...dedupHead(record),
    messageId: uuidText(record.toString('hex', 13, DEDUP_FIXED_BYTES)),
    id: record.toString('utf8', DEDUP_FIXED_BYTES),
  };
}

/** What is read of all of them when a queue is opened. */
export function decodeDedupHead(bytes: Uint8Array): Pick<DedupRecord, 'hash' | 'sentAt'> {
  return dedupHead(versioned(bytes, 'dedup'));
}

function dedupHead(record: Buffer): Pick<DedupRecord, 'hash' | 'sentAt'> {
  return { hash: record.readUInt32BE(1), sentAt: record.readDoubleBE(5) };
}

export function encodeCounters(counters: Counters): Buffer {
  const record = newRecord(41);
  record.writeDoubleBE(counters.nextSeq, 1);
  record.writeDoubleBE(counters.live, 9);
  record.writeDoubleBE(counters.delayed, 17);
  record.writeDoubleBE(counters.purgedBelow, 25);
  record.writeDoubleBE(counters.reclaimedBelow, 33);
  return sealed(record);
}

export function decodeCounters(bytes: Uint8Array): Counters {
  const record = versioned(bytes, 'counters');
  return {
    nextSeq: record.readDoubleBE(1),
    live: record.readDoubleBE(9),
    delayed: record.readDoubleBE(17),
    purgedBelow: record.readDoubleBE(25),
    reclaimedBelow: record.readDoubleBE(33),
  };
}

export const encodeAttempt = (attempt: AttemptRecord): Buffer => encodeJson(attempt);
export const decodeAttempt = (bytes: Uint8Array): AttemptRecord => decodeJson(bytes, 'attempt') as AttemptRecord;

/** For records that are written seldom: queues, tombstones, tasks. */
export function encodeJson(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const record = newRecord(1 + Buffer.byteLength(text));
  record.write(text, 1);
  return sealed(record);
}

export function decodeJson(bytes: Uint8Array, what: string): unknown {
  const record = versioned(bytes, what);
  return JSON.parse(record.toString('utf8', 1));
}

function newRecord(bytes: number): Buffer {
  const record = Buffer.allocUnsafe(bytes + CRC_BYTES);
  record[0] = VERSION;
  return record;
}

/** Fills the last bytes in. */
function sealed(record: Buffer): Buffer {
  const end = record.length - CRC_BYTES;
  record.writeUInt32BE(crc32(record.subarray(0, end)), end);
  return record;
}

function messageRecord(bytes: Uint8Array): Buffer {
  return bytes[0] === SEALED_MESSAGE_VERSION ? unsealed(bytes, 'message') : versioned(bytes, 'message');
}

function versioned(bytes: Uint8Array, what: string): Buffer {
  if (bytes[0] !== VERSION) {
    throw new RecordError(`A stored ${what} record has format ${bytes[0]}; this server reads format ${VERSION}.`);
  }
  return unsealed(bytes, what);
}

/** The record without its CRC, if that is right. */
function unsealed(bytes: Uint8Array, what: string): Buffer {
  const record = buffer(bytes);
  const end = record.length - CRC_BYTES;
  const content = record.subarray(0, Math.max(end, 0));
  if (end < 1 || crc32(content) !== record.readUInt32BE(end)) {
    throw new RecordError(`A stored ${what} record is damaged.`);
  }
  return content;
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function writeText(target: Buffer, text: string, offset: number): number {
  const length = target.write(text, offset + 2);
  target.writeUInt16BE(length, offset);
  return offset + 2 + length;
}

function readText(source: Buffer, offset: number): { text: string; end: number } {
  const start = offset + 2;
  const end = start + source.readUInt16BE(offset);
  return { text: source.toString('utf8', start, end), end };
}

function uuidText(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
