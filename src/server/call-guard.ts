import { parseQueueUrl } from '../api/queue-url.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { AuditedCaller } from '../audit/caller.ts';
import { AuditError } from '../audit/trail.ts';
import type { WireRequest } from '../protocol/codec.ts';
import { SqsError } from '../protocol/model/errors.ts';
import type { ActionName } from '../protocol/model/shapes.ts';
import { partitionOfRegion, queueArn, type Scope } from '../queue/record.ts';
import { limitsOf, type RateLimits } from '../quotas/rate-limits.ts';

/** What there is one of for all processes of a server. */
export interface SharedGuards {
  /** Absent: there is no audit trail. */
  auditor?: Auditor;
  rateLimits: RateLimits;
  /** Counts a request under these names of `rateLimits`. */
  admits(names: readonly string[]): boolean | Promise<boolean>;
}

/** A call whose action and input are known. */
export interface GuardedCall {
  action: ActionName;
  input: unknown;
  request: WireRequest;
  requestId: string;
  scope: Scope;
  /** Absent while nobody is asked for a signature: the root of the account. */
  caller?: AuditedCaller;
}

/** Stands before and behind a call: limits how often it may be made, and has it recorded. */
export class CallGuard {
  readonly #guards: SharedGuards;

  constructor(guards: SharedGuards) {
    this.#guards = guards;
  }

  /**
   * Runs a call. Whoever refuses it for another reason - a signature, a policy - does so inside `run`, and it is recorded, too.
   *
   * @throws SqsError
   */
  async run<Output>(call: GuardedCall, run: () => Promise<Output>): Promise<Output> {
    const auditor = this.#guards.auditor?.records(call.action) ? this.#guards.auditor : undefined;
    if (auditor === undefined) return this.#limited(call, run);
    await auditor.ready().catch(unwritable('Nothing was changed.'));
    const about = auditedCallOf(call);
    let output: Output;
    try {
      output = await this.#limited(call, run);
    } catch (error) {
      const { queryCode, message } = error instanceof SqsError ? error : UNEXPECTED;
      await auditor
        .write(about, { errorCode: queryCode, errorMessage: message })
        .catch(unwritable('The request had failed.'));
      throw error;
    }
    await auditor.write(about, { output }).catch(unwritable('The request was carried out.'));
    return output;
  }

  async #limited<Output>(call: GuardedCall, run: () => Promise<Output>): Promise<Output> {
    const names = limitsOf(this.#guards.rateLimits, call.caller ?? rootOf(call.scope));
    if (names.length > 0 && !(await this.#guards.admits(names))) {
      throw new SqsError('RequestThrottled', 'Request is throttled.');
    }
    return run();
  }
}

const UNEXPECTED = { queryCode: 'InternalFailure', message: 'The request failed unexpectedly.' };

function unwritable(consequence: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AuditError)) throw error;
    throw new SqsError('ServiceUnavailable', `${error.message} ${consequence}`, { cause: error });
  };
}

/** Whoever calls while nobody is asked for a signature. */
function rootOf({ account, region }: Scope): AuditedCaller {
  const arn = `arn:${partitionOfRegion(region)}:iam::${account}:root`;
  return { type: 'root', account, userId: account, arn };
}

function auditedCallOf({ action, input, request, requestId, scope, caller }: GuardedCall) {
  const { QueueUrl, QueueName, QueueOwnerAWSAccountId } = (input ?? {}) as Record<string, unknown>;
  const queue =
    typeof QueueName === 'string'
      ? { scope: { ...scope, account: String(QueueOwnerAWSAccountId ?? scope.account) }, name: QueueName }
      : parseQueueUrl(typeof QueueUrl === 'string' && QueueUrl !== '' ? QueueUrl : request.path, scope);
  return {
    action,
    input,
    caller: caller ?? rootOf(scope),
    region: scope.region,
    recipientAccount: queue?.scope.account ?? scope.account,
    queueArn: queueArn(queue ?? { scope, name: '*' }),
    requestId,
    sourceAddress: request.sourceAddress,
    userAgent: request.headers['user-agent'],
    tls: request.tls,
    host: request.headers.host,
  };
}
