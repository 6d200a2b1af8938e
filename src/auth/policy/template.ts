import type { ConditionContext } from './condition-context.ts';
import { ANY_ONE, ANY_RUN, type Glob, globOf, matchesGlob } from './glob.ts';
import { PolicyError } from './policy-error.ts';

/** A policy variable: `${aws:username}`, or `${aws:PrincipalTag/team, 'none'}` with what stands in when it is absent. */
export interface Variable {
  /** In lower case. */
  key: string;
  fallback?: string;
}

/** A literal text, a wildcard (`ANY_ONE`, `ANY_RUN`) or a variable. */
export type Token = string | number | Variable;

/** Which of the special characters mean something where the text stands. */
export interface Syntax {
  /** Variables and the escapes `${*}`, `${?}`, `${$}`: since version 2012-10-17. */
  variables: boolean;
  wildcards: boolean;
}

/** Whether a text of the request fits; undefined when a variable has no value, so that nobody can tell. */
export type TextTest = (text: string, context: ConditionContext) => boolean | undefined;

// No part can begin with what the part before it may contain, so that a text is given up after one pass.
const VARIABLE = /\$\{(?:([*?$])|([^,{}'"$*?]+)(?:,\s*'([^']*)'\s*)?)\}/y;
const VARIABLE_KEY = /^[a-z][a-z0-9-]*:\S(.*\S)?$/;

/** @throws PolicyError for a variable that is not well formed. */
export function parseTemplate(text: string, syntax: Syntax, path: string): Token[] {
  const tokens: Token[] = [];
  let literal = '';
  const push = (token: Token) => {
    if (literal !== '') tokens.push(literal);
    literal = '';
    tokens.push(token);
  };
  let index = 0;
  while (index < text.length) {
    if (syntax.variables && text.startsWith('${', index)) {
      VARIABLE.lastIndex = index;
      const match = VARIABLE.exec(text);
      if (match === null) throw new PolicyError(path, 'has a policy variable that is not well formed');
      index = VARIABLE.lastIndex;
      const [, escaped, key, fallback] = match;
      if (escaped !== undefined) literal += escaped;
      else push(variableOf(key as string, fallback, path));
      continue;
    }
    const char = text[index++] as string;
    if (syntax.wildcards && char === '*') push(ANY_RUN);
    else if (syntax.wildcards && char === '?') push(ANY_ONE);
    else literal += char;
  }
  if (literal !== '') tokens.push(literal);
  return tokens;
}

function variableOf(name: string, fallback: string | undefined, path: string): Variable {
  const key = name.toLowerCase();
  if (!VARIABLE_KEY.test(key)) {
    throw new PolicyError(path, `"\${${name}}" is no policy variable: it needs a condition key such as aws:username`);
  }
  return { key, fallback };
}

/** Whether a text is what the tokens say. A value that a variable brings in is literal: it has no wildcards. */
export function textTest(tokens: readonly Token[]): TextTest {
  // Most patterns are a plain text or a star, which need no glob.
  const [only] = tokens;
  if (tokens.length === 1 && typeof only === 'string') return (text) => text === only;
  if (tokens.length === 1 && only === ANY_RUN) return () => true;
  if (tokens.every(isFixed)) {
    const glob = globOf(tokens);
    return (text) => matchesGlob(glob, text);
  }
  return (text, context) => {
    const glob = resolve(tokens, context);
    return glob && matchesGlob(glob, text);
  };
}

/** The text that tokens without wildcards stand for; undefined when a variable has no value. */
export function resolveText(tokens: readonly Token[], context: ConditionContext): string | undefined {
  let text = '';
  for (const token of tokens) {
    const part = typeof token === 'object' ? valueIn(token, context) : token;
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

export function isVariable(token: Token | undefined): token is Variable {
  return typeof token === 'object';
}

function isFixed(token: Token): token is string | number {
  return typeof token !== 'object';
}

function resolve(tokens: readonly Token[], context: ConditionContext): Glob | undefined {
  const parts: (string | number)[] = [];
  for (const token of tokens) {
    const part = typeof token === 'object' ? valueIn(token, context) : token;
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return globOf(parts);
}

/** A key of many values has none that could stand in a text. */
function valueIn({ key, fallback }: Variable, context: ConditionContext): string | undefined {
  const value = context.get(key);
  if (value === undefined || value.length === 0) return typeof value === 'string' ? value : fallback;
  return typeof value === 'string' ? value : undefined;
}
