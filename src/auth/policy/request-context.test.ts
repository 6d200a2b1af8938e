import { describe, expect, it } from 'vitest';
import { type RequestFacts, requestContext } from './request-context.ts';
import { anonymous, bob, guest, OWNER, root, topic, WORKER_ROLE_ARN, worker } from './testing/callers.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0, 999);
const FACTS: RequestFacts = { principal: bob, now: NOW, secure: true, region: 'us-east-1' };

const keys = (facts: Partial<RequestFacts>) => {
  const context = requestContext({ ...FACTS, ...facts });
  return (name: string) => context.get(name.toLowerCase());
};

describe('requestContext', () => {
  it('has time, transport and region', () => {
    const get = keys({});
    expect(get('aws:CurrentTime')).toBe('2026-01-31T12:00:00Z');
    expect(get('aws:EpochTime')).toBe('1769860800');
    expect(get('aws:SecureTransport')).toBe('true');
    expect(get('aws:RequestedRegion')).toBe('us-east-1');
    expect(keys({ secure: false })('aws:SecureTransport')).toBe('false');
  });

  it.each<[keyof RequestFacts, string]>([
    ['sourceIp', 'aws:SourceIp'],
    ['userAgent', 'aws:UserAgent'],
    ['referer', 'aws:Referer'],
    ['endpointId', 'aws:SourceVpce'],
    ['vpcId', 'aws:SourceVpc'],
    ['sourceArn', 'aws:SourceArn'],
    ['sourceAccount', 'aws:SourceAccount'],
    ['organizationId', 'aws:PrincipalOrgID'],
    ['resourceAccount', 'aws:ResourceAccount'],
  ])('has %s as %s, or does not have the key', (fact, key) => {
    expect(keys({ [fact]: 'x' })(key)).toBe('x');
    expect(keys({})(key)).toBeUndefined();
  });

  it('has the user', () => {
    const get = keys({});
    expect(get('aws:PrincipalArn')).toBe(bob.arn);
    expect(get('aws:PrincipalAccount')).toBe(OWNER);
    expect(get('aws:PrincipalType')).toBe('User');
    expect(get('aws:userid')).toBe('AIDABOB');
    expect(get('aws:username')).toBe('bob');
    expect(get('aws:PrincipalTag/Team')).toBe('blue');
    expect(get('aws:PrincipalTag/cost center')).toBe('42');
    expect(get('aws:PrincipalIsAWSService')).toBe('false');
  });

  it('has the role of a session, which has no user name', () => {
    const get = keys({ principal: worker });
    expect(get('aws:PrincipalArn')).toBe(WORKER_ROLE_ARN);
    expect(get('aws:PrincipalType')).toBe('AssumedRole');
    expect(get('aws:userid')).toBe('AROAWORKER:run-7');
    expect(get('aws:username')).toBeUndefined();
    expect(get('aws:PrincipalTag/team')).toBe('red');
  });

  it('has a federated user, who is not the user', () => {
    const get = keys({ principal: guest });
    expect(get('aws:PrincipalArn')).toBe(guest.arn);
    expect(get('aws:PrincipalType')).toBe('FederatedUser');
    expect(get('aws:userid')).toBe(`${OWNER}:guest`);
    expect(get('aws:username')).toBeUndefined();
    expect(get('aws:PrincipalTag/team')).toBe('green');
  });

  it('has root, services and anonymous callers', () => {
    const ofRoot = keys({ principal: root });
    expect(ofRoot('aws:PrincipalArn')).toBe(`arn:aws:iam::${OWNER}:root`);
    expect(ofRoot('aws:PrincipalType')).toBe('Account');
    expect(ofRoot('aws:userid')).toBe(OWNER);
    const ofTopic = keys({ principal: topic });
    expect(ofTopic('aws:PrincipalIsAWSService')).toBe('true');
    expect(ofTopic('aws:PrincipalServiceName')).toBe('sns.amazonaws.com');
    expect(ofTopic('aws:PrincipalAccount')).toBeUndefined();
    const ofNobody = keys({ principal: anonymous });
    expect(ofNobody('aws:PrincipalType')).toBe('Anonymous');
    expect(ofNobody('aws:PrincipalArn')).toBeUndefined();
  });

  it('has the begin of a session and its MFA', () => {
    const issued = keys({ sessionIssuedAt: NOW - 60_000 });
    expect(issued('aws:TokenIssueTime')).toBe('2026-01-31T11:59:00Z');
    expect(issued('aws:MultiFactorAuthPresent')).toBe('false');
    expect(issued('aws:MultiFactorAuthAge')).toBeUndefined();
    const secured = keys({ sessionIssuedAt: NOW - 60_000, mfaAuthenticatedAt: NOW - 90_500 });
    expect(secured('aws:MultiFactorAuthPresent')).toBe('true');
    expect(secured('aws:MultiFactorAuthAge')).toBe('90');
    expect(keys({})('aws:MultiFactorAuthPresent')).toBeUndefined();
  });

  it('has tags of the queue and of the request', () => {
    const get = keys({ resourceTags: { Stage: 'test' }, requestTags: { owner: 'blue' }, tagKeys: ['owner', 'x'] });
    expect(get('aws:ResourceTag/Stage')).toBe('test');
    expect(get('aws:RequestTag/owner')).toBe('blue');
    expect(get('aws:TagKeys')).toEqual(['owner', 'x']);
  });
});
