import { expect, it } from 'vitest';
import { type HttpReply, ReplyReader } from './reply-reader.ts';

const REPLIES: [string, string, HttpReply][] = [
  ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nabcdef', { status: 200, body: Buffer.from('abcdef') }],
  ['no body', 'HTTP/1.1 204 Nothing\r\nContent-Length: 0\r\n\r\n', { status: 204, body: Buffer.alloc(0) }],
  [
    'chunks',
    'HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0C\r\ndefghijklmno\r\n0\r\n\r\n',
    { status: 400, body: Buffer.from('abcdefghijklmno') },
  ],
];

it.each(REPLIES)('reads replies with %s, cut anywhere', (_, text, reply) => {
  const bytes = Buffer.from(text);
  const reader = new ReplyReader();
  for (let first = 0; first < bytes.length; first++) {
    const replies = [bytes.subarray(0, first), bytes.subarray(first)].map((piece) => reader.push(piece));
    expect(replies).toEqual([undefined, reply]);
  }
});

it('reads what comes a byte at a time', () => {
  const reader = new ReplyReader();
  for (const [, text, reply] of REPLIES) {
    const replies = [...Buffer.from(text)].map((byte) => reader.push(Buffer.from([byte])));
    expect(replies.at(-1)).toEqual(reply);
    expect(replies.slice(0, -1).every((each) => each === undefined)).toBe(true);
  }
});

it('refuses a reply that does not say how long it is', () => {
  expect(() => new ReplyReader().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('how long');
});
