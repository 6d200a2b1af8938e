import type { ActionContext } from '../api/action.ts';
import type { runAction } from '../api/actions.ts';
import { SqsError } from '../protocol/model/errors.ts';
import { queueArn } from '../queue/record.ts';
import type { QueueDeclaration, QueueDeclarations } from './config/queue-declarations.ts';
import { ConfigError } from './start-error.ts';

type Run = typeof runAction;

/**
 * Makes the declared queues exist as declared, through the actions a client would use: missing ones are created,
 * existing ones get the attributes and tags that differ. What a declaration does not mention stays as it is, and so do
 * queues that are not declared. Dead-letter queues may stand in any order, because a redrive policy is set only when
 * all queues are there.
 *
 * @throws ConfigError naming the key in `queues` that an action refused, and why.
 */
export async function declareQueues(declarations: QueueDeclarations, run: Run, context: ActionContext): Promise<void> {
  // A queue that somebody deleted a moment ago must not keep the server from starting.
  const patient = { ...context, limits: { ...context.limits, recreateAfterMs: 0 } };
  for (const [name, declaration] of Object.entries(declarations)) {
    await naming(`queues.${name}`, declaration, () => declareQueue(name, declaration, run, patient));
  }
  for (const [name, { redrive }] of Object.entries(declarations)) {
    if (redrive === undefined) continue;
    const policy = {
      deadLetterTargetArn: queueArn({ scope: context.scope, name: redrive.deadLetterQueue }),
      maxReceiveCount: redrive.maxReceiveCount,
    };
    await naming(`queues.${name}.redrive`, {}, () =>
      setAttributes(name, { RedrivePolicy: JSON.stringify(policy) }, run, context),
    );
  }
}

async function declareQueue(name: string, declared: QueueDeclaration, run: Run, context: ActionContext): Promise<void> {
  // The name says it already; SQS wants it said twice.
  const fifo: Record<string, string> = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
  const attributes = { ...fifo, ...declared.attributes };
  const tags = declared.tags ?? {};
  if (await exists(name, run, context)) {
    await setAttributes(name, attributes, run, context);
    if (Object.keys(tags).length > 0) await run('TagQueue', { QueueUrl: name, Tags: tags }, context);
  } else {
    await run('CreateQueue', { QueueName: name, Attributes: attributes, tags }, context);
  }
}

async function exists(name: string, run: Run, context: ActionContext): Promise<boolean> {
  try {
    await run('GetQueueUrl', { QueueName: name }, context);
    return true;
  } catch (error) {
    if (error instanceof SqsError && error.shape === 'QueueDoesNotExist') return false;
    throw error;
  }
}

/** Sets those that differ: a restart with the same file should not count as a change of the queue. */
async function setAttributes(
  name: string,
  attributes: Record<string, string>,
  run: Run,
  context: ActionContext,
): Promise<void> {
  const { Attributes: present = {} } = await run(
    'GetQueueAttributes',
    { QueueUrl: name, AttributeNames: ['All'] },
    context,
  );
  const changed = Object.entries(attributes).filter(([key, value]) => present[key] !== value);
  if (changed.length === 0) return;
  await run('SetQueueAttributes', { QueueUrl: name, Attributes: Object.fromEntries(changed) }, context);
}

/** Names the place in the configuration when an action refuses what stands there. */
async function naming(place: string, declaration: QueueDeclaration, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SqsError) || error.fault !== 'Sender') throw error;
    // SQS names the attribute in its text; where it is one of the declared ones, point right at it.
    const culprit = Object.keys(declaration.attributes ?? {}).find((key) => error.message.includes(key));
    const key = culprit === undefined ? place : `${place}.attributes.${culprit}`;
    throw new ConfigError([`${key}: ${error.message}`], { cause: error });
  }
}
