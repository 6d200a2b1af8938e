import type { ConditionContext } from './condition-context.ts';
import type { Principal } from './principal.ts';

/** What a caller wants to do. */
export interface AccessRequest {
  principal: Principal;
  /** As policies write it, in any case: `sqs:SendMessage`. */
  action: string;
  /** An ARN: that of the queue, or `arn:aws:sqs:us-east-1:123456789012:*` for an action without one. */
  resource: string;
  context: ConditionContext;
}
