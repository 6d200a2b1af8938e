import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realPlatform } from '../platform/real.ts';
import { FrameError, FrameSplitter, FrameWriter } from './frames.ts';

/** Keeps what is written to it, one buffer for each write. */
function recordingSocket() {
  const writes: Buffer[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk, _, done) {
      writes.push(chunk);
      done();
    },
  });
  return { socket, writes };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Frame {
  kind: number;
  number: number;
  text: string;
}

async function bytesOf(frames: readonly Frame[]): Promise<Buffer> {
  const { socket, writes } = recordingSocket();
  const writer = new FrameWriter(socket, realPlatform());
  for (const { kind, number, text } of frames) writer.frame(kind, number, (bytes) => bytes.text(text));
  await turn();
  return Buffer.concat(writes);
}

function framesIn(chunks: readonly Buffer[]): Frame[] {
  const frames: Frame[] = [];
  const splitter = new FrameSplitter();
  for (const chunk of chunks) {
    splitter.push(chunk, (frame) => frames.push({ kind: frame.u8(), number: frame.u32(), text: frame.text() }));
  }
  return frames;
}

const anyFrame = fc.record({
  kind: fc.integer({ min: 0, max: 255 }),
  number: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  text: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('ä'.repeat(5000)), fc.constant('x'.repeat(300_000))),
});

describe('frames', () => {
  it('arrive however the bytes are cut', async () => {
    const property = fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 64 })),
      async (frames, sizes) => {
        const bytes = await bytesOf(frames);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        chunks.push(bytes.subarray(at));
        expect(framesIn(chunks)).toEqual(frames);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('arrive when every byte comes alone', async () => {
    const frames = [
      { kind: 1, number: 2, text: 'one' },
      { kind: 3, number: 2 ** 32 - 1, text: '' },
    ];
    const bytes = await bytesOf(frames);
    expect(framesIn([...bytes].map((byte) => Buffer.of(byte)))).toEqual(frames);
  });

  it('go out in one write for each turn', async () => {
    const { socket, writes } = recordingSocket();
    const writer = new FrameWriter(socket, realPlatform());
    for (let number = 0; number < 100; number++) writer.frame(0, number, (bytes) => bytes.text('a'));
    expect(writes).toHaveLength(0);
    await turn();
    expect(writes).toHaveLength(1);
    writer.frame(0, 100, (bytes) => bytes.text('b'));
    await turn();
    expect(writes).toHaveLength(2);
    expect(framesIn(writes)).toHaveLength(101);
  });

  it('are not there when their content cannot be written', async () => {
    const { socket, writes } = recordingSocket();
    const writer = new FrameWriter(socket, realPlatform());
    writer.frame(0, 1, (bytes) => bytes.text('a'));
    const broken = () =>
      writer.frame(0, 2, (bytes) => {
        bytes.text('half');
        throw new Error('broken');
      });
    expect(broken).toThrow('broken');
    writer.frame(0, 3, (bytes) => bytes.text('b'));
    await turn();
    expect(framesIn(writes).map(({ number }) => number)).toEqual([1, 3]);
  });

  it('are not written to a socket that is closed', async () => {
    const { socket, writes } = recordingSocket();
    const writer = new FrameWriter(socket, realPlatform());
    socket.destroy();
    writer.frame(0, 1, (bytes) => bytes.text('a'));
    await turn();
    expect(writes).toEqual([]);
  });

  it.each([0, 32 * 1024 * 1024 + 1, 2 ** 32 - 1])('cannot be %d bytes long', (length) => {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(length);
    expect(() => framesIn([header, Buffer.of(1)])).toThrow(FrameError);
    expect(() => framesIn([Buffer.concat([header, Buffer.of(1)])])).toThrow(FrameError);
  });

  it('are refused when they end before their content', () => {
    expect(() => framesIn([Buffer.from([0, 0, 0, 9, 1, 0, 0, 0, 1, 0, 0, 0, 5])])).toThrow(RangeError);
    expect(() => framesIn([Buffer.from([0, 0, 0, 1, 1])])).toThrow(RangeError);
  });
});
