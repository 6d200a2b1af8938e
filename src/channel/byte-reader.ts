import { ABSENT } from './byte-writer.ts';

/** Reads what a `ByteWriter` wrote, in the same order. Texts are copies, bytes are views. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u8(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  u32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  f64(): number {
    const value = this.#bytes.readDoubleBE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const start = this.#skip(this.u32());
    return this.#bytes.toString('utf8', start, this.#at);
  }

  optionalText(): string | undefined {
    const length = this.u32();
    if (length === ABSENT) return undefined;
    const start = this.#skip(length);
    return this.#bytes.toString('utf8', start, this.#at);
  }

  bytes(): Uint8Array {
    const start = this.#skip(this.u32());
    return this.#bytes.subarray(start, this.#at);
  }

  json(): unknown {
    const text = this.optionalText();
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Where the next `length` bytes start. Reading a text past the end would silently give a shorter one. */
  #skip(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new RangeError('A frame ends before its content does.');
    this.#at = start + length;
    return start;
  }
}
