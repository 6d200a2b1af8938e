import { resourceTest } from './arn.ts';
import { type Condition, compileCondition, type Effect } from './conditions.ts';
import { duplicateKeyIn } from './duplicate-key.ts';
import { type Glob, globOf } from './glob.ts';
import {
  QUEUE_POLICY_BYTES_MAX,
  QUEUE_POLICY_CONDITIONS_MAX,
  QUEUE_POLICY_PRINCIPALS_MAX,
  QUEUE_POLICY_STATEMENTS_MAX,
  STATEMENT_ACTIONS_MAX,
} from './limits.ts';
import { type Negatable, POLICY_VERSIONS, type Policy, type PolicyKind, type Statement } from './policy.ts';
import { type Excess, PolicyError } from './policy-error.ts';
import { compilePrincipals, type PrincipalSet } from './principal-set.ts';
import { parseTemplate, type TextTest } from './template.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** What holds for all parts of one document. */
interface Frame {
  kind: PolicyKind;
  /** Policy variables came with version 2012-10-17; before, `${` is text like any other. */
  variables: boolean;
}

const POLICY_KEYS = new Set(['Version', 'Id', 'Statement']);
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
const IDENTITY_SID = /^[A-Za-z0-9]*$/;
const ACTION = /^(?:\*|([A-Za-z0-9-]+):[A-Za-z0-9*?]+)$/;

/**
 * Reads and checks a policy document.
 *
 * @throws PolicyError for everything that is wrong with it; for a queue policy that is too large in some way, with `excess`.
 */
export function compilePolicy<Kind extends PolicyKind>(text: string, kind: Kind): Policy<Kind> {
  if (kind === 'queue') {
    checkLimit('bytes', new TextEncoder().encode(text).length, QUEUE_POLICY_BYTES_MAX);
  }
  const document = parseDocument(text);
  checkKeys(document, POLICY_KEYS, '');
  const { Version: version = '2008-10-17', Id: id } = document;
  const knownVersion = POLICY_VERSIONS.find((known) => known === version);
  if (knownVersion === undefined) throw new PolicyError('Version', `must be one of ${POLICY_VERSIONS.join(', ')}`);
  if (id !== undefined && typeof id !== 'string') throw new PolicyError('Id', 'must be a text');

  const frame: Frame = { kind, variables: knownVersion === '2012-10-17' };
  const elements = statementsOf(document);
  const statements = elements.map((element, index) => compileStatement(element, index, frame));
  if (kind === 'identity') checkSids(statements);
  if (kind === 'queue') checkQueueLimits(elements);
  return { kind, version: knownVersion, ...(id !== undefined && { id }), statements };
}

function parseDocument(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PolicyError('', 'is not valid JSON');
  }
  if (!isObject(value)) throw new PolicyError('', 'must be a JSON object');
  const duplicate = duplicateKeyIn(text);
  if (duplicate !== undefined) throw new PolicyError('', `has the key "${duplicate}" twice in one object`);
  return value;
}

function statementsOf(document: JsonObject): readonly JsonObject[] {
  const { Statement: statement } = document;
  const list: readonly unknown[] = Array.isArray(statement) ? statement : [statement];
  if (statement === undefined || list.length === 0)
    throw new PolicyError('Statement', 'must have at least one statement');
  return list.map((element, index) => {
    if (isObject(element)) return element;
    throw new PolicyError(`Statement[${index}]`, 'must be an object');
  });
}

function compileStatement(element: JsonObject, index: number, frame: Frame): Statement {
  const path = `Statement[${index}]`;
  checkKeys(element, STATEMENT_KEYS, path);
  const { Sid: sid, Effect: effect } = element;
  if (sid !== undefined && typeof sid !== 'string') throw new PolicyError(`${path}.Sid`, 'must be a text');
  if (effect !== 'Allow' && effect !== 'Deny') throw new PolicyError(`${path}.Effect`, 'must be Allow or Deny');
  const principals = compilePrincipalElement(element, effect, path, frame);
  return {
    ...(sid !== undefined && { sid }),
    index,
    effect,
    ...(principals && { principals }),
    actions: compileTexts(element, 'Action', path, (text, at) => compileAction(text, at, frame)),
    resources: frame.kind === 'trust' ? ofItself(element, path) : compileResources(element, path, frame),
    conditions: compileConditions(element, path, frame),
  };
}

function compilePrincipalElement(
  element: JsonObject,
  effect: Effect,
  path: string,
  { kind }: Frame,
): Negatable<PrincipalSet> | undefined {
  if (kind === 'identity') {
    for (const name of ['Principal', 'NotPrincipal']) {
      if (!Object.hasOwn(element, name)) continue;
      throw new PolicyError(
        `${path}.${name}`,
        'has no place in a policy of an identity, which is the principal itself',
      );
    }
    return undefined;
  }
  const { name, negated, value } = eitherOf(element, 'Principal', path);
  const at = `${path}.${name}`;
  if (negated && effect === 'Allow') {
    throw new PolicyError(at, 'cannot stand with Allow, which would let everybody in whom it does not name');
  }
  if (value === '*') return { negated, content: compilePrincipals('*', at) };
  if (!isObject(value) || Object.keys(value).length === 0) {
    throw new PolicyError(at, 'must be "*" or an object of kinds of principals');
  }
  const kinds = new Map(Object.entries(value).map(([key, texts]) => [key, textsOf(texts, `${at}.${key}`)]));
  return { negated, content: compilePrincipals(kinds, at) };
}

function compileTexts<Compiled>(
  element: JsonObject,
  name: 'Action' | 'Resource',
  path: string,
  compile: (text: string, path: string) => Compiled,
): Negatable<readonly Compiled[]> {
  const { name: present, negated, value } = eitherOf(element, name, path);
  const at = `${path}.${present}`;
  return { negated, content: textsOf(value, at).map((text) => compile(text, at)) };
}

function compileAction(text: string, path: string, { kind }: Frame): Glob {
  const match = ACTION.exec(text);
  if (match === null) throw new PolicyError(path, `"${text}" is no action, such as sqs:SendMessage, nor "*"`);
  const [, service] = match;
  if (kind === 'queue' && service !== undefined && service.toLowerCase() !== 'sqs') {
    throw new PolicyError(path, `"${text}" is no action on a queue`);
  }
  return globOf(parseTemplate(text.toLowerCase(), { variables: false, wildcards: true }, path).filter(isNoVariable));
}

function compileResource(text: string, path: string, { variables }: Frame): TextTest {
  if (text !== '*' && !text.startsWith('arn:')) throw new PolicyError(path, `"${text}" is neither an ARN nor "*"`);
  return resourceTest(parseTemplate(text, { variables, wildcards: true }, path));
}

function compileResources(element: JsonObject, path: string, frame: Frame): Negatable<readonly TextTest[]> {
  return compileTexts(element, 'Resource', path, (text, at) => compileResource(text, at, frame));
}

/** What a trust policy is about: the role that has it. */
function ofItself(element: JsonObject, path: string): Negatable<readonly TextTest[]> {
  for (const name of ['Resource', 'NotResource']) {
    if (!Object.hasOwn(element, name)) continue;
    throw new PolicyError(`${path}.${name}`, 'has no place in a trust policy, which is about its own role');
  }
  return { negated: false, content: [() => true] };
}

function compileConditions(element: JsonObject, path: string, { variables }: Frame): Condition[] {
  if (element.Condition === undefined) return [];
  const at = `${path}.Condition`;
  return entriesOf(element.Condition, at).flatMap(([operator, keys]) =>
    entriesOf(keys, `${at}.${operator}`).map(([key, value]) => {
      const keyPath = `${at}.${operator}["${key}"]`;
      if (key === '') throw new PolicyError(keyPath, 'must name a condition key');
      return compileCondition(operator, { key, values: conditionValuesOf(value, keyPath) }, variables, keyPath);
    }),
  );
}

/** Numbers and booleans need no quotes in a condition. */
function conditionValuesOf(value: unknown, path: string): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((item) => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean') return String(item);
    throw new PolicyError(path, 'must be a text, a number, a boolean, or a list of them');
  });
}

/** An element or its negation, of which exactly one must be there. */
function eitherOf(element: JsonObject, name: string, path: string): { name: string; negated: boolean; value: unknown } {
  const negation = `Not${name}`;
  const negated = Object.hasOwn(element, negation);
  if (negated === Object.hasOwn(element, name)) throw new PolicyError(path, `must have either ${name} or ${negation}`);
  const present = negated ? negation : name;
  return { name: present, negated, value: element[present] };
}

function textsOf(value: unknown, path: string): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return texts;
  throw new PolicyError(path, 'must be a text or a list of texts that is not empty');
}

function entriesOf(value: unknown, path: string): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  throw new PolicyError(path, 'must be an object');
}

function checkKeys(object: JsonObject, known: ReadonlySet<string>, path: string): void {
  const unknown = Object.keys(object).find((key) => !known.has(key));
  if (unknown !== undefined) throw new PolicyError(path, `has an unknown element "${unknown}"`);
}

function checkSids(statements: readonly Statement[]): void {
  const seen = new Set<string>();
  for (const { sid, index } of statements) {
    // An empty one is as good as none.
    if (!sid) continue;
    const path = `Statement[${index}].Sid`;
    if (!IDENTITY_SID.test(sid)) throw new PolicyError(path, 'may only have letters and digits');
    if (seen.has(sid)) throw new PolicyError(path, `"${sid}" is the Sid of another statement`);
    seen.add(sid);
  }
}

function checkQueueLimits(statements: readonly JsonObject[]): void {
  const actions = statements.map((statement) => countOf(statement.Action ?? statement.NotAction));
  const principals = statements.map(({ Principal, NotPrincipal }) => {
    const element = Principal ?? NotPrincipal;
    return isObject(element) ? sum(Object.values(element).map(countOf)) : 1;
  });
  const conditions = statements.map(({ Condition }) =>
    isObject(Condition) ? sum(Object.values(Condition).map((keys) => Object.keys(keys as JsonObject).length)) : 0,
  );
  checkLimit('statements', statements.length, QUEUE_POLICY_STATEMENTS_MAX);
  checkLimit('actions', Math.max(...actions), STATEMENT_ACTIONS_MAX);
  checkLimit('principals', sum(principals), QUEUE_POLICY_PRINCIPALS_MAX);
  checkLimit('conditions', sum(conditions), QUEUE_POLICY_CONDITIONS_MAX);
}

function checkLimit(what: Excess['what'], found: number, max: number): void {
  if (found > max) throw new PolicyError('', `has ${found} ${what} where ${max} are allowed`, { what, found, max });
}

function countOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function isNoVariable<Token>(token: Token): token is Exclude<Token, object> {
  return typeof token !== 'object';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
