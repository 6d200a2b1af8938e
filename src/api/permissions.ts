import { STATEMENT_ACTIONS_MAX } from '../auth/policy/limits.ts';
import { isAwsPrincipal } from '../auth/policy/principal-set.ts';
import { OWNER_ONLY_ACTIONS } from '../auth/policy/sqs-actions.ts';
import { invalidParameter, missingParameter, SqsError } from '../protocol/model/errors.ts';
import { partitionOfRegion, type QueueRecord, queueArn } from '../queue/record.ts';
import { isAccountId } from './account.ts';
import { readPolicy, type Statement, writePolicy } from './policy-document.ts';

/** What AddPermission and RemovePermission do to a queue's Policy attribute (SQS: section 9.1). */

const GRANTABLE = new Set([
  '*',
  'ChangeMessageVisibility',
  'DeleteMessage',
  'GetQueueAttributes',
  'GetQueueUrl',
  'ListDeadLetterSourceQueues',
  'PurgeQueue',
  'ReceiveMessage',
  'SendMessage',
]);

const OWNER_ONLY: ReadonlySet<string> = new Set(OWNER_ONLY_ACTIONS);

const LABEL = /^[A-Za-z0-9_-]{1,80}$/;

/** @throws SqsError MissingParameter or InvalidParameterValue. */
export function checkLabel(label: string | undefined): string {
  if (!label) throw missingParameter('Label');
  if (LABEL.test(label)) return label;
  throw invalidLabel(label, 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.');
}

/** @throws SqsError MissingParameter, InvalidParameterValue or OverLimit. */
export function checkActions(actions: readonly string[] | undefined): readonly string[] {
  // The name of the parameter in AWS Query, in both protocols.
  if (!actions?.length) throw missingParameter('ActionName');
  if (actions.length > STATEMENT_ACTIONS_MAX) {
    throw new SqsError(
      'OverLimit',
      `${actions.length} Actions were found, maximum allowed is ${STATEMENT_ACTIONS_MAX}.`,
    );
  }
  for (const action of actions) {
    if (GRANTABLE.has(action)) continue;
    throw invalidParameter(
      `Value SQS:${action} for parameter ActionName is invalid. Reason: ` +
        (OWNER_ONLY.has(action)
          ? 'Only the queue owner is allowed to invoke this action.'
          : 'Please refer to the appropriate WSDL for a list of valid actions.'),
    );
  }
  return actions;
}

/** @throws SqsError MissingParameter or InvalidParameterValue. */
export function checkAccounts(accounts: readonly string[] | undefined): readonly string[] {
  if (accounts === undefined) throw missingParameter('AWSAccountIds');
  const unknown = accounts.filter((account) => !isAwsPrincipal(account));
  if (accounts.length > 0 && unknown.length === 0) return accounts;
  throw invalidParameter(
    `Value [${unknown.join(', ')}] for parameter PrincipalId is invalid. Reason: Unable to verify.`,
  );
}

/**
 * The Policy attribute with one more statement.
 *
 * @throws SqsError InvalidParameterValue when the label is taken, OverLimit.
 */
export function withPermission(
  queue: QueueRecord,
  permission: { label: string; accounts: readonly string[]; actions: readonly string[] },
): string {
  const arn = queueArn(queue);
  const policy =
    queue.attributes.Policy === undefined
      ? { Version: '2008-10-17', Id: `${arn}/SQSDefaultPolicy`, Statement: [] }
      : readPolicy(queue.attributes.Policy);
  if (policy.Statement.some(({ Sid }) => Sid === permission.label)) {
    throw invalidLabel(permission.label, 'Already exists.');
  }
  const partition = partitionOfRegion(queue.scope.region);
  const principals = permission.accounts.map((account) =>
    isAccountId(account) ? `arn:${partition}:iam::${account}:root` : account,
  );
  const statement: Statement = {
    Sid: permission.label,
    Effect: 'Allow',
    Principal: { AWS: oneOrMany(principals) },
    Action: oneOrMany(permission.actions.map((action) => `SQS:${action}`)),
    Resource: arn,
  };
  return writePolicy({ ...policy, Statement: [...policy.Statement, statement] });
}

/**
 * The Policy attribute without one statement, or undefined when it was the last.
 *
 * @throws SqsError InvalidParameterValue when there is none of this label.
 */
export function withoutPermission(queue: QueueRecord, label: string): string | undefined {
  const policy = queue.attributes.Policy === undefined ? undefined : readPolicy(queue.attributes.Policy);
  const rest = policy?.Statement.filter(({ Sid }) => Sid !== label);
  if (policy === undefined || rest?.length === policy.Statement.length) {
    throw invalidLabel(label, "can't find label.");
  }
  return rest?.length ? JSON.stringify({ ...policy, Statement: rest }) : undefined;
}

function oneOrMany(texts: string[]): string | string[] {
  return texts.length === 1 && texts[0] !== undefined ? texts[0] : texts;
}

function invalidLabel(label: string, reason: string): SqsError {
  return invalidParameter(`Value ${label} for parameter Label is invalid. Reason: ${reason}`);
}
