import type { ActionInputs, ActionName } from '../../src/protocol/model/shapes.ts';

/** The queues that the inputs are about. */
export interface Queues {
  url: string;
  /** `url` is a dead-letter queue of at least one queue. */
  arn: string;
  /** What the queue with the name `created` is to be called. */
  newName: string;
}

/** One input for each action that is valid but for its receipt handles and its task, with every member there is. */
export function validInputs({ url: QueueUrl, arn, newName }: Queues): { [Name in ActionName]: ActionInputs[Name] } {
  const MessageAttributes = {
    text: { DataType: 'String.label', StringValue: 'a' },
    number: { DataType: 'Number', StringValue: '1' },
    binary: { DataType: 'Binary', BinaryValue: Buffer.from('b') },
  };
  const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1' } };
  const ReceiptHandle = 'AQEBzbVv+garbage';
  return {
    AddPermission: { QueueUrl, Label: 'label', AWSAccountIds: ['111111111111'], Actions: ['SendMessage'] },
    CancelMessageMoveTask: {
      TaskHandle: Buffer.from(JSON.stringify({ taskId: 'none', sourceArn: arn })).toString('base64'),
    },
    ChangeMessageVisibility: { QueueUrl, ReceiptHandle, VisibilityTimeout: 1 },
    ChangeMessageVisibilityBatch: { QueueUrl, Entries: [{ Id: 'a', ReceiptHandle, VisibilityTimeout: 1 }] },
    CreateQueue: {
      QueueName: newName,
      Attributes: { DelaySeconds: '0', RedriveAllowPolicy: '{"redrivePermission":"allowAll"}' },
      tags: { team: 'billing' },
    },
    DeleteMessage: { QueueUrl, ReceiptHandle },
    DeleteMessageBatch: { QueueUrl, Entries: [{ Id: 'a', ReceiptHandle }] },
    DeleteQueue: { QueueUrl },
    GetQueueAttributes: { QueueUrl, AttributeNames: ['All', 'QueueArn'] },
    GetQueueUrl: { QueueName: newName, QueueOwnerAWSAccountId: '000000000000' },
    ListDeadLetterSourceQueues: { QueueUrl, MaxResults: 10 },
    ListMessageMoveTasks: { SourceArn: arn, MaxResults: 10 },
    ListQueueTags: { QueueUrl },
    ListQueues: { QueueNamePrefix: 'q', MaxResults: 10 },
    PurgeQueue: { QueueUrl },
    ReceiveMessage: {
      QueueUrl,
      AttributeNames: ['SenderId'],
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All', 'te.*'],
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      WaitTimeSeconds: 0,
      ReceiveRequestAttemptId: 'attempt',
    },
    RemovePermission: { QueueUrl, Label: 'label' },
    SendMessage: {
      QueueUrl,
      MessageBody: 'body',
      DelaySeconds: 0,
      MessageAttributes,
      MessageSystemAttributes,
      MessageGroupId: 'group',
    },
    SendMessageBatch: {
      QueueUrl,
      Entries: [
        {
          Id: 'a',
          MessageBody: 'body',
          DelaySeconds: 0,
          MessageAttributes,
          MessageSystemAttributes,
          MessageGroupId: 'group',
        },
        { Id: 'b', MessageBody: 'body' },
      ],
    },
    SetQueueAttributes: { QueueUrl, Attributes: { VisibilityTimeout: '30', Policy: '' } },
    StartMessageMoveTask: { SourceArn: arn, MaxNumberOfMessagesPerSecond: 500 },
    TagQueue: { QueueUrl, Tags: { team: 'billing' } },
    UntagQueue: { QueueUrl, TagKeys: ['team'] },
  };
}

/** As AWS JSON carries it: binary values in base64. */
export function toJson(input: object): string {
  return JSON.stringify(input, (_, value) =>
    value?.type === 'Buffer' && Array.isArray(value.data) ? Buffer.from(value.data).toString('base64') : value,
  );
}
