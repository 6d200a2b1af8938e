import type { ListShape, MemberShape, ScalarShape, StructureShape } from '../model/shape.ts';

/**
 * The part of the STS API (version 2011-06-15) that is served, in the vocabulary of the SQS model. Its lists are not
 * flattened: `Tags.member.1.Key`.
 */

export interface StsTag {
  Key?: string;
  Value?: string;
}

export interface AssumeRoleInput {
  RoleArn?: string;
  RoleSessionName?: string;
  Policy?: string;
  PolicyArns?: { arn?: string }[];
  DurationSeconds?: number;
  ExternalId?: string;
  Tags?: StsTag[];
  TransitiveTagKeys?: string[];
  SerialNumber?: string;
  TokenCode?: string;
  SourceIdentity?: string;
  ProvidedContexts?: { ProviderArn?: string; ContextAssertion?: string }[];
}

export interface GetSessionTokenInput {
  DurationSeconds?: number;
  SerialNumber?: string;
  TokenCode?: string;
}

export interface GetFederationTokenInput {
  Name?: string;
  Policy?: string;
  PolicyArns?: { arn?: string }[];
  DurationSeconds?: number;
  Tags?: StsTag[];
}

export interface StsInputs {
  AssumeRole: AssumeRoleInput;
  GetSessionToken: GetSessionTokenInput;
  GetFederationToken: GetFederationTokenInput;
  GetCallerIdentity: Record<string, never>;
}

export interface StsCredentials {
  AccessKeyId: string;
  SecretAccessKey: string;
  SessionToken: string;
  /** ISO 8601, whole seconds: `2026-01-01T00:00:00Z`. */
  Expiration: string;
}

export interface StsOutputs {
  AssumeRole: {
    Credentials: StsCredentials;
    AssumedRoleUser: { AssumedRoleId: string; Arn: string };
    /** Per cent. Absent without session policy and tags. */
    PackedPolicySize?: number;
    SourceIdentity?: string;
  };
  GetSessionToken: { Credentials: StsCredentials };
  GetFederationToken: {
    Credentials: StsCredentials;
    FederatedUser: { FederatedUserId: string; Arn: string };
    PackedPolicySize?: number;
  };
  GetCallerIdentity: { UserId: string; Account: string; Arn: string };
}

export type StsAction = keyof StsInputs;

/** One action with its input. */
export type StsCall = { [Action in StsAction]: { action: Action; input: StsInputs[Action] } }[StsAction];

const STRING: ScalarShape = { type: 'string' };
const INTEGER: ScalarShape = { type: 'integer' };

function structure(name: string, members: Record<string, MemberShape['shape']>): StructureShape {
  const entries = Object.entries(members).map(([key, shape]) => [key, { shape, queryName: key, required: false }]);
  return { type: 'structure', name, members: Object.fromEntries(entries) };
}

const list = (member: ListShape['member']): ListShape => ({ type: 'list', member });

const TAGS = list(structure('Tag', { Key: STRING, Value: STRING }));
const POLICY_ARNS = list(structure('PolicyDescriptorType', { arn: STRING }));

export const STS_INPUT_SHAPES: Record<StsAction, StructureShape> = {
  AssumeRole: structure('AssumeRoleRequest', {
    RoleArn: STRING,
    RoleSessionName: STRING,
    Policy: STRING,
    PolicyArns: POLICY_ARNS,
    DurationSeconds: INTEGER,
    ExternalId: STRING,
    Tags: TAGS,
    TransitiveTagKeys: list(STRING),
    SerialNumber: STRING,
    TokenCode: STRING,
    SourceIdentity: STRING,
    ProvidedContexts: list(structure('ProvidedContext', { ProviderArn: STRING, ContextAssertion: STRING })),
  }),
  GetSessionToken: structure('GetSessionTokenRequest', {
    DurationSeconds: INTEGER,
    SerialNumber: STRING,
    TokenCode: STRING,
  }),
  GetFederationToken: structure('GetFederationTokenRequest', {
    Name: STRING,
    Policy: STRING,
    PolicyArns: POLICY_ARNS,
    DurationSeconds: INTEGER,
    Tags: TAGS,
  }),
  GetCallerIdentity: structure('GetCallerIdentityRequest', {}),
};
