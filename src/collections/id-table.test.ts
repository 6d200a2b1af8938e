import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOfId, IdTable } from './id-table.ts';

describe('IdTable', () => {
  it('finds everything that was added with a hash, and nothing else', () => {
    const entry = fc.record({ hash: fc.integer({ min: 1, max: 40 }), seq: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 200 }), fc.nat(2 ** 40), (entries, base) => {
        const table = new IdTable(base);
        for (const { hash, seq } of entries) table.add(hash, base + seq);
        expect(table.size).toBe(entries.length);
        for (let hash = 1; hash <= 41; hash++) {
          const found: number[] = [];
          table.collect(hash, found);
          const expected = entries.filter((each) => each.hash === hash).map(({ seq }) => base + seq);
          expect(found.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
        }
      }),
    );
  });
});

describe('the hash of an id', () => {
  it('is what earlier versions have written', () => {
    expect(hashOfId('d1')).toBe(2_485_068_063);
    expect(hashOfId('')).toBe(2_872_998_923);
  });

  it('fits 32 bits and is never 0, which marks a free slot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        const hash = hashOfId(id);
        expect(Number.isInteger(hash) && hash > 0 && hash < 2 ** 32).toBe(true);
      }),
    );
  });

  it('spreads ids that differ in little', () => {
    const slots = new Set<number>();
    for (let index = 0; index < 4096; index++) slots.add(hashOfId(`order-${index}`) & 4095);
    // Thrown at random, 63 % of the slots are hit.
    expect(slots.size).toBeGreaterThan(2400);
  });
});
