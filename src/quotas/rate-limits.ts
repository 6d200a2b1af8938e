import type { Platform } from '../platform/platform.ts';
import { TokenBucket } from './token-bucket.ts';

/** By account, or by the ARN of a user, a role's session or a root. */
export type RateLimits = Readonly<Record<string, { requestsPerSecond: number; burst: number }>>;

/** Who a request is counted for. */
export interface LimitedCaller {
  account: string;
  arn: string;
}

/** The names under which a caller has a limit. */
export function limitsOf(limits: RateLimits, { account, arn }: LimitedCaller): string[] {
  return [account, arn].filter((name) => Object.hasOwn(limits, name));
}

/** Counts the requests of callers that have a limit: one bucket for each limit there is. */
export class RateLimiter {
  readonly #platform: Pick<Platform, 'now'>;
  readonly #buckets: ReadonlyMap<string, TokenBucket>;

  constructor(limits: RateLimits, platform: Pick<Platform, 'now'>) {
    this.#platform = platform;
    const now = platform.now();
    this.#buckets = new Map(
      Object.entries(limits).map(([name, { requestsPerSecond, burst }]) => [
        name,
        new TokenBucket({ perSecond: requestsPerSecond, burst }, now),
      ]),
    );
  }

  /** Counts a request under all the names if none is at its limit, and returns whether that is so. */
  admits(names: readonly string[]): boolean {
    const now = this.#platform.now();
    const buckets = names.flatMap((name) => this.#buckets.get(name) ?? []);
    if (!buckets.every((bucket) => bucket.hasOne(now))) return false;
    for (const bucket of buckets) bucket.takeOne();
    return true;
  }
}
