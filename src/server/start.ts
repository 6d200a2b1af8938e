import { resolve } from 'node:path';
import type { ActionContext, Limits } from '../api/action.ts';
import { runAction } from '../api/actions.ts';
import { RESERVE_BYTES } from '../engine/disk-reserve.ts';
import { openShard, type Shard } from '../engine/shard.ts';
import type { Platform } from '../platform/platform.ts';
import { realPlatform } from '../platform/real.ts';
import type { ActionInputs, ActionName } from '../protocol/model/shapes.ts';
import type { Scope } from '../queue/record.ts';
import { ReadError, type Store } from '../storage/store.ts';
import type { QueueDeclarationsInput } from './config/queue-declarations.ts';
import { resolveSettings } from './config/resolve.ts';
import type { Settings } from './config/settings.ts';
import { prepareDataDirectory, reasonOf } from './data-directory.ts';
import { declareQueues } from './declared-queues.ts';
import { createDispatcher, type Dispatcher, refusal } from './dispatcher.ts';
import { HttpListener } from './http.ts';
import { type Logger, silentLogger } from './logger.ts';
import { type BoundAddress, baseUrlResolver, isLoopback, urlOf } from './public-url.ts';
import { senderIdOf } from './scope.ts';
import { StartError } from './start-error.ts';
import { VERSION } from './version.ts';

/** Every setting of the command line, with the same defaults, and what only a program can pass. */
export interface ServerOptions extends Partial<Omit<Settings, 'queues' | 'logLevel'>> {
  /** Queues that exist once the server runs, by name. */
  queues?: QueueDeclarationsInput;
  /** Replaces clock, ids and timers: `manualClock()` in tests. */
  clock?: Platform;
  /** Silent when left out. */
  logger?: Logger;
}

export interface RunningServer {
  /** Where this machine reaches the server: `http://127.0.0.1:9324`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops gracefully: takes no more requests, answers those under way (long polls at once, and empty), and closes the
   * store when everything acknowledged is in it. Calls after the first one wait for the same end.
   */
  close(): Promise<void>;
}

/** How long a client may take to fetch its last reply while the server stops. Everything else is ours, and quick. */
const LAST_REPLY_TIMEOUT_MS = 5_000;

/**
 * Starts a server and resolves when it serves.
 *
 * @throws ConfigError when an option is wrong, and StartError when the machine does not allow what the options ask
 * for: the port is taken, the data directory cannot be used.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const { clock, logger = silentLogger, ...values } = options;
  const settings = resolveSettings([{ values, nameOf: () => 'option' }]);
  const platform = clock ?? realPlatform();

  // The port comes first: nothing is touched on disk when the server is already running. What arrives while the store
  // opens waits for it.
  const dispatcher = deferred<Dispatcher>();
  let dispatch: Dispatcher = async (request, goneSignal) => (await dispatcher.promise)(request, goneSignal);
  const listener = new HttpListener({
    handle: (request, goneSignal) => dispatch(request, goneSignal),
    refuse: (request, error) => refusal(error, request, platform.uuid(), logger),
    version: VERSION,
    logger,
  });
  const bound = await listen(listener, settings);

  let engine: Engine;
  try {
    engine = await openEngine(settings, platform, logger);
  } catch (error) {
    listener.abandon();
    await listener.drain();
    throw error;
  }
  const { shard, freeBytes } = engine;
  try {
    const scope: Scope = { account: settings.account, region: settings.region };
    const limits = limitsOf(settings);
    const baseUrlFor = baseUrlResolver(settings.publicUrl, bound);
    await declareQueues(settings.queues, runAction, ownContext(scope, shard, platform, baseUrlFor(undefined), limits));
    dispatch = createDispatcher({
      // What the codec decodes for an action is that action's input.
      run: (action, input, context) => runAction(action, input as ActionInputs[ActionName], context),
      queues: shard,
      platform,
      defaultScope: scope,
      limits,
      baseUrlFor,
      logger,
    });
    dispatcher.resolve(dispatch);
    listener.ready();
  } catch (error) {
    listener.abandon();
    await Promise.all([listener.drain(), shard.close()]);
    throw error;
  }

  announce(settings, bound, logger);
  if (freeBytes < RESERVE_BYTES) warnOfFullDisk(freeBytes, logger);
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(bound),
    port: bound.port,
    close() {
      closing ??= stop(listener, shard);
      return closing;
    },
  };
}

async function listen(listener: HttpListener, { host, port }: Settings): Promise<BoundAddress> {
  try {
    return await listener.listen({ host, port });
  } catch (error) {
    const reason = listenFailure(error as NodeJS.ErrnoException);
    throw new StartError(`cannot listen on ${host}:${port}: ${reason}`, { cause: error });
  }
}

function listenFailure(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return 'the port is in use';
  if (error.code === 'EACCES') return 'permission denied (ports below 1024 are often reserved)';
  if (error.code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'there is no such host';
  return error.message;
}

interface Engine {
  shard: Shard;
  /** Of its store, when it was opened. */
  freeBytes: number;
}

async function openEngine(settings: Settings, platform: Platform, logger: Logger): Promise<Engine> {
  const store = await openStore(settings);
  const { freeBytes } = store.stats();
  try {
    return { shard: await openShard({ store, platform, logger }), freeBytes };
  } catch (error) {
    await store.close();
    if (!(error instanceof ReadError)) throw error;
    throw new StartError(`cannot use the store in ${resolve(settings.data)}: ${error.message}`, { cause: error });
  }
}

/** Adapters are loaded on demand: who serves from memory needs no native module. */
async function openStore(settings: Settings): Promise<Store> {
  if (settings.store === 'memory') {
    const { openMemoryStore } = await import('../storage/memory/memory-store.ts');
    return openMemoryStore();
  }
  const path = resolve(settings.data);
  await prepareDataDirectory(path);
  const { openLmdbStore } = await import('../storage/lmdb/lmdb-store.ts');
  try {
    return await openLmdbStore({ path, durability: settings.durability });
  } catch (error) {
    throw new StartError(`cannot open the store in ${path}: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
}

function limitsOf({ relaxedTimers }: Settings): Limits {
  return relaxedTimers
    ? { recreateAfterMs: 0, purgeIntervalMs: 0 }
    : { recreateAfterMs: 60_000, purgeIntervalMs: 60_000 };
}

/** For the server's own calls of the API. */
function ownContext(scope: Scope, queues: Shard, platform: Platform, baseUrl: string, limits: Limits): ActionContext {
  const { signal } = new AbortController();
  const senderId = senderIdOf(scope);
  return { scope, queues, platform, baseUrl, path: '/', signal, protocol: 'awsJson1_0', senderId, limits };
}

function announce(settings: Settings, bound: BoundAddress, logger: Logger): void {
  const { host, store, durability, region, account } = settings;
  const url = urlOf(bound);
  const data = store === 'lmdb' ? resolve(settings.data) : undefined;
  const kept = data === undefined ? 'in memory, gone when it stops' : `in ${data}, durability ${durability}`;
  logger.info(
    { url, store, data, durability: data && durability, region, account, version: VERSION },
    `serving on ${url}, messages ${kept}, any credentials are accepted`,
  );
  if (!isLoopback(host)) {
    logger.warn({ host }, `other machines may reach ${host}:${bound.port}, and any credentials are accepted there`);
  }
}

/** Else nobody would know why all is well and no message is taken. */
function warnOfFullDisk(freeBytes: number, logger: Logger): void {
  const [free, reserve] = [freeBytes, RESERVE_BYTES].map((bytes) => `${Math.floor(bytes / 1024 / 1024)} MiB`);
  logger.warn({ freeBytes }, `the disk has ${free} left: no messages are taken until ${reserve} are free`);
}

async function stop(listener: HttpListener, shard: Shard): Promise<void> {
  const disconnected = listener.drain();
  await shard.drain();
  // Real time whatever the clock: the clients are real.
  const giveUp = realPlatform().at(realPlatform().now() + LAST_REPLY_TIMEOUT_MS, () => listener.abandon());
  await disconnected;
  giveUp();
  await shard.close();
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolvePromise!: (value: Value) => void;
  const promise = new Promise<Value>((done) => {
    resolvePromise = done;
  });
  return { promise, resolve: resolvePromise };
}
