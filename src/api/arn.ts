import { partitionOfRegion, type QueueRecord, type Scope } from '../queue/record.ts';
import { isAccountId } from './account.ts';
import type { ActionContext } from './action.ts';
import { isQueueName } from './queue-name.ts';

export interface Arn {
  partition: string;
  service: string;
  region: string;
  account: string;
  resource: string;
}

/** Undefined when the text is no ARN with all of its six parts. */
export function parseArn(text: string): Arn | undefined {
  const match = /^arn:([^:]+):([^:]+):([^:]+):([^:]+):(.+)$/s.exec(text);
  if (match === null) return undefined;
  const [, partition = '', service = '', region = '', account = '', resource = ''] = match;
  return { partition, service, region, account, resource };
}

/** The queue an ARN names, if it exists and is of the request's region: a server knows no other. */
export async function findQueueByArn(
  arn: Arn,
  context: Pick<ActionContext, 'scope' | 'queues'>,
): Promise<QueueRecord | undefined> {
  const { region } = context.scope;
  if (arn.service !== 'sqs' || arn.region !== region || arn.partition !== partitionOfRegion(region)) return undefined;
  if (!isAccountId(arn.account) || !isQueueName(arn.resource)) return undefined;
  const scope: Scope = { account: arn.account, region };
  return context.queues.findQueue(scope, arn.resource);
}
