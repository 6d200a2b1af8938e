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

/**
 * Text for an element. What XML cannot carry at all, even escaped, becomes U+FFFD; message bodies never hold such
 * characters, but what an error message quotes may.
 */
export function escapeXml(text: string): string {
  return text.replace(UNSAFE, (character) => ESCAPES[character] ?? '\ufffd');
}
