import { SqsError } from '../protocol/model/errors.ts';

/** How the values of queue attributes, which are all strings on the wire, are read (SQS: section 3.1). */

export function invalidAttributeValue(name: string, reason?: string): SqsError {
  const text = `Invalid value for the parameter ${name}.`;
  return new SqsError('InvalidAttributeValue', reason === undefined ? text : `${text} Reason: ${reason}`);
}

export function unknownAttribute(name: string): SqsError {
  return new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
}

/** Any case is accepted: Python clients send `True`. */
export function parseBoolean(name: string, value: string): boolean {
  const lower = value.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false') return false;
  throw invalidAttributeValue(name);
}

export function parseInteger(name: string, value: string, min: number, max: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw invalidAttributeValue(name);
}

/** The JSON object in `text`, or undefined when it is anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) ? value : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a key that a client may have chosen: keys like `constructor` are no properties of every object here. */
export function ownValue<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
