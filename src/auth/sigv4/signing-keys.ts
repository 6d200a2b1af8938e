import { LruMap } from '../../collections/lru-map.ts';
import type { Digests } from './digests.ts';
import { type CredentialScope, scopeText } from './signature-claim.ts';

/** Access keys times days (two around midnight) times services in use at a time; a key takes some 300 bytes. */
const KEYS_MAX = 1_000;

/**
 * Signing keys: derived from a secret for a day, a region and a service by four HMACs, and kept, so that nearly every
 * request costs the one HMAC over its own text.
 */
export class SigningKeys {
  readonly #digests: Digests;
  readonly #keys = new LruMap<string, { secret: string; key: Buffer }>(KEYS_MAX);

  constructor(digests: Digests) {
    this.#digests = digests;
  }

  get(accessKeyId: string, secret: string, scope: CredentialScope): Buffer {
    const id = `${accessKeyId}/${scopeText(scope)}`;
    const known = this.#keys.get(id);
    // An access key may be given another secret while the server runs.
    if (known?.secret === secret) return known.key;
    const key = deriveSigningKey(secret, scope, this.#digests);
    this.#keys.set(id, { secret, key });
    return key;
  }
}

export function deriveSigningKey(secret: string, { date, region, service }: CredentialScope, digests: Digests): Buffer {
  let key: Buffer = digests.hmac(`AWS4${secret}`, date);
  for (const part of [region, service, 'aws4_request']) key = digests.hmac(key, part);
  return key;
}
