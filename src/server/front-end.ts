import type { Socket } from 'node:net';
import type { ActionContext, Limits } from '../api/action.ts';
import { runAction } from '../api/actions.ts';
import type { QueueService } from '../engine/queue-service.ts';
import type { Platform } from '../platform/platform.ts';
import { realPlatform } from '../platform/real.ts';
import type { ActionInputs, ActionName } from '../protocol/model/shapes.ts';
import type { Scope } from '../queue/record.ts';
import { AccessControl } from './access/access-control.ts';
import type { AccessRules, AccessSecrets } from './access/access-rules.ts';
import { withSts } from './access/sts-dispatcher.ts';
import type { Capacity } from './capacity.ts';
import type { Settings } from './config/settings.ts';
import { deferred } from './deferred.ts';
import { createDispatcher, type Dispatcher, refusal } from './dispatcher.ts';
import { HttpListener } from './http.ts';
import type { Logger } from './logger.ts';
import { type BoundAddress, baseUrlResolver } from './public-url.ts';
import { Room } from './room.ts';
import { senderIdOf } from './scope.ts';
import { VERSION } from './version.ts';

/** What stands between the network and a `QueueService`: in this process, or in several. */
export interface FrontEnd {
  /** Takes the address. Requests wait until `serve`. Rejects with the error of the operating system. */
  listen(address: BoundAddress): Promise<BoundAddress>;
  /** Resolves when requests are answered. */
  serve(queues: QueueService): Promise<void>;
  /** Takes no further requests. Resolves when those under way are answered and all connections are closed. */
  drain(): Promise<void>;
  /** Cuts every connection that is left. */
  abandon(): void;
  /** With access control. Resolves when these hold in every process that takes requests. */
  useRules(rules: AccessRules): Promise<void>;
  /** The processes that it runs in besides this one, by their ids. */
  readonly workers: readonly number[];
}

/** What a front end needs to know of the settings. */
export type FrontEndSettings = Pick<Settings, 'region' | 'account' | 'publicUrl' | 'relaxedTimers'>;

export interface FrontEndOptions {
  settings: FrontEndSettings;
  platform: Platform;
  logger: Logger;
  capacity: Capacity;
  /** With access control: what it begins with. */
  access?: { rules: AccessRules; secrets: AccessSecrets };
}

/** HTTP, codecs and API in this process. */
export class LocalFrontEnd implements FrontEnd {
  readonly workers = [];
  readonly #options: FrontEndOptions;
  readonly #listener: HttpListener;
  readonly #access: AccessControl | undefined;
  readonly #serving = deferred<Dispatcher>();
  /** What arrives while the store opens waits for it. */
  #dispatch: Dispatcher = async (request, client) => (await this.#serving.promise)(request, client);
  #bound: BoundAddress | undefined;

  constructor(options: FrontEndOptions) {
    const { settings, platform, logger, capacity, access } = options;
    this.#options = options;
    this.#access = access && new AccessControl({ ...access, scope: scopeOfServer(settings), platform });
    this.#listener = new HttpListener({
      handle: (request, client) => this.#dispatch(request, client),
      refuse: (request, error) => refusal(error, request, platform.uuid(), logger),
      version: VERSION,
      logger,
      timers: realPlatform(),
      maxConnections: capacity.connections,
      requestBytesMax: capacity.requestBytes,
    });
  }

  async listen(address: BoundAddress): Promise<BoundAddress> {
    this.#bound = await this.#listener.listen(address);
    return this.#bound;
  }

  /** In place of `listen`: another process listens at the address, and passes its connections to `accept`. */
  listenElsewhere(bound: BoundAddress): void {
    this.#bound = bound;
    this.#listener.listenToNobody();
  }

  accept(socket: Socket): void {
    this.#listener.accept(socket);
  }

  async serve(queues: QueueService): Promise<void> {
    const { settings, platform, logger, capacity } = this.#options;
    const access = this.#access;
    const dispatch = createDispatcher({
      // What the codec decodes for an action is that action's input.
      run: (action, input, context) => runAction(action, input as ActionInputs[ActionName], context),
      queues,
      platform,
      defaultScope: scopeOfServer(settings),
      access,
      limits: limitsOf(settings),
      baseUrlFor: baseUrlResolver(settings.publicUrl, this.#bound as BoundAddress),
      replyRoom: new Room(capacity.replyBytes),
      logger,
    });
    this.#dispatch = access === undefined ? dispatch : withSts(dispatch, { access, platform, logger });
    this.#serving.resolve(this.#dispatch);
    this.#listener.ready();
  }

  async useRules(rules: AccessRules): Promise<void> {
    this.#access?.use(rules);
  }

  drain(): Promise<void> {
    return this.#listener.drain();
  }

  abandon(): void {
    this.#listener.abandon();
  }
}

/** For the server's own calls of the API. */
export function ownContext(
  settings: FrontEndSettings,
  queues: QueueService,
  platform: Platform,
  bound: BoundAddress,
): ActionContext {
  const { signal } = new AbortController();
  const scope = scopeOfServer(settings);
  return {
    scope,
    queues,
    platform,
    baseUrl: baseUrlResolver(settings.publicUrl, bound)(undefined),
    path: '/',
    signal,
    protocol: 'awsJson1_0',
    senderId: senderIdOf(scope),
    limits: limitsOf(settings),
  };
}

function scopeOfServer({ account, region }: FrontEndSettings): Scope {
  return { account, region };
}

function limitsOf({ relaxedTimers }: FrontEndSettings): Limits {
  return relaxedTimers
    ? { recreateAfterMs: 0, purgeIntervalMs: 0 }
    : { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 };
}
