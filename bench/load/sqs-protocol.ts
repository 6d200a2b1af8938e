/** How an action and its input become the body of a request, and how texts are found in the reply. */
export interface SqsProtocol {
  contentType: string;
  bodyOf(action: string, input: SqsInput): string;
  /** All values of the fields with this name, wherever in the reply they are. */
  valuesIn(reply: Buffer, field: string): string[];
}

export type ProtocolName = 'json' | 'query';

/** Named as in the JSON protocol. */
export type SqsInput = Record<string, string | number | readonly string[] | readonly object[] | object | undefined>;

const json: SqsProtocol = {
  contentType: 'application/x-amz-json-1.0',
  bodyOf: (_, input) => JSON.stringify(input),
  valuesIn: (reply, field) =>
    textsBetween(reply, `"${field}"`, '"', '"').map((text) =>
      text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text,
    ),
};

const query: SqsProtocol = {
  contentType: 'application/x-www-form-urlencoded; charset=utf-8',
  bodyOf: (action, input) => {
    const fields = [`Action=${action}`, 'Version=2012-11-05'];
    for (const [name, value] of Object.entries(input)) addField(fields, action, name, value);
    return fields.join('&');
  },
  valuesIn: (reply, field) => textsBetween(reply, `<${field}`, '>', '<'),
};

export const PROTOCOLS: Record<ProtocolName, SqsProtocol> = { json, query };

function addField(fields: string[], action: string, name: string, value: SqsInput[string]): void {
  if (value === undefined) return;
  if (typeof value !== 'object') {
    fields.push(`${name}=${encodeURIComponent(value)}`);
  } else if (name === 'Attributes') {
    Object.entries(value).forEach(([key, each], index) => {
      fields.push(`Attribute.${index + 1}.Name=${key}`, `Attribute.${index + 1}.Value=${encodeURIComponent(each)}`);
    });
  } else if (name === 'Entries') {
    (value as readonly Record<string, string | number | undefined>[]).forEach((entry, index) => {
      for (const [key, each] of Object.entries(entry)) {
        if (each !== undefined) fields.push(`${action}RequestEntry.${index + 1}.${key}=${encodeURIComponent(each)}`);
      }
    });
  } else {
    // AttributeNames: AttributeName.1, AttributeName.2
    (value as readonly string[]).forEach((each, index) => {
      fields.push(`${name.replace(/s$/, '')}.${index + 1}=${encodeURIComponent(each)}`);
    });
  }
}

/** Found in the bytes: parsing all of a reply would cost the load more than all the rest of a request. */
function textsBetween(reply: Buffer, label: string, open: string, close: string): string[] {
  const texts: string[] = [];
  for (let at = reply.indexOf(label); at !== -1; at = reply.indexOf(label, at)) {
    const start = reply.indexOf(open, at + label.length) + 1;
    at = reply.indexOf(close, start);
    texts.push(reply.toString('latin1', start, at));
  }
  return texts;
}
