import { z } from 'zod';
import type { RateLimits } from '../../quotas/rate-limits.ts';

const RATE_RULE = 'must be a whole number from 1 to 1000000';
const count = z.int({ error: RATE_RULE }).min(1, { error: RATE_RULE }).max(1_000_000, { error: RATE_RULE });
const WHO_RULE = 'must be named by an account of 12 digits (in quotes), or by the ARN of a user, session or root';

const schema = z.record(
  z.string().regex(/^(?:\d{12}|arn:[a-z-]+:(?:iam|sts)::\d{12}:[\w+=,.@/-]+)$/, { error: WHO_RULE }),
  z
    .strictObject(
      { requestsPerSecond: count, burst: count.optional() },
      { error: 'must have requestsPerSecond, perhaps burst, and nothing else' },
    )
    // A second's worth, where nothing else is said.
    .transform(({ requestsPerSecond, burst = requestsPerSecond }) => ({ requestsPerSecond, burst })),
  { error: 'must be a map of accounts and ARNs' },
);

/** The same as people write it. */
export type RateLimitsInput = Record<string, { requestsPerSecond: number; burst?: number }>;

export function checkRateLimits(value: unknown): { value: RateLimits } | { problems: string[] } {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  return {
    problems: parsed.error.issues.map((issue) => {
      const message = issue.code === 'invalid_key' ? WHO_RULE : issue.message;
      return `${['rateLimits', ...issue.path].join('.')} ${message}`;
    }),
  };
}
