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

// The same on bytes, for large texts: quicker where there is much to escape, and it takes no room in the heap.

/** By byte of UTF-8: what to write for it. */
const BYTES: readonly Uint8Array[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 128 ? Buffer.from(escapeXml(String.fromCharCode(byte))) : Uint8Array.of(byte),
);
/** Whether that is another byte, or several. */
const IS_ESCAPED = Uint8Array.from(BYTES, (bytes, byte) => (bytes.length === 1 && bytes[0] === byte ? 0 : 1));
/** By how many bytes it is longer. */
const GROWTH = Uint8Array.from(BYTES, ({ length }) => length - 1);

export function escapeXmlToBytes(text: string): Buffer {
  if (text.search(UNSAFE) === -1) return Buffer.from(text);
  // Lone surrogates become U+FFFD by themselves. The two other characters do not, and hardly ever occur.
  const source = Buffer.from(text.replaceAll('\ufffe', REPLACEMENT).replaceAll('\uffff', REPLACEMENT));
  let length = source.length;
  for (let index = 0; index < source.length; index++) length += GROWTH[source[index] as number] as number;
  const target = Buffer.allocUnsafe(length);
  let end = 0;
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] as number;
    if (IS_ESCAPED[byte] === 0) {
      target[end++] = byte;
      continue;
    }
    const bytes = BYTES[byte] as Uint8Array;
    for (let part = 0; part < bytes.length; part++) target[end++] = bytes[part] as number;
  }
  return target;
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
