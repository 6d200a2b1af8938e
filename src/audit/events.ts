/** As the developer guide of SQS divides its actions, "Logging Amazon SQS API calls using AWS CloudTrail". */
const MANAGEMENT = new Set([
  'AddPermission',
  'CancelMessageMoveTask',
  'CreateQueue',
  'DeleteQueue',
  'ListMessageMoveTasks',
  'PurgeQueue',
  'RemovePermission',
  'SetQueueAttributes',
  'StartMessageMoveTask',
  'TagQueue',
  'UntagQueue',
]);

/** All other actions are data events: they are many, and recorded only where somebody asks for them. */
export function isManagementEvent(action: string): boolean {
  return MANAGEMENT.has(action);
}

/** By the access level that IAM gives an action: a receive is a read there, though it hides what it returns. */
export function isReadOnly(action: string): boolean {
  return action.startsWith('Get') || action.startsWith('List') || action === 'ReceiveMessage';
}
