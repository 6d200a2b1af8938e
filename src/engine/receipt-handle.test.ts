import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../queue/queue.ts';
import { type DecodedHandle, ReceiptHandles } from './receipt-handle.ts';

const secret = Uint8Array.from({ length: 32 }, (_, index) => index);
const handles = new ReceiptHandles(secret);

function encode(queueId: number, receipt: Receipt): string {
  return handles.encode(queueId, [receipt])[0] as string;
}

function decode(text: string, of = handles): DecodedHandle | undefined {
  return of.decode([text])[0];
}

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const receipt = fc.record({ partition: u32, seq: fc.maxSafeNat(), receiveCount: u32 });

describe('a receipt handle', () => {
  it('says what it was made from, also after a restart', () => {
    fc.assert(
      fc.property(u32, receipt, (queueId, original) => {
        const handle = encode(queueId, original);
        expect(handle.length).toBeLessThanOrEqual(1024);
        expect(decode(handle, new ReceiptHandles(secret))).toEqual({ queueId, receipt: original });
      }),
    );
  });

  it('stays as it is: clients hold them over an upgrade', () => {
    const handle = encode(7, { partition: 9, seq: 2 ** 33 + 1, receiveCount: 3 });
    expect(handle).toBe('AQEBAAAABwAAAAlCAAAAAAgAAAAAAAPZCdlCn32dWhafL0XS3Aej');
  });

  it('ends with the CBC-MAC of the rest', () => {
    const bytes = Buffer.from(encode(7, { partition: 9, seq: 11, receiveCount: 3 }), 'base64');
    const padded = Buffer.concat([bytes.subarray(0, 23), Buffer.alloc(9)]);
    const cipher = createCipheriv('aes-128-cbc', secret.subarray(0, 16), Buffer.alloc(16)).setAutoPadding(false);
    expect(bytes.subarray(23)).toEqual(cipher.update(padded).subarray(16));
  });

  it('is refused when a single bit was changed', () => {
    const bytes = Buffer.from(encode(1, { partition: 0, seq: 5, receiveCount: 1 }), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = Buffer.from(bytes);
      const at = bit >> 3;
      forged[at] = (forged[at] as number) ^ (1 << (bit & 7));
      expect(decode(forged.toString('base64'))).toBeUndefined();
    }
  });

  it('is refused by a server with another secret', () => {
    const handle = encode(1, { partition: 0, seq: 5, receiveCount: 1 });
    const other = new ReceiptHandles(secret.map((byte) => byte ^ 1));
    expect(decode(handle, other)).toBeUndefined();
  });

  it('is one of as many as are wanted at once, right or wrong', () => {
    fc.assert(
      fc.property(u32, fc.array(fc.oneof(receipt, fc.string())), (queueId, items) => {
        const receipts = items.filter((item) => typeof item !== 'string');
        const made = handles.encode(queueId, receipts);
        expect(made).toEqual(receipts.map((one) => encode(queueId, one)));
        const texts = items.map((item) => (typeof item === 'string' ? item : (made.shift() as string)));
        expect(handles.decode(texts)).toEqual(
          items.map((item) => (typeof item === 'string' ? undefined : { queueId, receipt: item })),
        );
      }),
    );
  });

  it('is refused when it is none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ minLength: 52, maxLength: 52 })), (text) => {
        expect(decode(text)).toBeUndefined();
      }),
    );
    for (const text of ['', 'x', 'A'.repeat(52), 'é'.repeat(52), '='.repeat(52), '\0'.repeat(52)]) {
      expect(decode(text)).toBeUndefined();
    }
  });
});
