import { expect, it } from 'vitest';
import { DepthGate } from './depth-gate.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('lets in as much as has left, in the order of those who wait', async () => {
  const gate = new DepthGate(10);
  const passed: string[] = [];
  void gate.take(4).then(() => passed.push('first'));
  void gate.take(4).then(() => passed.push('second'));
  await turn();
  expect(passed).toEqual([]);
  gate.free(5);
  await turn();
  expect(passed).toEqual(['first']);
  gate.free(3);
  await turn();
  expect(passed).toEqual(['first', 'second']);
});

it('holds nobody once it is open', async () => {
  const gate = new DepthGate(1);
  const waiting = gate.take(1);
  gate.open();
  await waiting;
  await gate.take(100);
});
