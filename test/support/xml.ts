export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  /** The text directly in this element. */
  text: string;
}

const TOKEN = /<\?xml [^>]*\?>|<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>|[^<]+/gy;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** What XML 1.0 does not allow, not even as a reference. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** Reads the XML that SQS writes (elements, attributes, text), and nothing that is not well-formed. */
export function parseXml(document: string): XmlElement {
  // A parser has to read every literal line end as one line feed.
  const source = document.replaceAll(/\r\n?/g, '\n');
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const start = TOKEN.lastIndex;
    const token = TOKEN.exec(source);
    if (token === null) throw new Error(`not well-formed at ${start}: ${source.slice(start, start + 80)}`);
    const [text, closing, name, attributes, empty] = token;
    const current = open.at(-1)!;
    if (text.startsWith('<?')) continue;
    if (name === undefined) {
      current.text += decode(text);
    } else if (closing) {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}>`);
      open.pop();
    } else {
      const element = { name, attributes: parseAttributes(attributes ?? ''), children: [], text: '' };
      current.children.push(element);
      if (!empty) open.push(element);
    }
  }
  const [element] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || element === undefined || root.text.trim() !== '') {
    throw new Error(`not one whole element: ${document}`);
  }
  return element;
}

/** The text of the first child of that name, the empty string when there is none. */
export function childText(element: XmlElement | undefined, name: string): string {
  return child(element, name)?.text ?? '';
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

function parseAttributes(source: string): Record<string, string> {
  return Object.fromEntries([...source.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

function decode(text: string): string {
  const decoded = text.replaceAll(/&([^;&\s]*)(;?)/g, (reference, name: string, end: string) => {
    const number = /^#(?:x([0-9a-fA-F]+)|(\d+))$/.exec(name);
    const value = number
      ? String.fromCodePoint(number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16))
      : ENTITIES[name];
    if (value === undefined || end === '') throw new Error(`not a reference: ${reference}`);
    return value;
  });
  if (FORBIDDEN.test(decoded)) throw new Error(`a character that XML does not allow in ${JSON.stringify(decoded)}`);
  return decoded;
}
