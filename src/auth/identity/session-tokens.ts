import { LruMap } from '../../collections/lru-map.ts';
import type { Tags } from './model.ts';
import type { Sealer } from './sealing.ts';

/** Whose session it is. The id is kept, so that it ends when who is called so now is somebody else. */
export type SessionHolder =
  | { type: 'role' | 'user' | 'federated-user'; account: string; name: string; id: string }
  | { type: 'root'; account: string };

/** Temporary credentials and all that is known about them. */
export interface Session {
  /** `ASIA...` and its secret. */
  accessKeyId: string;
  secret: string;
  holder: SessionHolder;
  /** Of the session; absent for those of GetSessionToken. */
  name?: string;
  /** A JSON document that bounds the session. */
  policy?: string;
  tags: Tags;
  transitiveTagKeys: readonly string[];
  sourceIdentity?: string;
  /** Epoch milliseconds. */
  issuedAt: number;
  expiresAt: number;
}

/** Sessions in use at a time, for which the seal is looked at once; one takes a few kilobytes. */
const OPENED_MAX = 1_000;

/** What a sealed record begins with, so that a later layout can be told from this one. */
const VERSION = 1;

/**
 * Session tokens are the sessions themselves, sealed: the server remembers none, so they are as good after a restart, and
 * in every process that has the master key.
 */
export class SessionTokens {
  readonly #sealer: Sealer;
  readonly #opened = new LruMap<string, Session>(OPENED_MAX);

  /** `sealer`: one for session tokens. */
  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  issue(session: Session): string {
    return this.#sealer.seal(JSON.stringify({ version: VERSION, session }));
  }

  /** Also of an expired session; undefined when this is no token that a holder of the master key has issued. */
  open(token: string): Session | undefined {
    const known = this.#opened.get(token);
    if (known !== undefined) return known;
    const text = this.#sealer.open(token);
    if (text === undefined) return undefined;
    const { version, session } = JSON.parse(text) as { version: number; session: Session };
    if (version !== VERSION) return undefined;
    this.#opened.set(token, session);
    return session;
  }
}
