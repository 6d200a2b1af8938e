/**
 * The format of the journal: frames, one behind the other. A frame is what one write brings to the disk, whole or not at
 * all. Numbers are little-endian.
 *
 *   4 bytes  MAGIC
 *   4 bytes  length of the payload
 *   8 bytes  number of the frame (a double): rises, and is never used again
 *   8 bytes  number of the frame before it, in this file or another one
 *   4 bytes  CRC-32 of the id of the store and of all of the above
 *   4 bytes  CRC-32 of all of the above and of the payload
 *   payload  operations: 2 bytes length of the key, 4 bytes length of the value + 1 (0: a delete), key, value
 *
 * The number before makes a chain of them: a frame that is left of an earlier use of its file is no part of it, and one
 * that is missing in the middle is noticed. The header has a check of its own because messages have any bytes: what looks
 * like a header in what is left of one must not have megabytes checked, again and again.
 */
import { crc32 } from 'node:zlib';
import { binaryKey } from '../binary-key.ts';
import type { Operation } from '../store.ts';
import type { Change } from './overlay.ts';

const MAGIC = 0x314a5353;
const HEADER_BYTES = 32;
const HEADER_CRC_OFFSET = 24;
const CRC_OFFSET = 28;
/** Frames begin at multiples of it, so that looking for one behind a damaged part need not look everywhere. */
export const FRAME_ALIGNMENT = 8;
const OPERATION_BYTES = 6;

/** Which frames belong together: those of one store, in the order of their numbers. */
export interface FrameLink {
  storeId: Uint8Array;
  number: number;
  previous: number;
}

export interface Frame {
  number: number;
  previous: number;
  changes: Change[];
  /** Where the next one begins. */
  end: number;
}

/** Of the operations in a frame. */
export function payloadBytesOf(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const { key, value } of operations) bytes += OPERATION_BYTES + key.length + (value?.length ?? 0);
  return bytes;
}

/**
 * Makes a frame of one or more commits. The changes returned are what they ask for; their values lie in the frame, and
 * stay as they are when the caller's change.
 */
export function encodeFrame(
  commits: readonly (readonly Operation[])[],
  { storeId, number, previous }: FrameLink,
): { frame: Buffer; changes: Change[] } {
  const payloadBytes = commits.reduce((sum, operations) => sum + payloadBytesOf(operations), 0);
  const end = HEADER_BYTES + payloadBytes;
  const frame = Buffer.allocUnsafeSlow(aligned(end));
  frame.fill(0, end);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(payloadBytes, 4);
  frame.writeDoubleLE(number, 8);
  frame.writeDoubleLE(previous, 16);
  const changes: Change[] = [];
  let at = HEADER_BYTES;
  for (const commit of commits) {
    for (const { key, value, isNew = false } of commit) {
      frame.writeUInt16LE(key.length, at);
      frame.writeUInt32LE(value === undefined ? 0 : value.length + 1, at + 2);
      at += OPERATION_BYTES;
      frame.set(key, at);
      const keyEnd = at + key.length;
      if (value !== undefined) frame.set(value, keyEnd);
      const valueEnd = keyEnd + (value?.length ?? 0);
      changes.push({
        key: frame.toString('latin1', at, keyEnd),
        value: value && frame.subarray(keyEnd, valueEnd),
        isNew,
      });
      at = valueEnd;
    }
  }
  const headerCrc = headerCrcOf(frame, storeId);
  frame.writeUInt32LE(headerCrc, HEADER_CRC_OFFSET);
  frame.writeUInt32LE(crc32(frame.subarray(HEADER_BYTES, end), headerCrc), CRC_OFFSET);
  return { frame, changes };
}

/** The frame that begins at `offset`, or undefined when there is none of this store, or no whole one. */
export function decodeFrame(file: Buffer, offset: number, storeId: Uint8Array): Frame | undefined {
  if (offset + HEADER_BYTES > file.length || file.readUInt32LE(offset) !== MAGIC) return undefined;
  const end = HEADER_BYTES + file.readUInt32LE(offset + 4);
  if (offset + end > file.length) return undefined;
  const frame = file.subarray(offset, offset + end);
  const headerCrc = headerCrcOf(frame, storeId);
  if (headerCrc !== frame.readUInt32LE(HEADER_CRC_OFFSET)) return undefined;
  if (crc32(frame.subarray(HEADER_BYTES), headerCrc) !== frame.readUInt32LE(CRC_OFFSET)) return undefined;
  return {
    number: frame.readDoubleLE(8),
    previous: frame.readDoubleLE(16),
    changes: [...changesIn(frame)],
    end: offset + aligned(end),
  };
}

function* changesIn(frame: Buffer): Generator<Change> {
  let at = HEADER_BYTES;
  while (at < frame.length) {
    const keyBytes = frame.readUInt16LE(at);
    const valueBytes = frame.readUInt32LE(at + 2) - 1;
    const keyEnd = at + OPERATION_BYTES + keyBytes;
    const key = binaryKey(frame.subarray(at + OPERATION_BYTES, keyEnd));
    at = keyEnd + Math.max(valueBytes, 0);
    yield { key, value: valueBytes < 0 ? undefined : frame.subarray(keyEnd, at), isNew: false };
  }
}

function headerCrcOf(frame: Buffer, storeId: Uint8Array): number {
  return crc32(frame.subarray(0, HEADER_CRC_OFFSET), crc32(storeId));
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / FRAME_ALIGNMENT) * FRAME_ALIGNMENT;
}
