import { describe, expect, it } from 'vitest';
import { awsQueryCodecFor } from './aws-query.ts';
import { invalidParameter, SqsError } from './model/errors.ts';
import type { ActionName, ActionOutputs } from './model/shapes.ts';
import type { Call, WireRequest } from './wire.ts';

function post(form: string | Buffer, extra: Partial<WireRequest> = {}): WireRequest {
  return {
    method: 'POST',
    path: '/',
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: Buffer.from(form),
    ...extra,
  };
}

function get(query: string): WireRequest {
  return { method: 'GET', path: '/000000000000/orders', query, headers: {}, body: Buffer.alloc(0) };
}

function decode(request: WireRequest): Call {
  return awsQueryCodecFor(request).decode(request);
}

/** The input of an action from `name=value` lines, each still to be encoded. */
function inputOf(action: ActionName, ...parameters: string[]): unknown {
  const form = parameters.map((parameter) => {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  });
  const call = decode(post([`Action=${action}`, 'Version=2012-11-05', ...form].join('&')));
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

function xml<Action extends ActionName>(action: Action, output: ActionOutputs[Action]): string {
  return String(awsQueryCodecFor(post('')).encodeReply(action, output, 'request-1').body);
}

/** What stands in the result element of a reply. */
function result<Action extends ActionName>(action: Action, output: ActionOutputs[Action]): string | undefined {
  return xml(action, output).match(new RegExp(`<${action}Result>(.*)</${action}Result>`, 's'))?.[1];
}

describe('the action', () => {
  it('is a parameter of the form', () => {
    expect(decode(post('Action=ListQueues&QueueNamePrefix=a'))).toEqual({
      action: 'ListQueues',
      input: { QueueNamePrefix: 'a' },
    });
  });

  it('is a parameter of the URL', () => {
    expect(decode(get('Action=SendMessage&MessageBody=hello&Version=2012-11-05'))).toEqual({
      action: 'SendMessage',
      input: { MessageBody: 'hello' },
    });
  });

  it('may have its parameters in both', () => {
    expect(decode(post('QueueNamePrefix=a&MaxResults=5', { query: 'Action=ListQueues&MaxResults=7' }))).toEqual({
      action: 'ListQueues',
      input: { QueueNamePrefix: 'a', MaxResults: 5 },
    });
  });

  it.each(['', '&Version=1999-01-01', '&Version='])('needs no proper version: %o', (version) => {
    expect(decode(post(`Action=ListQueues${version}`)).action).toBe('ListQueues');
  });

  it('works without a content type', () => {
    expect(decode(post('Action=ListQueues', { headers: {} })).action).toBe('ListQueues');
  });

  it.each(['FooBar', 'sendMessage', '__proto__', 'toString', ''])('%o is unknown', (action) => {
    expect(refusal(() => decode(post(`Action=${action}`)))).toMatchObject({
      queryCode: 'InvalidAction',
      httpStatus: 400,
      message: `The action ${action} is not valid for this endpoint.`,
    });
  });

  it('must be in a form', () => {
    expect(refusal(() => decode(post('QueueUrl=x')))).toMatchObject({ queryCode: 'MissingAction', httpStatus: 400 });
    expect(refusal(() => decode(post('{"QueueUrl":"x"}'))).queryCode).toBe('MissingAction');
    expect(refusal(() => decode(post('Action.1=ListQueues'))).queryCode).toBe('MissingAction');
  });

  it.each([undefined, 'application/json'])('missing in a GET is answered with 404 in XML, accepting %o', (accept) => {
    const request = { ...get('QueueUrl=x'), headers: { accept } };
    const error = refusal(() => decode(request));
    expect(awsQueryCodecFor(request).encodeError(error, 'request-1')).toEqual({
      status: 404,
      headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': 'request-1' },
      body: '<UnknownOperationException/>',
    });
  });
});

describe('encoding', () => {
  it('takes plus and percent for what they stand for', () => {
    expect(decode(post('Action=SendMessage&MessageBody=a+b%2Bc%26d%3De%0D%0A%C3%BC%F0%9F%98%80')).input).toEqual({
      MessageBody: 'a b+c&d=e\r\nü😀',
    });
    expect(decode(post('Action=TagQueue&Tag%2E1%2EKey=a+b&Tag.1.Value=')).input).toEqual({ Tags: { 'a b': '' } });
  });

  it('takes raw UTF-8, in the body and in the URL as Node hands it over', () => {
    expect(decode(post('Action=SendMessage&MessageBody=ü=1')).input).toEqual({ MessageBody: 'ü=1' });
    const query = Buffer.from('Action=SendMessage&MessageBody=ü').toString('latin1');
    expect(decode(get(query)).input).toEqual({ MessageBody: 'ü' });
  });

  it('does not touch the body it reads from', () => {
    const request = post('Action=SendMessage&MessageBody=a+b');
    decode(request);
    expect(request.body.toString()).toBe('Action=SendMessage&MessageBody=a+b');
  });

  it('does not mind empty pairs or a missing equals sign', () => {
    expect(decode(post('&&Action=ListQueues&&QueueNamePrefix&')).input).toEqual({ QueueNamePrefix: '' });
  });

  it.each(['%', '%4', '%zz', '%ff', '%C3', '%ED%A0%80', '%C0%80'])('refuses %s', (text) => {
    for (const form of [`Action=SendMessage&MessageBody=${text}`, `Action=SendMessage&${text}=x`]) {
      expect(refusal(() => decode(post(form)))).toMatchObject({
        queryCode: 'MalformedInput',
        httpStatus: 400,
        message: 'The request parameters are not valid percent-encoded UTF-8.',
      });
    }
  });

  it('refuses raw bytes that are not UTF-8', () => {
    const form = Buffer.concat([Buffer.from('Action=SendMessage&MessageBody='), Buffer.from([0xff])]);
    expect(refusal(() => decode(post(form))).queryCode).toBe('MalformedInput');
    expect(refusal(() => decode(get('Action=SendMessage&MessageBody=\xff'))).queryCode).toBe('MalformedInput');
  });

  it('refuses parameters without end', () => {
    expect(refusal(() => decode(post(`Action=ListQueues${'&a'.repeat(10_000)}`))).message).toBe(
      'The request has more than 10000 parameters.',
    );
  });

  it('ignores names that go too deep', () => {
    expect(inputOf('ListQueues', `QueueNamePrefix${'.x'.repeat(16)}=a`, 'NextToken=t')).toEqual({ NextToken: 't' });
  });
});

describe('scalars', () => {
  it('have the names of their members', () => {
    expect(
      inputOf(
        'ReceiveMessage',
        'QueueUrl=u',
        'MaxNumberOfMessages=10',
        'VisibilityTimeout=0',
        'WaitTimeSeconds=-1',
        'ReceiveRequestAttemptId=r',
        'X-Amz-Signature=s',
        'Nothing.1.Known=x',
      ),
    ).toEqual({
      QueueUrl: 'u',
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      WaitTimeSeconds: -1,
      ReceiveRequestAttemptId: 'r',
    });
  });

  it('are absent when only longer names exist', () => {
    expect(inputOf('SendMessage', 'MessageBody.1=a', 'DelaySeconds.x=1')).toEqual({});
  });

  it('leave their range to the action', () => {
    expect(inputOf('SendMessage', 'DelaySeconds=4294967296')).toEqual({ DelaySeconds: 4294967296 });
  });

  it.each(['soon', '', '1.5', '1e3', ' 1', '0x1', '99999999999999999999', 'NaN'])('%o is no integer', (text) => {
    expect(refusal(() => inputOf('SendMessage', `DelaySeconds=${text}`))).toMatchObject({
      queryCode: 'InvalidParameterValue',
      httpStatus: 400,
      message: `Value ${text} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be an integer.`,
    });
  });

  it('let the last of equal names win', () => {
    expect(inputOf('SendMessage', 'MessageBody=a', 'MessageBody=b')).toEqual({ MessageBody: 'b' });
  });
});

describe('lists', () => {
  it.each<[ActionName, string, string]>([
    ['AddPermission', 'AWSAccountIds', 'AWSAccountId'],
    ['AddPermission', 'Actions', 'ActionName'],
    ['UntagQueue', 'TagKeys', 'TagKey'],
    ['GetQueueAttributes', 'AttributeNames', 'AttributeName'],
    ['ReceiveMessage', 'MessageAttributeNames', 'MessageAttributeName'],
  ])('of %s: %s are %s.N', (action, member, name) => {
    expect(inputOf(action, `${name}.1=a`, `${name}.2=b`)).toEqual({ [member]: ['a', 'b'] });
  });

  it('are in the order of their numbers, gaps or not', () => {
    const names = [10, 9, 1, 100, 33].map((index) => `TagKey.${index}=k${index}`);
    expect(inputOf('UntagQueue', ...names)).toEqual({ TagKeys: ['k1', 'k9', 'k10', 'k33', 'k100'] });
  });

  it('may be empty', () => {
    expect(inputOf('UntagQueue', 'TagKey=')).toEqual({ TagKeys: [] });
    expect(inputOf('DeleteMessageBatch', 'DeleteMessageBatchRequestEntry=')).toEqual({ Entries: [] });
  });

  it('are absent when nothing has a number', () => {
    expect(inputOf('UntagQueue', 'TagKey.x=a', 'TagKey.-1=b', 'TagKey.1e1=c')).toEqual({});
  });

  it('may have a single item without number', () => {
    expect(inputOf('GetQueueAttributes', 'AttributeName=All')).toEqual({ AttributeNames: ['All'] });
  });

  it('may be written as if not flattened', () => {
    expect(inputOf('GetQueueAttributes', 'AttributeName.member.2=b', 'AttributeName.member.1=a')).toEqual({
      AttributeNames: ['a', 'b'],
    });
  });

  it('keep empty items', () => {
    expect(inputOf('GetQueueAttributes', 'AttributeName.1=')).toEqual({ AttributeNames: [''] });
  });

  it('of attribute names and of system attribute names are the same', () => {
    expect(inputOf('ReceiveMessage', 'AttributeName.1=SentTimestamp', 'AttributeName.1=SenderId')).toEqual({
      AttributeNames: ['SenderId'],
      MessageSystemAttributeNames: ['SenderId'],
    });
  });
});

describe('maps', () => {
  it.each<[ActionName, string, string, string]>([
    ['CreateQueue', 'Attributes', 'Attribute', 'Name'],
    ['SetQueueAttributes', 'Attributes', 'Attribute', 'Name'],
    ['CreateQueue', 'tags', 'Tag', 'Key'],
    ['TagQueue', 'Tags', 'Tag', 'Key'],
  ])('of %s: %s are %s.N.%s', (action, member, name, key) => {
    expect(
      inputOf(action, `${name}.1.${key}=a`, `${name}.1.Value=b`, `${name}.2.Value=`, `${name}.2.${key}=c`),
    ).toEqual({ [member]: { a: 'b', c: '' } });
  });

  it('may be empty', () => {
    expect(inputOf('SetQueueAttributes', 'Attribute=')).toEqual({ Attributes: {} });
  });

  it('may have one entry without number, as SetQueueAttributes once was', () => {
    expect(inputOf('SetQueueAttributes', 'Attribute.Name=DelaySeconds', 'Attribute.Value=5')).toEqual({
      Attributes: { DelaySeconds: '5' },
    });
  });

  it('need the name and the value of every entry', () => {
    expect(refusal(() => inputOf('SetQueueAttributes', 'Attribute.1.Name=DelaySeconds'))).toMatchObject({
      queryCode: 'MissingParameter',
      message: 'The request must contain the parameter Attribute.Value.',
    });
    expect(refusal(() => inputOf('SetQueueAttributes', 'Attribute.1.Value=5')).message).toBe(
      'The request must contain the parameter Attribute.Name.',
    );
    expect(refusal(() => inputOf('TagQueue', 'Tag.1.Value=5')).message).toBe(
      'The request must contain the parameter Tag.Key.',
    );
  });

  it('are safe from keys that mean something to JavaScript', () => {
    const { Tags } = inputOf('TagQueue', 'Tag.1.Key=__proto__', 'Tag.1.Value=a') as { Tags: object };
    expect(Object.entries(Tags)).toEqual([['__proto__', 'a']]);
  });
});

describe('message attributes', () => {
  it('are maps of structures', () => {
    expect(
      inputOf(
        'SendMessage',
        'MessageBody=b',
        'MessageAttribute.1.Name=text',
        'MessageAttribute.1.Value.DataType=String',
        'MessageAttribute.1.Value.StringValue=x',
        'MessageAttribute.2.Name=bytes',
        'MessageAttribute.2.Value.DataType=Binary',
        'MessageAttribute.2.Value.BinaryValue=AAEC/w==',
        'MessageAttribute.3.Name=lists',
        'MessageAttribute.3.Value.StringListValue.1=a',
        'MessageAttribute.3.Value.BinaryListValue.1=AA==',
        'MessageSystemAttribute.1.Name=AWSTraceHeader',
        'MessageSystemAttribute.1.Value.DataType=String',
        'MessageSystemAttribute.1.Value.StringValue=Root=1',
      ),
    ).toEqual({
      MessageBody: 'b',
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x' },
        bytes: { DataType: 'Binary', BinaryValue: Buffer.from([0, 1, 2, 255]) },
        lists: { StringListValues: ['a'], BinaryListValues: [Buffer.from([0])] },
      },
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1' } },
    });
  });

  it('nest in the entries of a batch', () => {
    const prefix = 'SendMessageBatchRequestEntry';
    expect(
      inputOf(
        'SendMessageBatch',
        `${prefix}.2.Id=b`,
        `${prefix}.1.Id=a`,
        `${prefix}.1.MessageBody=body`,
        `${prefix}.1.DelaySeconds=5`,
        `${prefix}.1.MessageGroupId=g`,
        `${prefix}.1.MessageDeduplicationId=d`,
        `${prefix}.1.MessageAttribute.1.Name=k`,
        `${prefix}.1.MessageAttribute.1.Value.DataType=String`,
        `${prefix}.1.MessageAttribute.1.Value.StringValue=v`,
        `${prefix}.1.MessageSystemAttribute.1.Name=AWSTraceHeader`,
        `${prefix}.1.MessageSystemAttribute.1.Value.StringValue=t`,
      ),
    ).toEqual({
      Entries: [
        {
          Id: 'a',
          MessageBody: 'body',
          DelaySeconds: 5,
          MessageGroupId: 'g',
          MessageDeduplicationId: 'd',
          MessageAttributes: { k: { DataType: 'String', StringValue: 'v' } },
          MessageSystemAttributes: { AWSTraceHeader: { StringValue: 't' } },
        },
        { Id: 'b' },
      ],
    });
  });

  it('without name or value are for the action to refuse', () => {
    expect(inputOf('SendMessage', 'MessageAttribute.1.Value.DataType=String')).toEqual({
      MessageAttributes: { '': { DataType: 'String' } },
    });
    expect(inputOf('SendMessage', 'MessageAttribute.1.Name=a')).toEqual({ MessageAttributes: { a: {} } });
  });

  it('must have bytes in base64', () => {
    expect(
      refusal(() => inputOf('SendMessage', 'MessageAttribute.1.Name=a', 'MessageAttribute.1.Value.BinaryValue=?')),
    ).toMatchObject({
      queryCode: 'InvalidParameterValue',
      message: 'The value for parameter BinaryValue is invalid. Reason: BinaryValue must be encoded in Base64.',
    });
  });
});

it('has the entries of the other batches under their own names', () => {
  expect(
    inputOf(
      'DeleteMessageBatch',
      'DeleteMessageBatchRequestEntry.1.Id=a',
      'DeleteMessageBatchRequestEntry.1.ReceiptHandle=r',
    ),
  ).toEqual({ Entries: [{ Id: 'a', ReceiptHandle: 'r' }] });
  expect(
    inputOf(
      'ChangeMessageVisibilityBatch',
      'ChangeMessageVisibilityBatchRequestEntry.1.Id=a',
      'ChangeMessageVisibilityBatchRequestEntry.1.ReceiptHandle=r',
      'ChangeMessageVisibilityBatchRequestEntry.1.VisibilityTimeout=9',
    ),
  ).toEqual({ Entries: [{ Id: 'a', ReceiptHandle: 'r', VisibilityTimeout: 9 }] });
});

describe('a reply in XML', () => {
  it('has an envelope', () => {
    const output = { MessageId: 'm', MD5OfMessageBody: 'd' };
    expect(awsQueryCodecFor(post('')).encodeReply('SendMessage', output, 'request-1')).toEqual({
      status: 200,
      headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': 'request-1' },
      body:
        '<?xml version="1.0"?><SendMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">' +
        '<SendMessageResult><MessageId>m</MessageId><MD5OfMessageBody>d</MD5OfMessageBody></SendMessageResult>' +
        '<ResponseMetadata><RequestId>request-1</RequestId></ResponseMetadata></SendMessageResponse>',
    });
  });

  it('has no result element for an action without output', () => {
    expect(xml('DeleteMessage', undefined)).toBe(
      '<?xml version="1.0"?><DeleteMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">' +
        '<ResponseMetadata><RequestId>request-1</RequestId></ResponseMetadata></DeleteMessageResponse>',
    );
  });

  it('has an empty result element when there is nothing to say', () => {
    expect(xml('ReceiveMessage', { Messages: [] })).toContain('<ReceiveMessageResult/>');
    expect(xml('ListQueueTags', { Tags: {} })).toContain('<ListQueueTagsResult/>');
    expect(xml('SendMessageBatch', { Successful: [], Failed: [] })).toContain('<SendMessageBatchResult/>');
  });

  it('has messages with their elements in order', () => {
    const message = {
      MD5OfMessageAttributes: 'ma',
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 'x' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 1]) },
      },
      Attributes: { SenderId: 's', SentTimestamp: '1' },
      Body: 'b',
      MD5OfBody: 'mb',
      ReceiptHandle: 'r',
      MessageId: 'm',
    };
    expect(result('ReceiveMessage', { Messages: [message, { MessageId: 'n' }] })).toBe(
      '<Message><MessageId>m</MessageId><ReceiptHandle>r</ReceiptHandle><MD5OfBody>mb</MD5OfBody><Body>b</Body>' +
        '<Attribute><Name>SenderId</Name><Value>s</Value></Attribute>' +
        '<Attribute><Name>SentTimestamp</Name><Value>1</Value></Attribute>' +
        '<MessageAttribute><Name>text</Name><Value><StringValue>x</StringValue><DataType>String</DataType></Value>' +
        '</MessageAttribute>' +
        '<MessageAttribute><Name>bytes</Name><Value><BinaryValue>AAE=</BinaryValue><DataType>Binary</DataType></Value>' +
        '</MessageAttribute>' +
        '<MD5OfMessageAttributes>ma</MD5OfMessageAttributes></Message><Message><MessageId>n</MessageId></Message>',
    );
  });

  it('has lists and maps flattened', () => {
    const urls = '<QueueUrl>a</QueueUrl><QueueUrl>b</QueueUrl><NextToken>t</NextToken>';
    expect(result('ListQueues', { QueueUrls: ['a', 'b'], NextToken: 't' })).toBe(urls);
    expect(result('ListDeadLetterSourceQueues', { queueUrls: ['a', 'b'], NextToken: 't' })).toBe(urls);
    expect(result('GetQueueAttributes', { Attributes: { DelaySeconds: '5', Policy: '' } })).toBe(
      '<Attribute><Name>DelaySeconds</Name><Value>5</Value></Attribute>' +
        '<Attribute><Name>Policy</Name><Value></Value></Attribute>',
    );
    expect(result('ListQueueTags', { Tags: { a: 'b' } })).toBe('<Tag><Key>a</Key><Value>b</Value></Tag>');
  });

  it('has the entries of batches', () => {
    const failure = { Id: 'f', SenderFault: true, Code: 'InvalidParameterValue', Message: 'No.' };
    const failed =
      '<BatchResultErrorEntry><Id>f</Id><SenderFault>true</SenderFault><Code>InvalidParameterValue</Code>' +
      '<Message>No.</Message></BatchResultErrorEntry>';
    const sent = { Id: 'a', MessageId: 'm', MD5OfMessageBody: 'd', SequenceNumber: '1' };
    expect(result('SendMessageBatch', { Successful: [sent], Failed: [failure] })).toBe(
      '<SendMessageBatchResultEntry><Id>a</Id><MessageId>m</MessageId><MD5OfMessageBody>d</MD5OfMessageBody>' +
        `<SequenceNumber>1</SequenceNumber></SendMessageBatchResultEntry>${failed}`,
    );
    expect(result('DeleteMessageBatch', { Successful: [{ Id: 'a' }], Failed: [failure] })).toBe(
      `<DeleteMessageBatchResultEntry><Id>a</Id></DeleteMessageBatchResultEntry>${failed}`,
    );
    expect(result('ChangeMessageVisibilityBatch', { Successful: [{ Id: 'a' }], Failed: [] })).toBe(
      '<ChangeMessageVisibilityBatchResultEntry><Id>a</Id></ChangeMessageVisibilityBatchResultEntry>',
    );
  });

  it('has numbers', () => {
    expect(
      result('ListMessageMoveTasks', { Results: [{ Status: 'RUNNING', StartedTimestamp: 1_700_000_000_123 }] }),
    ).toBe(
      '<ListMessageMoveTasksResultEntry><Status>RUNNING</Status><StartedTimestamp>1700000000123</StartedTimestamp>' +
        '</ListMessageMoveTasksResultEntry>',
    );
  });

  it('brings a body through an XML parser as it is', () => {
    expect(result('ReceiveMessage', { Messages: [{ Body: '<a b="c">\r\n\t&\u00a0\'😀</a>' }] })).toBe(
      "<Message><Body>&lt;a b=&quot;c&quot;&gt;&#xD;\n\t&amp;\u00a0'😀&lt;/a&gt;</Body></Message>",
    );
  });
});

describe('an error in XML', () => {
  it('has an envelope', () => {
    expect(awsQueryCodecFor(post('')).encodeError(invalidParameter('Not "that".'), 'request-1')).toEqual({
      status: 400,
      headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': 'request-1' },
      body:
        '<?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error>' +
        '<Type>Sender</Type><Code>InvalidParameterValue</Code><Message>Not &quot;that&quot;.</Message><Detail/></Error>' +
        '<RequestId>request-1</RequestId></ErrorResponse>',
    });
  });

  it('says of a queue that does not exist what only this protocol says', () => {
    const error = new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    expect(awsQueryCodecFor(post('')).encodeError(error, 'r').body).toContain(
      '<Code>AWS.SimpleQueueService.NonExistentQueue</Code>' +
        '<Message>The specified queue does not exist for this wsdl version.</Message>',
    );
  });

  it('of ours is the fault of the receiver', () => {
    const reply = awsQueryCodecFor(post('')).encodeError(new SqsError('ServiceUnavailable', 'Later.'), 'r');
    expect(reply.status).toBe(503);
    expect(reply.body).toContain('<Type>Receiver</Type><Code>ServiceUnavailable</Code>');
  });

  it('is valid XML whatever it quotes', () => {
    const { body } = awsQueryCodecFor(post('')).encodeError(invalidParameter('a\0b\u001fc\ud800d\uffffe'), 'r');
    expect(body).toContain('<Message>a\ufffdb\ufffdc\ufffdd\ufffde</Message>');
  });
});

describe('a reply in JSON', () => {
  const codec = awsQueryCodecFor({ ...get(''), headers: { accept: 'application/json' } });

  it('has an envelope', () => {
    const { headers, body } = codec.encodeReply('SendMessage', { MessageId: 'm', MD5OfMessageBody: 'd' }, 'request-1');
    expect(headers).toEqual({ 'Content-Type': 'application/json', 'x-amzn-RequestId': 'request-1' });
    expect(body).toBe(
      '{"SendMessageResponse":{"SendMessageResult":{"MD5OfMessageAttributes":null,"MD5OfMessageBody":"d",' +
        '"MD5OfMessageSystemAttributes":null,"MessageId":"m","SequenceNumber":null},' +
        '"ResponseMetadata":{"RequestId":"request-1"}}}',
    );
  });

  it('has no result for an action without output', () => {
    expect(codec.encodeReply('DeleteMessage', undefined, 'request-1').body).toBe(
      '{"DeleteMessageResponse":{"ResponseMetadata":{"RequestId":"request-1"}}}',
    );
  });

  it('has maps as lists of pairs, and its own names', () => {
    const message = {
      MessageId: 'm',
      Attributes: { SenderId: 's' },
      MessageAttributes: { k: { DataType: 'Binary', BinaryValue: new Uint8Array([0]) } },
    };
    const { body } = codec.encodeReply('ReceiveMessage', { Messages: [message] }, 'r');
    expect(JSON.parse(String(body)).ReceiveMessageResponse.ReceiveMessageResult).toEqual({
      messages: [
        {
          Attributes: [{ Name: 'SenderId', Value: 's' }],
          Body: null,
          MD5OfBody: null,
          MD5OfMessageAttributes: null,
          MessageAttributes: [
            {
              Name: 'k',
              Value: {
                BinaryListValues: null,
                BinaryValue: 'AA==',
                DataType: 'Binary',
                StringListValues: null,
                StringValue: null,
              },
            },
          ],
          MessageId: 'm',
          ReceiptHandle: null,
        },
      ],
    });
    expect(JSON.parse(String(codec.encodeReply('ListQueues', { QueueUrls: ['a'] }, 'r').body))).toEqual({
      ListQueuesResponse: {
        ListQueuesResult: { NextToken: null, queueUrls: ['a'] },
        ResponseMetadata: { RequestId: 'r' },
      },
    });
    expect(JSON.parse(String(codec.encodeReply('ListQueueTags', { Tags: { a: 'b' } }, 'r').body))).toMatchObject({
      ListQueueTagsResponse: { ListQueueTagsResult: { Tags: [{ Key: 'a', Value: 'b' }] } },
    });
  });

  it('has null for what is empty', () => {
    expect(codec.encodeReply('ReceiveMessage', { Messages: [] }, 'r').body).toBe(
      '{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":null},"ResponseMetadata":{"RequestId":"r"}}}',
    );
    expect(JSON.parse(String(codec.encodeReply('GetQueueAttributes', { Attributes: {} }, 'r').body))).toMatchObject({
      GetQueueAttributesResponse: { GetQueueAttributesResult: { Attributes: null } },
    });
  });

  it('has errors too', () => {
    const error = new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    const reply = codec.encodeError(error, 'request-1');
    expect(reply.status).toBe(400);
    expect(JSON.parse(String(reply.body))).toEqual({
      Error: {
        Code: 'AWS.SimpleQueueService.NonExistentQueue',
        Message: 'The specified queue does not exist for this wsdl version.',
        Type: 'Sender',
      },
      RequestId: 'request-1',
    });
  });
});
