import {
  type Credential,
  SignatureVerifier,
  type SignatureVerifierOptions,
  type SignedRequest,
} from '../sigv4/signature-verifier.ts';
import { type Caller, federatedCaller, roleCaller, rootCaller, userCaller, withSession } from './caller.ts';
import type { IdentityDirectory, KeyHolder } from './directory.ts';
import type { Session, SessionTokens } from './session-tokens.ts';

export interface AuthenticatorOptions extends Pick<SignatureVerifierOptions<Caller>, 'now' | 'isRegion' | 'digests'> {
  directory: IdentityDirectory;
  sessionTokens: SessionTokens;
}

/** From a signed request to who has made it. */
export class Authenticator {
  readonly #verifier: SignatureVerifier<Caller>;
  readonly #sessionTokens: SessionTokens;
  readonly #now: () => number;
  #directory: IdentityDirectory;
  /** By long-term access key, of the present directory. */
  #callers = new Map<string, Caller>();
  /** By session, in the present directory: as long as a session is remembered, its caller is the same object. */
  #sessionCallers = new WeakMap<Session, Caller>();

  constructor({ directory, sessionTokens, now, ...options }: AuthenticatorOptions) {
    this.#directory = directory;
    this.#sessionTokens = sessionTokens;
    this.#now = now;
    this.#verifier = new SignatureVerifier({
      ...options,
      now,
      findCredential: (accessKeyId, token) =>
        token === undefined ? this.#findLongTerm(accessKeyId) : this.#findSession(accessKeyId, token),
    });
  }

  get directory(): IdentityDirectory {
    return this.#directory;
  }

  /** From the next request on this is who there is; sessions of those who are gone end with it. */
  use(directory: IdentityDirectory): void {
    this.#directory = directory;
    this.#callers = new Map();
    this.#sessionCallers = new WeakMap();
  }

  /**
   * The caller is the same object for every request with the same credentials, so that what follows from it can be kept by
   * it. `service`: what the scope of the signature has to name.
   *
   * @throws SqsError when the request is not signed, or not rightly (SQS: section 1.7).
   */
  authenticate(request: SignedRequest, service: 'sqs' | 'sts'): { caller: Caller; region: string } {
    const { owner, scope } = this.#verifier.verify(request, service);
    return { caller: owner, region: scope.region };
  }

  #findLongTerm(accessKeyId: string): Credential<Caller> {
    const found = this.#directory.findKey(accessKeyId);
    if (found === undefined || !found.key.active) return { status: 'unknown' };
    let owner = this.#callers.get(accessKeyId);
    if (owner === undefined) {
      owner = callerOf(found.holder, accessKeyId);
      this.#callers.set(accessKeyId, owner);
    }
    return { status: 'valid', secret: found.key.secret, owner };
  }

  #findSession(accessKeyId: string, token: string): Credential<Caller> {
    const session = this.#sessionTokens.open(token);
    if (session === undefined || session.accessKeyId !== accessKeyId) return { status: 'unknown' };
    if (session.expiresAt <= this.#now()) return { status: 'expired' };
    const owner = this.#sessionCallers.get(session) ?? sessionCaller(session, this.#directory);
    if (owner === undefined) return { status: 'unknown' };
    this.#sessionCallers.set(session, owner);
    return { status: 'valid', secret: session.secret, owner };
  }
}

function callerOf(holder: KeyHolder, accessKeyId: string): Caller {
  return holder.type === 'root' ? rootCaller(holder.root, accessKeyId) : userCaller(holder.user, accessKeyId);
}

/** Undefined when the holder is gone, or another one has the name now. */
function sessionCaller(session: Session, directory: IdentityDirectory): Caller | undefined {
  const { holder, accessKeyId } = session;
  const { partition } = directory;
  if (holder.type === 'root') {
    const root = directory.findRoot(holder.account);
    return root && withSession(rootCaller(root, accessKeyId), session);
  }
  if (holder.type === 'role') {
    const role = directory.findRole(holder.account, holder.name);
    return role?.id === holder.id ? roleCaller(role, named(session), partition, accessKeyId) : undefined;
  }
  const user = directory.findUser(holder.account, holder.name);
  if (user?.id !== holder.id) return undefined;
  if (holder.type === 'user') return withSession(userCaller(user, accessKeyId), session);
  return federatedCaller(user, named(session), partition, accessKeyId);
}

function named(session: Session): Session & { name: string } {
  if (session.name === undefined) throw new Error(`a session of a ${session.holder.type} has a name`);
  return { ...session, name: session.name };
}
