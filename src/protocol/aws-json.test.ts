import { describe, expect, it } from 'vitest';
import { awsJson } from './aws-json.ts';
import { invalidParameter, SqsError } from './model/errors.ts';
import type { ActionName, ActionOutputs } from './model/shapes.ts';
import type { WireRequest } from './wire.ts';

function request(target: string | undefined, body: string | Buffer): WireRequest {
  return {
    method: 'POST',
    path: '/',
    query: '',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
    body: Buffer.from(body),
  };
}

function decode(action: ActionName, body: string | Buffer): unknown {
  const call = awsJson.decode(request(`AmazonSQS.${action}`, body));
  expect(call.action).toBe(action);
  return call.input;
}

function refusal(call: () => unknown): SqsError {
  try {
    call();
  } catch (error) {
    if (error instanceof SqsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function reply<Action extends ActionName>(action: Action, output: ActionOutputs[Action]): unknown {
  const { body } = awsJson.encodeReply(action, output, 'request-1');
  return JSON.parse(String(body));
}

describe('the action', () => {
  it('is in the X-Amz-Target header', () => {
    expect(awsJson.decode(request('AmazonSQS.ListQueues', '{}'))).toEqual({ action: 'ListQueues', input: {} });
  });

  it.each([
    'AmazonSQS.Fly',
    'AmazonSQS.sendMessage',
    'AmazonSQS.',
    'AmazonSQS.__proto__',
    'AmazonSQS.toString',
    'DynamoDB_20120810.SendMessage',
    'SendMessage',
    '',
  ])('%o is unknown', (target) => {
    const error = refusal(() => awsJson.decode(request(target, '{}')));
    expect(error).toMatchObject({
      shape: 'UnknownOperationException',
      httpStatus: 400,
      message: `The action ${target} is not valid for this endpoint.`,
    });
  });

  it('must be there', () => {
    const error = refusal(() => awsJson.decode(request(undefined, '{}')));
    expect(error.shape).toBe('UnknownOperationException');
  });
});

describe('an input', () => {
  it('has the members of its shape and no other', () => {
    const body = JSON.stringify({
      QueueUrl: 'http://localhost/000000000000/orders',
      MessageBody: 'hello',
      DelaySeconds: 5,
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x', Colour: 'red' },
        bytes: { DataType: 'Binary', BinaryValue: 'AAEC/w==' },
        lists: { DataType: 'String', StringListValues: ['a'], BinaryListValues: ['AA=='] },
      },
      Priority: { high: [true] },
    });
    expect(decode('SendMessage', body)).toEqual({
      QueueUrl: 'http://localhost/000000000000/orders',
      MessageBody: 'hello',
      DelaySeconds: 5,
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x' },
        bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 1, 2, 255]) },
        lists: { DataType: 'String', StringListValues: ['a'], BinaryListValues: [Buffer.from([0])] },
      },
    });
  });

  it('is decoded down into the entries of a batch', () => {
    const entry = { Id: 'a', MessageBody: 'b', MessageAttributes: { k: { DataType: 'String', StringValue: 'v' } } };
    expect(decode('SendMessageBatch', JSON.stringify({ Entries: [entry, { ...entry, Id: 'c' }] }))).toEqual({
      Entries: [entry, { ...entry, Id: 'c' }],
    });
  });

  it('knows the irregular lower-case name of the tags of CreateQueue', () => {
    expect(decode('CreateQueue', '{"QueueName":"q","tags":{"a":"b"},"Tags":{"c":"d"}}')).toEqual({
      QueueName: 'q',
      tags: { a: 'b' },
    });
  });

  it('is empty when the body is', () => {
    expect(decode('ListQueues', '')).toEqual({});
  });

  it('takes null for absent, at every level', () => {
    const body =
      '{"QueueUrl":null,"MessageBody":"b","MessageAttributes":{"gone":null,"k":{"DataType":null,"StringValue":"v"}}}';
    expect(decode('SendMessage', body)).toEqual({ MessageBody: 'b', MessageAttributes: { k: { StringValue: 'v' } } });
    expect(decode('GetQueueAttributes', '{"AttributeNames":[null,"All"]}')).toEqual({ AttributeNames: ['All'] });
  });

  it('keeps empty lists and maps', () => {
    expect(decode('ReceiveMessage', '{"AttributeNames":[]}')).toEqual({ AttributeNames: [] });
    expect(decode('SetQueueAttributes', '{"Attributes":{}}')).toEqual({ Attributes: {} });
  });

  it('is safe from keys that mean something to JavaScript', () => {
    const { Tags } = decode('TagQueue', '{"Tags":{"__proto__":"a","constructor":"b"}}') as { Tags: object };
    expect(Object.entries(Tags)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    const input = decode('SendMessage', '{"__proto__":{"MessageBody":"x"},"constructor":"y"}') as object;
    expect(Object.keys(input)).toEqual([]);
    expect(input).not.toHaveProperty('MessageBody');
  });

  it('keeps lone surrogates, for the action to refuse', () => {
    expect(decode('SendMessage', '{"MessageBody":"a\\ud800b"}')).toEqual({ MessageBody: 'a\ud800b' });
  });

  it('keeps characters beyond the basic plane, escaped or not', () => {
    expect(decode('SendMessage', '{"MessageBody":"\\ud83d\\ude00 😀 ü"}')).toEqual({ MessageBody: '😀 😀 ü' });
  });
});

describe('numbers', () => {
  it.each([
    ['5', 5],
    ['-1', -1],
    ['2147483647', 2147483647],
    ['-2147483648', -2147483648],
    ['1e2', 100],
    ['5.0', 5],
    ['"5"', 5],
    ['"-5"', -5],
    ['"007"', 7],
  ])('%s is an Integer', (json, value) => {
    expect(decode('SendMessage', `{"DelaySeconds":${json}}`)).toEqual({ DelaySeconds: value });
  });

  it.each([
    ['"soon"', 'STRING_VALUE can not be converted to an Integer'],
    ['""', 'STRING_VALUE can not be converted to an Integer'],
    ['" 5"', 'STRING_VALUE can not be converted to an Integer'],
    ['"0x10"', 'STRING_VALUE can not be converted to an Integer'],
    ['"1.5"', 'STRING_VALUE can not be converted to an Integer'],
    ['"2147483648"', 'STRING_VALUE can not be converted to an Integer'],
    ['"99999999999999999999"', 'STRING_VALUE can not be converted to an Integer'],
    ['true', 'TRUE_VALUE can not be converted to an Integer'],
    ['false', 'FALSE_VALUE can not be converted to an Integer'],
    ['1.5', 'NUMBER_VALUE can not be converted to an Integer'],
    ['2147483648', 'NUMBER_VALUE can not be converted to an Integer'],
    ['-2147483649', 'NUMBER_VALUE can not be converted to an Integer'],
    ['1e400', 'NUMBER_VALUE can not be converted to an Integer'],
    ['[5]', 'Start of list found where not expected'],
    ['{}', 'Start of structure or map found where not expected.'],
  ])('%s is none', (json, message) => {
    expect(refusal(() => decode('SendMessage', `{"DelaySeconds":${json}}`))).toMatchObject({
      shape: 'SerializationException',
      message,
    });
  });
});

describe('a value of the wrong type', () => {
  it.each<[ActionName, string, string]>([
    ['SendMessage', '{"QueueUrl":{}}', 'Start of structure or map found where not expected.'],
    ['SendMessage', '{"QueueUrl":[]}', 'Start of list found where not expected'],
    ['SendMessage', '{"QueueUrl":5}', 'NUMBER_VALUE can not be converted to a String'],
    ['SendMessage', '{"QueueUrl":1.5}', 'NUMBER_VALUE can not be converted to a String'],
    ['SendMessage', '{"QueueUrl":true}', 'TRUE_VALUE can not be converted to a String'],
    ['SendMessage', '{"MessageGroupId":false}', 'FALSE_VALUE can not be converted to a String'],
    ['SendMessage', '{"MessageBody":{}}', 'Start of structure or map found where not expected.'],
    ['SendMessage', '{"MessageBody":["a"]}', 'Start of list found where not expected'],
    ['SendMessage', '{"MessageAttributes":"x"}', 'Unrecognized collection type class java.lang.String'],
    ['SendMessage', '{"MessageAttributes":["x"]}', 'Start of list found where not expected'],
    ['SendMessage', '{"MessageAttributes":5}', 'Expected map or null'],
    ['SendMessage', '{"MessageAttributes":{"a":"x"}}', 'Expected null'],
    ['SendMessage', '{"MessageAttributes":{"a":[]}}', 'Start of list found where not expected'],
    ['SendMessage', '{"MessageAttributes":{"a":{"StringValue":5}}}', 'NUMBER_VALUE can not be converted to a String'],
    ['SendMessage', '{"MessageAttributes":{"a":{"StringValue":true}}}', 'TRUE_VALUE can not be converted to a String'],
    [
      'SendMessage',
      '{"MessageAttributes":{"a":{"StringValue":{}}}}',
      'Start of structure or map found where not expected.',
    ],
    ['SendMessage', '{"MessageAttributes":{"a":{"DataType":5}}}', 'NUMBER_VALUE can not be converted to a String'],
    ['SendMessage', '{"MessageAttributes":{"a":{"BinaryValue":5}}}', 'NUMBER_VALUE can not be converted to a Blob'],
    ['SendMessage', '{"MessageAttributes":{"a":{"BinaryValue":[]}}}', 'Start of list found where not expected'],
    ['SendMessageBatch', '{"Entries":"x"}', 'Unrecognized collection type class java.lang.String'],
    ['SendMessageBatch', '{"Entries":true}', 'Expected list or null'],
    ['SendMessageBatch', '{"Entries":{}}', 'Start of structure or map found where not expected.'],
    ['SendMessageBatch', '{"Entries":["x"]}', 'Expected null'],
    ['SendMessageBatch', '{"Entries":[[]]}', 'Start of list found where not expected'],
    ['SendMessageBatch', '{"Entries":[{"Id":7}]}', 'NUMBER_VALUE can not be converted to a String'],
    ['ReceiveMessage', '{"AttributeNames":"All"}', 'Unrecognized collection type class java.lang.String'],
    ['ReceiveMessage', '{"AttributeNames":[5]}', 'NUMBER_VALUE can not be converted to a String'],
    ['ReceiveMessage', '{"AttributeNames":[["All"]]}', 'Unrecognized collection type class java.lang.String'],
    ['CreateQueue', '{"Attributes":"x"}', 'Unrecognized collection type class java.lang.String'],
    ['CreateQueue', '{"Attributes":{"DelaySeconds":["5"]}}', 'Unrecognized collection type class java.lang.String'],
    ['CreateQueue', '{"Attributes":{"DelaySeconds":{}}}', 'Start of structure or map found where not expected.'],
    ['CreateQueue', '{"Attributes":[5]}', 'Start of list found where not expected'],
    ['CreateQueue', '{"tags":["a"]}', 'Start of list found where not expected'],
    ['CreateQueue', '[]', 'Start of list found where not expected'],
    ['CreateQueue', '"x"', 'The request body is not a JSON object.'],
    ['CreateQueue', '5', 'The request body is not a JSON object.'],
    ['CreateQueue', 'null', 'The request body is not a JSON object.'],
  ])('in %s %s', (action, body, message) => {
    expect(refusal(() => decode(action, body))).toMatchObject({
      shape: 'SerializationException',
      httpStatus: 400,
      message,
    });
  });
});

describe('leniency', () => {
  it.each([
    ['5', '5'],
    ['0.1', '0.1'],
    ['-3', '-3'],
    ['true', 'true'],
    ['false', 'false'],
  ])('takes the message body %s for a string', (json, text) => {
    expect(decode('SendMessage', `{"MessageBody":${json}}`)).toEqual({ MessageBody: text });
    expect(decode('SendMessageBatch', `{"Entries":[{"MessageBody":${json}}]}`)).toEqual({
      Entries: [{ MessageBody: text }],
    });
  });

  it('refuses a number for a body when it could not give back its digits', () => {
    expect(refusal(() => decode('SendMessage', '{"MessageBody":12345678901234567890}')).message).toBe(
      'NUMBER_VALUE can not be converted to a String',
    );
  });

  it('takes scalars for values of attributes and tags', () => {
    expect(decode('CreateQueue', '{"Attributes":{"DelaySeconds":5,"FifoQueue":true},"tags":{"a":1}}')).toEqual({
      Attributes: { DelaySeconds: '5', FifoQueue: 'true' },
      tags: { a: '1' },
    });
  });

  it.each<ActionName>(['CreateQueue', 'SetQueueAttributes'])('takes a list of names for attributes of %s', (action) => {
    expect(decode(action, '{"Attributes":["DelaySeconds","x"]}')).toEqual({
      Attributes: { 0: 'DelaySeconds', 1: 'x' },
    });
    expect(decode(action, '{"Attributes":[]}')).toEqual({ Attributes: {} });
  });
});

describe('base64', () => {
  function binary(text: string): string {
    return JSON.stringify({ MessageAttributes: { a: { BinaryValue: text } } });
  }

  it.each(['', 'AA==', 'AAA=', 'AAAA', '+/+/'])('%o is valid', (text) => {
    expect(decode('SendMessage', binary(text))).toEqual({
      MessageAttributes: { a: { BinaryValue: Buffer.from(text, 'base64') } },
    });
  });

  it.each(['A', 'AA', 'AAA', 'A===', '====', '=AAA', 'A=AA', 'AA==AA==', 'AA A', 'AAA\n', '-_-_', 'AAAÄ', '😀😀'])(
    '%o is not',
    (text) => {
      expect(refusal(() => decode('SendMessage', binary(text))).message).toBe(
        'STRING_VALUE can not be converted to a Blob',
      );
    },
  );
});

describe('a body that is not JSON', () => {
  it.each(['{', '{"a":1,}', '{} {}', "{'a':1}", 'Action=ListQueues', '\ufeff{}', '   '])('%o is refused', (body) => {
    expect(refusal(() => decode('ListQueues', body))).toMatchObject({
      shape: 'SerializationException',
      message: 'The request body is not valid JSON.',
    });
  });

  it('is refused when it is not UTF-8 rather than changed', () => {
    const body = Buffer.concat([Buffer.from('{"MessageBody":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(refusal(() => decode('SendMessage', body))).toMatchObject({
      shape: 'SerializationException',
      message: 'The request body is not valid UTF-8.',
    });
  });

  it('is refused when it encodes surrogates in UTF-8', () => {
    const body = Buffer.concat([Buffer.from('{"MessageBody":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]);
    expect(refusal(() => decode('SendMessage', body)).shape).toBe('SerializationException');
  });
});

it('refuses collections of absurd size', () => {
  const items = Array.from({ length: 10_001 }, (_, index) => `k${index}`);
  const message = 'A list or map in the request has more than 10000 items.';
  expect(refusal(() => decode('UntagQueue', JSON.stringify({ TagKeys: items }))).message).toBe(message);
  const tags = Object.fromEntries(items.map((item) => [item, '']));
  expect(refusal(() => decode('TagQueue', JSON.stringify({ Tags: tags }))).message).toBe(message);
  expect(refusal(() => decode('CreateQueue', JSON.stringify({ Attributes: items }))).shape).toBe(
    'SerializationException',
  );
});

it('refuses absurdly many values before it builds them', () => {
  const message = 'The request has more than 20000 values.';
  // Fewer bytes than the largest message has.
  for (const item of ['{}', '[]', '0', 'null', '{"a":0}']) {
    const body = `{"Unknown":[${`${item},`.repeat(1_000_000 / (item.length + 1))}0]}`;
    expect(refusal(() => decode('ListQueues', body)).message).toBe(message);
  }
  expect(refusal(() => decode('ListQueues', '['.repeat(1_000_000))).message).toBe(message);
  // What stands in a string is one value, however large.
  const text = '[{,'.repeat(1_000_000);
  expect(decode('SendMessage', JSON.stringify({ MessageBody: text }))).toEqual({ MessageBody: text });
});

describe('a reply', () => {
  it('has its headers', () => {
    expect(awsJson.encodeReply('CreateQueue', { QueueUrl: 'http://localhost/000000000000/q' }, 'request-1')).toEqual({
      status: 200,
      headers: { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-RequestId': 'request-1' },
      body: '{"QueueUrl":"http://localhost/000000000000/q"}',
    });
  });

  it('is empty for an action without output', () => {
    expect(awsJson.encodeReply('DeleteMessage', undefined, 'request-1')).toMatchObject({ status: 200, body: '' });
  });

  it('leaves out empty lists and maps and what is undefined', () => {
    expect(reply('ReceiveMessage', { Messages: [] })).toEqual({});
    expect(reply('ListQueues', { QueueUrls: [], NextToken: undefined })).toEqual({});
    expect(reply('ListDeadLetterSourceQueues', { queueUrls: [] })).toEqual({});
    expect(reply('ListQueueTags', { Tags: {} })).toEqual({});
    expect(reply('GetQueueAttributes', { Attributes: undefined })).toEqual({});
    expect(reply('SendMessageBatch', { Successful: [], Failed: [] })).toEqual({});
    expect(reply('ReceiveMessage', { Messages: [{ MessageId: 'm', Attributes: {}, MessageAttributes: {} }] })).toEqual({
      Messages: [{ MessageId: 'm' }],
    });
  });

  it('keeps empty strings, zero and false', () => {
    expect(reply('GetQueueAttributes', { Attributes: { Policy: '' } })).toEqual({ Attributes: { Policy: '' } });
    expect(reply('CancelMessageMoveTask', { ApproximateNumberOfMessagesMoved: 0 })).toEqual({
      ApproximateNumberOfMessagesMoved: 0,
    });
    const failure = { Id: 'a', SenderFault: false, Code: 'ServiceUnavailable' };
    expect(reply('DeleteMessageBatch', { Successful: [], Failed: [failure] })).toEqual({ Failed: [failure] });
  });

  it('has bytes in base64, of a view into a larger buffer too', () => {
    const bytes = new Uint8Array([9, 0, 1, 2, 255, 9]).subarray(1, 5);
    const attributes = { bytes: { DataType: 'Binary', BinaryValue: bytes } };
    expect(reply('ReceiveMessage', { Messages: [{ Body: 'b', MessageAttributes: attributes }] })).toEqual({
      Messages: [{ Body: 'b', MessageAttributes: { bytes: { DataType: 'Binary', BinaryValue: 'AAEC/w==' } } }],
    });
  });

  it('keeps a key like __proto__', () => {
    const tags = JSON.parse('{"__proto__":"a"}');
    expect(awsJson.encodeReply('ListQueueTags', { Tags: tags }, 'r').body).toBe('{"Tags":{"__proto__":"a"}}');
    const attributes = JSON.parse('{"__proto__":{"DataType":"String","StringValue":"v"}}');
    const output = { Messages: [{ MessageAttributes: attributes }] };
    expect(awsJson.encodeReply('ReceiveMessage', output, 'r').body).toBe(
      '{"Messages":[{"MessageAttributes":{"__proto__":{"DataType":"String","StringValue":"v"}}}]}',
    );
  });

  it('has only members of the shape', () => {
    const output = { MessageId: 'm', secret: 'x' };
    expect(reply('SendMessage', output)).toEqual({ MessageId: 'm' });
    const received = { Messages: [{ Body: 'b', secret: 'x' }], secret: 'x' };
    expect(reply('ReceiveMessage', received)).toEqual({ Messages: [{ Body: 'b' }] });
  });

  it('has longs as numbers', () => {
    expect(reply('ListMessageMoveTasks', { Results: [{ StartedTimestamp: 1_700_000_000_123 }] })).toEqual({
      Results: [{ StartedTimestamp: 1_700_000_000_123 }],
    });
  });
});

describe('an error', () => {
  it('has its shape in the body and its Query code in a header', () => {
    const error = new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    expect(awsJson.encodeError(error, 'request-1')).toEqual({
      status: 400,
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'x-amzn-RequestId': 'request-1',
        'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
      },
      body: '{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"The specified queue does not exist."}',
    });
  });

  it('of the front layer has another namespace', () => {
    const reply = awsJson.encodeError(invalidParameter('No.'), 'request-1');
    expect(JSON.parse(String(reply.body))).toEqual({
      __type: 'com.amazon.coral.service#InvalidParameterValueException',
      message: 'No.',
    });
    expect(reply.headers['x-amzn-query-error']).toBe('InvalidParameterValue;Sender');
  });

  it('of ours is the fault of the receiver', () => {
    const reply = awsJson.encodeError(new SqsError('InternalFailure', 'Oops.'), 'request-1');
    expect(reply.status).toBe(500);
    expect(reply.headers['x-amzn-query-error']).toBe('InternalFailure;Receiver');
  });

  it('of access control has its text under Message', () => {
    const reply = awsJson.encodeError(new SqsError('AccessDeniedException', 'No.'), 'request-1');
    expect(JSON.parse(String(reply.body))).toEqual({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      Message: 'No.',
    });
  });
});
