import { invalidParameter, SqsError } from '../protocol/model/errors.ts';
import type { MessageAttributeValue } from '../protocol/model/shapes.ts';
import type { MessageAttribute } from '../queue/message.ts';
import { hasOnlyMessageCharacters, INVALID_CHARACTERS } from './characters.ts';
import { MESSAGE_ATTRIBUTE_NAME_BYTES_MAX, MESSAGE_ATTRIBUTES_MAX, TRACE_HEADER_BYTES_MAX } from './limits.ts';

/**
 * The attributes that a producer puts on a message: those of the user (SQS: section 4.1) and the one that belongs to
 * SQS (section 4.2). The first problem found is thrown, in the order in which the attributes came.
 */

type AttributeValues = Readonly<Record<string, MessageAttributeValue>>;
/** How the error texts call the two kinds. */
type Kind = '(user)' | 'system';

const NONE: readonly MessageAttribute[] = [];
const TRACE_HEADER = 'AWSTraceHeader';
const RESERVED_PREFIX = /^(aws|amazon)\./i;
/** Accented letters pass in SQS, other symbols than these three do not. */
const NAME_CHARACTERS = /^[\p{L}\p{N}_.-]+$/u;
const DATA_TYPE = /^(String|Number|Binary)(\.[\p{L}\p{N}_.-]*)?$/u;
const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,5}))?$/;
/** Longer than any number in range with all its digits written out, and short enough for the expressions below. */
const NUMBER_LENGTH_MAX = 512;
/** A number has at most this many significant digits and lies between 10^-128 and 10^126. */
const NUMBER_DIGITS_MAX = 38;
const NUMBER_EXPONENT_MIN = -128;
const NUMBER_EXPONENT_MAX = 126;

/** @throws SqsError InvalidParameterValue, or UnsupportedOperation for list values. */
export function parseMessageAttributes(values: AttributeValues | undefined): readonly MessageAttribute[] {
  if (values === undefined) return NONE;
  const entries = Object.entries(values);
  if (entries.length > MESSAGE_ATTRIBUTES_MAX) {
    throw invalidParameter(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${MESSAGE_ATTRIBUTES_MAX}].`,
    );
  }
  refuseLists(entries);
  return entries.map(([name, value]) => {
    checkName(name);
    return parseValue('(user)', name, value);
  });
}

/**
 * The AWSTraceHeader attribute, if there is one. That its text is a well-formed X-Ray header is not checked: a message
 * should not be lost over a broken diagnostic.
 *
 * @throws SqsError InvalidParameterValue, or UnsupportedOperation for list values.
 */
export function parseSystemAttributes(
  values: AttributeValues | undefined,
): (MessageAttribute & { value: string }) | undefined {
  if (values === undefined) return undefined;
  const entries = Object.entries(values);
  refuseLists(entries);
  const unknown = entries.find(([name]) => name !== TRACE_HEADER);
  if (unknown !== undefined) throw invalidParameter(`Message system attribute name '${unknown[0]}' is invalid.`);
  const value = entries[0]?.[1];
  if (value === undefined) return undefined;

  const { dataType, value: text } = parseValue('system', TRACE_HEADER, value);
  if (dataType !== 'String' || typeof text !== 'string') {
    throw invalidParameter(
      `The type of message system attribute '${TRACE_HEADER}' is invalid. You must use only the following supported type ` +
        'prefixes: String.',
    );
  }
  if (!isTraceHeaderLength(text)) {
    throw invalidParameter(
      `Message system attribute '${TRACE_HEADER}' must be no longer than ${TRACE_HEADER_BYTES_MAX} bytes.`,
    );
  }
  return { name: TRACE_HEADER, dataType, value: text };
}

export function isTraceHeaderLength(text: string): boolean {
  return Buffer.byteLength(text) <= TRACE_HEADER_BYTES_MAX;
}

export function toAttributeValue(attribute: MessageAttribute): MessageAttributeValue {
  const { dataType, value } = attribute;
  return typeof value === 'string'
    ? { StringValue: value, DataType: dataType }
    : { BinaryValue: value, DataType: dataType };
}

/** Lists exist in the model only. Some clients send them empty, which means nothing. */
function refuseLists(entries: [string, MessageAttributeValue][]): void {
  for (const [, value] of entries) {
    if (value.StringListValues?.length || value.BinaryListValues?.length) {
      throw new SqsError(
        'UnsupportedOperation',
        'Message attribute list values in SendMessage operation are not supported.',
      );
    }
  }
}

function checkName(name: string): void {
  if (Buffer.byteLength(name) > MESSAGE_ATTRIBUTE_NAME_BYTES_MAX) {
    throw invalidParameter(
      `Message (user) attribute name must be shorter than ${MESSAGE_ATTRIBUTE_NAME_BYTES_MAX} bytes.`,
    );
  }
  if (name.trim() === '') {
    throw invalidParameter('The request must contain non-empty message (user) attribute names.');
  }
  if (RESERVED_PREFIX.test(name)) {
    throw invalidParameter(
      "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for " +
        'internal use.',
    );
  }
  if (name.startsWith('.')) {
    throw invalidParameter("Message (user) attribute name must not begin with character '.'.");
  }
  if (name.endsWith('.')) throw invalidParameter("Message (user) attribute name must not end with character '.'.");
  if (name.includes('..')) {
    throw invalidParameter("Message (user) attribute name must not have successive '.' characters.");
  }
  if (!NAME_CHARACTERS.test(name)) {
    // The rule is known of SQS, the text is not.
    throw invalidParameter(
      `Message (user) attribute name '${name}' is invalid. It can only include alphanumeric characters, hyphens, ` +
        'underscores, or periods.',
    );
  }
}

function parseValue(kind: Kind, name: string, value: MessageAttributeValue): MessageAttribute {
  const { DataType: dataType, StringValue: text, BinaryValue: bytes } = value;
  if (dataType === undefined && text === undefined && bytes === undefined) {
    throw invalidParameter(`The message ${kind} attribute '${name}' must contain a non-empty message attribute value.`);
  }
  const type = parseDataType(kind, name, dataType);
  // An empty text next to bytes, or the other way round, is what clients send for a field that is not set.
  if (!text && !bytes?.byteLength) {
    throw invalidParameter(`Message ${kind} attribute '${name}' must contain a non-empty value of type '${dataType}'.`);
  }
  if (text && bytes?.byteLength) {
    throw invalidParameter(`Message ${kind} attribute '${name}' must have a single value.`);
  }
  const fieldType = type.base === 'Binary' ? 'Binary' : 'String';
  const fieldValue = fieldType === 'Binary' ? bytes : text;
  if (!fieldValue?.length) {
    throw invalidParameter(
      `Message ${kind} attribute '${name}' with type '${dataType}' must use field '${fieldType}'.`,
    );
  }
  if (typeof fieldValue === 'string') checkText(kind, name, type.base, fieldValue);
  return { name, dataType: type.full, value: fieldValue };
}

function parseDataType(kind: Kind, name: string, dataType: string | undefined): { base: string; full: string } {
  if (!dataType) {
    throw invalidParameter(`The message ${kind} attribute '${name}' must contain a non-empty message attribute type.`);
  }
  const base = DATA_TYPE.exec(dataType)?.[1];
  if (base === undefined) {
    throw invalidParameter(
      `The type of message ${kind} attribute '${name}' is invalid. You must use only the following supported type ` +
        'prefixes: Binary, Number, String.',
    );
  }
  if (Buffer.byteLength(dataType) > MESSAGE_ATTRIBUTE_NAME_BYTES_MAX) {
    throw invalidParameter(
      `Message ${kind} attribute type must be shorter than ${MESSAGE_ATTRIBUTE_NAME_BYTES_MAX} bytes.`,
    );
  }
  return { base, full: dataType };
}

function checkText(kind: Kind, name: string, base: string, text: string): void {
  if (base === 'Number') {
    if (isNumber(text)) return;
    throw invalidParameter(`Can't cast the value of message ${kind} attribute '${name}' to a number.`);
  }
  // In a body the same characters are InvalidMessageContents.
  if (!hasOnlyMessageCharacters(text)) throw invalidParameter(INVALID_CHARACTERS);
}

function isNumber(text: string): boolean {
  const match = text.length > NUMBER_LENGTH_MAX ? null : NUMBER.exec(text);
  if (match === null) return false;
  const [integer = '', fraction = ''] = (match[1] ?? '').split('.');
  const significant = `${integer}${fraction}`.replace(/^0+/, '');
  if (significant === '') return true;
  if (significant.replace(/0+$/, '').length > NUMBER_DIGITS_MAX) return false;
  // The place of the first significant digit: 0 for the ones.
  const exponent = Number(match[2] ?? 0) + significant.length - fraction.length - 1;
  return exponent >= NUMBER_EXPONENT_MIN && exponent <= NUMBER_EXPONENT_MAX;
}
