import type { ActionContext, Limits } from '../api/action.ts';
import { ANONYMOUS } from '../audit/caller.ts';
import type { QueueService } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import {
  type Codec,
  codecFor,
  isSecure,
  type ReceivedRequest,
  type WireReply,
  type WireRequest,
} from '../protocol/codec.ts';
import { SqsError } from '../protocol/model/errors.ts';
import type { ActionName } from '../protocol/model/shapes.ts';
import type { Scope } from '../queue/record.ts';
import type { AccessControl, Requester } from './access/access-control.ts';
import type { CallGuard } from './call-guard.ts';
import type { Client } from './exchange.ts';
import type { Logger } from './logger.ts';
import { ReplySpace } from './reply-space.ts';
import type { Room } from './room.ts';
import { scopeResolver, senderIdOf } from './scope.ts';

export interface DispatcherOptions {
  /** Runs an action: `runAction` of the API. */
  run(action: ActionName, input: unknown, context: ActionContext): Promise<unknown>;
  queues: QueueService;
  platform: Platform;
  /** Account and region of requests that name none. */
  defaultScope: Scope;
  /** Absent: who signs how does not matter, and everybody may do everything. */
  access?: AccessControl;
  limits: Limits;
  /** The base of queue URLs for a request with this Host header. */
  baseUrlFor(host: string | undefined, isSecure: boolean): string;
  /** The memory for the replies under way. */
  replyRoom: Room;
  /** Limits and records calls. */
  /** Absent: nothing is recorded or limited. */
  guard?: Pick<CallGuard, 'run'>;
  logger: Logger;
}

/**
 * From a request as it came off the wire to the reply as it goes there. Never rejects: whatever goes wrong is an error
 * reply.
 */
export type Dispatcher = (request: ReceivedRequest, client: Client) => Promise<WireReply>;

/** For actions that do not wait. */
const NEVER_ABORTED = new AbortController().signal;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { run, queues, platform, limits, defaultScope, access, baseUrlFor, replyRoom, guard, logger } = options;
  const scopeOf = scopeResolver(defaultScope);

  return async (request, client) => {
    const requestId = platform.uuid();
    const codec = codecFor(request);
    let action: ActionName | undefined;
    let space: ReplySpace | undefined;
    try {
      if (request.method !== 'POST' && request.method !== 'GET') throw wrongMethod(request.method);
      if (request.headers['sec-fetch-site'] === 'cross-site') throw foreignWebSite();
      const call = codec.decode(request);
      action = call.action;
      // Other replies are small.
      const isReceive = action === 'ReceiveMessage';
      if (isReceive) space = new ReplySpace(replyRoom, codec.protocol);
      let scope: Scope;
      let senderId: string;
      let requester: Requester | undefined;
      if (access === undefined) {
        scope = scopeOf(request);
        senderId = senderIdOf(scope);
      } else {
        // After the input has been understood, before it is checked: the order of SQS (section 2).
        requester = access.identify(request);
        ({ scope, senderId } = requester);
      }
      const context: ActionContext = {
        scope,
        queues,
        platform,
        baseUrl: baseUrlFor(request.headers.host, isSecure(request)),
        path: request.path,
        signal: isReceive ? client.goneSignal() : NEVER_ABORTED,
        room: space,
        protocol: codec.protocol,
        traceHeader: traceHeaderOf(request),
        senderId,
        limits,
      };
      const carryOut = () => run(call.action, call.input, context);
      // What a policy refuses is recorded, too.
      const attempt =
        requester === undefined
          ? carryOut
          : async () => {
              await access?.authorize(requester as Requester, call, request, queues);
              return carryOut();
            };
      const about = { action: call.action, input: call.input, request, requestId, scope };
      const output = await (guard === undefined
        ? attempt()
        : guard.run({ ...about, caller: requester && (requester.caller ?? ANONYMOUS) }, attempt));
      const reply = codec.encodeReply(action, output, requestId);
      space?.holdUntilSent(reply.body.length, client);
      return reply;
    } catch (error) {
      space?.release();
      return encodeFailure(error, codec, { requestId, action }, logger);
    }
  };
}

/** The reply to a request that is refused before its action is looked at. */
export function refusal(error: SqsError, request: WireRequest, requestId: string, logger: Logger): WireReply {
  // Who refuses because it is busy has no time to write about each.
  logger.debug({ requestId, code: error.queryCode, status: error.httpStatus }, 'request refused');
  return codecFor(request).encodeError(error, requestId);
}

/** The reply to a request that failed, and what the log says of it. */
export function encodeFailure(
  error: unknown,
  codec: Pick<Codec, 'encodeError'>,
  about: { requestId: string; action?: string },
  logger: Logger,
): WireReply {
  if (error instanceof SqsError) {
    // The text stays out of the log: it may quote a receipt handle or a part of the message.
    const fields = { ...about, code: error.queryCode, status: error.httpStatus };
    if (error.fault === 'Sender') logger.debug(fields, 'request refused');
    else logger.error({ ...fields, cause: stackOf(error.cause) }, 'request failed');
    return codec.encodeError(error, about.requestId);
  }
  logger.error(
    { ...about, code: 'InternalFailure', status: 500, stack: stackOf(error) },
    'request failed unexpectedly',
  );
  const text = 'The request processing has failed because of an unknown error, exception or failure.';
  return codec.encodeError(new SqsError('InternalFailure', text), about.requestId);
}

/**
 * Any web page may post a form to localhost, and every action works as a form: without this a page could purge a
 * developer's queues. Browsers always say where a request comes from, and no SDK sends the header.
 */
function foreignWebSite(): SqsError {
  return new SqsError('AccessDeniedException', 'Requests from other web sites are not accepted.');
}

function wrongMethod(method: string): SqsError {
  return new SqsError('UnknownOperationException', `The method ${method} is not valid for this endpoint.`);
}

function stackOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error ? error.stack : String(error);
}

function traceHeaderOf(request: WireRequest): string | undefined {
  // Node joins repeated headers it does not know with commas, so this is never a list.
  return request.headers['x-amzn-trace-id'] as string | undefined;
}
