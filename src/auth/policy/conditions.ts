import type { ConditionContext } from './condition-context.ts';
import { OPERATORS, parseBoolean } from './operators.ts';
import { PolicyError } from './policy-error.ts';
import type { TextTest } from './template.ts';

export type Effect = 'Allow' | 'Deny';

/** One key under one operator. A statement applies when all of its conditions hold. */
export type Condition = Comparison | ExistenceCheck;

interface Comparison {
  kind: 'comparison';
  /** In lower case. */
  key: string;
  /** `ForAllValues:` and `ForAnyValue:`. */
  quantifier?: 'all' | 'any';
  ifExists: boolean;
  negated: boolean;
  tests: readonly TextTest[];
}

/** The operator Null. */
interface ExistenceCheck {
  kind: 'existence';
  key: string;
  /** True: the key must be absent. The values of the policy are alternatives, so that both together always hold. */
  absent: readonly boolean[];
}

const OPERATOR_NAME = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/;

/**
 * One key with its values.
 *
 * @throws PolicyError for an unknown operator, or a value that is not of its type.
 */
export function compileCondition(
  operatorName: string,
  condition: { key: string; values: readonly string[] },
  variables: boolean,
  path: string,
): Condition {
  const { values } = condition;
  const key = condition.key.toLowerCase();
  if (operatorName === 'Null') return { kind: 'existence', key, absent: values.map((value) => absence(value, path)) };
  const [, set, name = '', ifExists] = OPERATOR_NAME.exec(operatorName) ?? [];
  const operator = OPERATORS.get(name);
  if (operator === undefined) throw new PolicyError(path, `"${operatorName}" is no condition operator`);
  return {
    kind: 'comparison',
    key,
    quantifier: set === undefined ? undefined : set === 'ForAllValues' ? 'all' : 'any',
    ifExists: ifExists !== undefined,
    negated: operator.negated,
    tests: values.map((value) => operator.compile(value, variables, path)),
  };
}

/**
 * Whether a condition of a statement holds. Where a variable without a value leaves it open whether a negated operator
 * holds, it does in a Deny and does not in an Allow.
 */
export function conditionHolds(condition: Condition, effect: Effect, context: ConditionContext): boolean {
  const found = context.get(condition.key) ?? [];
  const values = typeof found === 'string' ? [found] : found;
  if (condition.kind === 'existence') return condition.absent.includes(values.length === 0);

  const { quantifier, negated } = condition;
  if (values.length === 0) return condition.ifExists || quantifier === 'all' || (negated && quantifier === undefined);
  const fits = (value: string) => valueFits(condition, value, effect, context);
  if (quantifier === undefined) return negated ? values.every(fits) : values.some(fits);
  // To the set operators an empty text is no value.
  const members = values.filter((value) => value !== '');
  return quantifier === 'all' ? members.every(fits) : members.some(fits);
}

function valueFits({ negated, tests }: Comparison, value: string, effect: Effect, context: ConditionContext): boolean {
  let open = false;
  for (const test of tests) {
    const result = test(value, context);
    if (result) return !negated;
    if (result === undefined) open = true;
  }
  return negated && (!open || effect === 'Deny');
}

function absence(value: string, path: string): boolean {
  const absent = parseBoolean(value);
  if (absent === undefined) throw new PolicyError(path, 'must be true or false');
  return absent;
}
