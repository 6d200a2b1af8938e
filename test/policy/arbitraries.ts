import fc from 'fast-check';
import type { Principal } from '../../src/auth/policy/principal.ts';
import {
  anonymous,
  BOB_ARN,
  bob,
  guest,
  OWNER,
  QUEUE,
  root,
  STRANGER,
  strangeEve,
  strangeRoot,
  strangeWorker,
  topic,
  WORKER_ROLE_ARN,
  WORKER_SESSION_ARN,
  worker,
} from '../../src/auth/policy/testing/callers.ts';
import type { NaiveRequest, NaiveStatement } from './naive.ts';

/** Few names, so that requests and statements meet. */

const list = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { minLength: 1, maxLength: 3 });
const coin = fc.boolean();
const mostly = fc.constantFrom(true, true, true, false);

const actionPattern = fc.constantFrom(
  ...[
    '*',
    '*',
    'sqs:*',
    'sqs:SendMessage',
    'SQS:send*',
    'sqs:*Message',
    'sqs:?endMessage',
    'sqs:DeleteQueue',
    'sqs:*e*e*e',
  ],
);
const resourcePattern = fc.constantFrom(
  ...['*', '*', QUEUE, 'arn:aws:sqs', 'arn:aws:sqs:*:*:o*r*s', `arn:aws:sqs:*:${STRANGER}:*`, `${QUEUE}?`],
  ...['arn:aws:sqs:us-east-1:*:orders', 'arn:aws:sqs:*:orders', 'arn:aws:s?s:*:*:*'],
);
const awsPrincipals = list(
  fc.constantFrom(
    ...['*', OWNER, STRANGER, `arn:aws:iam::${OWNER}:root`, BOB_ARN, WORKER_ROLE_ARN, WORKER_SESSION_ARN],
    ...[strangeEve.arn, strangeWorker.roleArn, strangeWorker.arn],
  ),
);
const principalElement = fc.oneof(
  { weight: 2, arbitrary: fc.constant<'*'>('*') },
  fc.record({ AWS: awsPrincipals }),
  fc.record({ AWS: awsPrincipals, Service: list(fc.constantFrom('sns.amazonaws.com', 's3.amazonaws.com')) }),
);

const conditionKey = fc.constantFrom('test:One', 'TEST:one', 'test:Two', 'test:Many');
const text = fc.constantFrom('', 'a', 'A', 'ab', 'a*b', '?', '*');
const affixed = (name: string) => [name, `${name}IfExists`, `ForAllValues:${name}`, `ForAnyValue:${name}IfExists`];
const texts = ['StringEquals', 'StringNotEquals', 'StringLike', 'StringNotLike', 'StringEqualsIgnoreCase'];
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom(...texts.flatMap(affixed)), list(text)),
  fc.tuple(fc.constantFrom(...affixed('NumericLessThan')), list(fc.constantFrom('0', '7', '-1.5'))),
  fc.tuple(fc.constantFrom('Null', ...affixed('Bool')), list(fc.constantFrom('true', 'false'))),
);
const condition = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc
    .array(fc.tuple(comparison, conditionKey), { maxLength: 2 })
    .map((entries) => Object.fromEntries(entries.map(([[operator, values], key]) => [operator, { [key]: values }]))),
);

const body = fc
  .tuple(mostly, list(actionPattern), mostly, list(resourcePattern), condition)
  .map(([isAction, actions, isResource, resources, Condition]) => ({
    [isAction ? 'Action' : 'NotAction']: actions,
    [isResource ? 'Resource' : 'NotResource']: resources,
    Condition,
  }));

const effect = fc.constantFrom('Allow', 'Allow', 'Allow', 'Allow', 'Deny');

export function identityStatement(effects: fc.Arbitrary<string> = effect): fc.Arbitrary<NaiveStatement> {
  return fc.tuple(effects, body).map(([Effect, rest]) => ({ Effect, ...rest }));
}

/** NotPrincipal stands with Deny only. */
export function resourceStatement(effects: fc.Arbitrary<string> = effect): fc.Arbitrary<NaiveStatement> {
  return fc.tuple(effects, body, principalElement, coin).map(([Effect, rest, principal, negated]) => ({
    Effect,
    [negated && Effect === 'Deny' ? 'NotPrincipal' : 'Principal']: principal,
    ...rest,
  }));
}

const statements = (one: fc.Arbitrary<NaiveStatement>) => fc.array(one, { minLength: 1, maxLength: 3 });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const seldom = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, value);

/** Statements of each type of policy; some types are absent. */
export const documents = fc.record({
  identity: maybe(statements(identityStatement())),
  boundary: seldom(statements(identityStatement())),
  session: seldom(statements(identityStatement())),
  queue: maybe(statements(resourceStatement())),
  endpoint: seldom(statements(resourceStatement())),
});

const principal = fc.constantFrom<Principal>(
  ...[root, bob, guest, worker, strangeRoot, strangeEve, strangeWorker, topic, anonymous],
);
const value = fc.constantFrom('', 'a', 'A', 'ab', 'b', '*', '1', '-3', 'true', 'false');

export const request: fc.Arbitrary<NaiveRequest> = fc.record({
  principal,
  action: fc.constantFrom('sqs:SendMessage', 'sqs:DeleteQueue', 'sqs:ReceiveMessage', 'SQS:deletemessage'),
  resource: fc.constantFrom(QUEUE, `arn:aws:sqs:us-east-1:${STRANGER}:orders`, `arn:aws:sqs:us-east-1:${OWNER}:*`),
  context: fc.record(
    { 'test:one': value, 'test:two': value, 'test:many': fc.array(value, { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
});
