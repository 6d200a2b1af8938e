import { SqsError } from '../protocol/model/errors.ts';
import {
  POLICY_BYTES_MAX,
  POLICY_CONDITIONS_MAX,
  POLICY_PRINCIPALS_MAX,
  POLICY_STATEMENTS_MAX,
  STATEMENT_ACTIONS_MAX,
} from './limits.ts';
import { invalidAttributeValue, isJsonObject, parseJsonObject } from './values.ts';

/**
 * The form and the limits of a queue's Policy attribute (SQS: section 3.2, section 9.2). What a policy means is not
 * looked at here.
 */
export interface PolicyDocument {
  Version?: string;
  Id?: string;
  Statement: Statement[];
}

export interface Statement {
  Sid?: string;
  Effect: 'Allow' | 'Deny';
  [element: string]: unknown;
}

const POLICY_KEYS = new Set(['Version', 'Id', 'Statement']);
const VERSIONS: readonly unknown[] = ['2012-10-17', '2008-10-17'];
const STATEMENT_KEYS = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);

/**
 * Checks the Policy attribute and returns it in its stored form, without white space.
 *
 * @throws SqsError InvalidAttributeValue for its form, OverLimit for too much of something (InvalidParameterValue when
 *   the queue is being created: the two actions of SQS differ).
 */
export function parsePolicy(text: string, creating: boolean): string {
  if (Buffer.byteLength(text) > POLICY_BYTES_MAX) throw invalidAttributeValue('Policy');
  const policy = parseJsonObject(text);
  if (policy === undefined || !Object.keys(policy).every((key) => POLICY_KEYS.has(key))) {
    throw invalidAttributeValue('Policy');
  }
  const { Version: version, Id: id, Statement: statement } = policy;
  const statements = Array.isArray(statement) ? statement : [statement];
  if (
    (version !== undefined && !VERSIONS.includes(version)) ||
    (id !== undefined && typeof id !== 'string') ||
    statements.length === 0 ||
    !statements.every(isStatement)
  ) {
    throw invalidAttributeValue('Policy');
  }
  const excess = excessOf(statements);
  if (excess !== undefined) {
    throw new SqsError(
      creating ? 'InvalidParameterValueException' : 'OverLimit',
      `${excess.found} ${excess.what} were found in the submitted policy, max allowed is ${excess.max}`,
    );
  }
  return JSON.stringify(policy);
}

/** Reads a stored policy. Trusts it: it was checked when it was set. */
export function readPolicy(text: string): PolicyDocument {
  const policy = JSON.parse(text);
  return { ...policy, Statement: Array.isArray(policy.Statement) ? policy.Statement : [policy.Statement] };
}

/**
 * The stored form of a policy that this server changed.
 *
 * @throws SqsError OverLimit
 */
export function writePolicy(policy: PolicyDocument): string {
  const excess = excessOf(policy.Statement);
  if (excess !== undefined) {
    const what = excess.what[0]?.toUpperCase() + excess.what.slice(1);
    throw new SqsError('OverLimit', `${excess.found} ${what} were found, maximum allowed is ${excess.max}.`);
  }
  const text = JSON.stringify(policy);
  const bytes = Buffer.byteLength(text);
  if (bytes > POLICY_BYTES_MAX) {
    throw new SqsError('OverLimit', `A policy of ${bytes} bytes would result, maximum allowed is ${POLICY_BYTES_MAX}.`);
  }
  return text;
}

function isStatement(value: unknown): value is Statement {
  if (!isJsonObject(value) || !Object.keys(value).every((key) => STATEMENT_KEYS.has(key))) return false;
  const { Sid: sid, Effect: effect, Condition: condition } = value;
  return (
    (sid === undefined || typeof sid === 'string') &&
    (effect === 'Allow' || effect === 'Deny') &&
    isOneOf(value, 'Principal', 'NotPrincipal', isPrincipal) &&
    isOneOf(value, 'Action', 'NotAction', isTextOrTexts) &&
    isOneOf(value, 'Resource', 'NotResource', isTextOrTexts) &&
    (condition === undefined || isCondition(condition))
  );
}

/** Whether exactly one of an element and its negation is there, and has the right form. */
function isOneOf(
  statement: Record<string, unknown>,
  element: string,
  negated: string,
  isValid: (value: unknown) => boolean,
): boolean {
  if (Object.hasOwn(statement, element) === Object.hasOwn(statement, negated)) return false;
  return isValid(Object.hasOwn(statement, element) ? statement[element] : statement[negated]);
}

function isPrincipal(value: unknown): boolean {
  if (value === '*') return true;
  return isJsonObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isTextOrTexts);
}

function isTextOrTexts(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function isCondition(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every((keys) => isJsonObject(keys) && Object.values(keys).every(isConditionValue));
}

/** Numbers and booleans need no quotes in a condition. */
function isConditionValue(value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  return values.every((item) => ['string', 'number', 'boolean'].includes(typeof item));
}

interface Excess {
  found: number;
  what: string;
  max: number;
}

function excessOf(statements: readonly Statement[]): Excess | undefined {
  const actions = Math.max(...statements.map((statement) => listed(statement.Action ?? statement.NotAction)));
  const principals = sum(statements, ({ Principal, NotPrincipal }) => {
    const principal = Principal ?? NotPrincipal;
    return isJsonObject(principal) ? sum(Object.values(principal), listed) : 1;
  });
  const conditions = sum(statements, ({ Condition }) =>
    isJsonObject(Condition) ? sum(Object.values(Condition), (keys) => Object.keys(keys as object).length) : 0,
  );
  const counts: Excess[] = [
    { found: statements.length, what: 'statements', max: POLICY_STATEMENTS_MAX },
    { found: actions, what: 'actions', max: STATEMENT_ACTIONS_MAX },
    { found: principals, what: 'principals', max: POLICY_PRINCIPALS_MAX },
    { found: conditions, what: 'conditions', max: POLICY_CONDITIONS_MAX },
  ];
  return counts.find(({ found, max }) => found > max);
}

function listed(value: unknown): number {
  return Array.isArray(value) ? value.length : 1;
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
