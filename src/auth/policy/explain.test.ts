import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { denialMessage, explain } from './explain.ts';
import type { Principal } from './principal.ts';
import { anonymous, BOB_ARN, bob, OWNER, QUEUE, root, STRANGER, strangeEve, topic, worker } from './testing/callers.ts';
import { contextOf, type Documents, policiesOf } from './testing/documents.ts';

const ALLOW = { Effect: 'Allow', Action: '*', Resource: '*' };
const NOTHING = { ...ALLOW, Action: 's3:*' };
const DENY = { ...ALLOW, Effect: 'Deny' };
const all = { Principal: '*' };

function judge(documents: Documents, principal: Principal = bob, action = 'sqs:SendMessage') {
  const request = { principal, action, resource: QUEUE, context: contextOf() };
  const decision = evaluate(request, policiesOf(documents));
  return { explanation: explain(decision), message: denialMessage(request, decision) };
}

describe('explain', () => {
  it.each<[Documents, string, Principal?, string?]>([
    [{}, 'denied: no identity-based policy allows it'],
    [{}, 'allowed: the root of the account that owns the queue needs no policy', root],
    [{ identity: [NOTHING, ALLOW] }, 'allowed by statement 1 of "identity" (identity-based policy)'],
    [
      { queue: [{ ...ALLOW, Sid: 'bob', Principal: { AWS: BOB_ARN } }] },
      'allowed by statement "bob" of "queue" (resource-based policy)',
    ],
    [{ queue: [{ ...DENY, ...all }] }, 'denied by statement 0 of "queue" (resource-based policy)'],
    [{ identity: [ALLOW], boundary: [NOTHING] }, 'denied: no permissions boundary allows it'],
    [
      { identity: [ALLOW], queue: [{ ...ALLOW, ...all }] },
      'denied: the action is for the account that owns the queue only',
      strangeEve,
      'sqs:DeleteQueue',
    ],
  ])('%j', (documents, explanation, principal, action) => {
    expect(judge(documents, principal, action).explanation).toBe(explanation);
  });
});

/** SQS: section 9.5 */
describe('denialMessage', () => {
  const refused = (who: string, action = 'sqs:sendmessage') =>
    `User: ${who} is not authorized to perform: ${action} on resource: ${QUEUE}`;
  it.each<[Documents, string, Principal?, string?]>([
    [{}, `${refused(BOB_ARN)} because no identity-based policy allows the sqs:sendmessage action`],
    [
      { identity: [ALLOW] },
      `${refused(strangeEve.arn)} because no resource-based policy allows the sqs:sendmessage action`,
      strangeEve,
    ],
    [{ identity: [DENY] }, `${refused(BOB_ARN)} with an explicit deny in an identity-based policy`],
    [{ queue: [{ ...DENY, ...all }] }, `${refused(BOB_ARN)} with an explicit deny in a resource-based policy`],
    [
      { identity: [ALLOW], boundary: [NOTHING] },
      `${refused(BOB_ARN)} because no permissions boundary allows the sqs:sendmessage action`,
    ],
    [{ boundary: [DENY] }, `${refused(BOB_ARN)} with an explicit deny in a permissions boundary`],
    [
      { identity: [ALLOW], session: [NOTHING] },
      `${refused(worker.arn)} because no session policy allows the sqs:sendmessage action`,
      worker,
    ],
    [{ session: [DENY] }, `${refused(worker.arn)} with an explicit deny in a session policy`, worker],
    [
      { identity: [ALLOW], endpoint: [{ ...NOTHING, ...all }] },
      `${refused(BOB_ARN)} because no VPC endpoint policy allows the sqs:sendmessage action`,
    ],
    [{ endpoint: [{ ...DENY, ...all }] }, `${refused(BOB_ARN)} with an explicit deny in a VPC endpoint policy`],
    [
      { queue: [{ ...ALLOW, Principal: { AWS: STRANGER } }], identity: [ALLOW] },
      `${refused(strangeEve.arn, 'sqs:deletequeue')} because no resource-based policy allows the sqs:deletequeue action`,
      strangeEve,
      'sqs:DeleteQueue',
    ],
    [{}, `${refused('anonymous')} because no resource-based policy allows the sqs:sendmessage action`, anonymous],
    [
      { queue: [{ ...ALLOW, Principal: { AWS: OWNER } }] },
      `${refused('sns.amazonaws.com')} because no resource-based policy allows the sqs:sendmessage action`,
      topic,
    ],
  ])('%j', (documents, message, principal, action) => {
    expect(judge(documents, principal, action).message).toBe(message);
  });
});
