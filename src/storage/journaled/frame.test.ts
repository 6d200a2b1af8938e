import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binaryKey } from '../binary-key.ts';
import { decodeFrame, encodeFrame, FRAME_ALIGNMENT } from './frame.ts';

const storeId = Buffer.from('0123456789abcdef', 'hex');
const bytes = fc.uint8Array({ maxLength: 30 });
const commits = fc.array(fc.array(fc.record({ key: bytes, value: fc.option(bytes, { nil: undefined }) })), {
  maxLength: 4,
});
const number = fc.nat(Number.MAX_SAFE_INTEGER);
const plain = (changes: readonly { key: string; value?: Uint8Array | undefined }[]) =>
  changes.map(({ key, value }) => [key, value && Buffer.from(value).toString('hex')]);

describe('a frame', () => {
  it('is read as it was written, wherever it lies', () => {
    fc.assert(
      fc.property(commits, number, number, fc.nat(3), (given, own, previous, place) => {
        const { frame, changes } = encodeFrame(given, { storeId, number: own, previous });
        const offset = place * FRAME_ALIGNMENT;
        const file = Buffer.concat([Buffer.alloc(offset, 7), frame, Buffer.alloc(20, 7)]);
        const decoded = decodeFrame(file, offset, storeId);
        expect(decoded).toMatchObject({ number: own, previous, end: offset + frame.length });
        const expected = plain(given.flat().map(({ key, value }) => ({ key: binaryKey(key), value })));
        expect(plain(decoded?.changes ?? [])).toEqual(expected);
        expect(plain(changes)).toEqual(expected);
        expect(frame.length % FRAME_ALIGNMENT).toBe(0);
      }),
    );
  });

  it('is none with another byte, of another store, or cut off', () => {
    fc.assert(
      fc.property(commits, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, difference) => {
        const { frame } = encodeFrame(given, { storeId, number: 2, previous: 1 });
        const { end: padded } = decodeFrame(frame, 0, storeId) as { end: number };
        expect(decodeFrame(frame, 0, Buffer.alloc(8))).toBeUndefined();
        expect(decodeFrame(frame.subarray(0, padded - FRAME_ALIGNMENT), 0, storeId)).toBeUndefined();
        const changed = Buffer.from(frame);
        // The last bytes may be padding, which says nothing.
        const at = place % (frame.length - FRAME_ALIGNMENT + 1);
        changed.writeUInt8((changed[at] as number) ^ difference, at);
        expect(decodeFrame(changed, 0, storeId)).toBeUndefined();
      }),
    );
  });
});
