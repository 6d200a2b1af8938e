import { describe, expect, it } from 'vitest';
import { parsePolicy, readPolicy } from './policy-document.ts';
import { errorOf } from './testing/context.ts';

const STATEMENT = {
  Sid: 'one',
  Effect: 'Allow',
  Principal: { AWS: ['123456789012'] },
  Action: 'SQS:SendMessage',
  Resource: 'arn:aws:sqs:us-east-1:000000000000:orders',
};
const document = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements });
const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

describe('Policy', () => {
  it.each<[string, object]>([
    ['a list of statements', document(STATEMENT)],
    ['one statement', { Version: '2008-10-17', Id: 'x', Statement: STATEMENT }],
    ['no version', { Statement: [STATEMENT] }],
    ['everyone', document({ ...STATEMENT, Principal: '*', Condition: { ArnEquals: { 'aws:SourceArn': 'x' } } })],
    ['20 statements', document(...many(20, STATEMENT))],
    ['7 actions', document({ ...STATEMENT, Action: many(7, 'sqs:*') })],
    ['50 principals', document({ ...STATEMENT, Principal: { AWS: many(50, '*') } })],
  ])('may have %s and is stored without white space', (_what, content) => {
    expect(parsePolicy(JSON.stringify(content, null, 2), false)).toBe(JSON.stringify(content));
  });

  const { Principal: _principal, ...nobody } = STATEMENT;
  const { Action: _action, ...nothing } = STATEMENT;
  const { Resource: _resource, ...nowhere } = STATEMENT;
  it.each<[string, unknown]>([
    ['a list', []],
    ['text', 'x'],
    ['nothing', {}],
    ['another version', { ...document(STATEMENT), Version: '2015-01-01' }],
    ['another key', { ...document(STATEMENT), Foo: 1 }],
    ['an id that is no text', { ...document(STATEMENT), Id: 1 }],
    ['no statement', document()],
    ['a statement that is no object', { Version: '2012-10-17', Statement: ['x'] }],
    ['another effect', document({ ...STATEMENT, Effect: 'allow' })],
    ['no principal', document(nobody)],
    ['a principal that is a list', document({ ...STATEMENT, Principal: ['*'] })],
    ['a principal with a number', document({ ...STATEMENT, Principal: { AWS: 5 } })],
    ['principal and its negation', document({ ...STATEMENT, NotPrincipal: '*' })],
    ['no action', document(nothing)],
    ['an empty list of actions', document({ ...STATEMENT, Action: [] })],
    ['no resource', document(nowhere)],
    ['a condition that is text', document({ ...STATEMENT, Condition: 'x' })],
    ['an operator that is text', document({ ...STATEMENT, Condition: { StringEquals: 'x' } })],
    ['a condition value that is an object', document({ ...STATEMENT, Condition: { StringEquals: { k: {} } } })],
    ['an unknown element', document({ ...STATEMENT, Foo: 1 })],
    ['an unknown condition operator', document({ ...STATEMENT, Condition: { Equals: { 'aws:SourceIp': '::1' } } })],
    [
      'a condition value of another type',
      document({ ...STATEMENT, Condition: { IpAddress: { 'aws:SourceIp': 'x' } } }),
    ],
    ['an action of another service', document({ ...STATEMENT, Action: 's3:GetObject' })],
    ['a principal with a wildcard', document({ ...STATEMENT, Principal: { AWS: 'arn:aws:iam::123456789012:user/*' } })],
    ['everybody but somebody allowed', document({ ...nobody, NotPrincipal: { AWS: '123456789012' } })],
    ['too many bytes', { ...document(STATEMENT), Id: 'x'.repeat(8192) }],
  ])('may not have %s', async (_what, content) => {
    expect(await errorOf(() => parsePolicy(JSON.stringify(content), false))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter Policy.',
    );
  });

  it('is JSON', async () => {
    expect(await errorOf(() => parsePolicy('{', false))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter Policy.',
    );
  });

  it.each<[object, string]>([
    [document(...many(22, STATEMENT)), '22 statements were found in the submitted policy, max allowed is 20'],
    [
      document({ ...STATEMENT, Action: many(8, 'sqs:*') }),
      '8 actions were found in the submitted policy, max allowed is 7',
    ],
    [
      document({ ...STATEMENT, Principal: { AWS: many(51, '*') } }),
      '51 principals were found in the submitted policy, max allowed is 50',
    ],
    [
      document({
        ...STATEMENT,
        Condition: { StringEquals: Object.fromEntries(many(11, 0).map((_, i) => [`k${i}`, 'x'])) },
      }),
      '11 conditions were found in the submitted policy, max allowed is 10',
    ],
  ])('has limits', async (content, message) => {
    const text = JSON.stringify(content);
    expect(await errorOf(() => parsePolicy(text, false))).toBe(`OverLimit: ${message}`);
    expect(await errorOf(() => parsePolicy(text, true))).toBe(`InvalidParameterValueException: ${message}`);
  });

  it('is not stored when a key stands twice, as only one of them would be', async () => {
    const text = JSON.stringify(document(STATEMENT)).replace('"Effect"', '"Effect":"Deny","Effect"');
    expect(await errorOf(() => parsePolicy(text, false))).toBe(
      'InvalidAttributeValue: Invalid value for the parameter Policy.',
    );
  });

  it('is refused with the exact reason as the cause', () => {
    const text = JSON.stringify(document({ ...STATEMENT, Effect: 'allow' }));
    expect(() => parsePolicy(text, false)).toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: 'Statement[0].Effect: must be Allow or Deny' }),
      }),
    );
  });

  it('is read with its statements as a list', () => {
    expect(readPolicy(JSON.stringify({ Version: '2012-10-17', Statement: STATEMENT }))).toEqual(document(STATEMENT));
  });
});
