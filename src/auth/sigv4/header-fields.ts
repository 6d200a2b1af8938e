/** White space that signatures do not see: around a value, and more than one blank inside it. */
const BLANKS = /[ \t\r\n\v\f]+/g;
const HAS_BLANKS = /^[ \t\r\n\v\f]|[\t\r\n\v\f]| {2}| $/;

/** Header fields by lower-case name, values as they are signed. */
export type HeaderFields = ReadonlyMap<string, string>;

/**
 * One pass over the header as it came (`rawHeaders` of Node: name, value, name, value, ...). Values of one name are
 * joined by commas without blanks, as clients sign them; Node's own `headers` drops some of them and joins others
 * with a blank.
 */
export function headerFields(rawHeaders: readonly string[]): HeaderFields {
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = canonicalValue(rawHeaders[index + 1] as string);
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return fields;
}

function canonicalValue(value: string): string {
  return HAS_BLANKS.test(value) ? value.replaceAll(BLANKS, ' ').replaceAll(/^ | $/g, '') : value;
}
