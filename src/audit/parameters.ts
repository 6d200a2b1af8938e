/** What CloudTrail itself writes in place of a body. */
const HIDDEN = 'HIDDEN_DUE_TO_SECURITY_REASONS';

/** A body is nobody's business, and who has a receipt handle may delete the message. */
const SECRET = new Set(['MessageBody', 'ReceiptHandle']);
/** Of message attributes the name and the type go into a record. */
const ATTRIBUTES = new Set(['MessageAttributes', 'MessageSystemAttributes']);
/** Their keys are the caller's, and stay as they are. */
const MAPS = new Set(['Attributes', 'Tags', 'tags']);
/** As CloudTrail leaves out parameters of more than 100 KB. */
const PARAMETERS_LENGTH_MAX = 100 * 1024;

/** CloudTrail's requestParameters: null for a call without any. */
export function requestParametersOf(input: unknown): object | null {
  const shown = shownObject((input ?? {}) as object);
  if (Object.keys(shown).length === 0) return null;
  return JSON.stringify(shown).length > PARAMETERS_LENGTH_MAX ? { omitted: true } : shown;
}

/** CloudTrail's responseElements: null for actions that change nothing, and for those whose reply says nothing. */
export function responseElementsOf(action: string, output: unknown): object | null {
  const names = RESPONSE_ELEMENTS[action];
  if (names === undefined || typeof output !== 'object' || output === null) return null;
  const elements: Record<string, unknown> = {};
  for (const name of names) elements[camelCase(name)] = (output as Record<string, unknown>)[name];
  return elements;
}

const RESPONSE_ELEMENTS: Record<string, readonly string[]> = {
  CreateQueue: ['QueueUrl'],
  StartMessageMoveTask: ['TaskHandle'],
  CancelMessageMoveTask: ['ApproximateNumberOfMessagesMoved'],
  SendMessage: [
    'MD5OfMessageBody',
    'MD5OfMessageAttributes',
    'MD5OfMessageSystemAttributes',
    'MessageId',
    'SequenceNumber',
  ],
};

function shownObject(value: object): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    shown[camelCase(name)] = shownMember(name, member);
  }
  return shown;
}

function shownMember(name: string, value: unknown): unknown {
  if (SECRET.has(name)) return HIDDEN;
  if (ATTRIBUTES.has(name)) return typesOf(value);
  if (MAPS.has(name)) return value;
  // A URL may carry a password.
  if (name === 'QueueUrl') return String(value).replace(/\/\/[^/@]*@/, '//');
  return shownValue(value);
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue);
  return typeof value === 'object' && value !== null ? shownObject(value) : value;
}

function typesOf(attributes: unknown): unknown {
  if (typeof attributes !== 'object' || attributes === null) return HIDDEN;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      { dataType: (value as { DataType?: unknown })?.DataType },
    ]),
  );
}

/** `QueueUrl` -> `queueUrl`; the one exception is CloudTrail's. */
function camelCase(name: string): string {
  return name === 'AWSAccountIds' ? name : `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}
