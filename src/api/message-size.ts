import type { MessageAttributeValue } from '../protocol/model/shapes.ts';

/**
 * What a message counts towards the limits, in bytes: its body and of every user attribute name, data type and value.
 * Works on attributes that were not validated yet, because the size of a batch is checked before its entries are
 * (SQS: section 4.4, section 8).
 */
export function messageSize(
  body: string | undefined,
  attributes: Readonly<Record<string, MessageAttributeValue>> | undefined,
): number {
  let size = utf8Length(body);
  if (attributes !== undefined) {
    for (const [name, value] of Object.entries(attributes)) {
      size += utf8Length(name) + utf8Length(value.DataType) + utf8Length(value.StringValue);
      size += value.BinaryValue?.byteLength ?? 0;
    }
  }
  return size;
}

function utf8Length(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
