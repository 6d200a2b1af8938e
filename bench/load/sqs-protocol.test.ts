import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from './sqs-protocol.ts';

const { json, query } = PROTOCOLS;

describe('the JSON protocol', () => {
  it('finds values, however the reply is spaced and escaped', () => {
    const reply = Buffer.from('{"Messages":[{"ReceiptHandle":"a+/=","Body":"x"},{"ReceiptHandle" : "b\\/"}]}');
    expect(json.valuesIn(reply, 'ReceiptHandle')).toEqual(['a+/=', 'b/']);
    expect(json.valuesIn(Buffer.from('{}'), 'ReceiptHandle')).toEqual([]);
  });
});

describe('the Query protocol', () => {
  it('names the parts of attributes, entries and lists', () => {
    const input = { QueueName: 'a b', Attributes: { FifoQueue: 'true' }, AttributeNames: ['All'], MaxResults: 5 };
    expect(query.bodyOf('CreateQueue', { ...input, Nothing: undefined })).toBe(
      'Action=CreateQueue&Version=2012-11-05&QueueName=a%20b&Attribute.1.Name=FifoQueue&Attribute.1.Value=true' +
        '&AttributeName.1=All&MaxResults=5',
    );
    const Entries = [
      { Id: '0', ReceiptHandle: 'a+' },
      { Id: '1', ReceiptHandle: 'b' },
    ];
    expect(query.bodyOf('DeleteMessageBatch', { Entries })).toBe(
      'Action=DeleteMessageBatch&Version=2012-11-05&DeleteMessageBatchRequestEntry.1.Id=0' +
        '&DeleteMessageBatchRequestEntry.1.ReceiptHandle=a%2B&DeleteMessageBatchRequestEntry.2.Id=1' +
        '&DeleteMessageBatchRequestEntry.2.ReceiptHandle=b',
    );
  });

  it('finds values', () => {
    const reply = Buffer.from('<R><Message><ReceiptHandle>a+/=</ReceiptHandle></Message></R>');
    expect(query.valuesIn(reply, 'ReceiptHandle')).toEqual(['a+/=']);
  });
});
