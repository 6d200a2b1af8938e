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
import { callGuardOf, type GuardSettings, type Guards } from './guards.ts';
import { HttpListener } from './http.ts';
import { listenOrExplain } from './listen.ts';
import type { Logger } from './logger.ts';
import { baseUrlResolver, type Listeners } from './public-url.ts';
import { Room } from './room.ts';
import { senderIdOf } from './scope.ts';
import type { Certificate } from './tls/certificate.ts';
import { VERSION } from './version.ts';

/** What stands between the network and a `QueueService`: in this process, or in several. */
export interface FrontEnd {
  /** Takes the addresses. Requests wait until `serve`. @throws StartError; one of two may be taken then, until `drain`. */
  listen(at: ListenAt): Promise<Listeners>;
  /** For secure connections to come. */
  useCertificate(certificate: Certificate): void;
  /** Resolves when requests are answered. */
  serve(queues: QueueService, guards: Guards): Promise<void>;
  /** Takes no further requests. Resolves when those under way are answered and all connections are closed. */
  drain(): Promise<void>;
  /** Cuts every connection that is left. */
  abandon(): void;
  /** With access control. Resolves when these hold in every process that takes requests. */
  useRules(rules: AccessRules): Promise<void>;
  /** The processes that it runs in besides this one, by their ids. */
  readonly workers: readonly number[];
}

/** What to listen at, 0 being any free port. */
export interface ListenAt extends Listeners {
  /** Comes with the address for HTTPS. */
  certificate?: Certificate;
}

/** What a front end needs to know of the settings. */
export type FrontEndSettings = Pick<Settings, 'region' | 'account' | 'publicUrl' | 'relaxedTimers'> & GuardSettings;

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
  #bound: Listeners = {};

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

  async listen({ http, https, certificate }: ListenAt): Promise<Listeners> {
    const listener = this.#listener;
    if (http === undefined) listener.listenToNobody();
    else this.#bound.http = await listenOrExplain(http, (address) => listener.listen(address));
    if (https !== undefined && certificate !== undefined) {
      this.#bound.https = await listenOrExplain(https, (address) => listener.listenSecurely(address, certificate));
    }
    return this.#bound;
  }

  useCertificate(certificate: Certificate): void {
    this.#listener.useCertificate(certificate);
  }

  /** In place of `listen`: another process listens at the addresses, and passes its connections to `accept`. */
  listenElsewhere(bound: Listeners, certificate?: Certificate): void {
    this.#bound = bound;
    if (certificate !== undefined) this.#listener.useCertificate(certificate);
    this.#listener.listenToNobody();
  }

  accept(socket: Socket, isSecure = false): void {
    this.#listener.accept(socket, isSecure);
  }

  async serve(queues: QueueService, guards: Guards): Promise<void> {
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
      baseUrlFor: baseUrlResolver(settings.publicUrl, this.#bound),
      replyRoom: new Room(capacity.replyBytes),
      guard: callGuardOf(settings, platform, guards),
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
  settings: Omit<FrontEndSettings, keyof GuardSettings>,
  queues: QueueService,
  platform: Platform,
  bound: Listeners,
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

function scopeOfServer({ account, region }: Pick<FrontEndSettings, 'account' | 'region'>): Scope {
  return { account, region };
}

function limitsOf({ relaxedTimers }: Pick<FrontEndSettings, 'relaxedTimers'>): Limits {
  return relaxedTimers
    ? { recreateAfterMs: 0, purgeIntervalMs: 0 }
    : { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 };
}
