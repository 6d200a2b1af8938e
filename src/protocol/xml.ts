/** What must not stand in XML text as it is: markup, a CR, which a parser would turn into LF, and what XML 1.0 forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNSAFE = /[&<>"\r\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
};
/** What XML cannot carry at all, even escaped. Message bodies never hold it, but what an error message quotes may. */
const REPLACEMENT = '\ufffd';

/** Text for an element. */
export function escapeXml(text: string): string {
  return text.replace(UNSAFE, (character) => ESCAPES[character] ?? REPLACEMENT);
}

// The same on bytes, for large texts: a mebibyte of quotes takes 10 ms instead of 130, and no room in the heap.

/** By byte of UTF-8, for those that are characters of their own and may not stand as they are. */
const BYTE_ESCAPES: readonly (Buffer | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  const escaped = escapeXml(character);
  return escaped === character ? undefined : Buffer.from(escaped);
});
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
/** U+FFFE and U+FFFF begin with these two bytes, and have one of the other two behind them. */
const [EF, BF, BE] = [0xef, 0xbf, 0xbe];

/** Lone surrogates become U+FFFD on their way to UTF-8 by themselves. */
export function escapeXmlToBytes(text: string): Buffer {
  const source = Buffer.from(text);
  const target = Buffer.allocUnsafe(escapedLength(source));
  let start = 0;
  let end = 0;
  const copyUpTo = (index: number): void => {
    end += source.copy(target, end, start, index);
  };
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] as number;
    const escaped = byte < 128 ? BYTE_ESCAPES[byte] : undefined;
    if (escaped !== undefined) {
      copyUpTo(index);
      for (const part of escaped) target[end++] = part;
      start = index + 1;
    } else if (byte === EF && isNoncharacter(source, index)) {
      copyUpTo(index);
      for (const part of REPLACEMENT_BYTES) target[end++] = part;
      start = index + 3;
    }
  }
  copyUpTo(source.length);
  return target;
}

function isNoncharacter(source: Buffer, index: number): boolean {
  const last = source[index + 2];
  return source[index + 1] === BF && (last === BE || last === BF);
}

function escapedLength(source: Buffer): number {
  let length = source.length;
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] as number;
    const escaped = byte < 128 ? BYTE_ESCAPES[byte] : undefined;
    if (escaped !== undefined) length += escaped.length - 1;
  }
  return length;
}

/** From here on a text is escaped on bytes, and what has been written leaves the heap. */
const LARGE_TEXT_LENGTH = 16 * 1024;

/**
 * Collects a document. A small one is a string, as all of them were; of a large one most is kept outside the heap, where
 * ten messages of a mebibyte, escaped, would not fit.
 */
export class XmlWriter {
  readonly #parts: Buffer[] = [];
  #text = '';

  /** Markup, or text that needs no escapes. */
  raw(text: string): void {
    this.#text += text;
  }

  text(text: string): void {
    if (text.length < LARGE_TEXT_LENGTH) {
      this.#text += escapeXml(text);
    } else {
      this.#flush();
      this.#parts.push(escapeXmlToBytes(text));
    }
  }

  element(name: string, text: string): void {
    this.raw(`<${name}>`);
    this.text(text);
    this.raw(`</${name}>`);
  }

  end(): string | Buffer {
    if (this.#parts.length === 0) return this.#text;
    this.#flush();
    return Buffer.concat(this.#parts);
  }

  #flush(): void {
    this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
