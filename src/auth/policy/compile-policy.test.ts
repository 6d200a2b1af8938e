// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policy variables look like placeholders.
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile-policy.ts';
import type { PolicyKind } from './policy.ts';
import { PolicyError } from './policy-error.ts';

type JsonObject = Record<string, unknown>;

const STATEMENT = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: '*' };
const FOR_ALL = { ...STATEMENT, Principal: '*' };
const without = (name: string, from: JsonObject = STATEMENT) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key !== name));
const document = (...statements: unknown[]) => ({ Version: '2012-10-17', Statement: statements });
const queueDocument = (more: JsonObject) => document({ ...FOR_ALL, ...more });
const condition = (operator: string, value: unknown, key = 'aws:SourceIp') =>
  document({ ...STATEMENT, Condition: { [operator]: { [key]: value } } });

function compile(content: unknown, kind: PolicyKind = 'identity') {
  return compilePolicy(typeof content === 'string' ? content : JSON.stringify(content), kind);
}

function errorOf(content: unknown, kind?: PolicyKind): PolicyError {
  try {
    compile(content, kind);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error('It was taken for a policy.');
}

describe('compilePolicy', () => {
  it('keeps what names the policy and its statements', () => {
    const policy = compile({ Version: '2012-10-17', Id: 'p', Statement: [STATEMENT, { ...STATEMENT, Sid: 'two' }] });
    expect(policy).toMatchObject({ kind: 'identity', version: '2012-10-17', id: 'p' });
    expect(policy.statements.map(({ sid, index, effect }) => ({ sid, index, effect }))).toEqual([
      { sid: undefined, index: 0, effect: 'Allow' },
      { sid: 'two', index: 1, effect: 'Allow' },
    ]);
  });

  it('takes a policy without a version for one of the older', () => {
    expect(compile({ Statement: STATEMENT }).version).toBe('2008-10-17');
  });

  it('takes a trust policy without resources, which is about its own role', () => {
    const trust = { Effect: 'Allow', Principal: { AWS: '123456789012' }, Action: 'sts:AssumeRole' };
    const [statement] = compile(document(trust), 'trust').statements;
    expect(statement?.resources.content.map((test) => test('arn:aws:iam::1:role/r', new Map()))).toEqual([true]);
    expect(errorOf(document({ ...trust, Resource: '*' }), 'trust').message).toBe(
      'Statement[0].Resource: has no place in a trust policy, which is about its own role',
    );
    expect(errorOf(document(without('Principal', trust)), 'trust').message).toBe(
      'Statement[0]: must have either Principal or NotPrincipal',
    );
  });

  it.each<[string, unknown, PolicyKind?]>([
    ['a single statement', { Statement: STATEMENT }],
    ['actions of any service in a policy of an identity', document({ ...STATEMENT, Action: ['s3:*', 'iam:PassRole'] })],
    ['NotAction and NotResource', document({ Effect: 'Deny', NotAction: 'sqs:*', NotResource: 'arn:aws:sqs:*' })],
    ['an account id', queueDocument({ Principal: { AWS: '123456789012' } }), 'queue'],
    ['the ARN of an account', queueDocument({ Principal: { AWS: 'arn:aws:iam::123456789012:root' } }), 'queue'],
    ['a user with a path', queueDocument({ Principal: { AWS: 'arn:aws:iam::123456789012:user/a/b/bob' } }), 'queue'],
    ['a role in China', queueDocument({ Principal: { AWS: 'arn:aws-cn:iam::123456789012:role/r' } }), 'queue'],
    ['a session', queueDocument({ Principal: { AWS: 'arn:aws:sts::123456789012:assumed-role/r/s@x' } }), 'queue'],
    ['a service of a region', queueDocument({ Principal: { Service: 'states.us-east-1.amazonaws.com' } }), 'queue'],
    [
      'NotPrincipal with Deny',
      document({ ...without('Principal', FOR_ALL), Effect: 'Deny', NotPrincipal: '*' }),
      'queue',
    ],
    ['empty Sids, as Terraform writes them', document({ ...STATEMENT, Sid: '' }, { ...STATEMENT, Sid: '' })],
    ['the same Sid twice in a queue policy', document({ ...FOR_ALL, Sid: 'a b' }, { ...FOR_ALL, Sid: 'a b' }), 'queue'],
    ['actions of any service in an endpoint policy', queueDocument({ Action: 's3:*' }), 'endpoint'],
    ['an endpoint policy beyond the limits of a queue policy', document(...new Array(30).fill(FOR_ALL)), 'endpoint'],
    ['an empty condition', document({ ...STATEMENT, Condition: {} })],
    ['a dollar that begins no variable', document({ ...STATEMENT, Resource: 'arn:aws:sqs:*:*:$a{b}' })],
    [
      'what would be a bad variable, in an older policy',
      { Statement: { ...STATEMENT, Resource: 'arn:aws:sqs:*:*:${' } },
    ],
    ['strange keys', document({ ...STATEMENT, Condition: { StringEquals: { __proto__x: 'a', constructor: 'b' } } })],
  ])('takes %s', (_what, content, kind) => {
    expect(compile(content, kind).statements.length).toBeGreaterThan(0);
  });

  const operators = [
    ...['StringEquals', 'StringNotEquals', 'StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase'],
    ...['StringLike', 'StringNotLike', 'ArnEquals', 'ArnNotEquals', 'ArnLike', 'ArnNotLike'],
  ];
  const typed: [string[], unknown][] = [
    [operators, 'text'],
    [['NumericEquals', 'NumericNotEquals', 'NumericLessThan', 'NumericLessThanEquals'], '1'],
    [['NumericGreaterThan', 'NumericGreaterThanEquals'], 1.5],
    [['DateEquals', 'DateNotEquals', 'DateLessThan', 'DateLessThanEquals'], '2026-01-31'],
    [['DateGreaterThan', 'DateGreaterThanEquals'], '2026-01-31T12:00:00Z'],
    [['Bool'], 'true'],
    [['BinaryEquals'], 'QQ=='],
    [['IpAddress', 'NotIpAddress'], '::1'],
  ];
  it.each(typed.flatMap(([names, value]) => names.map((name): [string, unknown] => [name, value])))(
    'knows the operator %s with all of its affixes',
    (name, value) => {
      const variants = [name, `${name}IfExists`, `ForAllValues:${name}`, `ForAnyValue:${name}IfExists`];
      for (const variant of variants) {
        expect(compile(condition(variant, value)).statements[0]?.conditions).toHaveLength(1);
      }
    },
  );

  it.each<[unknown, string, PolicyKind?]>([
    ['{', 'is not valid JSON'],
    ['', 'is not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['"x"', 'must be a JSON object'],
    [{ Statement: STATEMENT, Foo: 1 }, 'has an unknown element "Foo"'],
    [{ Version: '2020-01-01', Statement: STATEMENT }, 'Version: must be one of 2008-10-17, 2012-10-17'],
    [{ Version: null, Statement: STATEMENT }, 'Version: must be one of 2008-10-17, 2012-10-17'],
    [{ Id: 7, Statement: STATEMENT }, 'Id: must be a text'],
    [{ Version: '2012-10-17' }, 'Statement: must have at least one statement'],
    [document(), 'Statement: must have at least one statement'],
    [document(STATEMENT, 'x'), 'Statement[1]: must be an object'],
    [document({ ...STATEMENT, Foo: 1 }), 'Statement[0]: has an unknown element "Foo"'],
    [document({ ...STATEMENT, Sid: 1 }), 'Statement[0].Sid: must be a text'],
    [document({ ...STATEMENT, Sid: 'a b' }), 'Statement[0].Sid: may only have letters and digits'],
    [
      document({ ...STATEMENT, Sid: 'a' }, { ...STATEMENT, Sid: 'a' }),
      'Statement[1].Sid: "a" is the Sid of another statement',
    ],
    [document(without('Effect')), 'Statement[0].Effect: must be Allow or Deny'],
    [document({ ...STATEMENT, Effect: 'allow' }), 'Statement[0].Effect: must be Allow or Deny'],
    [document(without('Action')), 'Statement[0]: must have either Action or NotAction'],
    [document({ ...STATEMENT, NotAction: '*' }), 'Statement[0]: must have either Action or NotAction'],
    [
      document({ ...STATEMENT, Action: [] }),
      'Statement[0].Action: must be a text or a list of texts that is not empty',
    ],
    [
      document({ ...STATEMENT, Action: ['*', 1] }),
      'Statement[0].Action: must be a text or a list of texts that is not empty',
    ],
    [
      document({ ...STATEMENT, Action: 'SendMessage' }),
      'Statement[0].Action: "SendMessage" is no action, such as sqs:SendMessage, nor "*"',
    ],
    [
      document({ ...STATEMENT, Action: 's*:x' }),
      'Statement[0].Action: "s*:x" is no action, such as sqs:SendMessage, nor "*"',
    ],
    [
      document({ ...without('Action'), NotAction: '' }),
      'Statement[0].NotAction: "" is no action, such as sqs:SendMessage, nor "*"',
    ],
    [document(without('Resource')), 'Statement[0]: must have either Resource or NotResource'],
    [document({ ...STATEMENT, Resource: 'orders' }), 'Statement[0].Resource: "orders" is neither an ARN nor "*"'],
    [
      document({ ...STATEMENT, Resource: '${aws:SourceArn}' }),
      'Statement[0].Resource: "${aws:SourceArn}" is neither an ARN nor "*"',
    ],
    ...['${', '${aws:username', '${}', "${aws:username,'a}", '${aws:username, a}', '${a*:b}'].map(
      (variable): [unknown, string] => [
        document({ ...STATEMENT, Resource: `arn:aws:sqs:*:*:${variable}` }),
        'Statement[0].Resource: has a policy variable that is not well formed',
      ],
    ),
    ...['username', 'aws:', ' aws:username', 'aws:username '].map((name): [unknown, string] => [
      condition('StringEquals', `\${${name}}`, 'k:x'),
      `Statement[0].Condition.StringEquals["k:x"]: "\${${name}}" is no policy variable: it needs a condition key such as aws:username`,
    ]),
    [
      document(FOR_ALL),
      'Statement[0].Principal: has no place in a policy of an identity, which is the principal itself',
    ],
    [
      document({ ...STATEMENT, Effect: 'Deny', NotPrincipal: '*' }),
      'Statement[0].NotPrincipal: has no place in a policy of an identity, which is the principal itself',
    ],
    [document(STATEMENT), 'Statement[0]: must have either Principal or NotPrincipal', 'queue'],
    [document(STATEMENT), 'Statement[0]: must have either Principal or NotPrincipal', 'endpoint'],
    [
      document({ ...STATEMENT, NotPrincipal: { AWS: '123456789012' } }),
      'Statement[0].NotPrincipal: cannot stand with Allow, which would let everybody in whom it does not name',
      'queue',
    ],
    [
      queueDocument({ Principal: '123456789012' }),
      'Statement[0].Principal: must be "*" or an object of kinds of principals',
      'queue',
    ],
    [
      queueDocument({ Principal: {} }),
      'Statement[0].Principal: must be "*" or an object of kinds of principals',
      'queue',
    ],
    [
      queueDocument({ Principal: ['*'] }),
      'Statement[0].Principal: must be "*" or an object of kinds of principals',
      'queue',
    ],
    [queueDocument({ Principal: { aws: '*' } }), 'Statement[0].Principal: "aws" is no kind of principal', 'queue'],
    [
      queueDocument({ Principal: { AWS: 5 } }),
      'Statement[0].Principal.AWS: must be a text or a list of texts that is not empty',
      'queue',
    ],
    ...[
      'bob',
      '12345678901',
      'arn:aws:iam::123456789012:group/g',
      'arn:aws:sqs:us-east-1:123456789012:q',
      'arn:aws:sts::123456789012:assumed-role/r',
      'arn:aws:sts::123456789012:assumed-role/r/s/t',
      'arn:aws:iam:us-east-1:123456789012:root',
      'AIDABOB',
    ].map((name): [unknown, string, PolicyKind] => [
      queueDocument({ Principal: { AWS: ['*', name] } }),
      `Statement[0].Principal.AWS: "${name}" is no account id and no ARN of an account, user, role or session`,
      'queue',
    ]),
    ...['arn:aws:iam::123456789012:user/*', 'arn:aws:iam::*:root', '12345678901?', '**'].map(
      (name): [unknown, string, PolicyKind] => [
        queueDocument({ Principal: { AWS: name } }),
        `Statement[0].Principal.AWS: "${name}" has a wildcard, which can only stand for everybody`,
        'queue',
      ],
    ),
    [
      queueDocument({ Principal: { Service: '*' } }),
      'Statement[0].Principal.Service: "*" is no name of a service, such as sns.amazonaws.com',
      'queue',
    ],
    [queueDocument({ Action: 's3:GetObject' }), 'Statement[0].Action: "s3:GetObject" is no action on a queue', 'queue'],
    [document({ ...STATEMENT, Condition: 'x' }), 'Statement[0].Condition: must be an object'],
    [
      document({ ...STATEMENT, Condition: { StringEquals: 'x' } }),
      'Statement[0].Condition.StringEquals: must be an object',
    ],
    [
      condition('StringEquals', {}),
      'Statement[0].Condition.StringEquals["aws:SourceIp"]: must be a text, a number, a boolean, or a list of them',
    ],
    [
      condition('StringEquals', [null]),
      'Statement[0].Condition.StringEquals["aws:SourceIp"]: must be a text, a number, a boolean, or a list of them',
    ],
    [condition('StringEquals', 'x', ''), 'Statement[0].Condition.StringEquals[""]: must name a condition key'],
    ...[
      ...['Equals', 'stringEquals', 'StringEqualsifexists', 'IfExists', 'ForSomeValues:StringEquals', 'constructor'],
      ...['NullIfExists', 'ForAllValues:Null', 'StringEqualsIfExistsIfExists', 'NotBool', ''],
    ].map((operator): [unknown, string] => [
      condition(operator, 'true'),
      `Statement[0].Condition.${operator}["aws:SourceIp"]: "${operator}" is no condition operator`,
    ]),
    ...(
      [
        ['NumericEquals', ['ten', '', '0x10', '1e999', '${aws:x}', true], 'must be a number'],
        [
          'DateLessThan',
          ['today', '2026-02-30', '2026-13-01', '2026-01-31T12:00', '2026-01-31T25:00:00Z', '2026-1-1', ''],
          'must be a date, such as 2026-01-31T12:00:00Z, or seconds since 1970',
        ],
        ['Bool', ['yes', '1', '', 0], 'must be true or false'],
        ['Null', ['yes', '', 1], 'must be true or false'],
        ['BinaryEquals', ['a', 'a=b=', 'QQ=', '====', 'Q Q='], 'must be base64'],
        [
          'NotIpAddress',
          [
            'x',
            '10.0.0.256',
            '10.0.0',
            '010.0.0.1',
            '10.0.0.0/33',
            '10.0.0.0/',
            '10.0.0.0/8/8',
            '::/129',
            ':::',
            '1::2::3',
            '1:2:3:4::5:6:7:8',
            '1:2:3:4:5:6:7',
            '1.2.3.4::',
            '::1:',
            'fffff::',
            '::1%eth0',
          ],
          'must be an IP address or a range such as 203.0.113.0/24',
        ],
      ] as const
    ).flatMap(([operator, values, problem]) =>
      values.map((value): [unknown, string] => [
        condition(operator, value),
        `Statement[0].Condition.${operator}["aws:SourceIp"]: ${problem}`,
      ]),
    ),
    ['{"Statement":[],"Statement":[]}', 'has the key "Statement" twice in one object'],
  ])('refuses %j', (content, message, kind) => {
    expect(errorOf(content, kind).message).toBe(message);
  });

  it('refuses a condition that stands twice, which JSON.parse would drop', () => {
    const statement =
      '{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"a:b":"true"},"Bo\\u006fl":{}}}';
    expect(errorOf(`{"Statement":${statement}}`).message).toBe('has the key "Bool" twice in one object');
  });

  it('says where', () => {
    expect(errorOf(document(STATEMENT, without('Effect')))).toMatchObject({ path: 'Statement[1].Effect' });
    expect(errorOf('{')).toMatchObject({ path: '', excess: undefined });
  });

  const many = <Item>(count: number, item: Item) => new Array<Item>(count).fill(item);
  const keys = (count: number) => Object.fromEntries(many(count, 'x').map((value, index) => [`test:k${index}`, value]));
  it.each<[string, number, number, (count: number) => unknown]>([
    ['statements', 21, 20, (count) => document(...many(count, FOR_ALL))],
    ['actions', 8, 7, (count) => queueDocument({ Action: many(count, 'sqs:*') })],
    ['principals', 51, 50, (count) => document(FOR_ALL, { ...FOR_ALL, Principal: { AWS: many(count - 1, '*') } })],
    [
      'conditions',
      11,
      10,
      (count) =>
        document(
          { ...FOR_ALL, Condition: { StringEquals: keys(4), StringLike: keys(2) } },
          { ...FOR_ALL, Condition: { StringLike: keys(count - 6) } },
        ),
    ],
    ['bytes', 8193, 8192, (count) => sized(count)],
  ])('limits the %s of a queue policy', (what, found, max, content) => {
    expect(compile(content(max), 'queue').kind).toBe('queue');
    const error = errorOf(content(found), 'queue');
    expect(error.excess).toEqual({ what, found, max });
    expect(error.message).toBe(`has ${found} ${what} where ${max} are allowed`);
    expect(compile(content(found), 'endpoint').kind).toBe('endpoint');
  });

  it('counts bytes, not characters', () => {
    expect(errorOf(sized(8192).replace('xx', 'éx'), 'queue').excess).toMatchObject({ found: 8193 });
  });

  function sized(bytes: number): string {
    const text = JSON.stringify({ Id: '', Statement: FOR_ALL });
    return text.replace('"Id":""', `"Id":"${'x'.repeat(bytes - text.length)}"`);
  }
});
