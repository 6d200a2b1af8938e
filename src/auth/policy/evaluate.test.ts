import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { BOB_ARN, bob, OWNER, QUEUE, WORKER_ROLE_ARN, worker } from './testing/callers.ts';
import { DECISION_TABLE } from './testing/decision-table.ts';
import { attached, contextOf, policiesOf } from './testing/documents.ts';

const SEND = { principal: bob, action: 'sqs:SendMessage', resource: QUEUE, context: contextOf() };
const ALLOW = { Effect: 'Allow', Action: '*', Resource: '*' };

describe('the decision table', () => {
  it('has 200 rows and more, each another case', () => {
    expect(DECISION_TABLE.length).toBeGreaterThanOrEqual(200);
    expect(new Set(DECISION_TABLE.map((row) => JSON.stringify(row))).size).toBe(DECISION_TABLE.length);
  });

  it.each(DECISION_TABLE)('$rule', (row) => {
    const { principal = bob, action = 'sqs:SendMessage', resource = QUEUE } = row;
    const context = contextOf(row.context);
    const decision = evaluate({ principal, action, resource, context }, policiesOf(row, row.version));
    expect(`${decision.outcome} ${decision.decidedBy}`).toBe(row.expected);
  });
});

describe('a decision', () => {
  it('names the policy and the statement, and says what each type said', () => {
    const decision = evaluate(SEND, {
      identity: [
        attached('reader', 'identity', [{ ...ALLOW, Action: 'sqs:Receive*' }]),
        attached('sender', 'identity', [
          { ...ALLOW, Action: 's3:*' },
          { ...ALLOW, Sid: 'Send', Action: 'sqs:Send*' },
        ]),
      ],
      boundary: attached('limit', 'identity', [ALLOW]),
      queue: attached('orders', 'queue', [{ ...ALLOW, Principal: { AWS: OWNER } }]),
    });
    const statement = { policy: 'sender', sid: 'Send', index: 1 };
    expect(decision).toEqual({
      outcome: 'allow',
      decidedBy: 'identity',
      statement,
      verdicts: {
        identity: { outcome: 'allow', statement, grantee: 'caller' },
        boundary: { outcome: 'allow', statement: { policy: 'limit', index: 0 }, grantee: 'caller' },
        session: { outcome: 'absent' },
        queue: { outcome: 'allow', statement: { policy: 'orders', index: 0 }, grantee: 'account' },
        endpoint: { outcome: 'absent' },
      },
    });
  });

  it('names the statement that denies', () => {
    const decision = evaluate(SEND, {
      identity: [
        attached('one', 'identity', [ALLOW]),
        attached('two', 'identity', [ALLOW, { ...ALLOW, Effect: 'Deny' }]),
      ],
    });
    expect(decision).toMatchObject({ outcome: 'explicit-deny', statement: { policy: 'two', index: 1 } });
  });

  it('names no statement when none applied', () => {
    const decision = evaluate(SEND, { identity: [attached('one', 'identity', [{ ...ALLOW, Action: 's3:*' }])] });
    expect(decision).not.toHaveProperty('statement');
    expect(decision.verdicts.identity).toEqual({ outcome: 'implicit-deny' });
  });

  it('names no statement of a policy that allowed what another one limits', () => {
    const decision = evaluate(SEND, {
      identity: [attached('one', 'identity', [ALLOW])],
      boundary: attached('limit', 'identity', [{ ...ALLOW, Action: 's3:*' }]),
    });
    expect(decision).toMatchObject({ outcome: 'implicit-deny', decidedBy: 'boundary' });
    expect(decision).not.toHaveProperty('statement');
  });

  it('names the most direct of the grants of a queue policy', () => {
    const decision = evaluate(
      { ...SEND, principal: worker },
      {
        queue: attached('orders', 'queue', [
          { ...ALLOW, Sid: 'account', Principal: { AWS: OWNER } },
          { ...ALLOW, Sid: 'role', Principal: { AWS: WORKER_ROLE_ARN } },
          { ...ALLOW, Sid: 'bob', Principal: { AWS: BOB_ARN } },
        ]),
      },
    );
    expect(decision).toMatchObject({ outcome: 'allow', statement: { sid: 'role' } });
    expect(decision.verdicts.queue.grantee).toBe('role');
  });
});

describe('session policies', () => {
  const identity = [attached('one', 'identity', [ALLOW])];
  const asked = { ...SEND, principal: worker };

  it('allow together', () => {
    const session = [attached('a', 'identity', [{ ...ALLOW, Action: 's3:*' }]), attached('b', 'identity', [ALLOW])];
    expect(evaluate(asked, { identity, session })).toMatchObject({ outcome: 'allow' });
  });

  it('allow nothing when there are none in a session that has some', () => {
    expect(evaluate(asked, { identity, session: [] })).toMatchObject({
      outcome: 'implicit-deny',
      decidedBy: 'session',
    });
    expect(evaluate(asked, { identity })).toMatchObject({ outcome: 'allow' });
  });
});
