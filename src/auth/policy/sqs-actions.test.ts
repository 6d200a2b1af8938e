import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../protocol/model/shapes.ts';
import { isOwnerOnly, SQS_ACTIONS, type SqsAction, type SqsActionName } from './sqs-actions.ts';

const action = (name: SqsActionName): SqsAction => SQS_ACTIONS[name];
const needed = (name: SqsActionName) => action(name).permissions.map(({ action, on }) => `${action} on ${on}`);

describe('SQS_ACTIONS', () => {
  it('has the actions of the API', () => {
    expect(Object.keys(SQS_ACTIONS).sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  it('asks for the action itself first, for that of one message instead of a batch', () => {
    for (const name of Object.keys(SQS_ACTIONS) as SqsActionName[]) {
      expect(action(name).permissions[0].action).toBe(`sqs:${name.replace(/Batch$/, '')}`);
    }
  });

  it('has a queue for each action but one', () => {
    const others = (Object.keys(SQS_ACTIONS) as SqsActionName[]).filter(
      (name) => action(name).permissions[0].on !== 'queue',
    );
    expect(others).toEqual(['ListQueues']);
    expect(needed('ListQueues')).toEqual(['sqs:ListQueues on account']);
  });

  /** SQS: section 9.3 */
  it('knows which actions need more', () => {
    expect(needed('StartMessageMoveTask')).toEqual([
      'sqs:StartMessageMoveTask on queue',
      'sqs:ReceiveMessage on queue',
      'sqs:DeleteMessage on queue',
      'sqs:GetQueueAttributes on queue',
      'sqs:SendMessage on destination',
    ]);
    expect(needed('CancelMessageMoveTask')).toEqual([
      'sqs:CancelMessageMoveTask on queue',
      'sqs:ReceiveMessage on queue',
      'sqs:DeleteMessage on queue',
      'sqs:GetQueueAttributes on queue',
    ]);
    expect(needed('ListMessageMoveTasks')).toEqual([
      'sqs:ListMessageMoveTasks on queue',
      'sqs:GetQueueAttributes on queue',
    ]);
    const tagging = (Object.keys(SQS_ACTIONS) as SqsActionName[]).filter((name) => action(name).taggingPermission);
    expect(tagging).toEqual(['CreateQueue']);
    expect(action('CreateQueue').taggingPermission).toEqual({ action: 'sqs:TagQueue', on: 'queue' });
  });
});

describe('isOwnerOnly', () => {
  it.each(['sqs:DeleteQueue', 'SQS:deletequeue', 'sqs:ListQueues', 'sqs:TagQueue'])('is true of %s', (name) => {
    expect(isOwnerOnly(name)).toBe(true);
  });

  it.each(['sqs:SendMessage', 'sqs:PurgeQueue', 'sqs:GetQueueUrl', 'DeleteQueue', 's3:DeleteQueue'])(
    'is false of %s',
    (name) => {
      expect(isOwnerOnly(name)).toBe(false);
    },
  );
});
