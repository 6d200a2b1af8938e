import { mayCall, type StsRequestFacts, trustIn } from '../../auth/access/trust.ts';
import { type Caller, federatedUserArn } from '../../auth/identity/caller.ts';
import { StsService } from '../../auth/sts/sts-service.ts';
import type { Platform } from '../../platform/platform.ts';
import { codecFor, type ReceivedRequest } from '../../protocol/codec.ts';
import { SqsError } from '../../protocol/model/errors.ts';
import { decodeStsCall, encodeStsError, encodeStsReply, isStsRequest } from '../../protocol/sts/sts-codec.ts';
import type { StsCall } from '../../protocol/sts/sts-shapes.ts';
import { type Dispatcher, encodeFailure } from '../dispatcher.ts';
import type { Logger } from '../logger.ts';
import { type AccessControl, originOf } from './access-control.ts';

export interface StsDispatcherOptions {
  access: AccessControl;
  platform: Platform;
  logger: Logger;
}

/** Answers the requests to STS, and hands those to SQS on. */
export function withSts(sqs: Dispatcher, { access, platform, logger }: StsDispatcherOptions): Dispatcher {
  const answer = async (request: ReceivedRequest) => {
    const requestId = platform.uuid();
    let action: string | undefined;
    try {
      const call = decodeStsCall(request);
      action = call.action;
      const { caller, region } = access.identifyForSts(request);
      const facts = { origin: originOf(request), region, now: platform.now() };
      return encodeStsReply(call.action, run(call, caller, facts), requestId);
    } catch (error) {
      return encodeFailure(error, { encodeError: encodeStsError }, { requestId, action }, logger);
    }
  };

  function run(call: StsCall, caller: Caller, facts: StsRequestFacts) {
    if (call.action === 'GetFederationToken') requireFederation(call.input.Name ?? '', caller, facts);
    const { directory, sessionTokens } = access;
    const sts = new StsService({ directory: () => directory, sessionTokens, platform, isTrusted: trustIn(facts) });
    return sts.run(call, caller);
  }

  function requireFederation(name: string, caller: Caller, facts: StsRequestFacts): void {
    const action = 'sts:GetFederationToken';
    const resource = federatedUserArn(access.directory.partition, caller.account, name.slice(0, FEDERATED_NAME_MAX));
    if (mayCall(action, resource, caller, facts)) return;
    throw new SqsError(
      'AccessDeniedException',
      `User: ${caller.arn} is not authorized to perform: ${action} on resource: ${resource}`,
    );
  }

  return (request, client) => (isForSts(request) ? answer(request) : sqs(request, client));
}

/** Longer names are refused; until then they are matched against policies. */
const FEDERATED_NAME_MAX = 33;

function isForSts(request: ReceivedRequest): boolean {
  return codecFor(request).protocol === 'awsQuery' && isStsRequest(request);
}
