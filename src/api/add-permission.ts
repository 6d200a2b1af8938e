import type { AddPermissionRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { changeQueue } from './catalog.ts';
import { checkAccounts, checkActions, checkLabel, withPermission } from './permissions.ts';

export async function addPermission(
  queue: QueueRecord,
  input: AddPermissionRequest,
  context: ActionContext,
): Promise<undefined> {
  const label = checkLabel(input.Label);
  const actions = checkActions(input.Actions);
  const accounts = checkAccounts(input.AWSAccountIds);
  await changeQueue(queue, context, (current) => ({
    ...current,
    attributes: { ...current.attributes, Policy: withPermission(current, { label, accounts, actions }) },
    modifiedAt: context.platform.now(),
  }));
}
