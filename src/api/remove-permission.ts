import type { RemovePermissionRequest } from '../protocol/model/shapes.ts';
import type { QueueRecord } from '../queue/record.ts';
import type { ActionContext } from './action.ts';
import { changeQueue } from './catalog.ts';
import { checkLabel, withoutPermission } from './permissions.ts';

export async function removePermission(
  queue: QueueRecord,
  input: RemovePermissionRequest,
  context: ActionContext,
): Promise<undefined> {
  const label = checkLabel(input.Label);
  await changeQueue(queue, context, (current) => {
    const { Policy: _, ...others } = current.attributes;
    const policy = withoutPermission(current, label);
    return {
      ...current,
      attributes: policy === undefined ? others : { ...others, Policy: policy },
      modifiedAt: context.platform.now(),
    };
  });
}
