import type { Principal } from '../../src/auth/policy/principal.ts';

/**
 * A second opinion on whether a statement applies, for properties: reads the document itself, knows only what
 * `arbitraries.ts` makes, and shares no code with the evaluator.
 */

export interface NaiveStatement {
  Effect: string;
  Principal?: '*' | { AWS?: string[]; Service?: string[] };
  NotPrincipal?: '*' | { AWS?: string[]; Service?: string[] };
  Action?: string[];
  NotAction?: string[];
  Resource?: string[];
  NotResource?: string[];
  Condition?: Record<string, Record<string, string[]>>;
}

export interface NaiveRequest {
  principal: Principal;
  action: string;
  resource: string;
  /** Keys in lower case. */
  context: Record<string, string | string[]>;
  /** Whether the caller has a permissions boundary. */
  bounded?: boolean;
}

export function applies(statement: NaiveStatement, request: NaiveRequest): boolean {
  const { Action, NotAction, Resource, NotResource } = statement;
  const isAction = (pattern: string) => fits(pattern.toLowerCase(), request.action.toLowerCase());
  const isResource = (pattern: string) => pattern === '*' || fitsArn(pattern, request.resource);
  return (
    concerns(statement, request) &&
    (Action ? Action.some(isAction) : !NotAction?.some(isAction)) &&
    (Resource ? Resource.some(isResource) : !NotResource?.some(isResource)) &&
    Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, values, request.context[key.toLowerCase()])),
    )
  );
}

function concerns({ Principal, NotPrincipal }: NaiveStatement, { principal, bounded }: NaiveRequest): boolean {
  if (Principal === undefined && NotPrincipal === undefined) return true;
  const names = namesOf(principal);
  const listed = (element: typeof Principal) => (name: string) =>
    element !== undefined && element !== '*' && [...(element.AWS ?? []), ...(element.Service ?? [])].includes(name);
  const isEveryone = (element: typeof Principal) =>
    element === '*' || (element !== undefined && (element.AWS ?? []).includes('*'));
  if (Principal !== undefined) return isEveryone(Principal) || names.some((group) => group.some(listed(Principal)));
  if (bounded) return true;
  if (isEveryone(NotPrincipal)) return false;
  return names.length === 0 || !names.every((group) => group.some(listed(NotPrincipal)));
}

/** All that a caller is, each in the ways to write it. */
function namesOf(principal: Principal): string[][] {
  if (principal.type === 'anonymous') return [];
  if (principal.type === 'service') return [[principal.name]];
  const account = [principal.account, `arn:aws:iam::${principal.account}:root`];
  if (principal.type === 'root') return [account];
  if (principal.type === 'user') return [account, [principal.arn]];
  const issuer = principal.type === 'assumed-role' ? principal.roleArn : principal.userArn;
  return [account, [issuer], [principal.arn]];
}

function fitsArn(pattern: string, arn: string): boolean {
  const wanted = pattern.split(':');
  while (wanted.length < 6) wanted.push('*');
  const parts = arn.split(':');
  const [head, rest] = [wanted.slice(0, 5), wanted.slice(5).join(':')];
  return head.every((part, index) => fits(part, parts[index] ?? '')) && fits(rest, parts.slice(5).join(':'));
}

function fits(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return fits(pattern.slice(1), text) || (text !== '' && fits(pattern, text.slice(1)));
  if (text === '') return false;
  return (pattern[0] === '?' || pattern[0] === text[0]) && fits(pattern.slice(1), text.slice(1));
}

function holds(operator: string, wanted: string[], actual: string | string[] | undefined): boolean {
  const values = actual === undefined ? [] : [actual].flat();
  if (operator === 'Null') return wanted.includes(values.length === 0 ? 'true' : 'false');
  const set = /^(ForAllValues|ForAnyValue):/.exec(operator)?.[1];
  const optional = operator.endsWith('IfExists');
  const name = operator.replace(/^For\w+:/, '').replace(/IfExists$/, '');
  const negated = name.includes('Not');
  if (values.length === 0) return optional || (set === undefined ? negated : set === 'ForAllValues');
  const one = (value: string) => wanted.some((item) => compares(name.replace('Not', ''), item, value)) !== negated;
  const members = set === undefined ? values : values.filter((value) => value !== '');
  if (set === 'ForAllValues') return members.every(one);
  if (set === 'ForAnyValue') return members.some(one);
  return negated ? values.every(one) : values.some(one);
}

function compares(operator: string, wanted: string, actual: string): boolean {
  switch (operator) {
    case 'StringEquals':
      return wanted === actual;
    case 'StringLike':
      return fits(wanted, actual);
    case 'StringEqualsIgnoreCase':
      return wanted.toLowerCase() === actual.toLowerCase();
    case 'NumericLessThan':
      return actual !== '' && !Number.isNaN(Number(actual)) && Number(actual) < Number(wanted);
    case 'Bool':
      return wanted === actual;
    default:
      throw new Error(`The naive matcher does not know ${operator}.`);
  }
}
