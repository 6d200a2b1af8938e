import { SqsError } from '../../protocol/model/errors.ts';
import type { StsTag } from '../../protocol/sts/sts-shapes.ts';
import type { Tags } from '../identity/model.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import { PolicyError } from '../policy/policy-error.ts';

/** Checks of parameters, with the texts of STS. Each returns what it has checked. */

/** A rule of a text: its length in characters, and what it consists of. */
interface TextRule {
  min: number;
  max: number;
  /** As STS shows it; the whole text has to match. */
  pattern: string;
}

const NAME = '[\\w+=,.@-]*';

export const TEXT_RULES = {
  roleArn: {
    min: 20,
    max: 2048,
    pattern: '[\\u0009\\u000A\\u000D\\u0020-\\u007E\\u0085\\u00A0-\\uD7FF\\uE000-\\uFFFD]+',
  },
  roleSessionName: { min: 2, max: 64, pattern: NAME },
  sourceIdentity: { min: 2, max: 64, pattern: NAME },
  name: { min: 2, max: 32, pattern: NAME },
  externalId: { min: 2, max: 1224, pattern: '[\\w+=,.@:\\/-]*' },
  policy: { min: 1, max: 2048, pattern: '[\\u0009\\u000A\\u000D\\u0020-\\u00FF]+' },
} as const satisfies Record<string, TextRule>;

const TAGS_MAX = 50;
const TAG_KEY = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u;
const TAG_VALUE = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u;

/** Whole seconds; the least and the most that may be asked for. */
export interface DurationRule {
  min: number;
  max: number;
  default: number;
}

export function requiredText(field: keyof typeof TEXT_RULES, value: string | undefined): string {
  if (value === undefined) throw violation('null', field, 'Member must not be null');
  return checkedText(field, value);
}

export function optionalText(field: keyof typeof TEXT_RULES, value: string | undefined): string | undefined {
  return value === undefined ? undefined : checkedText(field, value);
}

function checkedText(field: keyof typeof TEXT_RULES, value: string): string {
  const { min, max, pattern }: TextRule = TEXT_RULES[field];
  if (value.length < min) {
    throw violation(`'${value}'`, field, `Member must have length greater than or equal to ${min}`);
  }
  if (value.length > max) throw violation(`'${value}'`, field, `Member must have length less than or equal to ${max}`);
  if (!new RegExp(`^${pattern}$`, 'u').test(value)) {
    throw violation(`'${value}'`, field, `Member must satisfy regular expression pattern: ${pattern}`);
  }
  return value;
}

export function duration(value: number | undefined, rule: DurationRule): number {
  if (value === undefined) return rule.default;
  if (value < rule.min) {
    throw violation(`'${value}'`, 'durationSeconds', `Member must have value greater than or equal to ${rule.min}`);
  }
  if (value > rule.max) {
    throw violation(`'${value}'`, 'durationSeconds', `Member must have value less than or equal to ${rule.max}`);
  }
  return value;
}

/** A session policy: one that could not be evaluated later is refused here. */
export function sessionPolicy(value: string | undefined): string | undefined {
  const text = optionalText('policy', value);
  if (text === undefined) return undefined;
  try {
    compilePolicy(text, 'identity');
    return text;
  } catch (error) {
    if (error instanceof PolicyError) throw malformedPolicy(text, error);
    throw error;
  }
}

export function sessionTags(tags: readonly StsTag[] | undefined): Tags {
  if (tags === undefined) return {};
  if (tags.length > TAGS_MAX) {
    throw violation(`'${tags.length} tags'`, 'tags', `Member must have length less than or equal to ${TAGS_MAX}`);
  }
  // No prototype: the caller chooses the keys.
  const checked: Record<string, string> = Object.create(null);
  const folded = new Set<string>();
  for (const { Key: key = '', Value: value = '' } of tags) {
    if (!TAG_KEY.test(key)) throw validationError(`The tag key '${key}' is not valid.`);
    if (!TAG_VALUE.test(value)) throw validationError(`The value of the tag '${key}' is not valid.`);
    if (/^aws:/i.test(key)) throw validationError('Tag keys must not begin with aws:, which is reserved.');
    if (folded.has(key.toLowerCase())) {
      throw validationError('Duplicate tag keys found. Please note that Tag keys are case insensitive.');
    }
    folded.add(key.toLowerCase());
    checked[key] = value;
  }
  return checked;
}

export function validationError(message: string): SqsError {
  return new SqsError('ValidationError', message);
}

function violation(value: string, field: string, constraint: string): SqsError {
  return validationError(
    `1 validation error detected: Value ${value} at '${field}' failed to satisfy constraint: ${constraint}`,
  );
}

function malformedPolicy(text: string, cause: PolicyError): SqsError {
  const message = isJsonObject(text)
    ? `Syntax errors in policy: ${cause.message}`
    : 'This policy contains invalid Json';
  return new SqsError('MalformedPolicyDocument', message, { cause });
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
