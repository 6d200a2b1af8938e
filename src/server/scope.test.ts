import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../protocol/codec.ts';
import { scopeResolver, senderIdOf } from './scope.ts';

const DEFAULTS = { account: '000000000000', region: 'us-east-1' };

function scopeFor(parts: { headers?: IncomingHttpHeaders; query?: string; body?: string }) {
  const request: WireRequest = {
    method: 'POST',
    path: '/',
    query: parts.query ?? '',
    headers: parts.headers ?? {},
    body: Buffer.from(parts.body ?? ''),
  };
  return scopeResolver(DEFAULTS)(request);
}

const authorized = (credential: string) => ({
  headers: {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=00ff`,
  },
});

describe('scopeOf', () => {
  it('takes the region from the credential scope of the Authorization header', () => {
    expect(scopeFor(authorized('AKIDEXAMPLE/20251130/eu-west-1/sqs/aws4_request'))).toEqual({
      account: '000000000000',
      region: 'eu-west-1',
    });
  });

  it('takes an access key id of 12 digits as the account', () => {
    expect(scopeFor(authorized('123456789012/20251130/eu-west-1/sqs/aws4_request'))).toEqual({
      account: '123456789012',
      region: 'eu-west-1',
    });
  });

  it('understands a header without blanks after the commas', () => {
    const authorization =
      'AWS4-HMAC-SHA256 Credential=AK/20251130/local/sqs/aws4_request,SignedHeaders=host,Signature=0';
    expect(scopeFor({ headers: { authorization } }).region).toBe('local');
  });

  it('takes the scope from the X-Amz-Credential of a presigned query', () => {
    const query = 'Action=ListQueues&X-Amz-Credential=123456789012%2F20251130%2Fap-south-1%2Fsqs%2Faws4_request';
    expect(scopeFor({ query })).toEqual({ account: '123456789012', region: 'ap-south-1' });
  });

  it('takes the scope from the X-Amz-Credential of a form', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const body = 'Action=ListQueues&X-Amz-Credential=AK%2F20251130%2Fap-south-1%2Fsqs%2Faws4_request';
    expect(scopeFor({ headers, body }).region).toBe('ap-south-1');
  });

  it('does not look for a credential in a JSON body', () => {
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    const body = '{"MessageBody":"&X-Amz-Credential=AK/20251130/ap-south-1/sqs/aws4_request"}';
    expect(scopeFor({ headers, body })).toEqual(DEFAULTS);
  });

  it.each([
    '',
    'garbage',
    'AK/20251130/eu-west-1/sqs',
    'AK/20251130/eu-west-1/sqs/aws2_request',
    '////aws4_request',
    'AK/20251130/EU WEST 1/sqs/aws4_request',
    `AK/20251130/${'x'.repeat(33)}/sqs/aws4_request`,
    'AK/20251130/-eu-/sqs/aws4_request',
    '12345678901/20251130//sqs/aws4_request',
    '1234567890123/20251130/../sqs/aws4_request',
  ])('falls back to the defaults for the credential %j', (credential) => {
    expect(scopeFor(authorized(credential))).toEqual(DEFAULTS);
  });

  it.each(['', 'Basic dXNlcjpwYXNz', 'Bearer token', 'AWS4-HMAC-SHA256'])(
    'falls back to the defaults for the header %j',
    (authorization) => {
      expect(scopeFor({ headers: { authorization } })).toEqual(DEFAULTS);
    },
  );

  it('survives a query that cannot be decoded', () => {
    expect(scopeFor({ query: 'X-Amz-Credential=%E0%A4%A&%%%' })).toEqual(DEFAULTS);
  });
});

describe('senderIdOf', () => {
  it('is the account, as for a root user', () => {
    expect(senderIdOf({ account: '123456789012', region: 'eu-west-1' })).toBe('123456789012');
  });
});
