import type { Platform } from '../../platform/platform.ts';
import { SqsError } from '../../protocol/model/errors.ts';
import type {
  AssumeRoleInput,
  GetFederationTokenInput,
  GetSessionTokenInput,
  StsAction,
  StsCall,
  StsCredentials,
  StsOutputs,
} from '../../protocol/sts/sts-shapes.ts';
import { assumedRoleArn, type Caller, federatedUserArn } from '../identity/caller.ts';
import type { IdentityDirectory } from '../identity/directory.ts';
import { newId, newSecret } from '../identity/identity-ids.ts';
import type { Role, Tags } from '../identity/model.ts';
import type { Session, SessionHolder, SessionTokens } from '../identity/session-tokens.ts';
import {
  type DurationRule,
  duration,
  optionalText,
  requiredText,
  sessionPolicy,
  sessionTags,
  validationError,
} from './sts-input.ts';

/** What a role's trust policy is asked. */
export interface TrustContext {
  action: 'sts:AssumeRole' | 'sts:TagSession' | 'sts:SetSourceIdentity';
  /** The ARN of the role. */
  resource: string;
  /** Condition keys of the request, in lower case: `sts:externalid`, `aws:requesttag/team`, `aws:tagkeys`, ... */
  conditions: ReadonlyMap<string, string | readonly string[]>;
}

/**
 * Whether the caller may do this with the role: by its trust policy and, where that leaves it to the account of the caller,
 * by the caller's own policies.
 */
export type IsTrusted = (trustPolicy: string, principal: Caller, context: TrustContext) => boolean;

export interface StsServiceOptions {
  /** Asked anew for each call, as it may have been replaced. */
  directory(): IdentityDirectory;
  sessionTokens: SessionTokens;
  platform: Pick<Platform, 'now' | 'randomBytes'>;
  isTrusted: IsTrusted;
}

const HOUR = 3600;
const ROLE_DURATION: DurationRule = { min: 900, max: 12 * HOUR, default: HOUR };
const USER_DURATION: DurationRule = { min: 900, max: 36 * HOUR, default: 12 * HOUR };
/** The root's may not last longer; asking for more is no error. */
const ROOT_SECONDS_MAX = HOUR;
/** Of a role assumed by the session of another role. */
const CHAINED_SECONDS_MAX = HOUR;

/** Characters of session policy and tags together, which PackedPolicySize is a share of. */
const PACKED_POLICY_CHARACTERS_MAX = 4096;

/** The actions of STS, each a function of its input, the caller and time. */
export class StsService {
  readonly #options: StsServiceOptions;

  constructor(options: StsServiceOptions) {
    this.#options = options;
  }

  /** @throws SqsError */
  run(call: StsCall, caller: Caller): StsOutputs[StsAction] {
    switch (call.action) {
      case 'AssumeRole':
        return this.assumeRole(call.input, caller);
      case 'GetSessionToken':
        return this.getSessionToken(call.input, caller);
      case 'GetFederationToken':
        return this.getFederationToken(call.input, caller);
      case 'GetCallerIdentity':
        return { UserId: caller.userId, Account: caller.account, Arn: caller.arn };
    }
  }

  /**
   * @throws SqsError ValidationError, MalformedPolicyDocument, PackedPolicyTooLarge; AccessDenied also for a role that does
   *   not exist, so that nobody learns which do.
   */
  assumeRole(input: AssumeRoleInput, caller: Caller): StsOutputs['AssumeRole'] {
    const roleArn = requiredText('roleArn', input.RoleArn);
    const name = requiredText('roleSessionName', input.RoleSessionName);
    const policy = sessionPolicy(input.Policy);
    optionalText('externalId', input.ExternalId);
    const sourceIdentity = sourceIdentityOf(optionalText('sourceIdentity', input.SourceIdentity), caller);
    const seconds = duration(input.DurationSeconds, ROLE_DURATION);
    const requestTags = sessionTags(input.Tags);
    refuseUnsupported(input);
    if (input.ProvidedContexts !== undefined) throw validationError('ProvidedContexts is not supported.');
    if (caller.type === 'root') throw accessDenied('Roles may not be assumed by root accounts.');
    // A federated user would get rid of the policy that bounds it.
    if (caller.type === 'federated-user') {
      throw accessDenied('Cannot call AssumeRole with the credentials of a federated user');
    }

    const role = this.#findRole(roleArn);
    const conditions = conditionsOf(input, requestTags, name);
    const actions: TrustContext['action'][] = ['sts:AssumeRole'];
    if (Object.keys(requestTags).length > 0) actions.push('sts:TagSession');
    if (input.SourceIdentity !== undefined) actions.push('sts:SetSourceIdentity');
    const denied = actions.find((action) => {
      const context = { action, resource: roleArn, conditions };
      return role === undefined || !this.#options.isTrusted(role.trustPolicy, caller, context);
    });
    if (role === undefined || denied !== undefined) {
      throw accessDenied(`User: ${caller.arn} is not authorized to perform: ${denied} on resource: ${roleArn}`);
    }
    if (input.DurationSeconds !== undefined) requireDuration(seconds, role, caller);

    const tags = { ...transitiveTags(caller, requestTags), ...requestTags };
    const transitiveTagKeys = [
      ...new Set([...(caller.session?.transitiveTagKeys ?? []), ...transitiveKeys(input, tags)]),
    ];
    const packedPolicySize = packedSize(policy, tags);
    const { id } = role;
    const credentials = this.#issue(
      { type: 'role', account: role.account, name: role.name, id },
      Math.min(seconds, role.sessionSecondsMax),
      { name, policy, tags, transitiveTagKeys, sourceIdentity },
    );
    return {
      Credentials: credentials,
      AssumedRoleUser: {
        AssumedRoleId: `${id}:${name}`,
        Arn: assumedRoleArn(this.#options.directory().partition, role, name),
      },
      PackedPolicySize: packedPolicySize,
      SourceIdentity: sourceIdentity,
    };
  }

  /** @throws SqsError ValidationError, AccessDenied */
  getSessionToken(input: GetSessionTokenInput, caller: Caller): StsOutputs['GetSessionToken'] {
    const seconds = duration(input.DurationSeconds, USER_DURATION);
    refuseUnsupported(input);
    const holder = this.#longTermHolder(caller, 'GetSessionToken');
    const secondsMax = holder.type === 'root' ? ROOT_SECONDS_MAX : USER_DURATION.max;
    return { Credentials: this.#issue(holder, Math.min(seconds, secondsMax), { tags: {}, transitiveTagKeys: [] }) };
  }

  /** @throws SqsError ValidationError, MalformedPolicyDocument, PackedPolicyTooLarge, AccessDenied */
  getFederationToken(input: GetFederationTokenInput, caller: Caller): StsOutputs['GetFederationToken'] {
    const name = requiredText('name', input.Name);
    const policy = sessionPolicy(input.Policy);
    const seconds = duration(input.DurationSeconds, USER_DURATION);
    const tags = sessionTags(input.Tags);
    refuseUnsupported(input);
    const holder = this.#longTermHolder(caller, 'GetFederationToken');
    if (holder.type === 'root') throw accessDenied('Cannot call GetFederationToken as the root of an account');
    const packedPolicySize = packedSize(policy, tags);
    const session = { name, policy, tags, transitiveTagKeys: [] };
    return {
      Credentials: this.#issue({ ...holder, type: 'federated-user' }, seconds, session),
      FederatedUser: {
        FederatedUserId: `${caller.account}:${name}`,
        Arn: federatedUserArn(this.#options.directory().partition, caller.account, name),
      },
      PackedPolicySize: packedPolicySize,
    };
  }

  #findRole(roleArn: string): Role | undefined {
    const match = /^arn:[^:]+:iam::(\d{12}):role\/(?:.*\/)?([^/]+)$/s.exec(roleArn);
    const role = match === null ? undefined : this.#options.directory().findRole(match[1] ?? '', match[2] ?? '');
    return role?.arn === roleArn ? role : undefined;
  }

  /** Who may ask for a session of its own: nobody who is in one. */
  #longTermHolder(
    caller: Caller,
    action: string,
  ): Exclude<SessionHolder, { type: 'role' }> & { type: 'user' | 'root' } {
    const { type, account, name, userId: id, session } = caller;
    if (session !== undefined || (type !== 'user' && type !== 'root')) {
      throw accessDenied(`Cannot call ${action} with session credentials`);
    }
    return type === 'root' ? { type, account } : { type, account, name, id };
  }

  #issue(
    holder: SessionHolder,
    seconds: number,
    details: Pick<Session, 'name' | 'policy' | 'tags' | 'transitiveTagKeys' | 'sourceIdentity'>,
  ): StsCredentials {
    const { platform, sessionTokens } = this.#options;
    const issuedAt = platform.now();
    const session: Session = {
      ...details,
      accessKeyId: newId('sessionKey', platform.randomBytes),
      secret: newSecret(platform.randomBytes),
      holder,
      issuedAt,
      // Whole seconds, as the reply tells them.
      expiresAt: (Math.floor(issuedAt / 1000) + seconds) * 1000,
    };
    return {
      AccessKeyId: session.accessKeyId,
      SecretAccessKey: session.secret,
      SessionToken: sessionTokens.issue(session),
      Expiration: new Date(session.expiresAt).toISOString().replace('.000', ''),
    };
  }
}

/** What STS has and this server has not. Better refused than ignored: all of it narrows what the credentials may do. */
function refuseUnsupported(input: AssumeRoleInput & GetSessionTokenInput & GetFederationTokenInput): void {
  if (input.SerialNumber !== undefined || input.TokenCode !== undefined) {
    throw accessDenied('MultiFactorAuthentication failed, there are no MFA devices on this server.');
  }
  if (input.PolicyArns !== undefined && input.PolicyArns.length > 0) {
    throw validationError(
      'PolicyArns is not supported, as there are no managed policies. Send the document as Policy.',
    );
  }
}

function requireDuration(seconds: number, role: Role, caller: Caller): void {
  if (caller.type === 'assumed-role' && seconds > CHAINED_SECONDS_MAX) {
    throw validationError(
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
    );
  }
  if (seconds > role.sessionSecondsMax) {
    throw validationError('The requested DurationSeconds exceeds the MaxSessionDuration set for this role.');
  }
}

/** Once set it stays for all further sessions. */
function sourceIdentityOf(requested: string | undefined, { session }: Caller): string | undefined {
  const inherited = session?.sourceIdentity;
  if (inherited !== undefined && requested !== undefined && requested !== inherited) {
    throw accessDenied('The source identity of a session cannot be changed.');
  }
  return requested ?? inherited;
}

function conditionsOf(input: AssumeRoleInput, tags: Tags, sessionName: string): TrustContext['conditions'] {
  const conditions = new Map<string, string | readonly string[]>([['sts:rolesessionname', sessionName]]);
  if (input.ExternalId !== undefined) conditions.set('sts:externalid', input.ExternalId);
  if (input.SourceIdentity !== undefined) conditions.set('sts:sourceidentity', input.SourceIdentity);
  if (input.TransitiveTagKeys !== undefined) conditions.set('sts:transitivetagkeys', input.TransitiveTagKeys);
  const keys = Object.keys(tags);
  if (keys.length > 0) conditions.set('aws:tagkeys', keys);
  for (const key of keys) conditions.set(`aws:requesttag/${key.toLowerCase()}`, tags[key] as string);
  return conditions;
}

/** Tags that the session of the caller hands on. They cannot be given another value. */
function transitiveTags(caller: Caller, requestTags: Tags): Tags {
  const handedOn: Record<string, string> = {};
  for (const key of caller.session?.transitiveTagKeys ?? []) {
    if (Object.keys(requestTags).some((other) => other.toLowerCase() === key.toLowerCase())) {
      throw accessDenied(`The session tag ${key} is transitive and cannot be set again.`);
    }
    const value = caller.tags[key];
    if (value !== undefined) handedOn[key] = value;
  }
  return handedOn;
}

function transitiveKeys({ TransitiveTagKeys: keys = [] }: AssumeRoleInput, tags: Tags): string[] {
  const missing = keys.find((key) => !Object.hasOwn(tags, key));
  if (missing !== undefined) {
    throw validationError(`The specified transitive tag key must be included in the requested tags: ${missing}`);
  }
  return keys;
}

/** Per cent of what fits; undefined when there is nothing. */
function packedSize(policy: string | undefined, tags: Tags): number | undefined {
  const tagCharacters = Object.entries(tags).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  const characters = (policy?.length ?? 0) + tagCharacters;
  if (characters === 0) return undefined;
  const percent = Math.ceil((characters * 100) / PACKED_POLICY_CHARACTERS_MAX);
  if (percent > 100) {
    const text = `Packed size of session tags consumes ${percent}% of allotted space.`;
    throw new SqsError('PackedPolicyTooLarge', text);
  }
  return percent;
}

function accessDenied(message: string): SqsError {
  return new SqsError('AccessDeniedException', message);
}
