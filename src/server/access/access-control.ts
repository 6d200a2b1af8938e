import { Authorizer } from '../../auth/access/authorizer.ts';
import type { Origin } from '../../auth/access/request-facts.ts';
import { Authenticator } from '../../auth/identity/authenticator.ts';
import type { Caller } from '../../auth/identity/caller.ts';
import { IdentityDirectory } from '../../auth/identity/directory.ts';
import { Sealer } from '../../auth/identity/sealing.ts';
import { SessionTokens } from '../../auth/identity/session-tokens.ts';
import { compilePolicy } from '../../auth/policy/compile-policy.ts';
import { isUnsigned } from '../../auth/sigv4/signature-claim.ts';
import type { QueueService } from '../../engine/queue-service.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Call, isSecure, type ReceivedRequest } from '../../protocol/codec.ts';
import type { Scope } from '../../queue/record.ts';
import type { AccessRules, AccessSecrets } from './access-rules.ts';

export interface AccessControlOptions {
  rules: AccessRules;
  secrets: AccessSecrets;
  /** The region of this server: no other is signed for. Its account has the queues that callers without one name. */
  scope: Scope;
  platform: Pick<Platform, 'now' | 'randomBytes'>;
}

/** Who makes a request. */
export interface Requester {
  /** Absent: nobody has signed it. */
  caller: Caller | undefined;
  scope: Scope;
  /** The SenderId of what it sends (SQS: section 4.2). */
  senderId: string;
  origin: Origin;
}

/** What signatures and policies have to say about the requests of one listener. */
export class AccessControl {
  readonly sessionTokens: SessionTokens;
  readonly #options: AccessControlOptions;
  readonly #authenticator: Authenticator;
  #authorizer: Authorizer;

  constructor(options: AccessControlOptions) {
    const { rules, secrets, scope, platform } = options;
    this.#options = options;
    const masterKey = Buffer.from(secrets.masterKey, 'base64');
    this.sessionTokens = new SessionTokens(new Sealer(masterKey, 'session-token', platform.randomBytes));
    this.#authenticator = new Authenticator({
      directory: directoryOf(rules),
      sessionTokens: this.sessionTokens,
      now: () => platform.now(),
      isRegion: (region) => region === scope.region,
    });
    this.#authorizer = this.#authorizerOf(rules);
  }

  get directory(): IdentityDirectory {
    return this.#authenticator.directory;
  }

  /** From the next request on these hold. */
  use(rules: AccessRules): void {
    this.#authenticator.use(directoryOf(rules));
    this.#authorizer = this.#authorizerOf(rules);
  }

  /** @throws SqsError when the request is signed, and not rightly (SQS: section 1.7). */
  identify(request: ReceivedRequest): Requester {
    const origin = originOf(request);
    if (isUnsigned(request.headers.authorization, request.query)) {
      const { scope } = this.#options;
      return { caller: undefined, scope, senderId: origin.sourceIp ?? 'anonymous', origin };
    }
    const { caller, region } = this.#authenticator.authenticate(request, 'sqs');
    return { caller, scope: { account: caller.account, region }, senderId: caller.userId, origin };
  }

  /** @throws SqsError, as this is done. */
  identifyForSts(request: ReceivedRequest): { caller: Caller; region: string } {
    return this.#authenticator.authenticate(request, 'sts');
  }

  /**
   * Undefined: it is allowed.
   *
   * @throws SqsError AccessDenied; for a request without a signature MissingAuthenticationToken. Also as a rejection.
   */
  authorize(
    { caller, scope, origin }: Requester,
    { action, input }: Call,
    { path }: Pick<ReceivedRequest, 'path'>,
    queues: QueueService,
  ): Promise<void> | undefined {
    return this.#authorizer.authorize({ caller, scope, origin, path, action, input: input as object }, queues);
  }

  #authorizerOf({ endpointPolicy }: AccessRules): Authorizer {
    const endpoint =
      endpointPolicy === undefined
        ? undefined
        : { name: 'endpoint policy', policy: compilePolicy(endpointPolicy, 'endpoint') };
    return new Authorizer({ now: () => this.#options.platform.now(), endpoint });
  }
}

export function originOf(request: ReceivedRequest): Origin {
  const { headers, sourceAddress } = request;
  return {
    isSecure: isSecure(request),
    // Without the zone of an IPv6 address.
    sourceIp: sourceAddress?.replace(/%.*$/, ''),
    userAgent: headers['user-agent'],
    referer: headers.referer,
  };
}

function directoryOf({ partition, accounts }: AccessRules): IdentityDirectory {
  return new IdentityDirectory(partition, accounts);
}
