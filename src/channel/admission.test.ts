import { expect, it } from 'vitest';
import { Admission } from './admission.ts';

function setUp(limits: { calls: number; bytes: number }) {
  const admission = new Admission(limits);
  const begun: string[] = [];
  const enter = (name: string, size: number) =>
    admission.enter(() => {
      begun.push(name);
      return size;
    });
  return { admission, begun, enter };
}

it('lets calls wait for bytes, and begins them in the order they came', () => {
  const { admission, begun, enter } = setUp({ calls: 10, bytes: 100 });
  enter('a', 60);
  enter('b', 60);
  // Small enough, but others were first.
  enter('c', 90);
  enter('d', 1);
  expect(begun).toEqual(['a', 'b']);
  admission.leave(60);
  expect(begun).toEqual(['a', 'b', 'c']);
  admission.leave(60);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

it('begins one that is larger than the limit', () => {
  const { begun, enter } = setUp({ calls: 10, bytes: 100 });
  enter('a', 1000);
  expect(begun).toEqual(['a']);
});

it('refuses a call beyond the limit, counting those that wait', () => {
  const { admission, begun, enter } = setUp({ calls: 2, bytes: 10 });
  expect([enter('a', 10), enter('b', 10), enter('c', 10)]).toEqual([true, true, false]);
  admission.leave(10);
  expect(enter('d', 10)).toBe(true);
  expect(begun).toEqual(['a', 'b']);
});
