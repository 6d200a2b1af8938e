import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Shape, StructureShape } from '../../src/protocol/model/shape.ts';
import { ACTIONS, type ActionName } from '../../src/protocol/model/shapes.ts';
import { encode } from '../support/query-client.ts';
import { useResilientServer, type Verdict } from '../support/resilience.ts';
import { arnOf, nameOf } from '../support/sqs.ts';
import { toJson, validInputs } from '../support/valid-inputs.ts';

// Requests that are proper HTTP and wrong in what they carry (promise P8): the answer is an error of the API in the
// protocol of the request, never a failure of the server, and nobody else's messages are touched. That the server is
// well is checked after each test.

const ALL_ACTIONS = Object.keys(ACTIONS) as ActionName[];
const server = useResilientServer();
const { sqs } = server;
let queue: string;

beforeAll(async () => {
  ({ dead: queue } = await sqs.createQueueWithDeadLetters(1));
});

function inputs() {
  return validInputs({ url: queue, arn: arnOf(queue), newName: 'new' });
}

/** An input as AWS JSON would carry it, for a test to spoil. */
// biome-ignore lint/suspicious/noExplicitAny: inputs of every action
function plainInput(action: ActionName): any {
  return JSON.parse(toJson(inputs()[action]));
}

function form(parameters: Iterable<[string, string]>): string {
  return new URLSearchParams([...parameters]).toString();
}

function expectRefused(verdict: Verdict): void {
  expect(verdict.code, verdict.text).toBeDefined();
}

/** What JSON of the wrong type is called (SQS: section 1.8). */
function expectSerializationError(verdict: Verdict, message?: string): void {
  expect(verdict).toMatchObject({ status: 400, code: 'MalformedInput' });
  expect(JSON.parse(verdict.text).__type).toBe('com.amazon.coral.service#SerializationException');
  if (message !== undefined) expect(verdict.message).toBe(message);
}

describe('AWS JSON that is none', () => {
  it.each([
    ['an open brace', '{'],
    ['an open string', '{"QueueName":"a'],
    ['a key without value', '{"QueueName"}'],
    ['a value that is missing', '{"QueueName":}'],
    ['single quotes', "{'QueueName':'a'}"],
    ['a trailing comma', '{"QueueName":"a",}'],
    ['a comment', '{"QueueName":"a"/*b*/}'],
    ['something behind it', '{"QueueName":"a"}{"QueueName":"b"}'],
    ['a word', 'undefined'],
    ['not a number', '{"MaxResults":NaN}'],
    ['a control character in a string', '{"QueueName":"a\u0001"}'],
    ['a broken escape', '{"QueueName":"\\u12"}'],
    ['a form', 'Action=ListQueues&Version=2012-11-05'],
    ['XML', '<CreateQueue><QueueName>a</QueueName></CreateQueue>'],
    ['a lot of nothing', '\0'.repeat(1000)],
    ['a list', '[]'],
    ['a list of inputs', '[{"QueueName":"a"}]'],
    ['a string', '"QueueName"'],
    ['a number', '5'],
    ['a boolean', 'true'],
    ['null', 'null'],
  ])('refuses %s', async (_, body) => {
    for (const action of ['CreateQueue', 'ListQueues', 'SendMessage']) {
      expectSerializationError(await server.json(action, body));
    }
  });

  it('refuses bytes that are no UTF-8, and stores nothing of them', async () => {
    const victim = await sqs.createQueue();
    const invalid = [
      [0xff],
      [0xc3], // a character cut off
      [0xc3, 0x28],
      [0xc0, 0x80], // NUL in too many bytes
      [0xed, 0xa0, 0x80], // a surrogate
      [0xf4, 0x90, 0x80, 0x80], // beyond U+10FFFF
      [0xfe, 0xff, 0x00, 0x41], // UTF-16
    ];
    for (const bytes of invalid) {
      const [start, end] = `{"QueueUrl":"${victim}","MessageBody":"a|b"}`.split('|').map((part) => Buffer.from(part));
      expectRefused(await server.json('SendMessage', Buffer.concat([start!, Buffer.from(bytes), end!])));
    }
    expect(await sqs.counts(victim)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it.each(['', 'AmazonSQS', 'AmazonSQS.', 'AmazonSQS.Foo', 'AmazonSQS.sendmessage', 'SendMessage', 'DynamoDB_2012.X'])(
    'refuses the target "%s"',
    async (target) => {
      const verdict = await server.json('', '{}', { headers: { 'X-Amz-Target': target } });
      expect(verdict).toMatchObject({ status: 400, code: 'InvalidAction' });
    },
  );

  it('refuses two targets, and none', async () => {
    const headers = { 'X-Amz-Target': 'AmazonSQS.ListQueues', 'x-amz-target': 'AmazonSQS.SendMessage' };
    expectRefused(await server.json('ListQueues', '{}', { headers }));
    expectRefused(await server.json('', '{}', { headers: { 'X-Amz-Target': undefined } }));
  });

  it('takes an empty body for an empty object', async () => {
    expect((await server.json('ListQueues', '')).status).toBe(200);
    expect(await server.json('GetQueueUrl', '')).toMatchObject({ status: 400, code: 'MissingParameter' });
  });

  it('ignores members that it does not know', async () => {
    const body =
      '{"QueueNamePrefix":"bystander","Foo":{"a":[1,null]},"queueNamePrefix":"x","__proto__":{"MaxResults":0}}';
    const verdict = await server.json('ListQueues', body);
    expect(verdict.status).toBe(200);
    expect(JSON.parse(verdict.text).QueueUrls).toHaveLength(2);
  });
});

describe('members of the wrong type', () => {
  // Strings that are texts in their own right: their rules are those of section 1.8.
  const STRUCTURE = 'Start of structure or map found where not expected.';
  const LIST = 'Start of list found where not expected';
  const COLLECTION = 'Unrecognized collection type class java.lang.String';
  const wrongFor: Record<Shape['type'], [value: unknown, message: string | undefined][]> = {
    string: [
      [{}, STRUCTURE],
      [{ a: 1 }, STRUCTURE],
      [[], LIST],
      [['a'], LIST],
    ],
    integer: [
      ['abc', 'STRING_VALUE can not be converted to an Integer'],
      ['', undefined],
      ['1.5', undefined],
      ['1e3', undefined],
      ['99999999999', undefined],
      [true, 'TRUE_VALUE can not be converted to an Integer'],
      [{}, STRUCTURE],
      [[], LIST],
      [1.5, undefined],
      [2 ** 31, undefined],
      [1e300, undefined],
    ],
    blob: [
      [{}, STRUCTURE],
      [[], LIST],
      [5, undefined],
      ['no base64!', undefined],
      ['YQ', undefined],
    ],
    list: [
      ['abc', COLLECTION],
      [5, undefined],
      [true, undefined],
      [{}, undefined],
    ],
    map: [
      ['abc', COLLECTION],
      [5, undefined],
      [true, undefined],
    ],
    structure: [
      ['abc', undefined],
      [5, undefined],
      [[], undefined],
    ],
    long: [],
    boolean: [],
  };

  /** Every place in an input where a value can be put, with the shape of that value. */
  function placesIn(shape: StructureShape): { path: (string | number)[]; shape: Shape }[] {
    return Object.entries(shape.members).flatMap(([name, member]) => placesAt([name], member.shape));
  }

  function placesAt(path: (string | number)[], shape: Shape): { path: (string | number)[]; shape: Shape }[] {
    const here = { path, shape };
    if (shape.type === 'list') return [here, ...placesAt([...path, 0], shape.member)];
    if (shape.type === 'map') return [here, ...placesAt([...path, 'key'], shape.value)];
    if (shape.type !== 'structure') return [here];
    return [here, ...placesIn(shape).map((place) => ({ ...place, path: [...path, ...place.path] }))];
  }

  function withValueAt(input: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
    if (step === undefined) return value;
    const base = input ?? (typeof step === 'number' ? [] : {});
    const inner = withValueAt((base as Record<string | number, unknown>)[step], rest, value);
    if (!Array.isArray(base)) return { ...(base as object), [step]: inner };
    return base.map((item, index) => (index === step ? inner : item)).concat(base.length === 0 ? [inner] : []);
  }

  it.each(ALL_ACTIONS)('are refused everywhere in the input of %s', async (action) => {
    for (const { path, shape } of placesIn(ACTIONS[action].input)) {
      for (const [value, message] of wrongFor[shape.type]) {
        const verdict = await server.json(action, toJson(withValueAt(plainInput(action), path, value) as object));
        // Attributes as a list of names are an old kindness of SQS (section 2.1).
        // The texts are those of a member; how SQS words the same deeper inside is not known.
        expectSerializationError(verdict, path.length === 1 ? message : undefined);
      }
    }
  });

  it('are tolerated where SQS does', async () => {
    const victim = await sqs.createQueue();
    // Numbers as strings, and scalars as bodies (SQS: section 1.8).
    for (const body of [5, true, false, 1.5, -0.25]) {
      const input = { QueueUrl: victim, MessageBody: body, DelaySeconds: '0' };
      expect((await server.json('SendMessage', JSON.stringify(input))).status).toBe(200);
    }
    expect((await sqs.receiveBodies(victim)).sort()).toEqual(['-0.25', '1.5', '5', 'false', 'true']);
    const receive = { QueueUrl: victim, MaxNumberOfMessages: '10', WaitTimeSeconds: '0' };
    expect((await server.json('ReceiveMessage', JSON.stringify(receive))).status).toBe(200);
    const asList = await server.json('CreateQueue', '{"QueueName":"listed","Attributes":["DelaySeconds"]}');
    expect(asList).toMatchObject({ code: 'InvalidAttributeName', message: 'Unknown Attribute 0.' });
  });

  it('never become other digits', async () => {
    const victim = await sqs.createQueue();
    const verdict = await server.json('SendMessage', `{"QueueUrl":"${victim}","MessageBody":12345678901234567890}`);
    if (verdict.code === undefined) expect(await sqs.receiveBodies(victim)).toEqual(['12345678901234567890']);
    else expect(await sqs.receiveBodies(victim)).toEqual([]);
  });

  it('are refused in AWS Query too', async () => {
    for (const [action, parameter] of [
      ['ReceiveMessage', 'MaxNumberOfMessages'],
      ['ReceiveMessage', 'WaitTimeSeconds'],
      ['ChangeMessageVisibility', 'VisibilityTimeout'],
      ['SendMessage', 'DelaySeconds'],
      ['ListQueues', 'MaxResults'],
      ['StartMessageMoveTask', 'MaxNumberOfMessagesPerSecond'],
    ] as const) {
      for (const value of ['', 'abc', '1.5', '1e3', '0x10', ' 1', '١', '99999999999999999999', '-', 'null']) {
        const parameters = [['Action', action], ...encode(action, inputs()[action])] as [string, string][];
        const spoilt = parameters.map(([name, text]): [string, string] => [name, name === parameter ? value : text]);
        if (!spoilt.some(([name]) => name === parameter)) spoilt.push([parameter, value]);
        expectRefused(await server.form(form(spoilt)));
      }
    }
  });
});

describe('numbers out of range', () => {
  it.each([
    ['ReceiveMessage', 'MaxNumberOfMessages', [0, -1, 11, 2 ** 31 - 1, -(2 ** 31)]],
    ['ReceiveMessage', 'WaitTimeSeconds', [-1, 21, 2 ** 31 - 1, -(2 ** 31)]],
    ['ReceiveMessage', 'VisibilityTimeout', [-1, 43_201, 2 ** 31 - 1, -(2 ** 31)]],
    ['ChangeMessageVisibility', 'VisibilityTimeout', [-1, 43_201, 2 ** 31 - 1, -(2 ** 31)]],
    ['SendMessage', 'DelaySeconds', [-1, 901, 2 ** 31 - 1, -(2 ** 31)]],
    ['ListQueues', 'MaxResults', [0, -1, 1001, 2 ** 31 - 1]],
    ['ListDeadLetterSourceQueues', 'MaxResults', [0, -1, 1001, 2 ** 31 - 1]],
    ['ListMessageMoveTasks', 'MaxResults', [0, -1, 11, 2 ** 31 - 1]],
    ['StartMessageMoveTask', 'MaxNumberOfMessagesPerSecond', [0, -1, 501, 2 ** 31 - 1]],
  ] as const)('are InvalidParameterValue: %s %s', async (action, member, values) => {
    for (const value of values) {
      const input = { ...inputs()[action], [member]: value };
      const json = await server.json(action, toJson(input));
      expect(json).toMatchObject({ status: 400, code: 'InvalidParameterValue' });
      const query = await server.form(form([['Action', action], ...encode(action, input)]));
      expect(query).toMatchObject({ status: 400, code: 'InvalidParameterValue', message: json.message });
    }
  });
});

describe('missing parameters', () => {
  const missing = (name: string) => ({
    code: 'MissingParameter',
    message: `The request must contain the parameter ${name}.`,
  });
  const noQueue = { code: 'AWS.SimpleQueueService.NonExistentQueue' };
  /** What is said of a required member (SQS: section 2, section 7 to 9), by `Action.Member` or by `Member`. */
  const EXPECTED: Record<string, { code: string; message?: string }> = {
    QueueUrl: noQueue,
    Label: missing('Label'),
    AWSAccountIds: missing('AWSAccountIds'),
    Actions: missing('ActionName'),
    TaskHandle: { code: 'MissingParameter', message: 'The TaskHandle parameter is required.' },
    ReceiptHandle: missing('ReceiptHandle'),
    VisibilityTimeout: missing('VisibilityTimeout'),
    'CreateQueue.QueueName': {
      code: 'InvalidParameterValue',
      message: 'Value for parameter QueueName is invalid. Reason: Must specify a queue name.',
    },
    'GetQueueUrl.QueueName': missing('QueueName'),
    SourceArn: missing('SourceArn'),
    MessageBody: missing('MessageBody'),
    Attributes: missing('Attribute.Name'),
    Tags: missing('Tags'),
  };

  const cases = ALL_ACTIONS.flatMap((action) =>
    Object.entries(ACTIONS[action].input.members).flatMap(([member, { required }]) =>
      required ? [[action, member] as const] : [],
    ),
  );

  it.each(cases)('%s without %s', async (action, member) => {
    const { [member]: _, ...rest } = inputs()[action] as Record<string, unknown>;
    const json = await server.json(action, toJson(rest));
    const query = await server.form(form([['Action', action], ...encode(action, rest)]));
    expectRefused(json);
    expectRefused(query);
    if (member === 'Entries') {
      expect(json).toMatchObject(missing('Entries'));
      expect(query).toMatchObject(missing(`${action}RequestEntry`));
      return;
    }
    const expected = EXPECTED[`${action}.${member}`] ?? EXPECTED[member];
    if (expected === undefined) return;
    expect(json).toMatchObject({ status: 400, ...expected });
    expect(query).toMatchObject({ status: 400, ...expected });
    // In AWS JSON null is the same as nothing.
    const absent = await server.json(action, toJson({ ...rest, [member]: null }));
    expect(absent).toMatchObject({ status: 400, ...expected });
  });

  it.each(ALL_ACTIONS)('%s with nothing at all', async (action) => {
    const json = await server.json(action, '{}');
    const query = await server.form(form([['Action', action]]));
    expect(query.status).toBe(json.status);
    if (cases.some(([name]) => name === action)) expectRefused(json);
    else expect(json.status).toBe(200);
  });

  it.each(['SendMessageBatch', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch'] as const)(
    '%s with entries that lack something',
    async (action) => {
      const [entry] = plainInput(action).Entries;
      for (const member of Object.keys(entry)) {
        const { [member]: _, ...rest } = entry;
        const input = { QueueUrl: queue, Entries: [rest] };
        for (const verdict of [
          await server.json(action, toJson(input)),
          await server.form(form([['Action', action], ...encode(action, input)])),
        ]) {
          // Without an id the batch fails, without anything else the entry does, or nothing.
          if (member === 'Id') expect(verdict).toMatchObject({ status: 400, code: 'MissingParameter' });
          else expect(verdict.status).toBe(200);
        }
      }
      expectRefused(await server.json(action, toJson({ QueueUrl: queue, Entries: [{}] })));
      expectRefused(await server.json(action, toJson({ QueueUrl: queue, Entries: [null] })));
    },
  );

  it('AWS Query without an action', async () => {
    expect(await server.form('')).toMatchObject({ status: 400, code: 'MissingAction' });
    expect(await server.form('Version=2012-11-05')).toMatchObject({ status: 400, code: 'MissingAction' });
    const get = await server.form('', { method: 'GET', target: '/?Version=2012-11-05' });
    expect(get).toMatchObject({ status: 404, text: '<UnknownOperationException/>' });
  });
});

describe('forms that are broken', () => {
  it.each([
    ['an unknown action', 'Action=FooBar', 'InvalidAction'],
    ['an empty action', 'Action=', 'InvalidAction'],
    ['an action in lower case', 'Action=listqueues', 'InvalidAction'],
    ['a percent sign alone', 'Action=ListQueues&QueueNamePrefix=%', undefined],
    ['half an escape', 'Action=ListQueues&QueueNamePrefix=%4', undefined],
    ['an escape that is none', 'Action=ListQueues&QueueNamePrefix=%zz', undefined],
    ['an escape of no UTF-8', 'Action=ListQueues&QueueNamePrefix=%ff', undefined],
    ['an escape of a surrogate', 'Action=ListQueues&QueueNamePrefix=%ed%a0%80', undefined],
    ['a name of no UTF-8', 'Action=ListQueues&%ff=1', undefined],
    ['bytes of no UTF-8', Buffer.from('Action=ListQueues&QueueNamePrefix=\xff', 'latin1'), undefined],
  ])('are refused: %s', async (_, body, code) => {
    const verdict = await server.form(body);
    expectRefused(verdict);
    expect(verdict.status).toBe(400);
    if (code !== undefined) expect(verdict.code).toBe(code);
  });

  it.each([
    'Action=ListQueues',
    '&&Action=ListQueues&&',
    'Action=ListQueues&=&=x&x=&.=1&..=2&a..b=3&.1.2=4',
    'Action=ListQueues&Attribute.0.Name=x&Attribute.-1.Name=y&Attribute.99999999999999999999.Name=z',
    'Action=ListQueues&QueueNamePrefix.1=a&MaxResults.Value=5',
    `Action=ListQueues&${'a.'.repeat(10_000)}=1`,
    'Action=ListQueues&Action.1=DeleteQueue&Version=1999-01-01',
  ])('are read as far as they make sense: %s', async (body) => {
    expect((await server.form(body)).status).toBe(200);
  });

  it('have their numbers sorted as numbers, with gaps', async () => {
    const victim = await sqs.createQueue();
    const entries = [10, 9, 100, 2].map(
      (number) =>
        `SendMessageBatchRequestEntry.${number}.Id=id${number}&SendMessageBatchRequestEntry.${number}.MessageBody=x`,
    );
    const { text } = await server.form(
      `Action=SendMessageBatch&QueueUrl=${encodeURIComponent(victim)}&${entries.join('&')}`,
    );
    expect([...text.matchAll(/<Id>(\w+)<\/Id>/g)].map(([, id]) => id)).toEqual(['id2', 'id9', 'id10', 'id100']);
  });

  it('may miss names or values of attributes and tags', async () => {
    const url = encodeURIComponent(queue);
    for (const [parameters, message] of [
      ['Action=SetQueueAttributes&Attribute.1.Name=DelaySeconds', 'Attribute.Value'],
      ['Action=SetQueueAttributes&Attribute.1.Value=5', undefined],
      ['Action=SetQueueAttributes&Attribute.1=5', undefined],
      ['Action=TagQueue&Tag.1.Value=5', undefined],
      ['Action=TagQueue&Tag.1.Key=', undefined],
      ['Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a', undefined],
      ['Action=SendMessage&MessageBody=x&MessageAttribute.1.Value.StringValue=a', undefined],
      ['Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a&MessageAttribute.1.Value=b', undefined],
      [
        'Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=String',
        undefined,
      ],
      [
        'Action=SendMessage&MessageBody=x&MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=Binary' +
          '&MessageAttribute.1.Value.BinaryValue=***',
        undefined,
      ],
    ] as const) {
      const verdict = await server.form(`${parameters}&QueueUrl=${url}`);
      expectRefused(verdict);
      if (message !== undefined) expect(verdict.message).toBe(`The request must contain the parameter ${message}.`);
    }
  });
});

describe('names that mean something to JavaScript', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__'];
  /** An object with a key of that name of its own, which `{ __proto__: ... }` would not have. */
  const owning = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

  it.each(NAMES)('%s is a name like any other for a queue', async (name) => {
    const created = await sqs.call('CreateQueue', { QueueName: name });
    const url = created.QueueUrl!;
    expect(nameOf(url)).toBe(name);
    expect((await sqs.call('GetQueueUrl', { QueueName: name })).QueueUrl).toBe(url);
    expect((await sqs.call('ListQueues', { QueueNamePrefix: name })).QueueUrls).toEqual([url]);
    await sqs.send(name, 'x');
    expect(await sqs.receiveBodies(name)).toEqual(['x']);
    await sqs.call('DeleteQueue', { QueueUrl: url });
    expect((await sqs.failure('GetQueueUrl', { QueueName: name })).code).toBe(
      'AWS.SimpleQueueService.NonExistentQueue',
    );
  });

  it.each(NAMES)('%s is no attribute of a queue', async (name) => {
    const unknown = { status: 400, code: 'InvalidAttributeName', message: `Unknown Attribute ${name}.` };
    const Attributes = owning(name, '1');
    for (const [action, input] of [
      ['CreateQueue', { QueueName: 'other', Attributes }],
      ['SetQueueAttributes', { QueueUrl: queue, Attributes }],
      ['GetQueueAttributes', { QueueUrl: queue, AttributeNames: [name] }],
    ] as const) {
      expect(await server.json(action, toJson(input))).toMatchObject(unknown);
      expect(await server.form(form([['Action', action], ...encode(action, input)]))).toMatchObject(unknown);
    }
  });

  it.each(NAMES)('%s is a name like any other for a tag', async (name) => {
    const url = await sqs.createQueue();
    const input = { QueueUrl: url, Tags: owning(name, 'json') };
    expect((await server.json('TagQueue', toJson(input))).status).toBe(200);
    expect((await server.json('ListQueueTags', toJson({ QueueUrl: url }))).text).toBe(`{"Tags":{"${name}":"json"}}`);
    const overQuery = { ...input, Tags: owning(name, 'query') };
    expect((await server.form(form([['Action', 'TagQueue'], ...encode('TagQueue', overQuery)]))).status).toBe(200);
    const listed = await server.form(
      form([['Action', 'ListQueueTags'], ...encode('ListQueueTags', { QueueUrl: url })]),
    );
    expect(listed.text).toContain(`<Tag><Key>${name}</Key><Value>query</Value></Tag>`);
    await sqs.call('UntagQueue', { QueueUrl: url, TagKeys: [name] });
    expect((await server.json('ListQueueTags', toJson({ QueueUrl: url }))).text).toBe('{}');
  });

  it.each(NAMES)('%s is a name like any other for an attribute of a message', async (name) => {
    const url = await sqs.createQueue();
    const MessageAttributes = owning(name, { DataType: 'String', StringValue: 'x' });
    const input = { QueueUrl: url, MessageBody: 'x', MessageAttributes };
    const digest = createHash('md5')
      .update(Buffer.concat([sized(name), sized('String'), Buffer.of(1), sized('x')]))
      .digest('hex');
    const sent = await server.json('SendMessage', toJson(input));
    expect(JSON.parse(sent.text).MD5OfMessageAttributes).toBe(digest);
    const sentOverQuery = await server.form(form([['Action', 'SendMessage'], ...encode('SendMessage', input)]));
    expect(sentOverQuery.text).toContain(`<MD5OfMessageAttributes>${digest}</MD5OfMessageAttributes>`);
    for (const wanted of ['All', name]) {
      const receive = { QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0, MessageAttributeNames: [wanted] };
      const { text } = await server.json('ReceiveMessage', toJson(receive));
      expect(text.split(`"MessageAttributes":{"${name}":{`)).toHaveLength(3);
    }
  });

  it.each(NAMES)('%s is no action', async (name) => {
    expect(await server.json(name, '{}')).toMatchObject({ status: 400, code: 'InvalidAction' });
    expect(await server.form(`Action=${name}`)).toMatchObject({ status: 400, code: 'InvalidAction' });
  });

  it.each(NAMES)('%s in other places', async (name) => {
    const fifo = await sqs.createFifoQueue();
    await sqs.sendToGroup(fifo, name, 'x', { MessageDeduplicationId: name });
    const [message] = await sqs.receive(fifo, { ReceiveRequestAttemptId: name });
    expect(message?.Attributes).toMatchObject({ MessageGroupId: name, MessageDeduplicationId: name });

    const url = await sqs.createQueue();
    const { Successful } = await sqs.call('SendMessageBatch', {
      QueueUrl: url,
      Entries: [{ Id: name, MessageBody: 'x' }],
    });
    expect(Successful).toMatchObject([{ Id: name }]);
    const permission = { QueueUrl: url, Label: name, AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] };
    await sqs.call('AddPermission', permission);
    await sqs.call('RemovePermission', { QueueUrl: url, Label: name });
    expectRefused(await server.json('AddPermission', toJson({ ...permission, Actions: [name] })));

    const system = { QueueUrl: url, MessageBody: 'x', MessageSystemAttributes: owning(name, { DataType: 'String' }) };
    expectRefused(await server.json('SendMessage', toJson(system)));
    expectRefused(await server.json('ReceiveMessage', toJson({ QueueUrl: url, MessageSystemAttributeNames: [name] })));
    const redrive = `{"deadLetterTargetArn":"${arnOf(queue)}","maxReceiveCount":1,"${name}":1}`;
    const allow = `{"${name}":{"redrivePermission":"allowAll"}}`;
    for (const Attributes of [{ RedrivePolicy: redrive }, { RedriveAllowPolicy: allow }, { Policy: allow }]) {
      expectRefused(await server.json('SetQueueAttributes', toJson({ QueueUrl: url, Attributes })));
    }
  });
});

describe('lone surrogates', () => {
  /** As AWS JSON can carry them, and UTF-8 cannot. */
  const LONE = ['\\ud800', '\\udc00', 'a\\udfffb', '\\ud800\\ud800', '\\udc00\\ud800'];

  it.each(LONE)('%s is no content for a message', async (text) => {
    const victim = await sqs.createQueue();
    expect(await server.json('SendMessage', `{"QueueUrl":"${victim}","MessageBody":"${text}"}`)).toMatchObject({
      status: 400,
      code: 'InvalidMessageContents',
    });
    const attribute = `{"a":{"DataType":"String","StringValue":"${text}"}}`;
    expect(
      await server.json('SendMessage', `{"QueueUrl":"${victim}","MessageBody":"x","MessageAttributes":${attribute}}`),
    ).toMatchObject({ status: 400, code: 'InvalidParameterValue' });
    const batch = await server.json(
      'SendMessageBatch',
      `{"QueueUrl":"${victim}","Entries":[{"Id":"good","MessageBody":"x"},{"Id":"bad","MessageBody":"${text}"}]}`,
    );
    expect(JSON.parse(batch.text)).toMatchObject({
      Successful: [{ Id: 'good' }],
      Failed: [{ Id: 'bad', Code: 'InvalidMessageContents', SenderFault: true }],
    });
    expect(await sqs.receiveBodies(victim)).toEqual(['x']);
  });

  it('are refused in names, ids and handles', async () => {
    for (const text of LONE) {
      for (const [action, body] of [
        ['CreateQueue', `{"QueueName":"${text}"}`],
        ['GetQueueUrl', `{"QueueName":"${text}"}`],
        ['SendMessage', `{"QueueUrl":"${text}","MessageBody":"x"}`],
        ['SendMessage', `{"QueueUrl":"${queue}","MessageBody":"x","MessageGroupId":"${text}"}`],
        [
          'SendMessage',
          `{"QueueUrl":"${queue}","MessageBody":"x","MessageAttributes":{"${text}":{"DataType":"String","StringValue":"x"}}}`,
        ],
        [
          'SendMessage',
          `{"QueueUrl":"${queue}","MessageBody":"x","MessageAttributes":{"a":{"DataType":"String.${text}","StringValue":"x"}}}`,
        ],
        ['SendMessageBatch', `{"QueueUrl":"${queue}","Entries":[{"Id":"${text}","MessageBody":"x"}]}`],
        ['DeleteMessage', `{"QueueUrl":"${queue}","ReceiptHandle":"${text}"}`],
        ['TagQueue', `{"QueueUrl":"${queue}","Tags":{"${text}":"x"}}`],
        ['TagQueue', `{"QueueUrl":"${queue}","Tags":{"x":"${text}"}}`],
        ['AddPermission', `{"QueueUrl":"${queue}","Label":"${text}","AWSAccountIds":["111111111111"],"Actions":["*"]}`],
        ['GetQueueAttributes', `{"QueueUrl":"${queue}","AttributeNames":["${text}"]}`],
        ['SetQueueAttributes', `{"QueueUrl":"${queue}","Attributes":{"${text}":"x"}}`],
        ['SetQueueAttributes', `{"QueueUrl":"${queue}","Attributes":{"RedrivePolicy":"${text}"}}`],
        ['SetQueueAttributes', `{"QueueUrl":"${queue}","Attributes":{"Policy":"${text}"}}`],
        ['ListQueues', `{"NextToken":"${text}","MaxResults":1}`],
        ['CancelMessageMoveTask', `{"TaskHandle":"${text}"}`],
        ['StartMessageMoveTask', `{"SourceArn":"${text}"}`],
      ] as const) {
        expectRefused(await server.json(action, body));
      }
    }
  });
});

describe('characters that XML cannot carry', () => {
  it('come back replaced when an error quotes them', async () => {
    for (const text of ['\0', '\u0001<&>"\'', '\u000b', '\ufffe', ']]>', '&amp;', '\r\n', '<!--', '\u{1F426}']) {
      for (const parameters of [
        { Action: text },
        { Action: 'GetQueueAttributes', QueueUrl: queue, 'AttributeName.1': text },
        { Action: 'DeleteMessage', QueueUrl: queue, ReceiptHandle: text },
        { Action: 'SendMessage', QueueUrl: queue, MessageBody: 'x', MessageGroupId: text },
        { Action: 'RemovePermission', QueueUrl: queue, Label: text },
        { Action: 'ReceiveMessage', QueueUrl: queue, MaxNumberOfMessages: text },
      ]) {
        // Some of these are valid in some places. The verdict parses the XML strictly.
        await server.form(form(Object.entries(parameters) as [string, string][]));
      }
    }
  });
});

describe('handles and tokens that are made up', () => {
  const texts = [
    'garbage',
    ' ',
    'AQEB',
    'AQEBAAAAAQAAAABA',
    'A'.repeat(1024),
    'A'.repeat(100_000),
    '=',
    '////',
    '🐦',
    'W10=',
    'e30=',
    'bnVsbA==',
    Buffer.from('["a"]').toString('base64'),
    Buffer.from('{"taskId":{},"sourceArn":[]}').toString('base64'),
    Buffer.from(`{"taskId":"x","sourceArn":"${'arn:'.repeat(1000)}"}`).toString('base64'),
    Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`).toString('base64'),
  ];

  it.each(texts.map((text) => [text.slice(0, 30), text]))('%s', async (_, text) => {
    for (const [action, input] of [
      ['DeleteMessage', { QueueUrl: queue, ReceiptHandle: text }],
      ['ChangeMessageVisibility', { QueueUrl: queue, ReceiptHandle: text, VisibilityTimeout: 0 }],
      ['ListQueues', { NextToken: text, MaxResults: 1 }],
      ['ListDeadLetterSourceQueues', { QueueUrl: queue, NextToken: text, MaxResults: 1 }],
      ['CancelMessageMoveTask', { TaskHandle: text }],
      ['StartMessageMoveTask', { SourceArn: text }],
      ['ListMessageMoveTasks', { SourceArn: text }],
    ] as const) {
      expectRefused(await server.json(action, toJson(input)));
      expectRefused(await server.form(form([['Action', action], ...encode(action, input)])));
    }
  });

  it('changed in any one character', async () => {
    const victim = await sqs.createQueue();
    await sqs.send(victim, 'x');
    const handle = await sqs.receiveHandle(victim);
    for (let index = 0; index < handle.length; index++) {
      const other = handle[index] === 'A' ? 'B' : 'A';
      const forged = `${handle.slice(0, index)}${other}${handle.slice(index + 1)}`;
      const verdict = await server.json('DeleteMessage', toJson({ QueueUrl: victim, ReceiptHandle: forged }));
      // The last characters of base64 may have bits that mean nothing, but nobody else's message can be meant.
      if (verdict.code === undefined) expect(index).toBeGreaterThan(handle.length - 4);
      else expect(verdict.code).toBe('ReceiptHandleIsInvalid');
    }
  });
});

function sized(text: string): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([size, Buffer.from(text)]);
}
