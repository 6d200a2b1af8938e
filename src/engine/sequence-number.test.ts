import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sequenceNumber } from './sequence-number.ts';

it('has 20 digits and rises as text and as a number', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
      const [first, second] = [sequenceNumber(a), sequenceNumber(b)];
      expect(first).toMatch(/^\d{20}$/);
      expect(first < second).toBe(a < b);
      expect(BigInt(first) < BigInt(second)).toBe(a < b);
    }),
  );
});

it('does not begin with a zero', () => {
  expect(sequenceNumber(1)).toBe('10000000000000000001');
});
