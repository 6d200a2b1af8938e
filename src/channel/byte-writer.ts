/** Room for many small frames; one that needs more gets a slab of its own size. */
const SLAB_BYTES = 256 * 1024;
/** Up to here room is made for the longest encoding a text may have; above it the text is measured first. */
const SHORT_TEXT_CHARS = 4096;
/** In place of a length: there is no text. */
export const ABSENT = 0xffff_ffff;

/**
 * Writes values one behind the other into memory that is handed over in one piece: everything since the last `take`.
 * Memory that was handed over is never written again, so that it can wait for a socket without being copied.
 */
export class ByteWriter {
  #slab = Buffer.allocUnsafe(SLAB_BYTES);
  /** Where the bytes start that have not been taken. */
  #start = 0;
  #at = 0;

  /** Bytes written and not taken. */
  get length(): number {
    return this.#at - this.#start;
  }

  take(): Buffer {
    const bytes = this.#slab.subarray(this.#start, this.#at);
    this.#start = this.#at;
    return bytes;
  }

  /** Forgets what was written last, down to `length` bytes. */
  truncate(length: number): void {
    this.#at = this.#start + length;
  }

  /** Overwrites a number that was written at `position`, counted from the first byte not taken. */
  setU32(position: number, value: number): void {
    this.#slab.writeUInt32BE(value, this.#start + position);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#at = this.#slab.writeUInt8(value, this.#at);
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#at = this.#slab.writeUInt32BE(value, this.#at);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#at = this.#slab.writeDoubleBE(value, this.#at);
  }

  text(value: string): void {
    this.#reserve(4 + (value.length > SHORT_TEXT_CHARS ? Buffer.byteLength(value) : value.length * 3));
    const bytes = this.#slab.write(value, this.#at + 4);
    this.#slab.writeUInt32BE(bytes, this.#at);
    this.#at += 4 + bytes;
  }

  optionalText(value: string | undefined): void {
    if (value === undefined) this.u32(ABSENT);
    else this.text(value);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(4 + value.length);
    this.#at = this.#slab.writeUInt32BE(value.length, this.#at);
    this.#slab.set(value, this.#at);
    this.#at += value.length;
  }

  /** For what is seldom said, and is small. */
  json(value: unknown): void {
    this.optionalText(JSON.stringify(value));
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#slab.length) return;
    const pending = this.length;
    // Twice what there is: a batch that grows piece by piece is not moved with each piece.
    const slab = Buffer.allocUnsafe(Math.max(SLAB_BYTES, 2 * pending + bytes));
    this.#slab.copy(slab, 0, this.#start, this.#at);
    this.#slab = slab;
    this.#start = 0;
    this.#at = pending;
  }
}
