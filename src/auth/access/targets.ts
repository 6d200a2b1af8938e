import { isAccountId } from '../../api/account.ts';
import { parseArn } from '../../api/arn.ts';
import { readTaskHandle } from '../../api/move-task.ts';
import { QUEUE_NAME_LENGTH_MAX } from '../../api/queue-name.ts';
import { type QueueReference, queueReferenceOf } from '../../api/queue-url.ts';
import type { ActionInputs, ActionName } from '../../protocol/model/shapes.ts';
import { partitionOfRegion, type Scope } from '../../queue/record.ts';

/** Where a request stands: the account and region it acts in, and the path it was sent to. */
export interface Position {
  scope: Scope;
  path: string;
}

/**
 * The queue that a request is about, for access control, which comes before all checks of parameters. What can be no
 * queue is one without a name, or with one that is too long: nobody has such a queue, and policies for all queues are
 * for it too.
 */
export function targetOf(action: ActionName, input: object, { scope, path }: Position): QueueReference {
  return bounded(referenceOf(action, input, { scope, path }) ?? { scope, name: '' });
}

function referenceOf(action: ActionName, anyInput: object, position: Position): QueueReference | undefined {
  const { scope } = position;
  switch (action) {
    case 'CreateQueue': {
      const { QueueName: name = '' } = anyInput as ActionInputs['CreateQueue'];
      return { scope, name };
    }
    case 'GetQueueUrl': {
      const { QueueName: name = '', QueueOwnerAWSAccountId: account = scope.account } =
        anyInput as ActionInputs['GetQueueUrl'];
      return { scope: { ...scope, account }, name };
    }
    case 'StartMessageMoveTask':
    case 'ListMessageMoveTasks':
      return queueOfArn((anyInput as ActionInputs['ListMessageMoveTasks']).SourceArn, scope);
    case 'CancelMessageMoveTask':
      return queueOfTask((anyInput as ActionInputs['CancelMessageMoveTask']).TaskHandle, scope);
    default:
      return queueReferenceOf((anyInput as { QueueUrl?: string }).QueueUrl, position);
  }
}

/** The queue that a move task is to move to; undefined where it names none. */
export function destinationOf(input: object, scope: Scope): QueueReference | undefined {
  const { DestinationArn: arn } = input as ActionInputs['StartMessageMoveTask'];
  return arn === undefined ? undefined : bounded(queueOfArn(arn, scope) ?? { scope, name: '' });
}

function queueOfArn(text: string | undefined, { region }: Scope): QueueReference | undefined {
  const arn = text === undefined ? undefined : parseArn(text);
  if (arn?.service !== 'sqs' || arn.region !== region || arn.partition !== partitionOfRegion(region)) return undefined;
  return { scope: { account: arn.account, region }, name: arn.resource };
}

function queueOfTask(handle: string | undefined, scope: Scope): QueueReference | undefined {
  try {
    return queueOfArn(readTaskHandle(handle).sourceArn, scope);
  } catch {
    // What is wrong with it the action says, to who may ask.
    return undefined;
  }
}

/** Matching a text takes time by its length, and nobody has shown yet that he may ask for anything. */
function bounded({ scope, name }: QueueReference): QueueReference {
  return {
    scope: isAccountId(scope.account) ? scope : { ...scope, account: '' },
    name: name.length > QUEUE_NAME_LENGTH_MAX ? name.slice(0, QUEUE_NAME_LENGTH_MAX + 1) : name,
  };
}
