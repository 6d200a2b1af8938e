import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binaryKey } from '../binary-key.ts';
import { type Change, Overlay } from './overlay.ts';

const put = (key: string, value: string, isNew = false): Change => ({ key, value: Buffer.from(value), isNew });
const remove = (key: string): Change => ({ key, value: undefined, isNew: false });

function overlayOf(...changes: Change[]): Overlay {
  const overlay = new Overlay();
  overlay.apply(changes);
  return overlay;
}

const textOf = (overlay: Overlay) =>
  [...overlay.operations()].map(({ key, value }) => `${binaryKey(key)}${value === undefined ? ' -' : `=${value}`}`);

describe('Overlay', () => {
  it('has nothing left of a new row that is deleted', () => {
    const overlay = overlayOf(put('a', '1', true), remove('a'));
    expect(overlay.size).toBe(0);
    expect(overlay.get('a')).toBeUndefined();
    expect(textOf(overlay)).toEqual([]);
  });

  it('has nothing left of it either when it was put again meanwhile', () => {
    const overlay = overlayOf(put('a', '1', true), put('a', '2'));
    expect(textOf(overlay)).toEqual(['a=2']);
    overlay.apply([remove('a')]);
    expect(overlay.size).toBe(0);
  });

  it('remembers that any other row is deleted, as the store below may have it', () => {
    expect(textOf(overlayOf(put('a', '1'), remove('a'), remove('b')))).toEqual(['a -', 'b -']);
    expect(textOf(overlayOf(remove('a'), put('a', '1'), remove('a')))).toEqual(['a -']);
    // A new row is in the store below after a checkpoint: the next overlay knows nothing of it.
    expect(textOf(overlayOf(remove('a')))).toEqual(['a -']);
  });

  it('is to a store below what its operations are', () => {
    const step = fc.record({
      number: fc.nat(5),
      value: fc.option(fc.string({ maxLength: 2 }), { nil: undefined }),
      isHinted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(5)), fc.array(step, { maxLength: 30 }), (before, steps) => {
        const below = new Map(before.map((number) => [`${number}`, 'below']));
        const expected = new Map(below);
        const everPut = new Set(below.keys());
        const overlay = new Overlay();
        for (const { number, value, isHinted } of steps) {
          const key = `${number}`;
          if (value === undefined) {
            expected.delete(key);
            overlay.apply([remove(key)]);
          } else {
            expected.set(key, value);
            overlay.apply([put(key, value, isHinted && !everPut.has(key))]);
            everPut.add(key);
          }
        }
        for (const key of everPut) {
          const change = overlay.get(key);
          expect((change === undefined ? below.get(key) : change.value)?.toString()).toBe(expected.get(key));
        }
        for (const { key, value } of overlay.operations()) {
          if (value === undefined) below.delete(binaryKey(key));
          else below.set(binaryKey(key), value.toString());
        }
        expect([...below].toSorted()).toEqual([...expected].toSorted());
      }),
    );
  });
});
