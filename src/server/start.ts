import { resolve } from 'node:path';
import { runAction } from '../api/actions.ts';
import { RESERVE_BYTES } from '../engine/disk-reserve.ts';
import { openShard, type Shard } from '../engine/shard.ts';
import type { Platform } from '../platform/platform.ts';
import { realPlatform } from '../platform/real.ts';
import { withQuotas } from '../quotas/quota-queue-service.ts';
import { ReadError, type Store } from '../storage/store.ts';
import { AccessRulesKeeper } from './access/access-rules-keeper.ts';
import { RulesSource } from './access/rules-source.ts';
import { capacityOf } from './capacity.ts';
import type { QueueDeclarationsInput } from './config/queue-declarations.ts';
import type { RateLimitsInput } from './config/rate-limit-settings.ts';
import { resolveSettings } from './config/resolve.ts';
import type { Settings } from './config/settings.ts';
import { prepareDataDirectory, reasonOf } from './data-directory.ts';
import { declareQueues } from './declared-queues.ts';
import { openEncryption, rememberKeyring } from './encryption.ts';
import { type FrontEnd, LocalFrontEnd, ownContext } from './front-end.ts';
import { guardsOf, type OpenTrail, openTrail } from './guards.ts';
import { type Logger, silentLogger } from './logger.ts';
import { isLoopback, type Listeners, urlOf } from './public-url.ts';
import { ConfigError, StartError } from './start-error.ts';
import { CertificateStore } from './tls/certificate-store.ts';
import { listenSettingsOf } from './tls/tls-settings.ts';
import { VERSION } from './version.ts';
import { workerCount } from './workers/worker-count.ts';
import { WorkerFrontEnd } from './workers/worker-front-end.ts';

/** Every setting of the command line, with the same defaults, and what only a program can pass. */
export interface ServerOptions extends Partial<Omit<Settings, 'queues' | 'rateLimits' | 'logLevel'>> {
  /** Queues that exist once the server runs, by name. */
  queues?: QueueDeclarationsInput;
  /** Requests per second, by account or ARN. */
  rateLimits?: RateLimitsInput;
  /** Replaces clock, ids and timers: `manualClock()` in tests. */
  clock?: Platform;
  /** Silent when left out. */
  logger?: Logger;
}

export interface RunningServer {
  /** Where this machine reaches the server: `http://127.0.0.1:9324`. Where HTTP is off, the same as `secureUrl`. */
  readonly url: string;
  readonly port: number;
  /** Where it does so with TLS: `https://127.0.0.1:9325`. */
  readonly secureUrl?: string;
  /**
   * Reads the certificate again, for connections to come, and the identity file and the endpoint policy, for requests to
   * come. Resolves when they hold everywhere, or were refused, which is logged and changes nothing.
   */
  reload(): Promise<void>;
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
  const { httpPort, https } = listenSettingsOf(settings);
  const certificates = https && new CertificateStore(https.files, clock ?? realPlatform(), logger);
  const certificate = await certificates?.read();
  const workers = workerCount(settings.workers);
  if (clock !== undefined && workers > 0) {
    throw new ConfigError(['workers must be 0 with a clock of your own: other processes cannot see it (option)']);
  }
  requireProtection(settings);
  const platform = clock ?? realPlatform();
  const source = settings.auth === 'on' ? await RulesSource.open(settings, platform) : undefined;
  const access = source && { rules: await source.read(), secrets: source.secrets };
  const frontEnd =
    workers > 0
      ? new WorkerFrontEnd({ workers, settings, platform, logger, capacity: capacityOf(settings, workers), access })
      : new LocalFrontEnd({ settings, platform, logger, capacity: capacityOf(settings), access });

  // The port comes first: nothing is touched on disk when the server is already running.
  const { host } = settings;
  const keeper =
    source &&
    new AccessRulesKeeper({ source, use: (rules) => frontEnd.useRules(rules), timers: realPlatform(), logger });
  let bound: Listeners;
  let engine: Engine | undefined;
  let trail: OpenTrail | undefined;
  try {
    bound = await frontEnd.listen({
      http: httpPort === undefined ? undefined : { host, port: httpPort },
      https: https && { host, port: https.port },
      certificate,
    });
    engine = await openEngine(settings, platform, logger);
    await declareQueues(settings.queues, runAction, ownContext(settings, engine.shard, platform, bound));
    trail = await openTrail(settings, platform, logger);
    const queues = settings.quotas === 'aws' ? withQuotas(engine.shard, platform) : engine.shard;
    await frontEnd.serve(queues, guardsOf(settings, platform, trail?.log));
    await keeper?.watch();
  } catch (error) {
    frontEnd.abandon();
    await Promise.all([frontEnd.drain(), engine?.shard.close()]);
    await trail?.close();
    throw error;
  }
  const { shard, freeBytes } = engine;

  announce(settings, frontEnd, bound, logger);
  if (freeBytes < RESERVE_BYTES) warnOfFullDisk(freeBytes, logger);
  let closing: Promise<void> | undefined;
  const { url, port, secureUrl } = placesOf(bound);
  return {
    url,
    port,
    secureUrl,
    async reload() {
      const [fresh] = await Promise.all([certificates?.reread(), keeper?.reload()]);
      if (fresh !== undefined && closing === undefined) frontEnd.useCertificate(fresh);
    },
    close() {
      closing ??= Promise.all([stop(frontEnd, shard).then(() => trail?.close()), keeper?.close()]).then(() => {});
      return closing;
    },
  };
}

function placesOf({ http, https }: Listeners): { url: string; port: number; secureUrl?: string } {
  const secureUrl = https && urlOf(https, 'https');
  const first = http ?? https;
  // There is one at least: the settings were checked for it.
  if (first === undefined) throw new Error('the server listens nowhere');
  return { url: http === undefined ? (secureUrl ?? '') : urlOf(http), port: first.port, secureUrl };
}

/** Queues that others reach are to be protected, or are not protected on purpose. */
function requireProtection({ host, auth, insecure, endpointPolicy }: Settings): void {
  if (auth === 'off' && !insecure && !isLoopback(host)) {
    throw new ConfigError([
      `other machines may reach ${host}: set auth to on, or insecure to true to let them in with any credentials`,
    ]);
  }
  if (auth === 'off' && endpointPolicy !== undefined) {
    throw new ConfigError(['endpointPolicy means nothing with auth off: set auth to on, or leave it out']);
  }
}

interface Engine {
  shard: Shard;
  /** Of its store, when it was opened. */
  freeBytes: number;
}

async function openEngine(settings: Settings, platform: Platform, logger: Logger): Promise<Engine> {
  const store = await openStore(settings, platform);
  const { freeBytes } = store.stats();
  let shard: Shard | undefined;
  try {
    const encryption = await openEncryption(settings, store, platform);
    shard = await openShard({ store, platform, logger, encryption });
    await rememberKeyring(settings, store);
    return { shard, freeBytes };
  } catch (error) {
    // A shard closes its store.
    await (shard ?? store).close();
    if (!(error instanceof ReadError)) throw error;
    throw new StartError(`cannot use the store in ${resolve(settings.data)}: ${error.message}`, { cause: error });
  }
}

/** Adapters are loaded on demand: who serves from memory needs no native module. */
async function openStore(settings: Settings, platform: Platform): Promise<Store> {
  if (settings.store === 'memory') {
    const { openMemoryStore } = await import('../storage/memory/memory-store.ts');
    return openMemoryStore();
  }
  const path = resolve(settings.data);
  await prepareDataDirectory(path);
  try {
    return await openOnDisk(path, settings.durability, platform);
  } catch (error) {
    throw new StartError(`cannot open the store in ${path}: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
}

async function openOnDisk(path: string, durability: Settings['durability'], platform: Platform): Promise<Store> {
  const { openLmdbStore } = await import('../storage/lmdb/lmdb-store.ts');
  const { openJournaledStore } = await import('../storage/journaled/journaled-store.ts');
  const base = await openLmdbStore({ path, durability });
  try {
    return await openJournaledStore(base, { directory: path, isFlushed: durability === 'fsync', platform });
  } catch (error) {
    await base.close();
    throw error;
  }
}

function announce(settings: Settings, { workers }: FrontEnd, bound: Listeners, logger: Logger): void {
  const { host, store, durability, region, account, auth } = settings;
  const { url, port, secureUrl } = placesOf(bound);
  const urls = secureUrl === undefined || secureUrl === url ? url : `${url} and ${secureUrl}`;
  const data = store === 'lmdb' ? resolve(settings.data) : undefined;
  const kept = data === undefined ? 'in memory, gone when it stops' : `in ${data}, durability ${durability}`;
  const who = auth === 'on' ? 'signatures are verified and policies enforced' : 'any credentials are accepted';
  logger.info(
    { url, secureUrl, store, data, durability: data && durability, region, account, auth, workers, version: VERSION },
    `serving on ${urls}${workers.length > 0 ? ` by ${workers.length} worker processes` : ''}, messages ${kept}, ${who}`,
  );
  if (auth === 'off' && !isLoopback(host)) {
    logger.warn({ host }, `other machines may reach ${host}:${port}, and any credentials are accepted there`);
  }
}

/** Else nobody would know why all is well and no message is taken. */
function warnOfFullDisk(freeBytes: number, logger: Logger): void {
  const [free, reserve] = [freeBytes, RESERVE_BYTES].map((bytes) => `${Math.floor(bytes / 1024 / 1024)} MiB`);
  logger.warn({ freeBytes }, `the disk has ${free} left: no messages are taken until ${reserve} are free`);
}

async function stop(frontEnd: FrontEnd, shard: Shard): Promise<void> {
  const disconnected = frontEnd.drain();
  await shard.drain();
  // Real time whatever the clock: the clients are real.
  const giveUp = realPlatform().at(realPlatform().now() + LAST_REPLY_TIMEOUT_MS, () => frontEnd.abandon());
  await disconnected;
  giveUp();
  await shard.close();
}
