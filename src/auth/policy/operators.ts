import { arnTest } from './arn.ts';
import type { ConditionContext } from './condition-context.ts';
import { parseInstant } from './instant.ts';
import { isInRange, parseIpAddress, parseIpRange } from './ip-range.ts';
import { PolicyError } from './policy-error.ts';
import { parseTemplate, resolveText, type TextTest, textTest } from './template.ts';

/** What a condition operator compares. */
export interface Operator {
  /** Whether it holds when none of the values fits, and for an absent key: `StringNotEquals`. */
  negated: boolean;
  /**
   * One value of the policy as a test of values of the request.
   *
   * @throws PolicyError when it is not of the operator's type.
   */
  compile(value: string, variables: boolean, path: string): TextTest;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const number = typed('a number', parseNumber);
const date = typed('a date, such as 2026-01-31T12:00:00Z, or seconds since 1970', parseInstant);
const binary = typed('base64', (text) => (BASE64.test(text) ? text : undefined));
const boolean = typed('true or false', parseBoolean);

type Compile = Operator['compile'];

/** The operators of IAM but Null, without the affixes `IfExists`, `ForAllValues:` and `ForAnyValue:`. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ...withNegation('StringEquals', 'StringNotEquals', compileText(false)),
  ...withNegation('StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase', compileTextIgnoringCase),
  ...withNegation('StringLike', 'StringNotLike', compileText(true)),
  ...withNegation('NumericEquals', 'NumericNotEquals', number(isEqual)),
  ...alone('NumericLessThan', number(isLess)),
  ...alone('NumericLessThanEquals', number(isLessOrEqual)),
  ...alone('NumericGreaterThan', number(isGreater)),
  ...alone('NumericGreaterThanEquals', number(isGreaterOrEqual)),
  ...withNegation('DateEquals', 'DateNotEquals', date(isEqual)),
  ...alone('DateLessThan', date(isLess)),
  ...alone('DateLessThanEquals', date(isLessOrEqual)),
  ...alone('DateGreaterThan', date(isGreater)),
  ...alone('DateGreaterThanEquals', date(isGreaterOrEqual)),
  ...alone('Bool', boolean(isEqual)),
  ...alone('BinaryEquals', binary(isEqual)),
  ...withNegation('IpAddress', 'NotIpAddress', compileIpRange),
  // The documentation has the two behave alike.
  ...withNegation('ArnEquals', 'ArnNotEquals', compileArn),
  ...withNegation('ArnLike', 'ArnNotLike', compileArn),
]);

export function parseBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  return lower === 'true' || (lower === 'false' ? false : undefined);
}

function withNegation(name: string, negation: string, compile: Compile): [string, Operator][] {
  return [...alone(name, compile), [negation, { negated: true, compile }]];
}

function alone(name: string, compile: Compile): [string, Operator][] {
  return [[name, { negated: false, compile }]];
}

function compileText(wildcards: boolean): Compile {
  return (value, variables, path) => textTest(parseTemplate(value, { variables, wildcards }, path));
}

function compileTextIgnoringCase(value: string, variables: boolean, path: string): TextTest {
  const tokens = parseTemplate(value, { variables, wildcards: false }, path);
  return (text, context: ConditionContext) => {
    const wanted = resolveText(tokens, context);
    return wanted === undefined ? undefined : wanted.toLowerCase() === text.toLowerCase();
  };
}

function compileArn(value: string, variables: boolean, path: string): TextTest {
  return arnTest(parseTemplate(value, { variables, wildcards: true }, path));
}

function compileIpRange(value: string, _variables: boolean, path: string): TextTest {
  const range = parseIpRange(value);
  if (range === undefined) throw new PolicyError(path, 'must be an IP address or a range such as 203.0.113.0/24');
  return (text) => {
    const address = parseIpAddress(text);
    return address !== undefined && isInRange(address, range);
  };
}

/** Operators of other types than text: a policy's value that is not of the type is refused, a request's fits nothing. */
function typed<Value>(
  what: string,
  parse: (text: string) => Value | undefined,
): (compare: (actual: Value, wanted: Value) => boolean) => Compile {
  return (compare) => (value, _variables, path) => {
    const wanted = parse(value);
    if (wanted === undefined) throw new PolicyError(path, `must be ${what}`);
    return (text) => {
      const actual = parse(text);
      return actual !== undefined && compare(actual, wanted);
    };
  };
}

function parseNumber(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function isEqual<Value>(actual: Value, wanted: Value): boolean {
  return actual === wanted;
}

function isLess(actual: number, wanted: number): boolean {
  return actual < wanted;
}

function isLessOrEqual(actual: number, wanted: number): boolean {
  return actual <= wanted;
}

function isGreater(actual: number, wanted: number): boolean {
  return actual > wanted;
}

function isGreaterOrEqual(actual: number, wanted: number): boolean {
  return actual >= wanted;
}
