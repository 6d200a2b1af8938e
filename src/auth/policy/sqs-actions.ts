/** Something that a caller needs the permission for. */
export interface Permission {
  /** As policies write it: `sqs:SendMessage`. */
  action: string;
  /**
   * What it must be allowed on: the queue of the request (of CreateQueue: the queue to be), the queue that a move task
   * moves to, or no queue at all.
   */
  on: 'queue' | 'destination' | 'account';
}

/** An action of the API as access control sees it (SQS: section 9.3). */
export interface SqsAction {
  /** In the order in which they are asked for: the first is the action itself. */
  permissions: readonly [Permission, ...Permission[]];
  /** Needed as well when the request brings tags for the queue. */
  taggingPermission?: Permission;
}

const MOVE_TASK_PERMISSIONS = [
  onQueue('ReceiveMessage'),
  onQueue('DeleteMessage'),
  onQueue('GetQueueAttributes'),
] as const;

/** All 23, by their names in the API. There are no batch actions in policies: entries count as the single action. */
export const SQS_ACTIONS = {
  AddPermission: { permissions: [onQueue('AddPermission')] },
  CancelMessageMoveTask: { permissions: [onQueue('CancelMessageMoveTask'), ...MOVE_TASK_PERMISSIONS] },
  ChangeMessageVisibility: { permissions: [onQueue('ChangeMessageVisibility')] },
  ChangeMessageVisibilityBatch: { permissions: [onQueue('ChangeMessageVisibility')] },
  CreateQueue: { permissions: [onQueue('CreateQueue')], taggingPermission: onQueue('TagQueue') },
  DeleteMessage: { permissions: [onQueue('DeleteMessage')] },
  DeleteMessageBatch: { permissions: [onQueue('DeleteMessage')] },
  DeleteQueue: { permissions: [onQueue('DeleteQueue')] },
  GetQueueAttributes: { permissions: [onQueue('GetQueueAttributes')] },
  GetQueueUrl: { permissions: [onQueue('GetQueueUrl')] },
  ListDeadLetterSourceQueues: { permissions: [onQueue('ListDeadLetterSourceQueues')] },
  ListMessageMoveTasks: { permissions: [onQueue('ListMessageMoveTasks'), onQueue('GetQueueAttributes')] },
  ListQueueTags: { permissions: [onQueue('ListQueueTags')] },
  ListQueues: { permissions: [{ action: 'sqs:ListQueues', on: 'account' }] },
  PurgeQueue: { permissions: [onQueue('PurgeQueue')] },
  ReceiveMessage: { permissions: [onQueue('ReceiveMessage')] },
  RemovePermission: { permissions: [onQueue('RemovePermission')] },
  SendMessage: { permissions: [onQueue('SendMessage')] },
  SendMessageBatch: { permissions: [onQueue('SendMessage')] },
  SetQueueAttributes: { permissions: [onQueue('SetQueueAttributes')] },
  StartMessageMoveTask: {
    permissions: [
      onQueue('StartMessageMoveTask'),
      ...MOVE_TASK_PERMISSIONS,
      { action: 'sqs:SendMessage', on: 'destination' },
    ],
  },
  TagQueue: { permissions: [onQueue('TagQueue')] },
  UntagQueue: { permissions: [onQueue('UntagQueue')] },
} as const satisfies Record<string, SqsAction>;

export type SqsActionName = keyof typeof SQS_ACTIONS;

/** What a queue policy cannot grant to another account (SQS: section 9.2). */
export const OWNER_ONLY_ACTIONS = [
  'AddPermission',
  'CancelMessageMoveTask',
  'CreateQueue',
  'DeleteQueue',
  'ListMessageMoveTasks',
  'ListQueues',
  'ListQueueTags',
  'RemovePermission',
  'SetQueueAttributes',
  'StartMessageMoveTask',
  'TagQueue',
  'UntagQueue',
] as const satisfies readonly SqsActionName[];

const ownerOnly: ReadonlySet<string> = new Set(OWNER_ONLY_ACTIONS.map((name) => `sqs:${name}`.toLowerCase()));

/** `action` as policies write it, in any case. */
export function isOwnerOnly(action: string): boolean {
  return ownerOnly.has(action.toLowerCase());
}

function onQueue<Name extends string>(name: Name) {
  return { action: `sqs:${name}`, on: 'queue' } as const;
}
