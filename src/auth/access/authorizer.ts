import type { QueueReference } from '../../api/queue-url.ts';
import type { QueueService } from '../../engine/queue-service.ts';
import { SqsError } from '../../protocol/model/errors.ts';
import type { ActionName } from '../../protocol/model/shapes.ts';
import { type QueueRecord, queueArn } from '../../queue/record.ts';
import type { Caller } from '../identity/caller.ts';
import type { AccessRequest } from '../policy/access-request.ts';
import type { ConditionContext } from '../policy/condition-context.ts';
import { type ApplicablePolicies, type AttachedPolicy, type Decision, evaluate } from '../policy/evaluate.ts';
import { denialMessage } from '../policy/explain.ts';
import { type RequestFacts, requestContext } from '../policy/request-context.ts';
import { SQS_ACTIONS, type SqsAction } from '../policy/sqs-actions.ts';
import { missingAuthenticationToken } from '../sigv4/signature-errors.ts';
import { accessOf, type CallerAccess } from './caller-policies.ts';
import { queuePolicyOf } from './queue-policies.ts';
import { type Origin, originFacts, tagFacts } from './request-facts.ts';
import { destinationOf, type Position, targetOf } from './targets.ts';

/** A call of the API, and who makes it. */
export interface AccessCall extends Position {
  /** Absent: the request is not signed. */
  caller: Caller | undefined;
  action: ActionName;
  input: object;
  origin: Origin;
}

export interface AuthorizerOptions {
  /** Epoch milliseconds. */
  now(): number;
  /** Of the listener that the requests come in by. */
  endpoint?: AttachedPolicy<'endpoint'>;
}

/** Queues of one page of those that a dead-letter queue is for. */
const SOURCES_PAGE = 1000;

const ANONYMOUS: CallerAccess = { principal: { type: 'anonymous' }, policies: {} };

/**
 * Decides whether a caller may do what it asks for (SQS: section 9).
 *
 * Nobody learns from a denial whether a queue exists. Who may not do something with a queue that is not there is told the
 * same about one that is: the reply of the evaluation without queue policy and tags. Only who would be let through, to be
 * told that there is no such queue, is told by which policy of the queue it is kept out.
 */
export class Authorizer {
  readonly #now: () => number;
  readonly #endpoint: AuthorizerOptions['endpoint'];

  constructor({ now, endpoint }: AuthorizerOptions) {
    this.#now = now;
    this.#endpoint = endpoint;
  }

  /**
   * Undefined when it is allowed and could be decided at once, as is the rule. A queue that a move task moves from or to is
   * looked up, too.
   *
   * @throws SqsError AccessDenied; MissingAuthenticationToken when a request without a signature is not allowed. Also as a
   *   rejection.
   */
  authorize(call: AccessCall, queues: QueueService): Promise<void> | undefined {
    const { action, input, scope } = call;
    const check = new Check(call, this.#now(), this.#endpoint);
    const { permissions }: SqsAction = SQS_ACTIONS[action];
    if (action === 'ListQueues') {
      check.require(permissions[0].action, { scope, name: '*' }, undefined);
      return undefined;
    }
    const target = targetOf(action, input, call);
    // Whether there is a queue already makes no difference to who may create it.
    const found = action === 'CreateQueue' ? undefined : queues.findQueue(target.scope, target.name);
    if (found instanceof Promise) return found.then((queue) => this.#check(check, call, target, queue, queues));
    return this.#check(check, call, target, found, queues);
  }

  #check(
    check: Check,
    { action, input, scope }: AccessCall,
    target: QueueReference,
    queue: QueueRecord | undefined,
    queues: QueueService,
  ): Promise<void> | undefined {
    const { permissions, taggingPermission }: SqsAction = SQS_ACTIONS[action];
    for (const permission of permissions) {
      if (permission.on === 'queue') check.require(permission.action, target, queue);
    }
    if (taggingPermission !== undefined && check.bringsTags) check.require(taggingPermission.action, target, queue);
    const ofDestination = permissions.find(({ on }) => on === 'destination');
    if (ofDestination === undefined) return undefined;
    const destination = destinationOf(input, scope);
    return destination === undefined
      ? checkSources(check, ofDestination.action, queue, queues)
      : checkDestination(check, ofDestination.action, destination, queues);
  }
}

async function checkDestination(
  check: Check,
  action: string,
  destination: QueueReference,
  queues: QueueService,
): Promise<void> {
  check.require(action, destination, await queues.findQueue(destination.scope, destination.name));
}

/** Without a destination messages go back to where they came from: any of the queues that name this one. */
async function checkSources(
  check: Check,
  action: string,
  deadLetterQueue: QueueRecord | undefined,
  queues: QueueService,
): Promise<void> {
  if (deadLetterQueue === undefined) return;
  const arn = queueArn(deadLetterQueue);
  for (let after: string | undefined; ; ) {
    const sources = await queues.deadLetterSources(deadLetterQueue.scope, arn, { after, limit: SOURCES_PAGE });
    for (const source of sources) check.require(action, source, source);
    if (sources.length < SOURCES_PAGE) return;
    after = sources.at(-1)?.name;
  }
}

/** The permissions of one call, one after the other. */
class Check {
  readonly #call: AccessCall;
  readonly #access: CallerAccess;
  readonly #now: number;
  readonly #endpoint: AuthorizerOptions['endpoint'];

  constructor(call: AccessCall, now: number, endpoint: AuthorizerOptions['endpoint']) {
    this.#call = call;
    this.#access = call.caller === undefined ? ANONYMOUS : accessOf(call.caller);
    this.#now = now;
    this.#endpoint = endpoint;
  }

  get bringsTags(): boolean {
    return (tagFacts(this.#call.action, this.#call.input).tagKeys?.length ?? 0) > 0;
  }

  /** @throws SqsError */
  require(action: string, target: QueueReference, queue: QueueRecord | undefined): void {
    const { principal } = this.#access;
    const resource = queueArn(target);
    const request = { principal, action, resource, context: this.#contextOf(target, queue) };
    const decision = evaluate(request, this.#policiesWith(queue));
    if (decision.outcome === 'allow') return;
    if (queue !== undefined) {
      const withoutQueue = { ...request, context: this.#contextOf(target, undefined) };
      const unseen = evaluate(withoutQueue, this.#policiesWith(undefined));
      if (unseen.outcome !== 'allow') throw denied(withoutQueue, unseen);
    }
    throw denied(request, decision);
  }

  #policiesWith(queue: QueueRecord | undefined): ApplicablePolicies {
    const { identity, boundary, session } = this.#access.policies;
    return {
      identity,
      boundary,
      session,
      queue: queue && queuePolicyOf(queue),
      endpoint: this.#endpoint,
    };
  }

  #contextOf(target: QueueReference, queue: QueueRecord | undefined): ConditionContext {
    return new ContextOnDemand(() => {
      const { caller, action, input, scope, origin } = this.#call;
      return {
        principal: this.#access.principal,
        now: this.#now,
        region: scope.region,
        sessionIssuedAt: caller?.session?.issuedAt,
        resourceAccount: action === 'ListQueues' ? undefined : target.scope.account,
        resourceTags: queue?.tags,
        ...originFacts(origin),
        ...tagFacts(action, input),
      };
    });
  }
}

/** Most policies ask for no condition: the keys are put together for those that do. */
class ContextOnDemand implements ConditionContext {
  readonly #facts: () => RequestFacts;
  #context: ConditionContext | undefined;

  constructor(facts: () => RequestFacts) {
    this.#facts = facts;
  }

  get(key: string): string | readonly string[] | undefined {
    this.#context ??= requestContext(this.#facts());
    return this.#context.get(key);
  }
}

function denied(request: AccessRequest, decision: Decision): SqsError {
  if (request.principal.type === 'anonymous') return missingAuthenticationToken();
  return new SqsError('AccessDeniedException', denialMessage(request, decision));
}
