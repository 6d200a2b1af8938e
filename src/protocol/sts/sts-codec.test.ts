import { describe, expect, it } from 'vitest';
import { SqsError } from '../model/errors.ts';
import { decodeStsCall, encodeStsError, encodeStsReply, isStsRequest } from './sts-codec.ts';

const form = (body: string, query = '') => ({ query, body: Buffer.from(body) });

describe('isStsRequest', () => {
  it.each([
    ['Action=GetCallerIdentity&Version=2011-06-15', ''],
    ['Version=2011-06-15&Action=GetCallerIdentity', ''],
    ['', 'Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Date=1'],
  ])('is true of body "%s" and query "%s"', (body, query) => {
    expect(isStsRequest(form(body, query))).toBe(true);
  });

  it.each([
    ['', ''],
    ['Action=ListQueues&Version=2012-11-05', ''],
    ['Action=SendMessage&MessageBody=Version%3D2011-06-15', ''],
    ['Action=SendMessage&MyVersion=2011-06-15', ''],
    ['Action=SendMessage&Version=2011-06-150', ''],
  ])('is false of body "%s" and query "%s"', (body, query) => {
    expect(isStsRequest(form(body, query))).toBe(false);
  });
});

describe('decodeStsCall', () => {
  it('reads all that AssumeRole has', () => {
    const body =
      'Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A111122223333%3Arole%2Fworker&RoleSessionName=run+7' +
      '&DurationSeconds=900&Policy=%7B%7D&ExternalId=x&SourceIdentity=me&SerialNumber=s&TokenCode=123456' +
      '&Tags.member.1.Key=team&Tags.member.1.Value=blue&Tags.member.2.Key=stage&TransitiveTagKeys.member.1=team' +
      '&PolicyArns.member.1.arn=arn%3Ap&ProvidedContexts.member.1.ProviderArn=p';
    expect(decodeStsCall(form(body))).toEqual({
      action: 'AssumeRole',
      input: {
        RoleArn: 'arn:aws:iam::111122223333:role/worker',
        RoleSessionName: 'run 7',
        DurationSeconds: 900,
        Policy: '{}',
        ExternalId: 'x',
        SourceIdentity: 'me',
        SerialNumber: 's',
        TokenCode: '123456',
        Tags: [{ Key: 'team', Value: 'blue' }, { Key: 'stage' }],
        TransitiveTagKeys: ['team'],
        PolicyArns: [{ arn: 'arn:p' }],
        ProvidedContexts: [{ ProviderArn: 'p' }],
      },
    });
  });

  it('reads the query string too', () => {
    expect(decodeStsCall(form('', 'Action=GetSessionToken&DurationSeconds=900'))).toEqual({
      action: 'GetSessionToken',
      input: { DurationSeconds: 900 },
    });
  });

  it.each([
    ['Version=2011-06-15', 'MissingAction'],
    ['Action=AssumeRoleWithSAML', 'InvalidAction'],
    ['Action=toString', 'InvalidAction'],
    ['Action=GetSessionToken&DurationSeconds=soon', 'InvalidParameterValue'],
    ['Action=%ff', 'MalformedInput'],
  ])('refuses %s', (body, queryCode) => {
    expect(() => decodeStsCall(form(body))).toThrow(expect.objectContaining({ queryCode }));
  });
});

describe('replies', () => {
  const Credentials = {
    AccessKeyId: 'ASIA',
    SecretAccessKey: 's/e+c',
    SessionToken: 'tok==',
    Expiration: '2026-01-31T13:00:00Z',
  };
  const credentials =
    '<Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s/e+c</SecretAccessKey>' +
    '<SessionToken>tok==</SessionToken><Expiration>2026-01-31T13:00:00Z</Expiration></Credentials>';
  const xmlns = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';

  it('are XML in the namespace of STS', () => {
    expect(
      encodeStsReply(
        'AssumeRole',
        {
          Credentials,
          AssumedRoleUser: { AssumedRoleId: 'AROA:a', Arn: 'arn:a<b' },
          PackedPolicySize: 3,
          SourceIdentity: undefined,
        },
        'id-1',
      ),
    ).toEqual({
      status: 200,
      headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': 'id-1' },
      body:
        `<AssumeRoleResponse ${xmlns}><AssumeRoleResult>${credentials}` +
        '<AssumedRoleUser><AssumedRoleId>AROA:a</AssumedRoleId><Arn>arn:a&lt;b</Arn></AssumedRoleUser>' +
        '<PackedPolicySize>3</PackedPolicySize></AssumeRoleResult>' +
        '<ResponseMetadata><RequestId>id-1</RequestId></ResponseMetadata></AssumeRoleResponse>',
    });
    expect(encodeStsReply('GetCallerIdentity', { UserId: 'AIDA', Account: '1', Arn: 'arn' }, 'id-2').body).toBe(
      `<GetCallerIdentityResponse ${xmlns}><GetCallerIdentityResult><UserId>AIDA</UserId><Account>1</Account><Arn>arn</Arn>` +
        '</GetCallerIdentityResult><ResponseMetadata><RequestId>id-2</RequestId></ResponseMetadata></GetCallerIdentityResponse>',
    );
  });

  it('of errors have no Detail', () => {
    expect(encodeStsError(new SqsError('ExpiredTokenException', 'a & b'), 'id-3')).toEqual({
      status: 403,
      headers: { 'Content-Type': 'text/xml', 'x-amzn-RequestId': 'id-3' },
      body: `<ErrorResponse ${xmlns}><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>a &amp; b</Message></Error><RequestId>id-3</RequestId></ErrorResponse>`,
    });
  });
});
