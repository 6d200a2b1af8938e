import { expect, it } from 'vitest';
import { messageSize } from './message-size.ts';

it('counts bytes of the body and of name, type and value of every attribute', () => {
  expect(messageSize('€', undefined)).toBe(3);
  expect(messageSize('x', { k: { DataType: 'String', StringValue: 'x' } })).toBe(1 + 1 + 6 + 1);
  expect(messageSize('x', { é: { DataType: 'Binary.png', BinaryValue: new Uint8Array(5) } })).toBe(1 + 2 + 10 + 5);
});

it('takes what is missing as empty', () => {
  expect(messageSize(undefined, { k: {} })).toBe(1);
});
