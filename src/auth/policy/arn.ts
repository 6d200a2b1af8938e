import type { ConditionContext } from './condition-context.ts';
import { ANY_RUN } from './glob.ts';
import { isVariable, resolveText, type TextTest, type Token, textTest } from './template.ts';

/** `arn:partition:service:region:account:resource`: the last part may have colons of its own. */
const PARTS = 6;

/** The six parts of an ARN, of which some may be empty. Undefined when the text is none. */
export function arnParts(text: string): readonly string[] | undefined {
  if (!text.startsWith('arn:')) return undefined;
  const parts: string[] = [];
  let start = 0;
  while (parts.length < PARTS - 1) {
    const colon = text.indexOf(':', start);
    if (colon === -1) return undefined;
    parts.push(text.slice(start, colon));
    start = colon + 1;
  }
  parts.push(text.slice(start));
  return parts;
}

/**
 * Whether the text is an ARN that matches part by part: a wildcard does not reach over a colon, except in the last part.
 * Parts are told apart before variables get their values, so that a value with a colon cannot move the others. A single
 * `*` matches every text, and a variable alone stands for a whole ARN.
 */
export function arnTest(tokens: readonly Token[]): TextTest {
  if (isAnything(tokens)) return () => true;
  if (tokens.length === 1 && isVariable(tokens[0])) return wholeTest(tokens);
  const tests = splitAtColons(tokens).map(textTest);
  if (tests.length < PARTS) return () => false;
  return (text, context) => testParts(tests, text, context);
}

/** The same for a Resource, where parts that are missing at the end are `*`: `arn:aws:sqs` is all of SQS. */
export function resourceTest(tokens: readonly Token[]): TextTest {
  if (isAnything(tokens)) return () => true;
  const parts = splitAtColons(tokens);
  while (parts.length < PARTS) parts.push([ANY_RUN]);
  const tests = parts.map(textTest);
  return (text, context) => testParts(tests, text, context);
}

function wholeTest(tokens: readonly Token[]): TextTest {
  return (text, context) => {
    const arn = resolveText(tokens, context);
    return arn === undefined ? undefined : arn === text;
  };
}

function isAnything(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && tokens.every((token) => token === ANY_RUN);
}

function testParts(tests: readonly TextTest[], text: string, context: ConditionContext): boolean | undefined {
  const parts = arnParts(text);
  if (parts === undefined) return false;
  let unknown = false;
  for (let index = 0; index < PARTS; index++) {
    const result = tests[index]?.(parts[index] as string, context);
    if (result === false) return false;
    if (result === undefined) unknown = true;
  }
  return unknown ? undefined : true;
}

function splitAtColons(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (typeof token !== 'string') {
      parts.at(-1)?.push(token);
      continue;
    }
    for (const [index, piece] of token.split(':').entries()) {
      if (index > 0) {
        if (parts.length < PARTS) parts.push([]);
        else parts.at(-1)?.push(':');
      }
      if (piece !== '') parts.at(-1)?.push(piece);
    }
  }
  return parts;
}

/** The account that owns what an ARN names; undefined when the text is no ARN. */
export function accountOfArn(text: string): string | undefined {
  return arnParts(text)?.[4];
}
